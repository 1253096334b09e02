"""What an agent answers is read by its schema, tidied, and refused with words that help."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.tasks.questions import model as schemas
from planrail.tasks.questions.answers import Wrong, read_answer, tidy_line, tidy_text
from tests.tasks.stages.stage_project import report

_JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda part: st.lists(part, max_size=4) | st.dictionaries(st.text(max_size=8), part, max_size=4),
    max_leaves=12,
)


def _wrong(answer: object, schema: dict[str, object]) -> tuple[str, ...]:
    read = read_answer(json.dumps(answer), schema)
    assert isinstance(read, Wrong), read
    return read.problems


@pytest.mark.parametrize("text", ["", "  ", "no JSON", "[1, 2]", "7", "null", '"text"', "{", "[" * 100_000])
def test_what_is_no_object_is_refused(text: str) -> None:
    assert isinstance(read_answer(text, schemas.REPORT), Wrong)


def test_an_answer_that_is_too_long_or_says_nothing_is_refused_with_what_is_wrong() -> None:
    assert "too long" in _wrong(report(context="x" * 3_000_000), schemas.REPORT)[0]
    assert "findings is empty" in _wrong(report(findings=[]), schemas.REPORT)
    assert _wrong({"parts": ["one"], "why": ""}, schemas.DIVISION) == ("there are 1 parts, and not 2 to 5",)
    memory = {"content": "x", "category": "GOSSIP", "confidence": 0.9, "keywords": []}
    assert "not one of TECHNIQUE" in _wrong(report(memory_candidates=[memory]), schemas.REPORT)[0]
    assert len(_wrong({"findings": [{} for _ in range(200)]}, schemas.REPORT)) <= 12


def test_secrets_controls_half_characters_and_fields_that_nobody_asked_for_do_not_get_further() -> None:
    said = f"the key is ghp_{'a1' * 15}\x1b[2J\r\nand so on\x00"
    read = read_answer(json.dumps({**report(context=said), "command": "rm"}), schemas.REPORT)
    assert not isinstance(read, Wrong)
    assert read["context"] == "the key is [masked token][2J\nand so on"
    assert "command" not in read
    read = read_answer('{"description": "a \\ud800 b", "changes": []}', schemas.DESCRIPTION)
    assert not isinstance(read, Wrong)
    str(read["description"]).encode()


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


@given(_JSON)
def test_no_answer_of_any_shape_raises(value: Any) -> None:
    for schema in (schemas.REPORT, schemas.DESCRIPTION, schemas.DIVISION):
        assert isinstance(read_answer(json.dumps(value), schema), Wrong)


@given(st.text())
def test_a_tidy_text_stays_as_it_is(text: str) -> None:
    assert tidy_text(tidy_text(text)) == tidy_text(text)
    assert "\n" not in tidy_line(text)
