"""The status of a plan as a whole: one marker changes, no other byte, and an approval stays an approval."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.approval.model import TERMINAL
from planrail.approval.standing import Needed, decide_standing
from planrail.base.errors import UnreadablePlan
from planrail.plans.canonical.canonical import canonicalise
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource
from planrail.tasks.documents.plan_headers import set_header_status
from planrail.tasks.documents.rendering import facts_of, repair
from planrail.tasks.model import PLAN as PLAN_TYPE
from planrail.tasks.model import Task
from planrail.tasks.statuses import COMPLETED, IMPLEMENTING, NOT_STARTED, STATUSES
from tests.approval.texts import approval_of, canonical_of
from tests.plans.generated_plans import markdown_plans
from tests.tasks.stages.stage_project import plan

PLAN = repair(plan(), PLAN_TYPE, facts_of(Task(7, "n", "T"), PLAN_TYPE)).text
LINE = "- **Status**: [NOT STARTED]\n"


def test_a_plan_says_that_it_is_implemented_and_then_completed() -> None:
    begun = set_header_status(PLAN, IMPLEMENTING)
    assert begun == PLAN.replace(LINE, "- **Status**: [IMPLEMENTING]\n", 1)
    assert set_header_status(begun, COMPLETED) == PLAN.replace(LINE, "- **Status**: [COMPLETED]\n", 1)
    bare = PLAN.replace(LINE, "", 1)
    assert set_header_status(bare, COMPLETED) == bare


@pytest.mark.parametrize("status", STATUSES)
def test_an_approved_plan_stays_approved_in_every_state_of_its_task(status: str) -> None:
    shown = set_header_status(PLAN, status)
    standing = decide_standing(canonical_of(shown), [approval_of(PLAN)], Needed("plan.md", "here", TERMINAL, str, ()))
    assert standing.is_approved
    assert set_header_status(shown, NOT_STARTED) == PLAN


@pytest.mark.parametrize(
    ("line", "then"),
    [
        ("- **Status**: [NOT STARTED] (since Monday)", "- **Status**: [IMPLEMENTING] (since Monday)"),
        ("**Status:** not started", "**Status:** implementing"),
        ("- **Status**: [PARTIAL]  ", "- **Status**: [IMPLEMENTING]  "),
        ("- **Status**: we shall see", "- **Status**: we shall see"),
        ("- **State of mind**: [NOT STARTED]", "- **State of mind**: [NOT STARTED]"),
    ],
)
def test_only_the_words_of_a_status_are_changed(line: str, then: str) -> None:
    assert set_header_status(PLAN.replace(LINE, line + "\r\n", 1), IMPLEMENTING) == PLAN.replace(LINE, then + "\r\n", 1)


def check(text: str, status: str) -> None:
    """One span changed, in one line; what an approval holds is the same, and so is every phase."""
    changed = set_header_status(text, status)
    assert set_header_status(changed, status) == changed
    before, after = text.split("\n"), changed.split("\n")
    assert sum(old != new for old, new in zip(before, after, strict=True)) <= 1
    try:
        plans_ = [read(PlanSource("plan.md", one)) for one in (text, changed)]
    except UnreadablePlan:
        assert changed == text
        return
    old, new = (canonicalise(plan, one) for plan, one in zip(plans_, (text, changed), strict=True))
    assert [(phase.key, phase.hash) for phase in old.phases] == [(phase.key, phase.hash) for phase in new.phases]
    assert old.rest == new.rest


@pytest.mark.full
@given(markdown_plans(), st.sampled_from(STATUSES))
def test_the_status_of_any_plan_changes_nothing_that_is_approved(text: str, status: str) -> None:
    check(text, status)
