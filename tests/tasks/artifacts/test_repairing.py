"""Repair adds what is missing: what was there stays, a second repair changes nothing, and what is left is said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource
from planrail.tasks.documents.formats import FORMATS
from planrail.tasks.documents.rendering import facts_of, repair
from planrail.tasks.documents.validating import PLACEHOLDER, has_errors, validate
from planrail.tasks.model import PLAN, REPORT, SUMMARY, TYPES, Task
from tests.tasks.artifacts.good_documents import good_document
from tests.tasks.artifacts.nasty_texts import PIECES

GOOD = good_document(PLAN)
TASK = Task(7, "greet", "Greet people", effort="2 hours")


def without(text: str, *fields: str) -> str:
    for field in fields:
        text = text.replace(f"- **{field}**: …\n", "")
    return text


def is_kept(before: str, after: str) -> bool:
    """Whether all of a text is still there, in its order."""
    rest = iter(after)
    return all(sign in rest for sign in before)


def test_a_missing_field_is_filled_with_what_is_known_or_with_a_placeholder_and_no_section_is_invented() -> None:
    repaired = repair(without(GOOD, "Research Inputs"), PLAN)
    assert f"- **Research Inputs**: {PLACEHOLDER}\n" in repaired.text
    assert [problem.severity for problem in repaired.left] == ["warning"]
    repaired = repair(GOOD.replace("## Overview\n", ""), PLAN)
    assert [problem.message for problem in repaired.left] == ["the section ## Overview is missing"]
    repaired = repair(without(GOOD, "Task", "Effort"), PLAN, facts_of(TASK, PLAN))
    assert repaired.changes == ("- **Task**: 7 - Greet people", "- **Effort**: 2 hours")
    assert repaired.left == ()
    assert "- **Type**: …\n- **Task**: 7 - Greet people\n- **Effort**: 2 hours\n\n## Overview" in repaired.text


@pytest.mark.parametrize("type_", TYPES)
def test_all_fields_and_the_title_are_added_where_there_are_none(type_: str) -> None:
    body = "\n".join(line for line in good_document(type_).split("\n") if not line.startswith(("- **", "# ")))
    assert repair(good_document(type_), type_, facts_of(TASK, type_)).text == good_document(type_)
    repaired = repair(body, type_, facts_of(TASK, type_))
    assert repaired.text.lstrip("\n").startswith(f"# {FORMATS[type_].title}: Greet people\n")
    assert not has_errors(list(repaired.left))


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_the_line_ends_of_a_document_are_kept(newline: str) -> None:
    text = without(GOOD, "Effort", "Type").replace("\n", newline)
    repaired = repair(text, PLAN).text
    assert repaired.count(newline) == text.count(newline) + 2
    assert len(repaired.split(newline)) == len("".join(repaired).splitlines()) + 1


def test_what_is_indented_under_a_field_stays_with_it() -> None:
    listed = without(GOOD, "Type").replace("- **Standards**: …\n", "- **Standards**:\n  - one.md\n  - two.md\n")
    assert "  - two.md\n- **Type**: markdown\n" in repair(listed, PLAN, facts_of(TASK, PLAN)).text


def test_front_matter_and_a_byte_order_mark_stay_first() -> None:
    text = "---\nid: 3\n---\ntext\n"
    assert repair(text, REPORT).text.startswith("---\nid: 3\n---\n# Research Report\n")
    assert repair("\ufefftext\n", SUMMARY).text.startswith("\ufeff# Implementation Summary\n")


def test_the_table_of_waves_follows_from_the_dependencies_that_are_stated() -> None:
    start = GOOD.index("**Dependency Analysis**")
    bare = GOOD[:start] + GOOD[GOOD.index("### Phase 1") :]
    two = bare.replace("## Testing", "### Phase 2: Next [NOT STARTED]\n\n**Depends on:** 1\n\n- [ ] x\n\n## Testing")
    repaired = repair(two, PLAN)
    assert "| 1 | 1 | -- |\n| 2 | 2 | 1 |\n" in repaired.text
    assert repaired.left == ()
    silent = two.replace("**Depends on:** 1\n", "")
    assert [problem.severity for problem in repair(silent, PLAN).left] == ["warning"]


def test_a_phase_that_has_not_begun_gets_its_mark() -> None:
    bare = GOOD.replace(" [NOT STARTED]", "")
    assert repair(bare, PLAN).text == GOOD
    begun = bare.replace("- [ ] …", "- [x] …")
    assert repair(begun, PLAN).text == begun


@given(
    st.lists(st.sampled_from((*PIECES, *GOOD.split("\n\n"), *GOOD.split("\n"))), max_size=12).map("\n".join)
    | st.integers(0, len(GOOD)).flatmap(lambda at: st.sampled_from(PIECES).map(lambda one: GOOD[:at] + one + GOOD[at:]))
    | st.text(max_size=60),
    st.sampled_from(TYPES),
    st.booleans(),
)
def test_a_repair_keeps_every_byte_and_is_done_once(text: str, type_: str, has_facts: bool) -> None:
    facts = facts_of(TASK, type_) if has_facts else {}
    repaired = repair(text, type_, facts)
    assert is_kept(text, repaired.text)
    assert (repaired.text == text) == (not repaired.changes)
    assert repair(repaired.text, type_, facts).text == repaired.text
    assert list(repaired.left) == validate(repaired.text, type_)
    before = {problem.message for problem in validate(text, type_)}
    assert all(problem.message in before or PLACEHOLDER in problem.message for problem in repaired.left)


@pytest.mark.full
@given(st.permutations(FORMATS[PLAN].metadata), st.integers(0, 8))
def test_a_plan_that_lacks_only_fields_is_whole_after_its_repair(fields: list[str], count: int) -> None:
    text = without(GOOD, *fields[:count])
    repaired = repair(text, PLAN)
    assert not has_errors(list(repaired.left))
    before, after = (read(PlanSource("plan.md", one)).phases for one in (text, repaired.text))
    assert [(phase.id, phase.status) for phase in before] == [(phase.id, phase.status) for phase in after]
