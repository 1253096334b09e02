"""At the end of a plan somebody who knows its goal judges all phases together, and people look at all pages once."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from planrail.base.run_model import Options, Order, PhaseOrder
from planrail.runs.phases.whole import needs_reader, order_whole
from tests.claims_refused.stage import PLAN, Stage

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
_PHASE = """## Phase {id} — {title}

- [ ] write {name}.txt

```sh check
grep -qx hello {name}.txt
```
"""
_GOAL = "---\nstatus: active\nissue: 42\nissue: 7\n---\n# Greeter\n\n## Goal\n\nPeople are greeted in two files.\n\n## Non-goals\n\n- No server\n\n"
_WORKS = 'grep -q "Implement phase 1 " "$prompt" && echo hello > one.txt || echo hello > two.txt'
# Each phase is fine; of the whole the word is `{word}`.
_JUDGES = """
name=two; word=done
grep -q 'Verify phase 1 ' "$prompt" && name=one
grep -q 'Verify the whole of the plan' "$prompt" && {{ word={word}; cp "$prompt" "$CAST/whole.prompt"; }}
printf '{{"scope": [], "test_changes": [], "drift": [], "summary": "seen", "items": ['
printf '{{"id": "W1", "text": "", "verdict": "%s", "places": ["%s.txt:1"], "note": "seen"}},' $word $name
printf '{{"id": "R1", "text": "", "verdict": "done", "places": ["%s.txt:1"], "note": "seen"}}]}}' $name
"""


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path / "stage")
    titles = ("Greet", "Greet again")
    phases = [_PHASE.format(id=at, title=title, name=("one", "two")[at - 1]) for at, title in enumerate(titles, 1)]
    made.files[PLAN] = _GOAL + "\n".join(phases)
    made.implementer(_WORKS)
    made.verifier(_JUDGES.format(word="done"))
    yield made
    made.end()


@pytest.mark.full
def test_the_verifier_of_the_whole_knows_the_goal_the_rules_and_every_phase(stage: Stage) -> None:
    answer = stage.run()
    assert answer.out.startswith("complete"), answer.told
    told = (stage.cast / "whole.prompt").read_text()
    for words in ("People are greeted in two files.", "No server", "Phase 1: Greet", "Phase 2: Greet again", "two.txt"):
        assert words in told
    report = stage.call("report", PLAN, "--full").out
    assert "whole plan" in report
    assert "all phases together are what the plan was for" in report
    last = stage.git("log", "-1", "--format=%B")
    assert last.startswith("Mark the plan complete: Greeter\n\nCloses #42, closes #7\n\nPlanrail-Plan: ")


def test_a_whole_that_does_not_reach_the_goal_is_not_complete(stage: Stage) -> None:
    stage.verifier(_JUDGES.format(word="failed"))
    answer = stage.run()
    assert answer.code == 1
    assert "every phase landed, but the whole does not hold: W1" in answer.out, answer.told
    assert stage.proof("2") == ("done", "proven")
    stage.verifier(_JUDGES.format(word="done"))  # the next run asks again
    assert stage.run().out.startswith("complete")


def _order(phases: int, **options: str) -> Order:
    made = tuple(PhaseOrder(str(at), "", "", (), (), (), (), is_ui=at < 3) for at in range(1, phases + 1))
    return Order("run", "p", "p.md", "/", "p", "P", "refs/heads/main", True, "", made, Options(**options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("order", "is_read"),
    [
        (_order(2, agent="claude"), True),
        (_order(1, agent="claude"), False),  # judged by the goal of the plan already
        (_order(2, agent="runbook"), False),
        (_order(2, agent="claude", verifier="runbook"), False),
        (_order(2, agent="runbook", verifier="codex"), True),
    ],
)
def test_the_whole_is_read_where_it_has_several_phases_and_checks_are_not_the_verdict(
    order: Order, *, is_read: bool
) -> None:
    assert needs_reader(order) is is_read


def test_people_look_at_all_pages_once_where_several_phases_change_what_they_see() -> None:
    for count, is_shown in ((1, False), (2, True), (3, True)):
        order = _order(count)
        assert order_whole(order, order.phases).is_ui is is_shown
