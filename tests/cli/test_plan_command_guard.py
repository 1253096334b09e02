"""The agents of a headless planning are held by the same guard as a session that plans."""

from pathlib import Path

import pytest

from planrail.agents.jobs.judges import read_only
from planrail.agents.model import Judge
from planrail.planning.in_session.facts import load_committed_settings
from tests.cli.planning_runs import Desk
from tests.guard.planted import plant_bare


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def _judge(desk: Desk) -> Judge:
    return read_only(str(desk.repo), tuple(load_committed_settings(str(desk.repo)).guard.allow_tools))


def test_reading_is_allowed_and_everything_else_is_refused_with_a_reason(desk: Desk) -> None:
    judge = _judge(desk)
    assert judge("Read", {"file_path": str(desk.repo / "src" / "greeter.py")}) is None
    assert judge("Bash", {"command": "git log --oneline | head -5"}) is None
    assert judge("Bash", {"command": 'for x in a b; do echo "$x"; done'}) is None  # the second opinion
    for tool, given in (
        ("Write", {"file_path": str(desk.repo / "PLAN.md"), "content": "x"}),
        ("Bash", {"command": "echo x > y"}),
        ("Bash", {"command": 'for x in a b; do touch "$x"; done'}),
        ("mcp__any__tool", {}),
        ("Nonsense", {"command": 3}),
    ):
        assert judge(tool, given), tool


def test_an_agent_cannot_loosen_the_guard_by_editing_the_settings(desk: Desk) -> None:
    (desk.repo / "planrail.toml").write_text('[guard]\nallow_tools = ["mcp__any__tool"]\n')
    assert _judge(desk)("mcp__any__tool", {})
    desk.git("add", ".")
    desk.git("commit", "--quiet", "--message", "Allow it")
    assert _judge(desk)("mcp__any__tool", {}) is None


def test_git_is_refused_in_a_repository_among_the_files_that_names_a_program(desk: Desk) -> None:
    plant_bare(desk.repo / "vendor", desk.repo.parent / "MARK")
    judge = _judge(desk)
    assert "vendor" in str(judge("Bash", {"command": 'cd vendor && g""it status'}))
    assert judge("Bash", {"command": "git status && ls vendor"}) is None
