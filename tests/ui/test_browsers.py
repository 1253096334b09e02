"""A browser is found, and takes pictures of pages whatever they do."""

import http.server
import os
import struct
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from planrail.runs.checks.environment import check_environment
from planrail.runs.checks.leftovers import make_mark
from planrail.runs.ui.browsers import Browser, find_browser, start_order
from planrail.runs.ui.dev_servers import ShownPage
from planrail.runs.ui.screenshots import Album, take_pictures
from tests.support.run_traces import find_processes

_PAGES = {
    "/white": "<body style='background: white'></body>",
    "/navy": "<body style='background: navy'></body>",
    "/tall": "<body style='margin: 0'><div style='height: 3000px; background: green'></div></body>",
    "/late": "<body><script>fetch('/slow').then(() => document.body.style.background = 'red')</script></body>",
    "/slow": "ok",
    "/alert": "<script>alert('hello'); document.title = 'x'</script><body style='background: navy'></body>",
    "/error": "<script>throw new Error('no such shop')</script>",
    "/away": "<script>location = 'http://127.0.0.1:1/'</script>",
    "/on": "<script>location = '/navy'</script>",
}


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = _PAGES.get(self.path, "nothing here").encode()
        self.send_response(200 if self.path in _PAGES else 404)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def origin() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def _take(browser: Browser, place: Path, origin: str, *names: str) -> Album:
    environment = check_environment(os.environ)
    order = start_order(browser, str(place), environment, str(place / "browser.log"))
    return take_pictures(order, [ShownPage(name, origin + name) for name in names])


def _size(picture: bytes) -> tuple[int, int]:
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


@pytest.fixture(scope="module")
def album(browser: Browser, origin: str, tmp_path_factory: pytest.TempPathFactory) -> Album:
    place = tmp_path_factory.mktemp("album")
    taken = _take(browser, place, origin, *(name for name in _PAGES if name != "/slow"), "/missing")
    assert find_processes(place) == {}
    assert not list(Path(tempfile.gettempdir()).glob(f"planrail-{make_mark(str(place / 'browser.log'))}-*"))
    return taken


def _picture(album: Album, name: str) -> bytes:
    return next(shot.picture for shot in album.shots if shot.page.name == name)


def _remarks(album: Album, name: str) -> tuple[str, ...]:
    return next(shot.remarks for shot in album.shots if shot.page.name == name)


@pytest.mark.full
def test_one_browser_takes_a_picture_of_each_page(album: Album) -> None:
    assert album.problem == ""
    assert len(album.shots) == len(_PAGES)
    assert _picture(album, "/white") != _picture(album, "/navy")
    assert _remarks(album, "/white") == ()


@pytest.mark.full
def test_a_long_page_is_shown_to_its_end(album: Album) -> None:
    assert _size(_picture(album, "/tall")) == (1280, 3000)


def test_what_a_page_loads_late_is_waited_for(album: Album) -> None:
    assert _picture(album, "/late") != _picture(album, "/white")


def test_a_question_of_a_page_holds_nobody_up(album: Album) -> None:
    assert _size(_picture(album, "/alert"))[0] == 1280


def test_an_error_on_a_page_is_told(album: Album) -> None:
    assert _remarks(album, "/error") == ("an error on the page: Error: no such shop",)


def test_a_page_that_is_missing_is_shown_and_told(album: Album) -> None:
    assert _picture(album, "/missing")
    assert _remarks(album, "/missing") == ("the server answered with 404",)


def test_a_page_that_leads_on_is_followed_inside_the_server_alone(album: Album) -> None:
    assert _picture(album, "/on") == _picture(album, "/navy")
    assert _picture(album, "/away") == b""
    assert "is not this work" in _remarks(album, "/away")[0]


def test_a_page_that_nobody_serves_costs_its_own_picture_alone(browser: Browser, origin: str, tmp_path: Path) -> None:
    order = start_order(browser, str(tmp_path), check_environment(os.environ), str(tmp_path / "browser.log"))
    album = take_pictures(order, [ShownPage("gone", "http://127.0.0.1:1/"), ShownPage("/navy", f"{origin}/navy")])
    assert [bool(shot.picture) for shot in album.shots] == [False, True]
    assert "could not be loaded" in album.shots[0].remarks[0]


@pytest.mark.full
def test_a_browser_that_ends_is_told_with_its_last_words(origin: str, tmp_path: Path) -> None:
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\necho 'ERROR: No usable sandbox' >&2\nexit 3\n")
    program.chmod(0o755)
    album = _take(Browser(str(program)), tmp_path, origin, "/navy")
    assert album.shots == ()
    assert "the browser has ended" in album.problem
    assert "No usable sandbox" in album.problem
    assert find_processes(tmp_path) == {}


# ---- which browser ----


def _program(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_the_settings_come_first_then_the_variable_then_the_path(tmp_path: Path) -> None:
    chosen, named, found = (_program(tmp_path / name / "chromium") for name in ("chosen", "named", "found"))
    environment = {"PATH": str(tmp_path / "found"), "HOME": str(tmp_path), "CHROME_BIN": named}
    assert find_browser(environment, chosen).program == chosen
    assert find_browser(environment).program == named
    assert find_browser({**environment, "CHROME_BIN": ""}).program == found


def test_the_newest_browser_of_a_cache_is_taken(tmp_path: Path) -> None:
    for version in ("99", "1181", "1200"):
        _program(tmp_path / f".cache/ms-playwright/chromium-{version}/chrome-linux/chrome")
    _program(tmp_path / ".cache/puppeteer/chrome/linux-999.0.1/chrome-linux64/chrome")
    environment = {"PATH": "/nowhere", "HOME": str(tmp_path)}
    assert "chromium-1200" in find_browser(environment).program


def test_a_name_that_is_no_program_is_told_and_nothing_else_is_taken(tmp_path: Path) -> None:
    _program(tmp_path / "chromium")
    found = find_browser({"PATH": str(tmp_path), "CHROME_BIN": "/no/such/chrome"})
    assert (found.program, found.problem) == ("", "CHROME_BIN names /no/such/chrome, which is no program")


def test_a_machine_without_a_browser_is_told_so(tmp_path: Path) -> None:
    assert "CHROME_BIN" in find_browser({"PATH": str(tmp_path), "HOME": str(tmp_path)}).problem
