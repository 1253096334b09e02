"""The board in a real browser: everything by keyboard, no violation of accessibility, nothing for a foreign page."""

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.board.browser import list_violations, load_axe, open_browser, open_page
from tests.board.stage import PLAN, BoardStage

pytestmark = pytest.mark.full
GREET = "plan=plans/greet.md"
PAGES = (
    "inbox",
    "plans",
    "tasks",
    "queue",
    "costs",
    f"plan?{GREET}",
    f"run?{GREET}",
    f"timeline?{GREET}",
    f"evidence?{GREET}",
    "task?number=9",
)
LOOKS: list[dict[str, Any]] = [
    {"viewport": {"width": 1100, "height": 800}, "color_scheme": "light"},
    {"viewport": {"width": 390, "height": 800}, "color_scheme": "dark"},
]


def _go(page: Any, where: str) -> None:
    page.evaluate("where => { location.hash = `#/${where}` }", where)
    page.wait_for_function(
        "() => document.querySelector('h1') && !document.querySelector('main').innerText.includes('Loading')"
    )


@pytest.mark.parametrize("looks", LOOKS, ids=["light, wide", "dark, narrow"])
def test_no_page_violates_accessibility_or_needs_more_than_its_width(stage: BoardStage, looks: dict[str, Any]) -> None:
    axe = load_axe()
    block = stage.get(f"/api/plan?{GREET}").told["blocks"][3]
    stage.post("comment", block=block["hash"], line=str(block["first"]), text="why?", replacement="because")
    with open_browser() as browser, open_page(browser, stage, **looks) as page:
        for where in PAGES:
            _go(page, where)
            assert list_violations(page, axe) == [], where
            assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), where
        assert {url.split("/")[2] for url in page.asked} == {stage.door.name}
        assert [said for said in page.wrong if "409" not in said] == []  # the task that is not there


def test_a_plan_is_commented_rejected_and_approved_by_keyboard_alone(stage: BoardStage) -> None:
    with open_browser() as browser, open_page(browser, stage) as page:
        keys = page.keyboard

        def tab_to(name: str) -> None:
            for _ in range(60):
                keys.press("Tab")
                focused = page.evaluate(
                    "() => { const e = document.activeElement; return e.getAttribute('aria-label') || e.innerText || e.id }"
                )
                if focused.startswith(name):
                    ring = page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
                    assert ring == "solid"
                    return
            raise AssertionError(f"{name} cannot be reached")

        tab_to("Greet in two languages")
        keys.press("Enter")
        page.wait_for_selector(".block")
        tab_to("line 1")
        for key in ("j", "ArrowDown", "j", "k", "c"):
            keys.press(key)
        page.wait_for_selector("textarea[name=text]")
        keys.type("Say it in a word.")
        tab_to("Keep the comment")
        keys.press("Enter")
        page.wait_for_selector(".note >> text=Say it in a word.")
        tab_to("Approve …")
        keys.press("Enter")
        page.wait_for_selector("dialog[open]")
        keys.press("Escape")
        assert not [fact for fact in stage.facts() if fact.kind == "approval"]
        keys.press("Enter")
        page.wait_for_selector("dialog[open]")
        if page.evaluate("() => document.activeElement.innerText") != "Approve this text":
            tab_to("Approve this text")
        keys.press("Enter")
        page.wait_for_selector("text=enough for: in session")
        tab_to("feedback")
        keys.type("After all, no.")
        tab_to("Reject with 1 comment")
        keys.press("Enter")
        page.wait_for_selector("text=What became of each comment")
        kinds = [fact.kind for fact in stage.facts()]
        assert kinds == ["comment", "approval", "rejection", "comments_sent"]


def test_the_token_leaves_the_address_and_no_cookie_is_kept(stage: BoardStage) -> None:
    with open_browser() as browser, open_page(browser, stage) as page:
        assert stage.door.token not in page.url
        assert page.context.cookies() == []
        assert not any(stage.door.token in url.partition("#")[0] for url in page.asked)
        other = page.context.new_page()
        other.goto(stage.door.origin)
        other.wait_for_selector("text=open the link")


def test_hostile_texts_do_nothing_in_the_browser(stage: BoardStage) -> None:
    evil = '<img src=x onerror="window.hit=1"><script>window.hit=1</script> [a](javascript:window.hit=1)'
    stage.plan.write_text(
        PLAN.replace("keep it small", evil)
        .replace("Greet in two", f"{evil} Greet in two")
        .replace("test -f hallo.sh", f"echo '{evil}'")
    )
    with open_browser() as browser, open_page(browser, stage) as page:
        for where in ("inbox", "plans", f"plan?{GREET}", f"run?{GREET}", f"timeline?{GREET}"):
            _go(page, where)
            assert page.evaluate("() => window.hit") is None
            assert page.query_selector("main img, main script") is None
        assert page.wrong == []


def test_a_page_shows_a_line_that_another_process_writes(stage: BoardStage) -> None:
    with open_browser() as browser, open_page(browser, stage) as page:
        _go(page, f"plan?{GREET}")
        page.wait_for_selector("text=live")
        stage.plan.write_text(PLAN.replace("keep it small", "keep it tiny"))
        page.wait_for_selector("text=keep it tiny")


@contextmanager
def _foreign_site() -> Iterator[str]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>evil</title>")

        def log_message(self, *_: object) -> None: ...

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever).start()
    try:
        yield f"http://localhost:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()


# Each tries to change or to read something, with the token even; what it answers is what it got.
FOREIGN = {
    "a fetch that reads": "fetch(B + '/api/plan?plan=plans/greet.md', {headers: {Authorization: 'Bearer ' + T}}).then(r => r.text())",
    "a fetch that needs no preflight": "fetch(B + '/api/reject', {method: 'POST', mode: 'no-cors', body: J}).then(r => r.text())",
    "text/plain": "fetch(B + '/api/reject', {method: 'POST', mode: 'no-cors', headers: {'Content-Type': 'text/plain'}, body: J}).then(r => r.text())",
    "JSON with the token": "fetch(B + '/api/reject', {method: 'POST', headers: {Authorization: 'Bearer ' + T, 'Content-Type': 'application/json'}, body: J}).then(r => r.text())",
    "a beacon": "Promise.resolve(navigator.sendBeacon(B + '/api/reject', new Blob([J], {type: 'text/plain'})) ? '' : '')",
    "a form": "new Promise(done => { const f = document.createElement('form'); f.action = B + '/api/reject'; f.method = 'post'; f.enctype = 'text/plain'; f.target = 'x';"
    " const i = document.createElement('input'); i.name = J; f.append(i); const w = document.createElement('iframe'); w.name = 'x'; document.body.append(w, f); w.onload = () => done(''); f.submit() })",
    "a script of ours": "new Promise(done => { const s = document.createElement('script'); s.src = B + '/parts.js'; s.type = 'module'; s.onerror = () => done(''); s.onload = () => done('loaded'); document.body.append(s) })",
    "an event source": "new Promise(done => { const e = new EventSource(B + '/api/events'); e.onerror = () => done(''); e.onmessage = m => done(m.data) })",
    "a websocket": "new Promise(done => { const w = new WebSocket(B.replace('http', 'ws') + '/api/events'); w.onerror = () => done(''); w.onopen = () => done('open') })",
    "a frame": "new Promise(done => { const w = document.createElement('iframe'); w.src = B + '/#' + T; w.onload = () => { try { done(w.contentDocument ? w.contentDocument.body.innerText : '') } catch { done('') } }; document.body.append(w) })",
}


def test_a_foreign_page_changes_and_reads_nothing(stage: BoardStage) -> None:
    with _foreign_site() as site, open_browser() as browser:
        page = browser.new_page()
        page.goto(site)
        given = {"B": stage.door.origin, "T": stage.door.token, "J": '{"plan": "plans/greet.md"}'}
        for name, attempt in FOREIGN.items():
            got = page.evaluate(f"({{B, T, J}}) => {attempt.rstrip()}.catch(() => '')", given)
            assert got == "", name
        assert not stage.facts()


def test_a_name_that_was_made_to_lead_here_is_not_answered(stage: BoardStage) -> None:
    with open_browser("--host-resolver-rules=MAP evil.example 127.0.0.1") as browser:
        page = browser.new_page()
        told = page.goto(f"http://evil.example:{stage.door.port}/#{stage.door.token}")
        assert told.status == 421
        got = page.evaluate(
            "T => fetch('/api/start', {headers: {Authorization: 'Bearer ' + T}}).then(r => r.status)", stage.door.token
        )
        assert got == 421
