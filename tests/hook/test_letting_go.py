"""An agent lets go of its plan by a command: the person is told, at the next word, and once."""

import os
from pathlib import Path

import pytest

from planrail.hook.sessions.state import Session, Summary
from planrail.hook.sessions.store import load
from planrail.projects.session_files import describe_letting_go
from tests.cli.processes import call
from tests.hook.driving import Host

_TOLD = "planrail: the agent let go of the plan open.md, and is not held to it any more. Phase 1: Greet is not done."


@pytest.fixture
def plan(host: Host, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A plan that session `s` has; whatever is typed from now on is typed by an agent."""
    path = project / "open.md"
    path.write_text("# Open\n\n## Phase 1: Greet\n\n- [ ] write hello.txt\n")
    monkeypatch.setenv("CLAUDECODE", "1")  # which agents set for what they start
    _type("attach", path)
    return path


def _type(command: str, *paths: Path) -> None:
    done = call(command, *map(str, paths), "--session", "s")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("event", ["Stop", "UserPromptSubmit"])
def test_the_person_is_told_once_that_an_agent_let_go_of_its_plan(
    host: Host, project: Path, plan: Path, event: str
) -> None:
    _type("detach")
    words = {"last_assistant_message": "All done!", "prompt": "and now?", "permission_mode": "default"}
    assert host.send("PostToolUse", "s", project, tool_name="Bash", tool_input={}).message == ""
    said = host.send(event, "s", project, **words).message
    assert said.startswith(_TOLD)
    assert said.endswith("!load-plan open.md")
    assert host.send("Stop", "s", project, **words).message == ""
    host.send("UserPromptSubmit", "s", project, prompt="!load-plan open.md")
    assert load(os.environ["PLANRAIL_STATE_DIR"], "claude", "s").plan == str(plan)  # type: ignore[union-attr]


@pytest.mark.parametrize("name", ["../open.md", "/etc/hostname", "secret", "plans", "other.txt"])
def test_what_is_no_markdown_file_of_the_project_is_not_loaded(host: Host, project: Path, name: str) -> None:
    (project.parent / "open.md").write_text("# Open\n\n- [ ] a\n")
    (project / "other.txt").write_text("- [ ] a\n")
    told = host.send("UserPromptSubmit", "s", project, prompt=f"!load-plan {name}").context
    assert "Plan Not Found" in told


def test_the_person_is_told_when_an_agent_takes_up_another_plan_instead(host: Host, project: Path, plan: Path) -> None:
    other = plan.with_name("other.md")
    other.write_text("# Other\n\n- [ ] nothing much\n")
    _type("attach", other)
    assert host.send("UserPromptSubmit", "s", project, prompt="go on").message.startswith(_TOLD)


def test_the_person_is_told_that_an_agent_had_a_damaged_session_forgotten(
    host: Host, project: Path, plan: Path, tmp_path: Path
) -> None:
    (tmp_path / "state/sessions/claude/s.json").write_text("{")
    _type("detach")
    said = host.send("Stop", "s", project, last_assistant_message="All done!").message
    assert "held to no plan any more" in said


def test_a_plan_that_is_complete_is_let_go_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    session = Session("claude", "s", plan="/p/open.md", summary=Summary(status="complete"))
    assert describe_letting_go(session) == ""
    assert describe_letting_go(Session("claude", "s")) == ""
