"""The server: loopback only, one process, one thread that reads for all pages; the guard stands before the routes."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec

import uvicorn
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from planrail.base.errors import PlanrailError, ToolFailed
from planrail.base.records import record
from planrail.board.asking import Board, PageRequest, show_all
from planrail.board.guarding import HEADERS, HOST, MOST_BYTES, STREAM, Door, DoorRefusal, Rate, judge, read_head
from planrail.board.watching import BoardWatcher

_BEAT = 15.0  # … between two signs of life to a page
_MOST_PAGES = 32
COMMANDS = ("refine", "resume", "stop")  # they wait a while for what they start; no page waits with them
_KINDS = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}


@record
class BoardOffer:
    """What is served, to whom, and what is done when it listens."""

    board: Board
    door: Door
    tell: Callable[[], None]


class BoardServer(uvicorn.Server):
    """Looks at the files instead of only keeping the time, so that an idle board costs next to nothing."""

    def __init__(self, app: "BoardApp", tell: Callable[[], None]) -> None:
        limits = {"limit_concurrency": 2 * _MOST_PAGES, "h11_max_incomplete_event_size": 16_384}
        quiet = {"log_config": None, "access_log": False, "server_header": False, "date_header": False}
        plain = {"http": "h11", "ws": "none", "lifespan": "off", "loop": "asyncio", "proxy_headers": False}
        ending = {"timeout_keep_alive": 30, "timeout_graceful_shutdown": 1}
        super().__init__(uvicorn.Config(app, **limits, **quiet, **plain, **ending))  # type: ignore[arg-type]
        self._watcher, self._tell, self._find_pause = app.watcher, tell, app.watcher.find_pause

    async def main_loop(self) -> None:
        self._tell()
        while not self.should_exit:
            self._watcher.look()
            await asyncio.sleep(self._find_pause())
        self._watcher.end()


def hold_parts() -> None:
    """Raise `ModuleNotFoundError` for a part of the extra that is only imported with the first page."""
    for name in ("markdown_it", "nh3"):
        if find_spec(name) is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def listen(port: int) -> socket.socket:
    """A socket on loopback; with 0 on a port that is free."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((HOST, port))
        made.listen(64)
    except (OSError, OverflowError) as error:
        made.close()
        raise ToolFailed(f"port {port} cannot be had: {error}", remedy="planrail board --port 0") from error
    return made


def serve(served: BoardOffer, listening: socket.socket) -> None:
    """Serve until SIGTERM or SIGINT."""
    for number in (signal.SIGINT, signal.SIGTERM):  # raised again by the server when it has ended: then it is heard
        with contextlib.suppress(ValueError):  # not the main thread
            signal.signal(number, lambda *_: None)
    app = BoardApp(served)
    try:
        BoardServer(app, served.tell).run(sockets=[listening])
    finally:
        app.reader.shutdown(wait=False, cancel_futures=True)
        app.starter.shutdown(wait=False, cancel_futures=True)


class BoardApp:
    """The application: the guard, then the static files, the data and the stream."""

    def __init__(self, served: BoardOffer) -> None:
        self._board, self._door = served.board, served.door
        self.watcher = BoardWatcher({key: project.root for key, project in served.board.projects.items()})
        self.reader = ThreadPoolExecutor(1, "reader")  # one: commands read the folder that they are typed in
        self.starter = ThreadPoolExecutor(4, "starter")
        self._files = _load_files()
        self._kept: dict[tuple[str, ...], tuple[object, Response]] = {}
        self._all, self._changes, self._wrong = Rate(400, 5), Rate(60, 10), Rate(20, 10)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        response = await self._answer(scope, receive)
        for name, value in HEADERS.items():
            response.headers[name] = value
        with contextlib.suppress(ClientDisconnect):
            await response(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive) -> Response:
        head = read_head(scope["method"], scope["raw_path"], scope["headers"])
        denied = judge(head, self._door) or self._hold_rate(head.method)
        if denied is not None:
            if denied.status == 401 and self._wrong.is_over(time.monotonic()):
                denied = DoorRefusal(429, "too many requests without the token")
            return _refuse(denied)
        if head.path in self._files:
            body, kind = self._files[head.path]
            return Response(body, media_type=kind)
        request, name = Request(scope, receive), head.path.removeprefix("/api/")
        try:
            return await (self._read(name, request) if head.method == "GET" else self._change(name, request))
        except NoSuchPage:
            return _refuse(DoorRefusal(404, "there is no such page"))
        except PlanrailError as error:
            return _told(409, {"error": error.message, "remedy": error.remedy})
        except Exception as error:  # the board outlives what is wrong with one page, and says which it was
            return _told(500, {"error": f"{name} could not be read: {error!r}", "remedy": "planrail doctor"})

    def _hold_rate(self, method: str) -> DoorRefusal | None:
        now = time.monotonic()
        if self._all.is_over(now) or (method == "POST" and self._changes.is_over(now)):
            return DoorRefusal(429, "too many requests at once")
        return None

    async def _read(self, name: str, request: Request) -> Response:
        """A page's data. Pages that ask the same at the same time get the same answer."""
        asked = self._board.ask_of(dict(request.query_params))
        key = (name, str(request.query_params))
        version = (self.watcher.version(asked.project.key), _changed_at(asked))
        if key in self._kept and self._kept[key][0] == version:
            return self._kept[key][1]
        found = await self._run(self.reader, _show, name, asked)
        if len(self._kept) > _MOST_PAGES:
            self._kept.clear()
        self._kept[key] = (version, _told(200, found))
        return self._kept[key][1]

    async def _change(self, name: str, request: Request) -> Response:
        told = await _read_body(request)
        if told is None:
            return _refuse(DoorRefusal(400, "the body is no JSON object of texts"))
        asked = self._board.ask_of(told)
        if name == STREAM.removeprefix("/api/"):
            return self._stream(asked)
        found = await self._run(self.starter if name in COMMANDS else self.reader, _act, name, asked)
        self._kept.clear()
        self.watcher.send(asked.project.key, {"kind": "changed"})
        return _told(200, found)

    async def _run(
        self, thread: ThreadPoolExecutor, do: Callable[[str, Board, PageRequest], object], name: str, asked: PageRequest
    ) -> object:
        return await asyncio.get_running_loop().run_in_executor(thread, do, name, self._board, asked)

    def _stream(self, asked: PageRequest) -> Response:
        if self.watcher.pages >= _MOST_PAGES:
            return _refuse(DoorRefusal(429, f"{_MOST_PAGES} pages are open already"))
        return StreamingResponse(self._follow(asked), media_type="text/event-stream")

    async def _follow(self, asked: PageRequest) -> AsyncIterator[str]:
        queue = self.watcher.join(asked.project.key, asked.plan if asked.get("plan") else "")
        try:
            yield 'data: {"kind": "hello"}\n\n'
            while True:
                try:
                    message = await asyncio.wait_for(queue.get(), _BEAT)
                except TimeoutError:
                    yield ": \n\n"
                    continue
                if message is None:
                    return
                yield f"data: {message}\n\n"
        finally:
            self.watcher.leave(queue)


class NoSuchPage(Exception):
    """What is asked for is none of the pages."""


def _miss(_board: Board, _asked: PageRequest) -> object:
    raise NoSuchPage


def _show(name: str, board: Board, asked: PageRequest) -> object:
    from planrail.board.pages import PAGES  # with the first page: what it is read with costs more than the server

    return (PAGES.get(name) or _miss)(board, asked)


def _act(name: str, board: Board, asked: PageRequest) -> object:
    from planrail.board.acting import ACTIONS

    return (ACTIONS.get(name) or _miss)(board, asked)


def _changed_at(asked: PageRequest) -> int:
    """When the plan that is asked for was changed; 0 where there is none."""
    try:
        return os.stat(os.path.join(asked.project.root, asked.get("plan"))).st_mtime_ns
    except OSError:
        return 0


async def _read_body(request: Request) -> dict[str, str] | None:
    """A JSON object whose values are texts; None for anything else, or for more than its head has said."""
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > MOST_BYTES:
            return None
    try:
        told = json.loads(data)
    except (ValueError, RecursionError):
        return None
    is_plain = isinstance(told, dict) and all(isinstance(value, str) for value in told.values())
    return told if is_plain else None


def _told(status: int, document: object) -> Response:
    return JSONResponse(show_all(document), status)


def _refuse(denied: DoorRefusal) -> Response:
    return _told(denied.status, {"error": denied.reason})


def _load_files() -> dict[str, tuple[bytes, str]]:
    """The files of the page by their addresses: what is not in this table is not served."""
    folder, found = os.path.join(os.path.dirname(__file__), "static"), dict[str, tuple[bytes, str]]()
    for name in os.listdir(folder):
        kind = _KINDS.get(name.rpartition(".")[2])
        if kind is not None:
            with open(os.path.join(folder, name), "rb") as file:
                found["/" if name == "index.html" else f"/{name}"] = (file.read(), kind)
    return found
