"""The lines of `cases/in-session.jsonl` about an agent's plan mode: what is given, what happens, what holds afterwards."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planrail.base.records import replace
from planrail.hook.deciding.deciding import decide
from planrail.hook.deciding.reminders import is_full_turn
from planrail.hook.sessions import events
from planrail.hook.sessions.events import DENY, REFUSE, Effect, Event, EventOutcome
from planrail.hook.sessions.state import Session
from planrail.plans.files.plan_files import decide_directory, sub_agent_path
from tests.support.scripted_world import ScriptedWorld

_CASES = Path(__file__).parents[3] / "shared" / "cases" / "in-session.jsonl"
_PLAN = "/home/user/.claude/plans/brave-fox.md"

# Lines about what is the agent's own affair, and why.
THEIRS = {
    "pm-exit-notplan": "the agent's own tool refuses; planrail adds nothing to what is refused already",
    "pm-exit-teammate-voluntary": "teams of agents approve among themselves, and no hook hears of it",
}

Row = dict[str, Any]


def _cases() -> list[Any]:
    if not _CASES.is_file():
        return []
    rows = [json.loads(line) for line in _CASES.read_text("utf-8").splitlines()]
    return [pytest.param(row, id=row["id"]) for row in rows if row["system"] == "claude-plan-mode"]


@pytest.mark.parametrize("case", _cases())
def test_plan_mode_is_entered_held_and_left_as_the_case_says(case: Row) -> None:
    _CHECKS[case["when"]](case["given"], case["expect"])


@pytest.mark.parametrize("identity", THEIRS)
def test_leaving_a_plan_mode_that_is_not_on_is_left_to_the_agent(identity: str) -> None:
    session = Session("claude", "s", mode="default")
    assert _happen(session, kind=events.TOOL, mode="default", tool="ExitPlanMode") == EventOutcome(session)


def _happen(session: Session, world: ScriptedWorld | None = None, **fields: Any) -> EventOutcome:
    return decide(session, Event("claude", session=session.id, cwd="/project", **fields), world or ScriptedWorld())


def _planning(before: str = "default") -> Session:
    return Session("claude", "s", planning=True, mode=before, mode_before=before, plan=_PLAN)


def _enter(given: Row, expect: Row) -> None:
    if expect.get("unchanged"):
        session = _planning(given["prePlanMode"])
        assert _happen(session, kind=events.TOOL_DONE, mode="plan", tool="Read").session == session
        return
    if "auto_active" in expect:
        assert _is_auto_active(given["mode"], wanted=given["planAutoMode"]) == expect["auto_active"]
    session = _happen(Session("claude", "s", mode=given["mode"]), kind=events.PROMPT, mode="plan", prompt="go").session
    assert session.planning
    assert session.mode_before == expect.get("prePlanMode", given["mode"])


def _is_auto_active(before: str, *, wanted: bool) -> bool:
    """Whether the automatic mode counts while planning: where it does not, the person is asked about each command."""
    world = ScriptedWorld()
    world.chosen = {"auto_mode": wanted}
    session = replace(_planning(before), own_mode=True)
    fields: Row = {"mode": "auto", "tool": "Bash", "input": {"command": "ls"}}
    return _happen(session, world, kind=events.TOOL, **fields).answer.decision != events.ASK


def _leave(given: Row, expect: Row) -> None:
    left = _happen(_planning(given["prePlanMode"]), kind=events.TOOL_DONE, mode=expect["mode"], tool="ExitPlanMode")
    session = left.session
    assert (session.planning, session.mode, session.mode_before) == (False, expect["mode"], "")
    assert left.answer.context.count("Plan mode is off") == 1
    assert left.answer.message == expect.get("notification", "")


def _reject(given: Row, expect: Row) -> None:
    proposed = _happen(_planning(given["prePlanMode"]), kind=events.TOOL, mode="plan", tool="ExitPlanMode").session
    session = _happen(proposed, kind=events.PROMPT, mode=expect["mode"], prompt="not yet").session
    assert (session.planning, session.mode_before) == (True, expect["prePlanMode"])


def _enter_again(given: Row, expect: Row) -> None:
    session = Session("claude", "s", planned_before=True, exit_notice="Plan mode is off.")
    entered = _happen(session, kind=events.TOOL, mode="plan", tool="Read", input={"file_path": "/project/a"})
    assert bool(entered.session.exit_notice) == expect["needsExitAttachment"]


def _stay(given: Row, expect: Row) -> None:
    session = replace(_planning(), exit_notice="Plan mode is off.")
    stayed = _happen(session, kind=events.TOOL, mode="plan", tool="Read", input={"file_path": "/project/a"})
    assert bool(stayed.session.exit_notice) == expect["needsExitAttachment"]


def _directory(given: Row, expect: Row) -> None:
    root = given.get("cwd", "/project")
    found = decide_directory(given["plansDirectory"], root=root, default="$CONFIG/plans", resolve=_plain)
    assert found == expect["path"]


def _plain(path: str) -> str:
    return path.removesuffix("/.")


def _file(given: Row, expect: Row) -> None:
    assert sub_agent_path(f"/plans/{given['slug']}.md", given["agentId"]) == f"/plans/{expect['path']}"


def _reminder(given: Row, expect: Row) -> None:
    assert is_full_turn(given["nth_attachment_since_exit"]) == (expect["type"] == "full")


def _command(given: Row, expect: Row) -> None:
    world = ScriptedWorld()
    world.add_plan(_PLAN)
    session = _planning() if given["mode"] == "plan" else Session("claude", "s")
    outcome = _happen(session, world, kind=events.PROMPT, mode=given["mode"], prompt=f"/plan {given['args']}")
    assert outcome.session.planning
    assert (outcome.answer.decision == REFUSE) == (not expect.get("shouldQuery", False))
    assert (Effect("open_editor", _PLAN) in outcome.effects) == expect.get("opens_editor", False)


def _toggle(given: Row, expect: Row) -> None:
    assert _is_auto_active(given["prePlanMode"], wanted=given["have"]) == given["have"]
    assert _is_auto_active(given["prePlanMode"], wanted=given["want"]) == expect["auto_active"]


def _counts(given: Row, expect: Row) -> None:
    """planrail knows nothing of tiers: the counts are settings, and the defaults are those of everybody else."""
    world = ScriptedWorld()
    if given["tier"] != "other":
        world.chosen = {"plan_agents": expect["plan"], "explore_agents": expect["explore"]}
    text = _happen(_planning(), world, kind=events.PROMPT, mode="plan", prompt="go").answer.context
    for kind, count in expect.items():
        [line] = [line for line in text.splitlines() if f"{kind} agents" in line]
        assert re.findall("[0-9]+", line)[-1] == str(count)


def _sub_agent_writes(given: Row, expect: Row) -> None:
    fields: Row = {"tool": "Write", "input": {"file_path": "/project/a.py", "content": ""}, "subagent": "a1"}
    outcome = _happen(_planning(), kind=events.TOOL, mode="plan", **fields)
    assert (outcome.answer.decision == DENY) == (expect["decision"] == "deny")


def _nothing(given: Row, expect: Row) -> None:
    """See `THEIRS`."""


_CHECKS: dict[str, Callable[[Row, Row], None]] = {
    "enter plan": _enter,
    "ExitPlanMode": _nothing,
    "ExitPlanMode approved": _leave,
    "ExitPlanMode rejected": _reject,
    "transition default->plan": _enter_again,
    "transition plan->plan": _stay,
    "plans dir": _directory,
    "plan file": _file,
    "reminder type": _reminder,
    "/plan": _command,
    "useAutoModeDuringPlan changed": _toggle,
    "agent counts": _counts,
    "tool Write": _sub_agent_writes,
}
