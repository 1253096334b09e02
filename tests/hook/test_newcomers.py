"""What somebody found who used planrail for the first time, and tried to get around it."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.guard.planted import git, plant_bare, plant_clone
from tests.support.patience import PATIENCE

_WRAPPER = Path(__file__).parents[2] / "src/planrail/plugin/hooks/planrail-hook"
_GIT = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]


class Desk:
    """A project, and agents that report events from it."""

    def __init__(self, place: Path) -> None:
        self.project = place / "project"
        self.project.mkdir()
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(place), "PLANRAIL_STATE_DIR": str(place / "state")}
        subprocess.run(["git", "init", "-q"], cwd=self.project, check=True)
        subprocess.run([*_GIT, "commit", "-q", "--allow-empty", "-m", "first"], cwd=self.project, check=True)

    def hear(self, name: str, session: str = "s", **fields: Any) -> dict[str, Any]:
        values = {
            "session_id": session,
            "hook_event_name": name,
            "cwd": str(self.project),
            "permission_mode": "default",
        }
        done = subprocess.run(
            ["sh", str(_WRAPPER), "claude", name],
            input=json.dumps({**values, **fields}).encode(),
            env=self.environment,
            cwd=fields.get("cwd", self.project),
            capture_output=True,
            check=True,
        )
        answer: dict[str, Any] = json.loads(done.stdout or b"{}")
        return answer

    def plan(self, session: str = "s", text: str = "a login page") -> dict[str, Any]:
        return self.hear("UserPromptSubmit", session, prompt=f"/planrail:plan {text}")

    def is_denied(self, tool: str, given: dict[str, object], session: str = "s", **fields: Any) -> bool:
        answer = self.hear("PreToolUse", session, tool_name=tool, tool_input=given, **fields)
        return bool(answer.get("hookSpecificOutput", {}).get("permissionDecision") == "deny")

    def kept(self, session: str = "s") -> dict[str, Any]:
        path = Path(self.environment["PLANRAIL_STATE_DIR"]) / f"sessions/claude/{session}.json"
        kept: dict[str, Any] = json.loads(path.read_text())
        return kept


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_a_skill_that_could_run_commands_is_not_loaded_while_planning(desk: Desk) -> None:
    desk.plan()
    assert desk.is_denied("Skill", {"skill": "build"})
    assert desk.is_denied("Skill", {"skill": "planrail:planning"})


@pytest.mark.full
@pytest.mark.parametrize(
    "command",
    [
        'g""it -C vendor/x status',
        ["git", "-C", "vendor/x", "status"],
        "cd vendor/x && g\\it status",
        "if true; then git -C vendor/x status; fi",
        "for d in vendor/x; do git -C $d status; done",
    ],
)
def test_git_is_refused_in_a_repository_of_the_tree_that_names_a_program(desk: Desk, command: object) -> None:
    plant_bare(desk.project / "vendor/x", desk.project.parent / "MARK")
    desk.plan()
    assert desk.is_denied("Bash", {"command": command})
    assert not desk.is_denied("Bash", {"command": "git log -1; ls vendor"})


def test_a_submodule_that_names_a_program_is_told_when_planning_begins(desk: Desk) -> None:
    project = desk.project
    plant_clone(project / "nested", project.parent / "MARK")
    git(project, "-c", "core.fsmonitor=false", "add", "nested")
    assert "nested" in desk.plan()["systemMessage"]
    assert desk.is_denied("Bash", {"command": "git status"})
    assert desk.is_denied("Bash", {"command": "if true; then git status; fi"})


@pytest.mark.full
def test_the_project_is_the_one_that_planning_began_in_wherever_the_agent_goes(desk: Desk) -> None:
    """Codex says in an event's `cwd` where its model wants the command to run."""
    nested = desk.project / "nested"
    plant_clone(nested, nested.parent.parent / "MARK")
    desk.plan()
    assert desk.is_denied("Bash", {"command": "git status"}, cwd=str(nested))
    assert desk.is_denied("Bash", {"command": "if true; then git status; fi"}, cwd=str(nested))


@pytest.mark.full
def test_two_planners_that_are_cleared_at_once_are_both_held(desk: Desk) -> None:
    for session in ("alpha", "beta"):
        desk.plan(session, f"topic {session}")
        Path(desk.kept(session)["plan"]).parent.mkdir(parents=True, exist_ok=True)
        Path(desk.kept(session)["plan"]).write_text(f"# Topic {session}\n- [ ] one\n")
    for session in ("alpha", "beta"):
        desk.hear("SessionEnd", session, reason="clear")
    told = desk.hear("SessionStart", "c", source="clear")
    assert "Several sessions" in told["hookSpecificOutput"]["additionalContext"]
    assert desk.is_denied("Bash", {"command": "rm -rf src"}, "c")
    found = desk.hear("UserPromptSubmit", "c", prompt="!load-plan topic-alpha")
    assert "# Topic alpha" in found["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize("name", ["PLANRAIL_STATE_DIR", "XDG_STATE_HOME"])
def test_a_relative_state_folder_does_not_move_with_the_agent(desk: Desk, name: str) -> None:
    del desk.environment["PLANRAIL_STATE_DIR"]
    desk.environment[name] = "state"
    (desk.project / "sub").mkdir()
    desk.plan()
    assert desk.is_denied("Write", {"file_path": "x"}, cwd=str(desk.project / "sub"))


@pytest.mark.parametrize("session", [".", "..", ".x"])
def test_a_session_with_an_odd_id_is_held(desk: Desk, session: str) -> None:
    desk.plan(session)
    assert desk.is_denied("Write", {"file_path": "x"}, session)


@pytest.mark.full
def test_a_plan_that_another_session_plans_with_is_not_loaded_by_name(desk: Desk) -> None:
    desk.plan("a", "topic")
    plan = Path(desk.kept("a")["plan"])
    plan.parent.mkdir(parents=True, exist_ok=True)
    plan.write_text("# Secret topic\n- [ ] one\n")
    told = desk.hear("UserPromptSubmit", "b", prompt=f"!load-plan {plan.stem}")
    assert "belongs to another session" in told["hookSpecificOutput"]["additionalContext"]
    assert "Secret topic" not in json.dumps(told)


def test_a_sub_agent_cannot_approve(desk: Desk) -> None:
    desk.plan()
    plan = Path(desk.kept()["plan"])
    plan.parent.mkdir(parents=True, exist_ok=True)
    plan.write_text("# Plan\n- [ ] one\n")
    desk.hear("UserPromptSubmit", prompt="approve the plan", agent_id="a1")
    assert desk.kept()["planning"] is True


def test_a_plan_folder_that_is_refused_leaves_the_session_with_another(desk: Desk) -> None:
    (desk.project / "planrail.toml").write_text('[plans]\ndirectory = "../out"\n')
    told = desk.plan()
    assert desk.kept()["plan"].startswith(str(desk.project / "plans"))
    assert "../out" in told["systemMessage"]


@pytest.mark.full
def test_planning_again_makes_the_plan_a_draft_again(desk: Desk) -> None:
    desk.plan()
    plan = Path(desk.kept()["plan"])
    plan.parent.mkdir(parents=True, exist_ok=True)
    plan.write_text("# Plan\n- [ ] one\n")
    for _ in range(2):  # its phases are not done: once is asked about
        desk.hear("UserPromptSubmit", prompt="/planrail:approve")
    assert desk.kept()["stage"] == "approved"
    desk.plan(text="more")
    assert desk.kept()["stage"] == "draft"


def test_an_agent_cannot_name_another_file_as_its_plan(desk: Desk) -> None:
    source = str(desk.project / "main.py")
    Path(source).write_text("x = 1\n")
    desk.plan()
    desk.hear("PreToolUse", tool_name="ExitPlanMode", tool_input={"plan": "x", "planFilePath": source})
    assert desk.is_denied("Write", {"file_path": source})
    native = {"permission_mode": "plan"}
    desk.hear("PreToolUse", "n", tool_name="ExitPlanMode", tool_input={"plan": "x", "planFilePath": source}, **native)
    assert desk.is_denied("Write", {"file_path": source}, "n", **native)


@pytest.mark.parametrize("name", ["PostToolUse", "PostToolUseFailure"])
def test_leaving_plan_mode_is_no_approval_where_planrail_holds_it(desk: Desk, name: str) -> None:
    desk.plan()
    plan = Path(desk.kept()["plan"])
    plan.parent.mkdir(parents=True, exist_ok=True)
    plan.write_text("# Plan\n- [ ] one\n")
    desk.hear(name, tool_name="ExitPlanMode", tool_input={}, tool_response={"plan": "x"}, error="not in plan mode")
    assert desk.kept()["planning"] is True


@pytest.mark.parametrize("response", ["rejected", None])
def test_an_answer_that_is_none_approves_nothing(desk: Desk, response: object) -> None:
    plan = Path(desk.environment["HOME"]) / ".claude/plans/new.md"
    native = {"permission_mode": "plan"}
    assert not desk.is_denied("Write", {"file_path": str(plan)}, **native)
    plan.parent.mkdir(parents=True)
    plan.write_text("# Plan\n- [ ] one\n")
    desk.hear("PreToolUse", tool_name="ExitPlanMode", tool_input={"planFilePath": str(plan)}, **native)
    desk.hear("PostToolUse", tool_name="ExitPlanMode", tool_input={}, tool_response=response)
    assert desk.kept()["stage"] != "approved"


@pytest.mark.full
@pytest.mark.parametrize("value", ["[" * 1_000 + "]" * 1_000, "9" * 5_000])
@pytest.mark.parametrize("mode", ["default", "plan"])
def test_an_event_that_cannot_be_read_is_denied_while_planning(desk: Desk, value: str, mode: str) -> None:
    if mode == "default":
        desk.plan()
    text = json.dumps(
        {"session_id": "s", "hook_event_name": "PreToolUse", "cwd": str(desk.project), "permission_mode": mode}
    )
    event = text[:-1] + ', "tool_name": "mcp__db__write", "tool_input": {"k": ' + value + "}}"
    command = ["sh", str(_WRAPPER), "claude", "PreToolUse"]
    done = subprocess.run(command, input=event.encode(), env=desk.environment, capture_output=True, check=False)
    assert done.returncode == 2


def test_an_old_plan_of_somebody_else_is_not_adopted(desk: Desk) -> None:
    old = Path(desk.environment["HOME"]) / ".claude/plans/old.md"
    old.parent.mkdir(parents=True)
    old.write_text("# Old\n")
    assert desk.is_denied("Write", {"file_path": str(old)}, permission_mode="plan")
    assert not desk.is_denied("Write", {"file_path": str(old.with_name("new.md"))}, permission_mode="plan")


def test_a_long_event_without_the_usual_fields_is_answered_at_once(desk: Desk) -> None:
    """Some shells take a missing pattern off a text in time that grows with the square of its length."""
    event = json.dumps({"hook_event_name": "Stop", "last_assistant_message": "x" * 400_000})
    command = ["sh", str(_WRAPPER), "claude", "Stop"]
    done = subprocess.run(
        command, input=event.encode(), env=desk.environment, capture_output=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 0


def _nameless(desk: Desk, mode: str) -> int:
    event = {
        "hook_event_name": "PreToolUse",
        "permission_mode": mode,
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
    }
    done = subprocess.run(
        ["sh", str(_WRAPPER), "claude", "PreToolUse"],
        input=json.dumps({**event, "cwd": str(desk.project)}).encode(),
        env=desk.environment,
        capture_output=True,
    )
    return done.returncode


@pytest.mark.full
def test_a_tool_call_that_names_no_session_is_denied_while_anybody_plans(desk: Desk) -> None:
    assert _nameless(desk, "plan") == 2
    assert _nameless(desk, "default") == 0
    desk.plan()
    assert _nameless(desk, "default") == 2
