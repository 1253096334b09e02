"""The `gh` program, spoken to in JSON: its login, its hosts. Each failure says what a person can do about it."""

import json
import subprocess
import time
from collections.abc import Mapping

from planrail.base.errors import ToolFailed
from planrail.base.records import record
from planrail.git.git_writing import clean_environment
from planrail.git.remotes.pushing import run_apart

_SECONDS = 120
_PAUSES = (0.5, 2.0)  # seconds
_NO_LOGIN = 4  # the exit code of gh
_QUIET = {
    "GH_PROMPT_DISABLED": "1",
    "GH_NO_UPDATE_NOTIFIER": "1",
    "GH_PAGER": "cat",
    "NO_COLOR": "1",
    "CLICOLOR_FORCE": "0",
    "GH_FORCE_TTY": "",
    "GH_DEBUG": "",
    "DEBUG": "",
}
_HEADERS = ("Accept: application/vnd.github+json", "X-GitHub-Api-Version: 2022-11-28")
_INSTALL = "install gh (https://cli.github.com), then: gh auth login"


class ForgeFailed(ToolFailed):
    """The forge did not do what it was asked. `is_passing`: later it may, without a person's help."""

    def __init__(self, message: str, *, remedy: str, status: int = 0, is_passing: bool = False) -> None:
        super().__init__(message, remedy=remedy)
        self.status = status
        self.is_passing = is_passing


@record
class ForgeReply:
    """What the forge said."""

    status: int
    headers: Mapping[str, str]
    body: object


def ask(host: str, method: str, path: str, body: object = None) -> object:
    """One request by `gh api`; the JSON of the answer. Raises `ForgeFailed` for everything but success.

    A question that the forge briefly cannot answer is asked again; a request for a change is never sent twice.
    """
    for pause in (*(_PAUSES if method == "GET" else ()), None):
        try:
            reply = _request(host, method, path, body)
            if 200 <= reply.status < 300:
                return reply.body
            raise explain(reply, host, path)
        except ForgeFailed as error:
            if pause is None or not error.is_passing or error.status in (403, 429):
                raise
            time.sleep(pause)
    raise AssertionError("the last try is an answer")


def check_login(host: str) -> None:
    """Raise `ForgeFailed` where gh has no login for a host. The network is not asked; a gh too old to say passes."""
    code, _, said = _run(["auth", "token", "--hostname", host], b"")
    if code and "unknown command" not in said:
        raise ForgeFailed(f"gh is not logged in at {host}", remedy=_login(host))


def explain(reply: ForgeReply, host: str, path: str) -> ForgeFailed:
    body = reply.body if isinstance(reply.body, dict) else {}
    errors = [
        str(error.get("message") or error if isinstance(error, dict) else error) for error in body.get("errors") or ()
    ]
    said = "; ".join([str(body.get("message") or "no reason was given"), *errors])  # with the details of what was wrong
    where = f"{host} answered {path.partition('?')[0]} with {reply.status}"
    if reply.status == 401:
        return ForgeFailed(f"{host} refuses the login of gh: {said}", remedy=_login(host), status=401)
    remaining, seconds = reply.headers.get("x-ratelimit-remaining"), reply.headers.get("retry-after")
    is_limit = reply.status == 429 or remaining == "0" or seconds is not None or "rate limit" in said.lower()
    if reply.status in (403, 429) and is_limit:
        until = f" for {seconds} seconds" if seconds and seconds.isdigit() else ""
        text = f"the limit of requests to {host} is used up{until}"
        return ForgeFailed(text, remedy="wait, then: planrail resume PLAN", status=reply.status, is_passing=True)
    if reply.status == 403:
        return ForgeFailed(
            f"{host} does not allow that: {said}", remedy=f"gh auth refresh --hostname {host}", status=403
        )
    if reply.status == 404:
        remedy = f"gh auth status --hostname {host}: may this login see the repository?"
        return ForgeFailed(f"{where}: no such thing, or not for this login", remedy=remedy, status=404)
    is_passing = reply.status >= 500
    remedy = "wait, then: planrail resume PLAN" if is_passing else f"gh api --hostname {host} {path}"
    return ForgeFailed(f"{where}: {said}", remedy=remedy, status=reply.status, is_passing=is_passing)


def _request(host: str, method: str, path: str, body: object) -> ForgeReply:
    headers = [part for header in _HEADERS for part in ("-H", header)]
    data = b"" if body is None else json.dumps(body).encode()
    given = [] if body is None else ["--input", "-"]
    command = ["api", "--include", "--method", method, "--hostname", host, *headers, *given, path]
    code, printed, said = _run(command, data)
    if printed.startswith(b"HTTP/"):
        return _read_reply(printed, host)
    if code == _NO_LOGIN or "gh auth login" in said:  # it never got an answer from the forge
        raise ForgeFailed(f"gh is not logged in at {host}", remedy=_login(host))
    first = (said.strip().splitlines() or [f"exit status {code}"])[0]
    if "error connecting" in said or "dial tcp" in said or "timeout" in said or "EOF" in said:
        remedy = "check the network, then: planrail resume PLAN"
        raise ForgeFailed(f"gh cannot reach {host}: {first}", remedy=remedy, is_passing=True)
    raise ForgeFailed(f"gh failed: {first}", remedy=f"gh auth status --hostname {host}", is_passing="HTTP 5" in said)


def _read_reply(printed: bytes, host: str) -> ForgeReply:
    """What `gh api --include` prints: the status, the headers, an empty line, the body."""
    head, _, body = printed.replace(b"\r\n", b"\n").partition(b"\n\n")
    first, *rest = head.decode("utf-8", "replace").split("\n")
    headers = {name.strip().lower(): text.strip() for name, _, text in (line.partition(":") for line in rest)}
    status = first.split(" ")[1:2]
    if not status or not status[0].isdigit():
        raise ForgeFailed(f"{host} gave an answer that cannot be read", remedy=f"gh auth status --hostname {host}")
    number, content = int(status[0]), None
    try:
        content = json.loads(body) if body.strip() else None
    except (ValueError, RecursionError) as error:
        if 200 <= number < 300:  # a proxy's page about an error need not be JSON
            problem = f"{host} gave an answer that is no JSON: {error}"
            raise ForgeFailed(problem, remedy="wait, then: planrail resume PLAN", is_passing=True) from error
    return ForgeReply(number, headers, content)


def _run(arguments: list[str], data: bytes) -> tuple[int, bytes, str]:
    try:
        return run_apart(["gh", *arguments], clean_environment() | _QUIET, data, _SECONDS)
    except OSError as error:
        raise ForgeFailed(f"gh cannot be started: {error.strerror}", remedy=_INSTALL) from error
    except subprocess.TimeoutExpired:
        text = f"gh did not answer within {_SECONDS} seconds"
        raise ForgeFailed(text, remedy="check the network, then: planrail resume PLAN", is_passing=True) from None


def _login(host: str) -> str:
    return f"gh auth login --hostname {host}"
