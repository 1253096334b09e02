"""The Chromium of the system, driven by Playwright; a word where it is not there."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.board.stage import BoardStage

_AGENTS = Path(__file__).parents[2] / ".agents"
_AXE = _AGENTS / "node_modules" / "axe-core" / "axe.min.js"


@contextmanager
def open_browser(*more: str) -> Iterator[Any]:
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("there is no chromium here: apt install chromium")
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with driver.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", *more])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def open_page(browser: Any, stage: BoardStage, **looks: Any) -> Iterator[Any]:
    """The board in a tab of its own. What goes wrong in it, and what it asks of whom, is kept in `wrong` and `asked`."""
    context = browser.new_context(**looks)
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.wrong, page.asked = list[str](), list[str]()
    page.on("pageerror", lambda error: page.wrong.append(str(error)))
    page.on("console", lambda said: page.wrong.append(said.text) if said.type in ("error", "warning") else None)
    page.on("request", lambda request: page.asked.append(request.url))
    page.goto(stage.url)
    page.wait_for_selector("main .cards")
    try:
        yield page
    finally:
        context.close()


def load_axe() -> str:
    """The rules of accessibility; fetched once by npm, into the folder where the stories have their agents."""
    if not _AXE.exists():
        if shutil.which("npm") is None:
            pytest.skip("axe-core is not here, and npm is not either")
        _AGENTS.mkdir(exist_ok=True)
        done = subprocess.run(
            ["npm", "install", "--silent", "--prefix", str(_AGENTS), "axe-core@4"], capture_output=True, timeout=200
        )
        if done.returncode or not _AXE.exists():
            pytest.skip("axe-core could not be fetched: npm install --prefix .agents axe-core@4")
    return _AXE.read_text(encoding="utf-8")


def list_violations(page: Any, axe: str) -> list[str]:
    page.evaluate(f"() => {{ {axe} }}")
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [f"{one['id']}: {json.dumps([node['html'] for node in one['nodes']])[:400]}" for one in found]
