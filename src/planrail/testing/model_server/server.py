"""The server: one port on loopback, every dialect, every request recorded."""

import gzip
import json
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Protocol, Self
from urllib.parse import urlsplit

from planrail.testing.model_server import anthropic, chat, gemini, responses
from planrail.testing.model_server.requests import ModelRequest, Reading
from planrail.testing.model_server.script import Cut, Reply, Script, ServiceError, prepare


class WireDialect(Protocol):
    """What a module has to give to be a dialect: what the model is told, its answer whole or as a stream, an error."""

    NAME: str
    PATHS: tuple[str, ...]  # how the path of a request for a turn ends

    def read(self, path: str, body: Mapping[str, object]) -> Reading: ...
    def whole(self, reply: Reply) -> dict[str, object]: ...
    def events(self, reply: Reply) -> Iterator[tuple[str, object]]: ...
    def failure(self, refusal: ServiceError) -> dict[str, object]: ...


DIALECTS: tuple[WireDialect, ...] = (anthropic, responses, chat, gemini)
_COUNTS = ("count_tokens", ":countTokens")


class ModelServer:
    """A scripted model as a context manager. `requests` holds each request for a turn, in order."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[ModelRequest] = []
        self.errors: list[str] = []
        self._lock = threading.Lock()
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.model = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def turns(self) -> list[ModelRequest]:
        return [request for request in self.requests if not request.is_aside and not request.subagent]

    @property
    def subagent_turns(self) -> list[ModelRequest]:
        return [request for request in self.requests if not request.is_aside and request.subagent]

    def record(self, request: ModelRequest) -> None:
        with self._lock:
            self.requests.append(request)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64
    model: ModelServer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def log_message(self, format: str, *args: object) -> None:
        """Silence: what matters is recorded."""

    def do_POST(self) -> None:
        path = urlsplit(self.path).path.rstrip("/")
        try:
            self._answer(path, self._body())
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the agent went away
        except Exception as error:
            self.server.model.errors.append(repr(error))
            self._send(500, {"error": {"type": "script", "message": repr(error)}})

    def do_GET(self) -> None:
        self._send(200, {"object": "list", "data": [], "models": [], "has_more": False})

    def do_HEAD(self) -> None:
        self.do_GET()

    def _answer(self, path: str, body: Mapping[str, object]) -> None:
        dialect = next((dialect for dialect in DIALECTS if path.endswith(dialect.PATHS)), None)
        if dialect is None:
            size = len(str(body)) // 4
            known = path.endswith(_COUNTS)
            return self._send(200 if known else 404, {"input_tokens": size, "totalTokens": size} if known else {})
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = ModelRequest(dialect.NAME, path, headers, body, *dialect.read(path, body))
        self.server.model.record(request)
        return self._reply(dialect, request)

    def _reply(self, dialect: WireDialect, request: ModelRequest) -> None:
        turn = self.server.model.script.next_turn(request)
        if isinstance(turn.fault, ServiceError):
            return self._send(turn.fault.status, dialect.failure(turn.fault), dict(turn.fault.headers))
        reply = prepare(turn, request)
        if not request.streams:
            return self._send(200, dialect.whole(reply))
        return self._stream(dialect.events(reply), turn.fault.after if isinstance(turn.fault, Cut) else None)

    def _body(self) -> Mapping[str, object]:
        is_chunked = "chunked" in self.headers.get("transfer-encoding", "")
        data = self._chunks() if is_chunked else self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("content-encoding", "") == "gzip":
            data = gzip.decompress(data)
        body = json.loads(data or b"{}")
        return body if isinstance(body, dict) else {}

    def _chunks(self) -> bytes:
        data = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return data

    def _send(self, status: int, value: object, headers: Mapping[str, str] | None = None) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for name, text in {"retry-after": "0", **(headers or {})}.items():
            self.send_header(name, text)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _stream(self, events: Iterator[tuple[str, object]], cut_after: int | None) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for number, (name, data) in enumerate(events):
            if number == cut_after:
                self.close_connection = True
                return
            head = f"event: {name}\n" if name else ""
            self._chunk(f"{head}data: {data if isinstance(data, str) else json.dumps(data)}\n\n")
        self._chunk("")

    def _chunk(self, text: str) -> None:
        data = text.encode()
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        self.wfile.flush()
