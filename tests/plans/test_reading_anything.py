"""Reading any text at all: a plan or `UnreadablePlan`, never another error, and never without end."""

import pytest

from planrail.base.errors import UnreadablePlan
from planrail.plans.model import Plan
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource
from tests.plans.efforts import each_effort, search
from tests.plans.generated_plans import any_texts, broken_texts, json_plans, known_texts, markdown_plans
from tests.plans.invariants import check


def _read(document: tuple[str, str]) -> None:
    source = PlanSource(*document)
    plan, refusal = _attempt(source)
    if plan is not None:
        check(plan, source)
    if refusal is not None:
        assert refusal.message
        assert refusal.remedy


def _attempt(source: PlanSource) -> tuple[Plan | None, UnreadablePlan | None]:
    try:
        return read(source), None
    except UnreadablePlan as refusal:
        return None, refusal


@each_effort
def test_any_text_is_a_plan_or_unreadable(effort: str) -> None:
    search(effort, any_texts(), _read)


@each_effort
def test_a_broken_document_is_a_plan_or_unreadable(effort: str) -> None:
    search(effort, broken_texts(), _read)


@pytest.mark.full
@each_effort
def test_a_generated_plan_says_one_thing_of_each_phase_and_names_open_work(effort: str) -> None:
    search(effort, markdown_plans().map(lambda text: ("plan.md", text)), _read)
    search(effort, json_plans().map(lambda text: ("plan.json", text)), _read)


@pytest.mark.parametrize("document", known_texts(), ids=lambda document: document[0])
def test_every_known_document_says_one_thing_of_each_phase_and_names_open_work(document: tuple[str, str]) -> None:
    _read(document)
