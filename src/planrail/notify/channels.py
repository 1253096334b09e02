"""Sending a notice: to the desktop, to ntfy, to Slack, to a webhook as JSON, or by Apprise to whatever that knows.

An address is a secret, and so is what a server answers: an error names neither.
"""

import json
import shutil
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any

from planrail.base.settings.tables import NotifySettings
from planrail.base.wording import pick
from planrail.notify.notices import FAILED, NEEDS_YOU, STUCK, Notice

_SECONDS = 10
_URGENT = (NEEDS_YOU, STUCK, FAILED)
# Texts are handed over as arguments: nothing of them is a program.
_APPLE = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run"


class NotSent(Exception):
    """Why a channel did not take a notice."""


def send(channel: str, notice: Notice, settings: NotifySettings) -> None:
    """Send a notice to a channel that the settings name; raises `NotSent`."""
    _SENDERS[channel](notice, getattr(settings, channel))


def _desktop(notice: Notice, _is_on: object) -> None:
    body = f"{notice.text}\n{notice.command}"
    if sys.platform == "darwin":
        command = ["osascript", "-e", _APPLE, notice.title, body]
    else:
        urgency = "critical" if notice.kind in _URGENT else "normal"
        command = ["notify-send", "--app-name", "planrail", "--urgency", urgency, "--", notice.title, body]
    if shutil.which(command[0]) is None:
        raise NotSent(f"{command[0]} is not installed")
    try:
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotSent(f"{command[0]} did not end in time") from error
    if done.returncode:
        raise NotSent(f"{command[0]} ended with exit code {done.returncode}")


def _ntfy(notice: Notice, address: str) -> None:
    # its headers hold ASCII alone, so the whole message goes as JSON to the server's root
    server, _, topic = address.rstrip("/").rpartition("/")
    said = {"topic": topic, "title": notice.title, "message": f"{notice.text}\n{notice.command}".strip()}
    _post(server, {**said, "priority": 4 if notice.kind in _URGENT else 3}, {})


def _slack(notice: Notice, address: str) -> None:
    # only what it must escape; `mrkdwn` off: a plan's title is no markup
    text = f"{notice.title}\n{notice.text}\n{notice.command}"
    for sign, escaped in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(sign, escaped)
    _post(address, {"text": text, "mrkdwn": False}, {})


def _webhook(notice: Notice, address: str) -> None:
    said = {"planrail": 1, **pick(notice, "id kind title plan text command at")}
    _post(address, said, {"Idempotency-Key": urllib.parse.quote(notice.id)})


def _apprise(notice: Notice, addresses: "list[str]") -> None:
    try:
        import apprise
    except ImportError as error:
        raise NotSent("Apprise is not installed: pip install 'planrail[apprise]'") from error
    sender = apprise.Apprise()
    for address in addresses:
        if not sender.add(address):
            raise NotSent("Apprise does not know one of the addresses")
    if not sender.notify(title=notice.title, body=f"{notice.text}\n{notice.command}"):
        raise NotSent("Apprise could not send it")


def _post(address: str, said: Mapping[str, object], headers: Mapping[str, str]) -> None:
    if urllib.parse.urlsplit(address).scheme not in ("http", "https"):
        raise NotSent("its address does not begin with https://")
    given = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "planrail", **headers}
    request = urllib.request.Request(address, json.dumps(said).encode(), given, method="POST")
    try:
        with _make_opener().open(request, timeout=_SECONDS):
            pass
    except urllib.error.HTTPError as error:
        error.close()
        raise NotSent(f"it answered with {error.code}") from None
    except (OSError, ValueError) as error:
        raise NotSent(f"it could not be reached: {type(error).__name__}") from None


def _make_opener() -> urllib.request.OpenerDirector:
    """One that follows no redirection: what is sent was meant for this address."""
    opener, parts = urllib.request.OpenerDirector(), urllib.request
    for part in (parts.ProxyHandler, parts.HTTPHandler, parts.HTTPSHandler, parts.HTTPDefaultErrorHandler):
        opener.add_handler(part())
    opener.add_handler(parts.HTTPErrorProcessor())
    return opener


_SENDERS: dict[str, Callable[[Notice, Any], None]] = {
    "desktop": _desktop,
    "ntfy": _ntfy,
    "slack": _slack,
    "webhook": _webhook,
    "apprise": _apprise,
}
