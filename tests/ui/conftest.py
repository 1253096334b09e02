"""A real browser for the tests that need one, and stages for runs whose work people see."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from planrail.repo.browsers import Browser, find_browser
from tests.ui.stages import UiStage

_SECONDS = 600


@pytest.fixture(scope="session")
def browser() -> Browser:
    """The browser of this machine; installed where that is possible, else the test is skipped."""
    found = find_browser(os.environ)
    if found.problem and os.geteuid() == 0 and shutil.which("apt-get"):
        found = _install()
    if found.problem:
        pytest.skip(found.problem)
    return found


def _install() -> Browser:
    """One process installs, the others wait for it."""
    with open(os.path.join(tempfile.gettempdir(), "install-chromium.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if find_browser(os.environ).problem:
            for words in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", "chromium"]):
                subprocess.run(["apt-get", *words], capture_output=True, timeout=_SECONDS, check=False)
    return find_browser(os.environ)


@pytest.fixture
def make_stage(tmp_path: Path) -> Iterator[Callable[..., UiStage]]:
    """Makes stages; nothing that ran on one lives longer than its test."""
    made: list[UiStage] = []

    def make(settings: str = "", **more: str) -> UiStage:
        made.append(UiStage(tmp_path / f"stage-{len(made)}", settings, **more))
        return made[-1]

    yield make
    for stage in made:
        stage.kill_everything()
