"""Schemas are strict, so that every agent's program takes them."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from planrail.tasks.questions import model as schemas
from planrail.tasks.questions.answers import Wrong, read_answer
from planrail.tasks.questions.prompts import next_questions
from tests.tasks.stages.stage_project import report

_ALL = {
    "report": schemas.REPORT,
    "description": schemas.DESCRIPTION,
    "division": schemas.DIVISION,
}
_GOOD: dict[str, dict[str, Any]] = {
    "report": report(),
    "description": {"description": "What is wanted.", "changes": []},
    "division": {"parts": ["One", "Two"], "why": "They are two."},
}


def _parts(schema: Any) -> Iterator[dict[str, Any]]:
    yield schema
    for part in [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]:
        yield from _parts(part)


@pytest.mark.parametrize("name", _ALL)
def test_a_schema_is_strict_and_uses_only_what_all_agents_understand(name: str) -> None:
    known = {"type", "properties", "required", "additionalProperties", "items", "description", "enum"}
    for part in _parts(_ALL[name]):
        assert set(part) <= known
        assert part["type"] in ("object", "array", "string", "integer", "number", "boolean")
        if part["type"] == "object":
            assert part["additionalProperties"] is False
            assert part["required"] == list(part["properties"])
    stage = {"report": schemas.RESEARCH, "description": schemas.REVISE, "division": schemas.DIVIDE}[name]
    (question,) = next_questions(schemas.StageOrder(stage, 7, 1, "T", {}), {})
    text = question.schema
    assert json.loads(text) == _ALL[name]
    assert text.isascii()
    assert "\n" not in text
    assert len(text) < 100_000  # it goes onto a command line


@pytest.mark.parametrize("name", _ALL)
def test_a_good_answer_is_read_and_each_field_that_is_missing_or_of_another_type_is_named(name: str) -> None:
    assert read_answer(json.dumps(_GOOD[name]), _ALL[name]) == _GOOD[name]
    for field in _GOOD[name]:
        without = {key: value for key, value in _GOOD[name].items() if key != field}
        answer = read_answer(json.dumps(without), _ALL[name])
        assert isinstance(answer, Wrong)
        assert f"the answer has no {field}" in answer.problems
        answer = read_answer(json.dumps({**_GOOD[name], field: {"odd": 1}}), _ALL[name])
        assert isinstance(answer, Wrong)
        assert any(problem.startswith(field) for problem in answer.problems)
