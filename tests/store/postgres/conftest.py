"""A project of a team, in the database of the test."""

import os
from pathlib import Path

import pytest

from planrail.store.team import Team, read_team


@pytest.fixture
def root(tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("PLANRAIL_DATABASE", database)
    (tmp_path / "project").mkdir()
    return str(tmp_path / "project")


@pytest.fixture
def team(root: str) -> Team:
    found = read_team(root, os.environ)
    assert found is not None
    return found
