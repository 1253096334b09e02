"""Each story has a project of its own."""

from pathlib import Path

import pytest

from tests.e2e.projects import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)
