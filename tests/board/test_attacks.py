"""What others try: pages of other sites, names that lead to loopback, agents with curl, hostile texts. None succeeds."""

import contextlib
import json
from html.parser import HTMLParser

import pytest

from tests.board.stage import BoardStage

_EVIL = "http://evil.example"
_APPROVE = json.dumps({"plan": "plans/greet.md", "hash": "0" * 64})

# What an attacker changes in a request that would be right; None takes a field out.
HEADS: dict[str, tuple[str, dict[str, str | None], int]] = {
    "a name that was made to lead here": ("GET", {"Host": "evil.example"}, 421),
    "the same with our port": ("GET", {"Host": "evil.example:PORT"}, 421),
    "localhost, which is another origin": ("GET", {"Host": "localhost:PORT"}, 421),
    "our address without the port": ("GET", {"Host": "127.0.0.1"}, 421),
    "our address with a dot behind it": ("GET", {"Host": "127.0.0.1.:PORT"}, 421),
    "another spelling of loopback": ("GET", {"Host": "127.1:PORT"}, 421),
    "a user before the name": ("GET", {"Host": "evil@127.0.0.1:PORT"}, 421),
    "two names": ("GET", {"Host": "127.0.0.1:PORT\nevil.example"}, 400),
    "a forwarded name": ("GET", {"Host": "evil.example", "X-Forwarded-Host": "127.0.0.1:PORT"}, 421),
    "no token": ("GET", {"Authorization": None}, 401),
    "an empty token": ("GET", {"Authorization": "Bearer "}, 401),
    "a token that was guessed": ("GET", {"Authorization": "Bearer " + "A" * 43}, 401),
    "the beginning of the token": ("GET", {"Authorization": "Bearer START"}, 401),
    "the token as a password": ("GET", {"Authorization": "Basic TOKEN"}, 401),
    "the token in a cookie": ("GET", {"Authorization": None, "Cookie": "token=TOKEN"}, 401),
    "two tokens": ("GET", {"Authorization": "Bearer TOKEN\nBearer x"}, 401),
    "a page of another site that reads": ("GET", {"Origin": _EVIL, "Sec-Fetch-Site": "cross-site"}, 403),
    "a page on another port of loopback": (
        "GET",
        {"Origin": "http://127.0.0.1:3000", "Sec-Fetch-Site": "same-site"},
        403,
    ),
    "a frame without an origin": ("GET", {"Origin": "null", "Sec-Fetch-Site": "cross-site"}, 403),
    "an image of another site": ("GET", {"Origin": None, "Sec-Fetch-Site": "cross-site"}, 403),
    "an address that was typed": ("GET", {"Origin": None, "Sec-Fetch-Site": "none"}, 403),
    "a form of another site": (
        "POST",
        {"Origin": _EVIL, "Sec-Fetch-Site": "cross-site", "Content-Type": "application/x-www-form-urlencoded"},
        403,
    ),
    "a fetch of another site": ("POST", {"Origin": _EVIL, "Sec-Fetch-Site": "cross-site"}, 403),
    "a change without an origin": ("POST", {"Origin": None}, 403),
    "a change from the origin null": ("POST", {"Origin": "null"}, 403),
    "our origin by https": ("POST", {"Origin": "https://127.0.0.1:PORT"}, 403),
    "our origin with more behind it": ("POST", {"Origin": "http://127.0.0.1:PORT.evil.example"}, 403),
    "text/plain, which needs no preflight": ("POST", {"Content-Type": "text/plain"}, 415),
    "a form": ("POST", {"Content-Type": "application/x-www-form-urlencoded"}, 415),
    "JSON that says that it is text": ("POST", {"Content-Type": "text/plain; application/json"}, 415),
    "no content type": ("POST", {"Content-Type": None}, 415),
    "more than is read": ("POST", {"Content-Length": "99999999"}, 413),
    "a preflight": ("OPTIONS", {"Origin": _EVIL, "Access-Control-Request-Method": "POST"}, 405),
    "another method": ("PUT", {}, 405),
    "TRACE": ("TRACE", {}, 405),
}


@pytest.mark.parametrize("name", HEADS)
def test_a_request_that_is_not_of_the_page_is_refused(stage: BoardStage, name: str) -> None:
    method, changes, status = HEADS[name]
    token = stage.door.token
    spelled = {
        field: value
        and value.replace("PORT", str(stage.door.port)).replace("TOKEN", token).replace("START", token[:20])
        for field, value in changes.items()
    }
    path = "/api/plan?plan=plans/greet.md" if method == "GET" else "/api/approve"
    reply = stage.send(method, path, {**stage.own_head(), **spelled}, _APPROVE if method != "GET" else "")
    assert reply.status == status
    assert b"Greet" not in reply.body
    assert token.encode() not in reply.body
    assert "access-control-allow-origin" not in reply.headers
    assert not stage.facts()


PATHS = [
    *(
        "/../pyproject.toml",
        "/static/../serving.py",
        "/%2e%2e/serving.py",
        "/..%2fserving.py",
        "//evil.example/",
        "/.git/config",
    ),
    *(
        "/serving.py",
        "/LICENSE.htm",
        "/api/../board.js",
        "/api//plan",
        "/API/plan",
        "/api/plan/",
        "/board.js/",
        "/board.js%00",
    ),
    *("/api/plan;x", "http://127.0.0.1/api/plan", "/api/%70lan", "/index.html", "/preact.js.map"),
]


@pytest.mark.parametrize("path", PATHS)
def test_a_path_that_is_no_page_is_not_served(stage: BoardStage, path: str) -> None:
    reply = stage.get(path)
    assert reply.status in (400, 404)
    assert b"Greet" not in reply.body


@pytest.mark.parametrize(
    "plan",
    ["../../etc/passwd", "/etc/passwd", "plans/../../secret.md", "plans", "", "out.md", "-h", "plans/greet.md\0"],
)
def test_a_plan_outside_of_the_project_is_not_read(stage: BoardStage, plan: str) -> None:
    secret = stage.root.parent / "secret.md"
    secret.write_text("# Secret\n\n## Phase 1: Hidden\n")
    (stage.root / "out.md").symlink_to(secret)
    for page in ("plan", "run", "report", "diff"):
        reply = stage.get(f"/api/{page}?plan={plan.replace(chr(0), '%00')}")
        assert reply.status == 409
        assert b"Secret" not in reply.body
        assert b"root:" not in reply.body


def test_the_token_in_the_query_lets_nobody_in(stage: BoardStage) -> None:
    head = {**stage.own_head(), "Authorization": None}
    assert stage.send("GET", f"/api/start?token={stage.door.token}", head).status == 401


def test_a_link_of_an_earlier_start_is_worth_nothing(
    stage: BoardStage, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with BoardStage(tmp_path_factory.mktemp("later") / "project").serving() as later:
        head = {**later.own_head(), "Authorization": f"Bearer {stage.door.token}"}
        assert later.send("GET", "/api/start", head).status == 401


def test_who_guesses_is_slowed_down(stage: BoardStage) -> None:
    head = {**stage.own_head(), "Authorization": "Bearer guess"}
    assert {stage.send("GET", "/api/start", head).status for _ in range(30)} == {401, 429}


def test_a_websocket_is_not_opened(stage: BoardStage) -> None:
    head = {**stage.own_head(), "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
    reply = stage.send("GET", "/api/events", {**head, "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="})
    assert reply.status in (400, 404)


def test_the_stream_needs_the_origin(stage: BoardStage) -> None:
    assert stage.send("POST", "/api/events", {**stage.own_head(), "Origin": None}, "{}").status == 403
    assert stage.send("GET", "/api/events", stage.own_head()).status == 404


@pytest.mark.parametrize(
    "body", ["", "[]", "null", '{"plan": 1}', '{"plan": {"a": "b"}}', "{", "[" * 90_000, '{"plan": "\\ud800"}']
)
def test_a_body_that_is_no_object_of_texts_does_nothing(stage: BoardStage, body: str) -> None:
    assert stage.send("POST", "/api/reject", stage.own_head(), body).status in (400, 409)
    assert not stage.facts()


def test_a_body_in_chunks_is_refused(stage: BoardStage) -> None:
    head = {**stage.own_head(), "Transfer-Encoding": "chunked", "Content-Length": None}
    assert stage.send("POST", "/api/reject", head, "2\r\n{}\r\n0\r\n\r\n").status == 411


def test_a_head_without_an_end_is_given_up(stage: BoardStage) -> None:
    raw = f"GET / HTTP/1.1\r\nHost: {stage.door.name}\r\nX: {'x' * 200_000}\r\n\r\n"
    with contextlib.suppress(ConnectionError):  # or it is hung up on before it has said all
        assert stage.send_raw(raw.encode()).status in (400, 431)
    assert stage.get("/api/start").status == 200


def test_every_answer_has_the_strict_headers(stage: BoardStage) -> None:
    for reply in (stage.get("/"), stage.get("/api/start"), stage.get("/board.js"), stage.get("/nothing")):
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["referrer-policy"] == "no-referrer"
        assert reply.headers["cross-origin-resource-policy"] == "same-origin"
        assert reply.headers["cache-control"] == "no-store"
        assert "server" not in reply.headers
        assert "set-cookie" not in reply.headers


@pytest.mark.parametrize(
    "name", ["approve", "reject", "comment", "uncomment", "refine", "pause", "stop", "resume", "priority", "remove"]
)
def test_a_board_that_an_agent_has_started_only_shows(shown: BoardStage, name: str) -> None:
    reply = shown.post(name, hash=shown.get("/api/plan?plan=plans/greet.md").told["hash"], text="x")
    assert reply.status == 403
    assert "agent" in reply.told["error"]
    assert not shown.facts()


def test_a_board_that_an_agent_has_started_says_so(shown: BoardStage) -> None:
    assert "agent" in shown.get("/api/start").told["read_only"]


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[a](javascript:alert(1))",
        "[a](data:text/html,<script>alert(1)</script>)",
        "![a](http://evil.example/pixel.png)",
        "<svg onload=alert(1)>",
        "[a](vbscript:x)",
        '<a href="http://x" onclick="alert(1)">a</a>',
        "```html\n<script>alert(1)</script>\n```",
        "| <iframe src=//evil> |\n|---|\n| <style>*{}</style> |",
        '<http://evil.example/"onmouseover=alert(1)>',
    ],
)
def test_a_hostile_plan_is_text(stage: BoardStage, text: str) -> None:
    stage.plan.write_text(f"# Plan\n\n{text}\n\n## Phase 1: Do\n\n- [ ] {text.splitlines()[0]}\n")
    blocks = stage.get("/api/plan?plan=plans/greet.md").told["blocks"]
    found = _Elements()
    found.feed("".join(block["html"] for block in blocks))
    assert found.names <= {"h1", "h2", "p", "ul", "li", "a", "code", "pre", "table", "thead", "tbody", "tr", "th", "td"}
    assert {name for name, _ in found.attributes} <= {"href", "rel", "title"}
    assert all((value or "").startswith("http://") for name, value in found.attributes if name == "href")


class _Elements(HTMLParser):
    """The elements and attributes that a browser would make of a text."""

    def __init__(self) -> None:
        super().__init__()
        self.names, self.attributes = set[str](), set[tuple[str, str | None]]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes.update(attrs)


def test_what_cannot_be_seen_is_spelled(stage: BoardStage) -> None:
    stage.plan.write_text(
        "# Plan\n\n\x1b[31mred\x1b[0m \u202egnp.exe \u200bzero\n\n## Phase 1: Do\u2066\n\n- [ ] x\r- [ ] y\n"
    )
    body = stage.get("/api/plan?plan=plans/greet.md").body.decode()
    for sign in ("\x1b", "\u202e", "\u200b", "\u2066", "\\u001b", "\\u202e", "\\r- "):
        assert sign not in body.replace("\\\\", "")
    assert "\\\\x1b" in body
