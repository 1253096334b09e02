"""What somebody found who used planrail for the first time, and tried to get around it."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from planrail.hook.sessions.events import DENY, HookAnswer
from planrail.hook.sessions.state import APPROVED, DRAFT, Session
from tests.guard.planted import IDENTITY, git, plant_clone
from tests.hook.crowds import WRAPPER
from tests.hook.driving import Host
from tests.support.patience import PATIENCE


class Desk:
    """A project, and agents that report events from it."""

    def __init__(self, host: Host, project: Path) -> None:
        self.project, self.home, self.host = project, project.parent, host
        git(self.project, "init", "-q")
        git(self.project, *IDENTITY, "commit", "-q", "--allow-empty", "-m", "first")

    def hear(self, name: str, session: str = "s", at: Path | None = None, **fields: Any) -> HookAnswer:
        return self.host.send(name, session, at or self.project, **fields)

    def plan(self, session: str = "s", text: str = "a login page") -> HookAnswer:
        return self.hear("UserPromptSubmit", session, prompt=f"/planrail:plan {text}")

    def is_denied(self, tool: str, given: dict[str, object], session: str = "s", **fields: Any) -> bool:
        return self.hear("PreToolUse", session, tool_name=tool, tool_input=given, **fields).decision == DENY

    def kept(self, session: str = "s") -> Session:
        kept = self.host.session(session)
        assert kept is not None
        return kept


@pytest.fixture
def desk(host: Host, project: Path) -> Desk:
    return Desk(host, project)


def test_a_submodule_that_names_a_program_is_told_and_git_is_refused_in_it_wherever_the_agent_goes(desk: Desk) -> None:
    """The project is the one that planning began in: Codex says in `cwd` where its model wants the command to run."""
    project = desk.project
    plant_clone(project / "nested", project.parent / "MARK")
    git(project, "-c", "core.fsmonitor=false", "add", "nested")
    assert "nested" in desk.plan().message
    for command in ("git status", "if true; then git status; fi"):
        assert desk.is_denied("Bash", {"command": command})
        assert desk.is_denied("Bash", {"command": command}, at=project / "nested")


def test_a_session_with_an_odd_id_is_held(desk: Desk) -> None:
    desk.plan("..")
    assert desk.is_denied("Write", {"file_path": "x"}, "..")


def test_a_plan_folder_that_is_refused_leaves_the_session_with_another(desk: Desk) -> None:
    (desk.project / "planrail.toml").write_text('[plans]\ndirectory = "../out"\n')
    told = desk.plan()
    assert desk.kept().plan.startswith(str(desk.project / "plans"))
    assert "../out" in told.message


@pytest.mark.full
def test_planning_again_makes_the_plan_a_draft_again(desk: Desk) -> None:
    desk.plan()
    plan = Path(desk.kept().plan)
    plan.parent.mkdir(parents=True, exist_ok=True)
    plan.write_text("# Plan\n- [ ] one\n")
    for _ in range(2):  # its phases are not done: once is asked about
        desk.hear("UserPromptSubmit", prompt="/planrail:approve")
    assert desk.kept().stage == APPROVED
    desk.plan(text="more")
    assert desk.kept().stage == DRAFT


def test_an_agent_that_plans_cannot_name_another_file_as_its_plan_and_loads_no_skill_that_could_run_commands(
    desk: Desk,
) -> None:
    source = str(desk.project / "main.py")
    Path(source).write_text("x = 1\n")
    desk.plan()
    for skill in ("build", "planrail:planning"):
        assert desk.is_denied("Skill", {"skill": skill})
    desk.hear("PreToolUse", tool_name="ExitPlanMode", tool_input={"plan": "x", "planFilePath": source})
    assert desk.is_denied("Write", {"file_path": source})
    native: dict[str, Any] = {"permission_mode": "plan"}
    desk.hear("PreToolUse", "n", tool_name="ExitPlanMode", tool_input={"plan": "x", "planFilePath": source}, **native)
    assert desk.is_denied("Write", {"file_path": source}, "n", **native)


def test_an_answer_that_is_none_approves_nothing(desk: Desk) -> None:
    plan = desk.home / ".claude/plans/new.md"
    native: dict[str, Any] = {"permission_mode": "plan"}
    assert not desk.is_denied("Write", {"file_path": str(plan)}, **native)
    plan.parent.mkdir(parents=True)
    plan.write_text("# Plan\n- [ ] one\n")
    desk.hear("PreToolUse", tool_name="ExitPlanMode", tool_input={"planFilePath": str(plan)}, **native)
    desk.hear("PostToolUse", tool_name="ExitPlanMode", tool_input={}, tool_response=None)
    assert desk.kept().stage != APPROVED


@pytest.mark.parametrize("box", ["[x]", "[ ]"])
def test_after_a_plan_that_is_complete_the_next_one_may_be_another_file(desk: Desk, box: str) -> None:
    folder = desk.home / ".claude/plans"
    native: dict[str, Any] = {"permission_mode": "plan"}
    folder.mkdir(parents=True)
    for name, following in (("first.md", "second.md"), ("second.md", "third.md")):
        plan = folder / name
        assert not desk.is_denied("Write", {"file_path": str(plan)}, **native)
        plan.write_text(f"# Plan\n\n- {box} one\n")
        for _ in range(2):  # its phases have no check: once is asked about
            desk.hear("PreToolUse", tool_name="ExitPlanMode", tool_input={"planFilePath": str(plan)}, **native)
        answer = {"plan": "", "filePath": str(plan)}
        desk.hear("PostToolUse", tool_name="ExitPlanMode", tool_response=answer, permission_mode="default")
        assert desk.kept().plan == str(plan)
        is_denied = desk.is_denied("Write", {"file_path": str(folder / following)}, **native)
        assert is_denied == (box == "[ ]")
        if is_denied:
            return


def test_an_approval_of_a_plan_that_another_session_has_is_told_as_what_it_is(desk: Desk) -> None:
    plan = desk.home / ".claude/plans/shared.md"
    plan.parent.mkdir(parents=True)
    native: dict[str, Any] = {"permission_mode": "plan"}
    assert not desk.is_denied("Write", {"file_path": str(plan)}, "first", **native)
    plan.write_text("# Plan\n\n- [ ] one\n")
    for _ in range(2):  # its phases have no check: once is asked about
        desk.hear("PreToolUse", "second", tool_name="ExitPlanMode", tool_input={"planFilePath": str(plan)}, **native)
    answer = {"plan": "", "filePath": str(plan)}
    told = desk.hear(
        "PostToolUse", "second", tool_name="ExitPlanMode", tool_response=answer, permission_mode="default"
    ).message
    assert "belongs to another session, so this one is not held to it" in told


def test_an_old_plan_of_somebody_else_is_not_adopted(desk: Desk) -> None:
    old = desk.home / ".claude/plans/old.md"
    old.parent.mkdir(parents=True)
    old.write_text("# Old\n")
    assert desk.is_denied("Write", {"file_path": str(old)}, permission_mode="plan")
    assert not desk.is_denied("Write", {"file_path": str(old.with_name("new.md"))}, permission_mode="plan")


def test_a_long_event_without_the_usual_fields_is_answered_at_once(desk: Desk) -> None:
    """Some shells take a missing pattern off a text in time that grows with the square of its length."""
    event = json.dumps({"hook_event_name": "Stop", "last_assistant_message": "x" * 400_000})
    command, environment = ["sh", str(WRAPPER), "claude", "Stop"], {"PATH": os.environ["PATH"], "HOME": str(desk.home)}
    subprocess.run(command, input=event.encode(), env=environment, capture_output=True, check=True, timeout=PATIENCE)
