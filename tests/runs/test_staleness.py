"""Staleness: what speaks against sending a phase to an agent, and what follows from it."""

import shlex
from pathlib import Path

import pytest

from planrail.git.working_files import open_folder
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource
from planrail.runs.phases.staleness import (
    Freshness,
    Staleness,
    decide_staleness,
    find_old_lengths,
    judge_freshness,
    name_refinement,
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


_FROM = """# Plan

## Phase 1 — Shrink
- [ ] cut it

### Acceptance Criteria
- [ ] {criterion}
"""


@pytest.mark.parametrize(
    ("criterion", "told"),
    [
        ("`src/a.py` has 60 lines, down from 100", "says down from 100, but src/a.py has 80 lines now"),
        ("`a.py` shrinks from 100 to 60 lines", "says from 100 to 60, but src/a.py has 80 lines now"),
        ("`a.py` has 60 lines, down from 80", ""),
        ("`a.py` has 60 tests, down from 100", ""),
        ("`b.py` has 60 lines, down from 100", ""),  # nobody knows it yet
        ("`a.py` and `c.py` have 60 lines, down from 100", ""),  # which of them?
    ],
)
def test_a_length_before_the_work_is_held_against_the_file(tmp_path: Path, criterion: str, told: str) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("pass\n" * 80)
    text = _FROM.format(criterion=criterion)
    plan = read(PlanSource("plan.md", text))
    found = find_old_lengths(text, plan.phases[0], open_folder(str(tmp_path)))
    assert [known.text.partition(") ")[2] for known in found] == ([told] if told else [])
    assert all(known.percent == 20 for known in found)


def test_a_run_that_stops_at_a_stale_plan_names_the_command_that_refines_it() -> None:
    found = decide_staleness([Staleness("arithmetic", "criterion 1 says 60, but it's 40", 34)], auto=True)
    command = name_refinement("plans/a b.md", found)
    assert shlex.split(command)[2:4] == ["plans/a b.md", "--feedback"]
    assert "it's 40 (34 % off)" in shlex.split(command)[4]
    cited = decide_staleness([Staleness("citation", "line 3: no file x.py")], auto=True)
    assert name_refinement("a.md", cited) == "planrail lint a.md"


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
