"""Which request is let in? Decided from its head alone, before anything is routed or read. Pure, but for the counting.

Every page that a browser shows can send requests to loopback, and every process of this machine can; so nothing counts
but the exact name and origin of this server and the token that its start has made.
"""

import re
import secrets
from collections import deque
from collections.abc import Iterable

from planrail.base.records import record

HOST = "127.0.0.1"
MOST_BYTES = 256_000  # of a body
_PATH = re.compile(r"/(?:[a-z]+(?:/[a-z]+)*|[a-z-]+\.(?:js|css|svg))?")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types planrail"
)
HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cache-Control": "no-store",
}


@record
class Door:
    """What this server is called, and who is let in. `read_only` says why nothing may be changed; "" where it may."""

    port: int
    token: str
    read_only: str = ""

    @property
    def name(self) -> str:
        return f"{HOST}:{self.port}"

    @property
    def origin(self) -> str:
        return f"http://{self.name}"


@record
class Head:
    """The head of a request. `fields` has each value of each name, in small letters."""

    method: str
    path: str
    fields: dict[str, list[str]]

    def one(self, name: str) -> str | None:
        """The only value of a field; "" where there are several, which no browser sends; None where there is none."""
        found = self.fields.get(name, [])
        return None if not found else found[0] if len(found) == 1 else ""


@record
class DoorRefusal:
    status: int
    reason: str


STREAM = "/api/events"  # asked for by POST, so that its origin is sent; it changes nothing


def make_token() -> str:
    """256 bits that nobody can guess, another one for each start."""
    return secrets.token_urlsafe(32)


def read_head(method: str, raw_path: bytes, headers: Iterable[tuple[bytes, bytes]]) -> Head:
    fields: dict[str, list[str]] = {}
    for name, value in headers:
        fields.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return Head(method, raw_path.decode("latin-1").partition("?")[0], fields)


def judge(head: Head, door: Door) -> DoorRefusal | None:
    """Why a request is refused; None where it is let in."""
    if head.one("host") != door.name:  # before all else: a name that was made to lead here is not ours
        return DoorRefusal(421, "this is not the name of this server")
    if head.method not in ("GET", "POST"):
        return DoorRefusal(405, "only GET and POST are answered")
    if not _PATH.fullmatch(head.path):
        return DoorRefusal(404, "there is no such page")
    is_data = head.path.startswith("/api/")
    sites = ("same-origin",) if is_data else ("same-origin", "none")  # none: an address that was typed
    if head.fields.get("sec-fetch-site") and head.one("sec-fetch-site") not in sites:
        return DoorRefusal(403, "the request comes from another site")
    if head.fields.get("origin") and head.one("origin") != door.origin:
        return DoorRefusal(403, "the request comes from another origin")
    if not is_data:
        return None if head.method == "GET" else DoorRefusal(405, "this is only read")
    if not secrets.compare_digest((head.one("authorization") or "").encode(), f"Bearer {door.token}".encode()):
        return DoorRefusal(401, "the token of this start is missing: open the link that `planrail board` has shown")
    return _judge_change(head, door) if head.method == "POST" else None


def _judge_change(head: Head, door: Door) -> DoorRefusal | None:
    length = head.one("content-length") or ""
    if head.one("origin") != door.origin:
        return DoorRefusal(403, "a request that asks for something needs the origin of this page")
    if head.one("content-type") != "application/json":
        return DoorRefusal(415, "only JSON is read")
    if head.fields.get("transfer-encoding") or not length.isdecimal() or not length.isascii():
        return DoorRefusal(411, "the length of the body must be said")
    if len(length) > 9 or int(length) > MOST_BYTES:
        return DoorRefusal(413, f"at most {MOST_BYTES} bytes are read")
    if door.read_only and head.path != STREAM:
        return DoorRefusal(403, f"this board only shows: {door.read_only}")
    return None


class Rate:
    """At most so many of something in so many seconds."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most, self._seconds, self._times = most, seconds, deque[float]()

    def is_over(self, now: float, *, counts: bool = True) -> bool:
        """Whether there were too many; what is refused for that does not count."""
        while self._times and self._times[0] <= now - self._seconds:
            self._times.popleft()
        if len(self._times) >= self._most:
            return True
        if counts:
            self._times.append(now)
        return False
