"""The real `gh`, which .ci/run installs, against a scripted forge."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.forge.stage import Story, begin, make_repository
from tests.support.forge_server import ForgeServer, Hosted


@pytest.fixture
def repository(tmp_path: Path) -> tuple[Path, Hosted]:
    return make_repository(tmp_path)


@pytest.fixture
def server(repository: tuple[Path, Hosted], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ForgeServer]:
    """The forge, and an environment in which gh knows it. Whatever it was asked and does not know fails the test."""
    if shutil.which("gh") is None:
        pytest.skip("gh is not installed")
    with ForgeServer(repository[1]) as forge:
        for name, value in forge.environment(str(tmp_path / "gh")).items():
            monkeypatch.setenv(name, value)
        yield forge
        assert forge.errors == []


@pytest.fixture
def hosted(server: ForgeServer) -> Hosted:
    return server.hosted


@pytest.fixture
def root(repository: tuple[Path, Hosted]) -> Path:
    return repository[0]


@pytest.fixture
def story(server: ForgeServer, root: Path) -> Story:
    return begin(root)
