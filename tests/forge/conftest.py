"""The real `gh` against a scripted forge. Where gh is not installed it is unpacked from its package, or tests skip."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.forge.stage import Story, begin, make_repository
from tests.support.forge_server import ForgeServer, Hosted


@pytest.fixture(scope="session")
def gh_folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder that has the real gh."""
    found = shutil.which("gh")
    if found:
        return os.path.dirname(found)
    folder = tmp_path_factory.mktemp("gh")
    for command in (["apt-get", "download", "gh"], ["sh", "-c", "dpkg -x gh_*.deb ."]):  # changes nothing elsewhere
        if shutil.which(command[0]) is None or subprocess.run(command, cwd=folder, capture_output=True).returncode:
            pytest.skip("gh is not installed, and cannot be fetched")
    return str(folder / "usr" / "bin")


@pytest.fixture
def repository(tmp_path: Path) -> tuple[Path, Hosted]:
    return make_repository(tmp_path)


@pytest.fixture
def server(
    repository: tuple[Path, Hosted], gh_folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ForgeServer]:
    """The forge, and an environment in which gh knows it. Whatever it was asked and does not know fails the test."""
    with ForgeServer(repository[1]) as forge:
        for name, value in forge.environment(str(tmp_path / "gh")).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("PATH", f"{gh_folder}{os.pathsep}{os.environ['PATH']}")
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
