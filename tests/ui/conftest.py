"""A real browser for the tests that need one, and stages for runs whose work people see."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from planrail.runs.ui.browsers import Browser, find_browser
from tests.ui.stages import UiStage


@pytest.fixture(scope="session")
def browser() -> Browser:
    """The browser of this machine, which .ci/run installs."""
    found = find_browser(os.environ)
    if found.problem:
        pytest.skip(found.problem)
    return found


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
