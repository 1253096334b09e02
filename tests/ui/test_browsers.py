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
from planrail.runs.ui.screenshots import take_pictures
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


def _size(picture: bytes) -> tuple[int, int]:
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


@pytest.mark.full
def test_one_browser_takes_a_picture_of_each_page_whatever_that_does(
    browser: Browser, origin: str, tmp_path: Path
) -> None:
    order = start_order(browser, str(tmp_path), check_environment(os.environ), str(tmp_path / "browser.log"))
    names = [*(name for name in _PAGES if name != "/slow"), "/missing"]
    pages = [ShownPage(name, origin + name) for name in names]
    album = take_pictures(order, [ShownPage("gone", "http://127.0.0.1:1/"), *pages])
    assert album.problem == ""
    assert [shot.page.name for shot in album.shots] == ["gone", *names]
    picture = {shot.page.name: shot.picture for shot in album.shots}
    remarks = {shot.page.name: shot.remarks for shot in album.shots}
    assert picture["/white"] != picture["/navy"]
    assert remarks["/white"] == ()
    assert _size(picture["/tall"]) == (1280, 3000), "it is shown to its end"
    assert picture["/late"] != picture["/white"], "what it loads late is waited for"
    assert _size(picture["/alert"])[0] == 1280, "its question holds nobody up"
    assert remarks["/error"] == ("an error on the page: Error: no such shop",)
    assert picture["/missing"]
    assert remarks["/missing"] == ("the server answered with 404",)
    assert picture["/on"] == picture["/navy"], "it is followed inside the server"
    assert (picture["/away"], picture["gone"]) == (b"", b""), "and not elsewhere"
    assert "is not this work" in remarks["/away"][0]
    assert "could not be loaded" in remarks["gone"][0]
    assert find_processes(tmp_path) == {}
    assert not list(Path(tempfile.gettempdir()).glob(f"planrail-{make_mark(str(tmp_path / 'browser.log'))}-*"))


def test_a_browser_that_ends_is_told_with_its_last_words(origin: str, tmp_path: Path) -> None:
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\necho 'ERROR: No usable sandbox' >&2\nexit 3\n")
    program.chmod(0o755)
    order = start_order(
        Browser(str(program)), str(tmp_path), check_environment(os.environ), str(tmp_path / "browser.log")
    )
    album = take_pictures(order, [ShownPage("/navy", f"{origin}/navy")])
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
    assert "CHROME_BIN" in find_browser({"PATH": "/nowhere", "HOME": str(tmp_path)}).problem
