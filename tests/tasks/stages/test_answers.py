"""What an agent answers is read by its schema, tidied, and refused with words that help."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.tasks.questions import schemas
from planrail.tasks.questions.answers import Wrong, read_answer, tidy_line, tidy_text
from tests.tasks.stages.stage_project import critique, details, outline, report, revision, whole_phase

_JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda part: st.lists(part, max_size=4) | st.dictionaries(st.text(max_size=8), part, max_size=4),
    max_leaves=12,
)


def _wrong(answer: object, schema: dict[str, object], phases: int = 0) -> tuple[str, ...]:
    read = read_answer(json.dumps(answer), schema, phases=phases)
    assert isinstance(read, Wrong), read
    return read.problems


@pytest.mark.parametrize("text", ["", "  ", "no JSON", "[1, 2]", "7", "null", '"text"', "{", "[" * 100_000])
def test_what_is_no_object_is_refused(text: str) -> None:
    assert isinstance(read_answer(text, schemas.REPORT), Wrong)


def test_an_answer_without_end_is_refused() -> None:
    assert "too long" in _wrong(report(context="x" * 3_000_000), schemas.REPORT)[0]


def test_fields_that_nobody_asked_for_are_dropped() -> None:
    read = read_answer(json.dumps({**report(), "command": "rm"}), schemas.REPORT)
    assert not isinstance(read, Wrong)
    assert "command" not in read


def test_secrets_and_controls_do_not_get_further() -> None:
    said = f"the key is ghp_{'a1' * 15}\x1b[2J\r\nand so on\x00"
    read = read_answer(json.dumps(report(context=said)), schemas.REPORT)
    assert not isinstance(read, Wrong)
    assert read["context"] == "the key is [masked token][2J\nand so on"


def test_half_a_character_does_not_get_further() -> None:
    read = read_answer('{"description": "a \\ud800 b", "changes": []}', schemas.DESCRIPTION)
    assert not isinstance(read, Wrong)
    str(read["description"]).encode()


def test_an_empty_report_is_refused() -> None:
    assert "findings is empty" in _wrong(report(findings=[]), schemas.REPORT)


def test_a_plan_without_phases_is_refused() -> None:
    assert "phases is empty" in _wrong({**outline(), "phases": []}, schemas.OUTLINE)


def test_a_plan_of_too_many_phases_is_refused() -> None:
    assert "31 phases" in _wrong(outline(*[f"Phase {n}" for n in range(31)]), schemas.OUTLINE)[0]


@pytest.mark.parametrize("depends", [[1], [2], [0], [-1], [7]])
def test_a_phase_can_only_wait_for_an_earlier_one(depends: list[int]) -> None:
    phases = [{"title": "One", "goal": "It is", "depends_on": depends}]
    assert "depends_on" in _wrong({**outline(), "phases": phases}, schemas.OUTLINE)[0]


def test_a_phase_needs_tasks_and_criteria() -> None:
    assert _wrong(details(tasks=[], criteria=[]), schemas.PHASE) == ("tasks is empty", "criteria is empty")


def test_a_criterion_has_to_say_something() -> None:
    assert "says nothing" in _wrong(details(criteria=[{"command": "", "text": ""}]), schemas.PHASE)[0]


def test_a_verdict_of_revise_needs_a_problem() -> None:
    assert "problems is empty" in _wrong({**critique(), "verdict": "revise"}, schemas.CRITIQUE, 3)[0]


@pytest.mark.parametrize("phase", [-1, 4, 99])
def test_a_problem_names_a_phase_that_there_is(phase: int) -> None:
    assert "phases 1 to 3" in _wrong(critique((phase, "odd")), schemas.CRITIQUE, 3)[0]


def test_a_verdict_is_one_of_two() -> None:
    assert "not one of pass, revise" in _wrong({**critique(), "verdict": "fine"}, schemas.CRITIQUE)[0]


@pytest.mark.parametrize("numbers", [[0], [4], [2, 2], [-3]])
def test_a_revision_names_phases_that_there_are_each_once_or_the_next(numbers: list[int]) -> None:
    phases = [whole_phase(number, "It", []) for number in numbers]
    assert "number is" in _wrong(revision(*phases), schemas.REVISION, 2)[0]


def test_a_revision_may_add_phases() -> None:
    answer = revision(whole_phase(3, "Third", [2]), whole_phase(4, "Fourth", [3]))
    assert not isinstance(read_answer(json.dumps(answer), schemas.REVISION, phases=2), Wrong)


def test_more_memories_than_three_are_dropped() -> None:
    memory = {"content": "x", "category": "INSIGHT", "confidence": 0.9, "keywords": []}
    read = read_answer(json.dumps(report(memory_candidates=[memory] * 9)), schemas.REPORT)
    assert not isinstance(read, Wrong)
    assert read["memory_candidates"] == [memory] * 3


@pytest.mark.parametrize("number", ["Infinity", "NaN", "-Infinity", "1e400", "1" * 400, "true", '"1"'])
def test_a_number_is_one_that_every_reader_knows(number: str) -> None:
    text = json.dumps(report(memory_candidates=[{"content": "x", "category": "INSIGHT", "keywords": []}]))
    text = text.replace('"keywords": []', f'"keywords": [], "confidence": {number}')
    assert isinstance(read_answer(text, schemas.REPORT), Wrong)


def test_what_is_told_of_a_wrong_answer_is_bounded() -> None:
    assert len(_wrong({"phases": [{} for _ in range(200)]}, schemas.OUTLINE)) <= 12


@given(_JSON)
def test_no_answer_of_any_shape_raises(value: Any) -> None:
    for schema in (schemas.REPORT, schemas.OUTLINE, schemas.PHASE, schemas.CRITIQUE, schemas.REVISION):
        assert isinstance(read_answer(json.dumps(value), schema, phases=2), Wrong)


@given(st.text())
def test_a_tidy_text_stays_as_it_is(text: str) -> None:
    assert tidy_text(tidy_text(text)) == tidy_text(text)
    assert "\n" not in tidy_line(text)
