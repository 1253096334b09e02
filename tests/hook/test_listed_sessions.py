"""`planrail list sessions`: those of the project at hand come first, and the next command is about it."""

import json
from pathlib import Path

import pytest

from planrail.cli.main import main
from planrail.hook.sessions.state import Session
from tests.hook.driving import Host


@pytest.fixture
def elsewhere(host: Host, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Another project, whose session sorts first by its id."""
    other = project.parent / "other"
    host.change("a", lambda _: Session("claude", "a", project=str(other), plan=f"{other}/theirs.md"))
    (project / "src").mkdir()
    monkeypatch.chdir(project / "src")
    return other


def test_those_of_this_project_come_first(
    host: Host, project: Path, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    host.change("b", lambda _: Session("claude", "b", project=str(project), plan=f"{project}/ours.md"))
    assert main(["list", "sessions"]) == 0
    said = capsys.readouterr()
    assert said.out.index("ours.md") < said.out.index("theirs.md")
    assert "planrail show" in said.out + said.err
    assert f"planrail show {elsewhere}" not in said.out + said.err
    assert main(["list", "sessions", "--json"]) == 0
    assert [one["id"] for one in json.loads(capsys.readouterr().out)["sessions"]] == ["b", "a"]


def test_a_plan_of_another_project_is_not_the_next_step(elsewhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "sessions"]) == 0
    said = capsys.readouterr()
    assert "theirs.md" in said.out
    assert "planrail show" not in said.out + said.err
    assert "planrail plans" in said.out + said.err
