"""What a plan lacks is asked of the agent once, before the user sees it; the second time the user is told."""

import pytest

from planrail.cli.hook.plan_summary import examine
from planrail.hook.deciding.deciding import decide
from planrail.hook.sessions import events
from planrail.hook.sessions.events import DENY, HOLD, Event, EventOutcome
from planrail.hook.sessions.state import PROPOSED, Session, from_json, to_json
from tests.support.scripted_world import ScriptedWorld

_PLAN = "/home/user/.claude/plans/brave-fox.md"
_WHOLE = "# Greet\n\n## Changes\n\n1. Write `a.py`\n2. Call it\n\n## Verification\n\n- `npm test` passes\n"


def _propose(session: Session, world: ScriptedWorld) -> EventOutcome:
    event = Event("claude", events.TOOL, "s", cwd="/project", mode="plan", tool="ExitPlanMode", input={})
    return decide(session, event, world)


def _world(*lacking: str) -> ScriptedWorld:
    world = ScriptedWorld()
    world.add_plan(_PLAN, _WHOLE)
    world.lacking = list(lacking)
    return world


def test_a_plan_that_lacks_something_is_sent_back_once_and_then_put_before_the_user_with_one_line() -> None:
    session = Session("claude", "s", planning=True, plan=_PLAN)
    world = _world("no command in it verifies the work", "line 3: there is no file `b.py`")
    first = _propose(session, world)
    assert first.answer.decision == DENY
    assert "no command in it verifies the work; line 3" in first.answer.reason
    assert first.session.stage != PROPOSED
    kept = from_json(to_json(first.session))
    second = _propose(kept, world)  # the same text: the agent had nothing to add
    assert (second.answer.decision, second.session.stage) == ("", PROPOSED)
    assert "no command in it verifies the work" in second.answer.message
    assert "\n" not in second.answer.message


def test_a_plan_that_lacks_nothing_is_proposed_without_a_word() -> None:
    outcome = _propose(Session("claude", "s", planning=True, plan=_PLAN), _world())
    assert (outcome.answer.decision, outcome.answer.message, outcome.session.stage) == ("", "", PROPOSED)


def test_the_next_planning_is_asked_anew_and_a_person_who_wants_no_blocking_is_not() -> None:
    entered = decide(
        Session("claude", "s", examined=True, mode="default"),
        Event("claude", events.PROMPT, "s", cwd="/project", mode="plan", prompt="plan it"),
        _world("x"),
    )
    assert entered.session.planning
    assert not entered.session.examined
    world = _world("x")
    world.chosen = {"block": False}
    assert _propose(Session("claude", "s", planning=True, plan=_PLAN), world).answer.decision == ""


def test_codex_is_held_once_where_its_message_proposes_such_a_plan() -> None:
    world = _world("no step could be read from it")
    event = Event("codex", events.STOP, "s", cwd="/project", mode="plan")
    proposal = event.__class__(
        "codex", events.STOP, "s", cwd="/project", mode="plan", last_message="<proposed_plan>\n# X\n</proposed_plan>"
    )
    session = Session("codex", "s", planning=True, mode="default")
    held = decide(session, proposal, world)
    assert (held.answer.decision, "no step" in held.answer.reason) == (HOLD, True)
    assert decide(held.session, proposal, world).answer.decision == ""
    assert decide(session, event, world).answer.decision == ""


def test_gemini_is_asked_by_the_file_that_its_tool_names() -> None:
    world = _world("no step could be read from it")
    event = Event("gemini", events.TOOL, "s", cwd="/project", tool="exit_plan_mode", input={"plan_path": _PLAN})
    asked = decide(Session("gemini", "s"), event, world)
    assert asked.answer.decision == DENY
    assert not asked.session.is_blank
    assert decide(asked.session, event, world).answer.decision == ""


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        (_WHOLE, []),
        ("# Greet\n\nWe say hello.\n", ["no step could be read", "no command in it verifies"]),
        ("# Greet\n\nWe say hello.\n\n## Verification\n\n- `npm test` passes\n", ["no step could be read"]),
        ("# Greet\n\n1. Write it\n2. Call it\n\n## Verification\n\n- `npm test` passes\n", []),
        ("# Greet\n\n- [ ] Write hello.txt\n", ["no command in it verifies"]),
        (
            "# Greet\n\n## Phase 1: Say\n\n- [ ] Do it\n\n```sh check\ntrue\n```\n",
            ["line 7: the check `true` cannot fail"],
        ),
    ],
)
def test_steps_a_check_and_the_errors_of_lint_are_looked_for(text: str, lacks: list[str], tmp_path: object) -> None:
    found = examine(text, str(tmp_path))
    assert [one[: len(start)] for one, start in zip(found, lacks, strict=True)] == lacks
