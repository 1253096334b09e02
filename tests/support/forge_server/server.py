"""The server: one port on loopback, which `gh` takes for its proxy, so that no name has to be known anywhere.

For the host `github.localhost` gh speaks plain HTTP to `api.github.localhost`; a proxy gets those requests whole.
"""

import json
import os
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from planrail.base.records import record
from tests.support.forge_server import graphql, rest
from tests.support.forge_server.hosted import Hosted
from tests.support.forge_server.rest import Given, UnknownRequest

HOST = "github.localhost"
_API = f"api.{HOST}"
_TOKEN = "a-token-of-the-scripted-forge"


@record
class Heard:
    """One request."""

    method: str
    path: str
    body: Mapping[str, object]


class ForgeServer:
    """A scripted forge as a context manager. `heard` has each request; `errors` what should never have been asked."""

    def __init__(self, hosted: Hosted) -> None:
        self.hosted = hosted
        self.heard: list[Heard] = []
        self.errors: list[str] = []
        self.lock = threading.RLock()
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.forge = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)

    def environment(self, folder: str, *, is_logged_in: bool = True) -> dict[str, str]:
        """What makes a `gh` talk to this forge; its settings lie in the folder."""
        os.makedirs(folder, exist_ok=True)
        if is_logged_in:
            with open(os.path.join(folder, "hosts.yml"), "w", encoding="utf-8") as file:
                file.write(f"{HOST}:\n    oauth_token: {_TOKEN}\n    user: somebody\n    git_protocol: https\n")
        address = f"http://127.0.0.1:{self._http.server_address[1]}"
        plain = dict.fromkeys(("GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "NO_PROXY", "no_proxy"), "")
        return plain | {"GH_CONFIG_DIR": folder, "HTTP_PROXY": address, "http_proxy": address}

    def asked(self, method: str, part: str) -> list[Heard]:
        """The requests of a kind, in order."""
        return [heard for heard in self.heard if heard.method == method and part in heard.path]

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
    forge: ForgeServer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def log_message(self, format: str, *args: object) -> None:
        """Silence: what matters is recorded."""

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def do_PATCH(self) -> None:
        self._serve()

    def do_PUT(self) -> None:
        self._serve()

    def do_CONNECT(self) -> None:
        self.server.forge.errors.append(f"CONNECT {self.path}: something wants to leave this machine")
        self._send(Given(403, {"message": "no"}), {})

    def _serve(self) -> None:
        forge = self.server.forge
        try:
            with forge.lock:
                given, headers = self._answer(forge)
            self._send(given, headers)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # gh went away
        except Exception as error:
            forge.errors.append(repr(error))
            self._send(Given(501, {"message": repr(error)}), {})

    def _answer(self, forge: ForgeServer) -> tuple[Given, Mapping[str, str]]:
        parts = urlsplit(self.path)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        body = json.loads(self._body() or b"{}")
        forge.heard.append(Heard(self.command, target, body))
        if parts.hostname != _API:
            raise UnknownRequest(self.path)
        if self.headers.get("authorization") != f"token {_TOKEN}":
            return Given(401, {"message": "Bad credentials"}), {}
        return self._decide(forge.hosted, target, body)

    def _body(self) -> bytes:
        """What was sent; gh sends what it reads from its standard input in chunks."""
        if "chunked" not in self.headers.get("transfer-encoding", ""):
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        data = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return data

    def _decide(self, hosted: Hosted, target: str, body: Mapping[str, object]) -> tuple[Given, Mapping[str, str]]:
        hosted.act(self.command, target)
        fault = hosted.take_fault(self.command, target)
        if fault is None or fault.is_done:
            given = graphql.answer(hosted, body) if target == "/graphql" else None
            given = given or rest.answer(hosted, self.command, target, body)
            if fault is None:
                return given, {}
        return Given(fault.status, fault.body), fault.headers

    def _send(self, given: Given, headers: Mapping[str, str]) -> None:
        data = json.dumps(given.body).encode()
        self.send_response(given.status)
        for name, value in {"content-type": "application/json", "content-length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
