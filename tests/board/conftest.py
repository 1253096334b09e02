"""The board of a small project, once for each test. Nothing here is run where the board's extra is not installed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

try:
    from tests.board.stage import BoardStage
except ModuleNotFoundError:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "Iterator[BoardStage]":
    monkeypatch.chdir(tmp_path)
    with BoardStage(tmp_path / "project").serving() as made:
        yield made


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "Iterator[BoardStage]":
    """One that an agent has started: it only shows."""
    monkeypatch.chdir(tmp_path)
    with BoardStage(tmp_path / "project", "this command was started by an agent").serving() as made:
        yield made
