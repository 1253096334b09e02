"""Which browser of this machine takes pictures, and how it is started: Chromium or a relative of it, without a window,
with a profile of its own that is gone afterwards."""

import glob
import os
import re
from collections.abc import Iterator, Mapping

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
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
    "chromium_headless_shell-*/*/headless_shell",
    "chromium_headless_shell-*/*/chrome-headless-shell",
)
_PUPPETEER = (
    "chrome/*/chrome-*/chrome",
    "chrome/*/chrome-mac*/*.app/Contents/MacOS/*",
    "chrome-headless-shell/*/*/chrome-headless-shell",
)
_FLAGS = (
    *("--headless", "--remote-debugging-pipe", "--disable-gpu", "--hide-scrollbars", "--mute-audio"),
    *("--no-first-run", "--no-default-browser-check", "--disable-background-networking", "--disable-component-update"),
    *(
        "--disable-sync",
        "--disable-extensions",
        "--disable-default-apps",
        "--disable-breakpad",
        "--disable-dev-shm-usage",
    ),
    *("--force-color-profile=srgb", "--force-device-scale-factor=1", "--password-store=basic", "--use-mock-keychain"),
    *("--disable-features=Translate,MediaRouter,OptimizationHints", "--ignore-certificate-errors"),
)
# The keeper gives every program a private TMPDIR, and removes it.
_SCRIPT = (
    'export XDG_CONFIG_HOME="$TMPDIR/config" XDG_CACHE_HOME="$TMPDIR/cache"; '
    'exec "$@" --user-data-dir="$TMPDIR/profile" about:blank'
)
_NUMBERS = re.compile(r"\d+")


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
    found = next(_candidates(environment), "")
    return Browser(found) if found else Browser("", "this machine has no Chromium or Chrome; set CHROME_BIN to one")


def start_order(browser: Browser, folder: str, environment: Mapping[str, str], log: str) -> ProgramOrder:
    """How the browser is started; it speaks on its descriptors 3 and 4."""
    flags = [*_FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]  # it has no sandbox for root
    command = ["/bin/sh", "-c", _SCRIPT, "sh", browser.program, *flags]
    return ProgramOrder(command, folder, environment, log)


def _candidates(environment: Mapping[str, str]) -> Iterator[str]:
    folders = [part for part in environment.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(part)]
    on_path = [os.path.join(folder, name) for name in _NAMES for folder in folders]
    for program in (*on_path, *_APPLICATIONS, *_cached(environment)):
        if os.path.isfile(program) and os.access(program, os.X_OK):
            yield program


def _cached(environment: Mapping[str, str]) -> list[str]:
    """What Playwright and Puppeteer have installed, the newest of each kind first."""
    home = environment.get("HOME") or os.path.expanduser("~")
    caches = [environment.get("XDG_CACHE_HOME") or f"{home}/.cache", f"{home}/.cache", f"{home}/Library/Caches"]
    playwright = [environment.get("PLAYWRIGHT_BROWSERS_PATH", ""), *(f"{cache}/ms-playwright" for cache in caches)]
    puppeteer = [environment.get("PUPPETEER_CACHE_DIR", ""), *(f"{cache}/puppeteer" for cache in caches)]
    places = [*_places(playwright, _PLAYWRIGHT), *_places(puppeteer, _PUPPETEER)]
    return [program for place in places for program in sorted(glob.glob(place), key=_version, reverse=True)]


def _places(folders: list[str], patterns: tuple[str, ...]) -> list[str]:
    whole = [folder for folder in dict.fromkeys(folders) if os.path.isabs(folder)]
    return [os.path.join(glob.escape(folder), pattern) for folder in whole for pattern in patterns]


def _version(path: str) -> list[int]:
    return [int(number) for number in _NUMBERS.findall(path)]
