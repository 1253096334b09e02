"""What most tests of this folder stand on."""

from pathlib import Path

import pytest

from tests.git.snapshot_trees import make_repository
from tests.git.workspace_trees import Site, make_site


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A repository with a place for workspaces."""
    return make_site(tmp_path)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with a few files."""
    return make_repository(tmp_path / "my repository")
