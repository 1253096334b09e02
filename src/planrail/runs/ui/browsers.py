"""Which browser of this machine takes pictures, and how it is started: Chromium or a relative of it, without a window,
with a profile of its own that is gone afterwards."""

import glob
import json
import os
import re
import select
import time
from collections.abc import Callable, Mapping

from planrail.base.json_reading import read_object
from planrail.base.records import record
from planrail.runs.checks.kept_programs import ProgramOrder

VARIABLES = ("CHROME_BIN", "PUPPETEER_EXECUTABLE_PATH")
_NAMES = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "chrome-headless-shell"),
    *("microsoft-edge", "brave-browser"),
)
_APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
# Below the folders of Playwright and Puppeteer; the newest version of the first kind that is there.
_PLAYWRIGHT = (
    *("chromium-*/chrome-linux*/chrome", "chromium-*/chrome-mac*/*.app/Contents/MacOS/*"),
    *("chromium_headless_shell-*/*/headless_shell", "chromium_headless_shell-*/*/chrome-headless-shell"),
)
_PUPPETEER = (
    *("chrome/*/chrome-*/chrome", "chrome/*/chrome-mac*/*.app/Contents/MacOS/*"),
    "chrome-headless-shell/*/*/chrome-headless-shell",
)
_FLAGS = (
    *("--headless", "--remote-debugging-pipe", "--disable-gpu", "--hide-scrollbars", "--mute-audio", "--no-first-run"),
    *("--no-default-browser-check", "--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-extensions", "--disable-default-apps", "--disable-breakpad", "--disable-dev-shm-usage"),
    *("--force-color-profile=srgb", "--force-device-scale-factor=1", "--password-store=basic", "--use-mock-keychain"),
    *("--disable-features=Translate,MediaRouter,OptimizationHints", "--ignore-certificate-errors"),
)
# The keeper gives every program a private TMPDIR, and removes it.
_SCRIPT = (
    'export XDG_CONFIG_HOME="$TMPDIR/config" XDG_CACHE_HOME="$TMPDIR/cache"; '
    'exec "$@" --user-data-dir="$TMPDIR/profile" about:blank'
)
_NUMBERS = re.compile(r"\d+")

Message = dict[str, object]
Listener = Callable[[str, Message], None]
_CHUNK = 1 << 20
_END = b"\0"
_SECONDS = 30.0  # for one answer


@record
class Browser:
    """A program that is a browser; or `problem`, why there is none."""

    program: str
    problem: str = ""


def find_browser(environment: Mapping[str, str], wanted: str = "") -> Browser:
    """The browser that the settings or a variable name, else the first one that this machine has."""
    named = [("[ui] browser", wanted), *((name, environment.get(name, "")) for name in VARIABLES)]
    for who, program in named:
        if program:
            is_there = os.path.isabs(program) and os.path.isfile(program) and os.access(program, os.X_OK)
            return Browser(program) if is_there else Browser("", f"{who} names {program}, which is no program")
    folders = [part for part in environment.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(part)]
    on_path = [os.path.join(folder, name) for name in _NAMES for folder in folders]
    programs = (*on_path, *_APPLICATIONS, *_cached(environment))
    found = next((place for place in programs if os.path.isfile(place) and os.access(place, os.X_OK)), "")
    return Browser(found) if found else Browser("", "this machine has no Chromium or Chrome; set CHROME_BIN to one")


def start_order(browser: Browser, folder: str, environment: Mapping[str, str], log: str) -> ProgramOrder:
    """How the browser is started; it speaks on its descriptors 3 and 4."""
    flags = [*_FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]  # it has no sandbox for root
    command = ["/bin/sh", "-c", _SCRIPT, "sh", browser.program, *flags]
    return ProgramOrder(command, folder, environment, log)


def _cached(environment: Mapping[str, str]) -> list[str]:
    """What Playwright and Puppeteer have installed, the newest of each kind first."""
    home = environment.get("HOME") or os.path.expanduser("~")
    caches = [environment.get("XDG_CACHE_HOME") or f"{home}/.cache", f"{home}/.cache", f"{home}/Library/Caches"]
    playwright = [environment.get("PLAYWRIGHT_BROWSERS_PATH", ""), *(f"{cache}/ms-playwright" for cache in caches)]
    puppeteer = [environment.get("PUPPETEER_CACHE_DIR", ""), *(f"{cache}/puppeteer" for cache in caches)]
    programs: list[str] = []
    for folders, patterns in ((playwright, _PLAYWRIGHT), (puppeteer, _PUPPETEER)):
        for folder in filter(os.path.isabs, dict.fromkeys(folders)):
            for pattern in patterns:
                found = glob.glob(os.path.join(glob.escape(folder), pattern))
                programs += sorted(found, key=lambda path: [int(one) for one in _NUMBERS.findall(path)], reverse=True)
    return programs


class BrowserFailed(Exception):
    """The browser is gone, says nothing any more, or refused a call."""


class BrowserEnded(BrowserFailed):
    def __init__(self) -> None:
        super().__init__("the browser has ended")


class DevTools:
    """A conversation with a browser. `listen` is told of each event."""

    def __init__(self, reading: int, writing: int, listen: Listener) -> None:
        self._reading, self._writing, self._listen = reading, writing, listen
        self._rest, self._number = bytearray(), 0
        self._answers: dict[int, Message] = {}

    def call(
        self, method: str, parameters: Message | None = None, *, to: str = "", seconds: float = _SECONDS
    ) -> Message:
        """The answer to a call; `to` is the session of a page, "" the browser itself."""
        number = self.send(method, parameters, to=to)
        deadline = time.monotonic() + seconds
        while number not in self._answers:
            if not self.hear(deadline):
                raise BrowserFailed(f"the browser did not answer to {method} within {seconds:g} seconds")
        answer = self._answers.pop(number)
        error = answer.get("error")
        if isinstance(error, dict):
            raise BrowserFailed(f"{method}: {error.get('message')}")
        result = answer.get("result")
        return result if isinstance(result, dict) else {}

    def send(self, method: str, parameters: Message | None = None, *, to: str = "") -> int:
        """Say something, and do not wait; the number of the call."""
        self._number += 1
        said: Message = {"id": self._number, "method": method, "params": parameters or {}}
        rest = memoryview(json.dumps({**said, "sessionId": to} if to else said).encode() + _END)
        try:
            while rest:
                rest = rest[os.write(self._writing, rest) :]
        except OSError as error:
            raise BrowserEnded from error
        return self._number

    def hear(self, deadline: float) -> bool:
        """Take in what the browser says next; False where it says nothing until then."""
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([self._reading], [], [], left)[0]:
            return False
        chunk = os.read(self._reading, _CHUNK)
        if not chunk:
            raise BrowserEnded
        at = len(self._rest) + chunk.find(_END) if _END in chunk else -1
        self._rest += chunk
        while at >= 0:
            message = read_object(bytes(self._rest[:at]))
            given = message.get("params")
            if isinstance(message.get("id"), int):
                self._answers[message["id"]] = message  # type: ignore[index]
            elif isinstance(given, dict):
                self._listen(str(message.get("method")), {**given, "sessionId": message.get("sessionId", "")})
            del self._rest[: at + 1]
            at = self._rest.find(_END)
        return True
