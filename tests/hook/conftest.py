"""What most tests of the hook stand on: an agent's sessions, in a home and a project of their own."""

from pathlib import Path

import pytest

from tests.hook.driving import Host


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    """Sessions of an agent whose shell this is not."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PLANRAIL_STATE_DIR", str(tmp_path / "state"))
    for name in ("AI_AGENT", "CLAUDE_PID", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    return Host(tmp_path / "state")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project without a file."""
    (tmp_path / "project/.git").mkdir(parents=True)
    return tmp_path / "project"
