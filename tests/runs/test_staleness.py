"""Staleness: what speaks against sending a phase to an agent, and what follows from it."""

from pathlib import Path

import pytest

from planrail.git.working_files import open_folder
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource
from planrail.runs.phases.staleness import (
    Freshness,
    Staleness,
    decide_staleness,
    judge_freshness,
)

PLAN = """# Plan

## Phase 1 — Shrink
- [ ] cut it

### Design & Constraints
- `skills/run/SKILL.md` has 417 - 153 + 13 lines afterwards
- lines 20-59 of `a.py` are moved out
- some other file has 3 + 4 lines

### Acceptance Criteria
- [ ] SKILL.md has 340-380 lines
- [ ] the new part of a.py has 40 lines
- [ ] b.py has 10 lines
- [ ] 7 files

### Dependencies
{dependencies}

## Phase 2 — Fine
- [ ] nothing: 5 + 4 = 9
"""


def _judge(dependencies: str = "None", phase: int = 0) -> list[Staleness]:
    text = PLAN.format(dependencies=dependencies)
    plan = read(PlanSource("plan.md", text))
    return judge_freshness(plan, text, plan.phases[phase])


def test_a_criterion_that_its_own_rule_contradicts_is_named_with_its_drift() -> None:
    [found] = _judge()
    assert (found.kind, found.percent) == ("arithmetic", 24)
    assert "417 - 153 + 13 is 277" in found.text
    assert found.is_serious


def test_a_criterion_without_a_certain_rule_is_passed_over() -> None:
    assert not _judge(phase=1)


@pytest.mark.parametrize(
    "said",
    [
        "Phase 0. This phase was drafted before it landed.",
        "- Phase 0 (may need refresh)",
        "follows the design, not actual code",
    ],
)
def test_a_plan_that_says_it_is_older_than_its_dependency_is_believed(said: str) -> None:
    assert [known.kind for known in _judge(said)] == ["drafted", "arithmetic"]


def test_broken_citations_count_in_the_lines_of_the_phase(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "there.py").touch()
    text = "## Phase 1 — A\n- [ ] see `src/x.py:12`, not `src/w.py`\n\n## Phase 2 — B\n- [ ] see `src/y.py:3`\n"
    plan = read(PlanSource("plan.md", text))
    [found] = judge_freshness(plan, text, plan.phases[0], tree=open_folder(str(tmp_path)))
    assert found.kind == "citation"
    assert "src/x.py" in found.text
    assert found.is_serious


def test_sums_that_do_not_add_up_are_noted() -> None:
    text = "## Phase 1 — A\n- [ ] move 12 files (5 + 4 + 2)\n\n## Phase 2 — B\n- [ ] b\n"
    plan = read(PlanSource("plan.md", text))
    assert [known.kind for known in judge_freshness(plan, text, plan.phases[0])] == ["sum"]
    assert not judge_freshness(plan, text, plan.phases[1])


SMALL, LARGE = Staleness("arithmetic", "a", 20), Staleness("arithmetic", "b", 21)
OLD, GONE, SUM = Staleness("drafted", "c"), Staleness("citation", "d"), Staleness("sum", "e")


@pytest.mark.parametrize("found", [SMALL, LARGE, OLD, GONE, SUM])
def test_a_person_who_is_there_is_asked(found: Staleness) -> None:
    assert found.text in decide_staleness([found], auto=False).question


@pytest.mark.parametrize("found", [LARGE, OLD, GONE])
def test_unattended_the_run_stops_and_says_what_is_serious(found: Staleness) -> None:
    refusal = decide_staleness([SMALL, found], auto=True).refusal
    assert refusal.startswith(found.text)
    assert "correct that in the plan" in refusal
    assert decide_staleness([SMALL, SUM], auto=True) == Freshness(notes=("a (20 % off)", "e"))
    assert decide_staleness([], auto=False) == Freshness()
