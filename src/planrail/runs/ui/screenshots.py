"""Pictures of pages, taken by a real browser: one start of it for all of them, each page in a tab of its own."""

import base64
import binascii
import contextlib
import fcntl
import io
import os
import time
from collections.abc import Iterable, Iterator

from planrail.base.crash_points import reach
from planrail.base.json_reading import number_in, object_in
from planrail.base.records import mutable_record, record
from planrail.runs.checks.kept_programs import KeptProgram, ProgramOrder, keep
from planrail.runs.ui.browsers import BrowserEnded, BrowserFailed, DevTools, Message
from planrail.runs.ui.dev_servers import ShownPage, origin_of

_WIDTH, _HEIGHT = 1280, 800
_TALLEST = 8000  # pixels of a long page that are shown
_START = 60.0  # seconds for a browser on a busy machine
_LOAD = 30.0  # seconds for a page
_SETTLE = 3.0  # seconds that a page which goes on loading is given after its first load
_BAD = 400  # answers from here on are worth a word
_MOST_ERRORS = 3


@record
class Shot:
    """What became of a page: a picture as PNG, or b"" with the reason among the remarks."""

    page: ShownPage
    picture: bytes
    remarks: tuple[str, ...]


@mutable_record
class Tab:
    """A page that is being loaded, as its events tell."""

    session: str
    blank: str = ""  # the document that it began with
    loaded: float = 0.0
    idle: bool = False
    status: int = 0
    frame: str = ""
    crashed: bool = False
    errors: tuple[str, ...] = ()


@record
class Album:
    """All pictures; `problem` says why the browser gave up, "" where it did not."""

    shots: tuple[Shot, ...]
    problem: str = ""


def take_pictures(order: ProgramOrder, pages: Iterable[ShownPage]) -> Album:
    """Start the browser, look at each page, end it with all that it started. Failures are told, never raised."""
    camera = Camera()
    shots: list[Shot] = []
    with _talking(order, camera) as program:
        try:
            camera.tools.call("Browser.getVersion", seconds=_START)  # until the browser answers
            for page in pages:
                shots.append(camera.look(page))
                reach("view.taken")
            with contextlib.suppress(BrowserFailed):  # it likes best to end by itself; the keeper sees to it
                camera.tools.call("Browser.close", seconds=2.0)
        except BrowserEnded as error:  # it may have said why
            lines = [line.strip() for line in program.end().splitlines() if line.strip()]
            last = ([line for line in lines if "FATAL" in line or "ERROR" in line] or lines)[-1:]
            return Album(tuple(shots), f"{error}{f'; it said: {last[0][-300:]}' if last else ''}")
        except BrowserFailed as error:
            return Album(tuple(shots), str(error))
    return Album(tuple(shots))


@contextlib.contextmanager
def _talking(order: ProgramOrder, camera: "Camera") -> Iterator[KeptProgram]:
    """A browser that listens on one pipe and speaks on another."""
    with contextlib.ExitStack() as stack:
        theirs_in, ours_out = _pipe(stack)
        ours_in, theirs_out = _pipe(stack)
        program = stack.enter_context(keep(order, (theirs_in.fileno(), theirs_out.fileno())))
        theirs_in.close()
        theirs_out.close()
        camera.tools = DevTools(ours_in.fileno(), ours_out.fileno(), camera.hear)
        yield program


def _pipe(stack: contextlib.ExitStack) -> tuple[io.FileIO, io.FileIO]:
    """A pipe with high numbers: 3 and 4 are what the browser calls its own ends."""
    ends = []
    for end, mode in zip(os.pipe(), ("rb", "wb"), strict=True):
        ends.append(stack.enter_context(io.FileIO(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20), mode)))
        os.close(end)
    return ends[0], ends[1]


class Camera:
    """Looks at pages, one after the other."""

    tools: DevTools

    def __init__(self) -> None:
        self._tab: Tab | None = None

    def look(self, page: ShownPage) -> Shot:
        """A picture of a page. A page that fails costs its own picture alone."""
        made = self.tools.call("Target.createTarget", {"url": "about:blank"})
        joined = self.tools.call("Target.attachToTarget", {"targetId": made["targetId"], "flatten": True})
        self._tab = tab = Tab(str(joined["sessionId"]))
        try:
            return self._look(page, tab)
        finally:
            self._tab = None
            self.tools.send("Target.closeTarget", {"targetId": made["targetId"]})

    def _look(self, page: ShownPage, tab: Tab) -> Shot:
        self._prepare(tab)
        answer = self.tools.call("Page.navigate", {"url": page.url}, to=tab.session, seconds=_LOAD + 10)
        if answer.get("errorText"):
            return Shot(page, b"", (f"the page could not be loaded: {answer['errorText']}",))
        deadline = time.monotonic() + _LOAD
        while not tab.crashed and not (tab.loaded and tab.idle):  # once loaded, it is given a moment to come to rest
            until = min(deadline, tab.loaded + _SETTLE) if tab.loaded else deadline
            if not self.tools.hear(until) and time.monotonic() >= until:
                break
        if tab.crashed:
            return Shot(page, b"", ("the page crashed the browser's tab",))
        remarks = [] if tab.loaded else [f"it did not finish loading within {_LOAD:g} seconds"]
        where = self._frame(tab)
        if origin_of(str(where.get("url"))) != origin_of(page.url):
            return Shot(page, b"", (f"the page led to {where.get('url')}, which is not this work",))
        remarks += [f"the server answered with {tab.status}"] if tab.status >= _BAD else []
        remarks += [f"an error on the page: {text}" for text in tab.errors[:_MOST_ERRORS]]
        return Shot(page, self._capture(tab), tuple(remarks))

    def _prepare(self, tab: Tab) -> None:
        still = [{"name": "prefers-reduced-motion", "value": "reduce"}]
        size = {"width": _WIDTH, "height": _HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        for method, given in (
            ("Page.enable", {}),
            ("Network.enable", {}),
            ("Runtime.enable", {}),
            ("Emulation.setDeviceMetricsOverride", size),
            ("Emulation.setEmulatedMedia", {"features": still}),
        ):
            self.tools.call(method, given, to=tab.session)  # type: ignore[arg-type]
        frame = self._frame(tab)
        tab.frame, tab.blank = str(frame.get("id")), str(frame.get("loaderId"))
        self.tools.call("Page.setLifecycleEventsEnabled", {"enabled": True}, to=tab.session)

    def _frame(self, tab: Tab) -> Message:
        return object_in(object_in(self.tools.call("Page.getFrameTree", to=tab.session), "frameTree"), "frame")

    def _capture(self, tab: Tab) -> bytes:
        size = object_in(self.tools.call("Page.getLayoutMetrics", to=tab.session), "cssContentSize")
        wide, tall = (int(float(str(size.get(side, 0)))) for side in ("width", "height"))
        clip = {"x": 0, "y": 0, "width": min(max(wide, _WIDTH), _TALLEST), "scale": 1}
        clip["height"] = min(max(tall, 1), _TALLEST)
        given: Message = {"format": "png", "captureBeyondViewport": True, "clip": clip}
        data = self.tools.call("Page.captureScreenshot", given, to=tab.session).get("data")
        try:
            return base64.b64decode(str(data), validate=True)
        except binascii.Error as error:
            raise BrowserFailed("the browser gave no picture") from error

    def hear(self, name: str, event: Message) -> None:
        tab = self._tab
        if tab is None or event.get("sessionId") != tab.session:
            return
        if name == "Page.lifecycleEvent":  # how far the document is; one that a page led on to begins anew
            if event.get("frameId") != tab.frame or event.get("loaderId") == tab.blank:
                return
            if event.get("name") == "init":
                tab.loaded, tab.idle = 0.0, False
            elif event.get("name") == "load":
                tab.loaded = time.monotonic()
            elif event.get("name") == "networkIdle":
                tab.idle = True
        elif name == "Network.responseReceived":  # to the request for the page itself
            if event.get("type") == "Document" and event.get("frameId") == tab.frame:
                tab.status = number_in(object_in(event, "response"), "status")
        elif name == "Runtime.exceptionThrown":
            details = object_in(event, "exceptionDetails")
            text = object_in(details, "exception").get("description") or details.get("text") or "unknown"
            tab.errors = (*tab.errors, str(text).splitlines()[0][:200])
        elif name == "Page.javascriptDialogOpening":
            self.tools.send("Page.handleJavaScriptDialog", {"accept": True}, to=tab.session)
        elif name in ("Inspector.targetCrashed", "Inspector.detached"):
            tab.crashed = True
