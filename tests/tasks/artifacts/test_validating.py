"""Is a document in its format? Every problem is found, at its line, and nothing that is quoted counts."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.cli.main import main
from planrail.tasks.documents.formats import FORMATS
from planrail.tasks.documents.validating import ERROR, WARNING, validate
from planrail.tasks.model import PLAN, REPORT, TYPES
from tests.tasks.artifacts.good_documents import good_document
from tests.tasks.artifacts.nasty_texts import PIECES

_CASES = Path(__file__).parents[4] / "shared" / "cases" / "execution.jsonl"
GOOD = good_document(PLAN)


def _cases(kind: str) -> list[Any]:
    if not _CASES.is_file():
        return []
    rows = [json.loads(line) for line in _CASES.read_text("utf-8").splitlines()]
    return [pytest.param(row, id=row["id"]) for row in rows if row["kind"] == kind]


@pytest.mark.parametrize("case", _cases("artifact_rules"))
def test_a_format_asks_for_the_fields_and_sections_of_its_rule(case: dict[str, Any]) -> None:
    form = FORMATS[case["in"]["type"]]
    assert {"metadata": list(form.metadata), "sections": list(form.sections)} == case["out"]


@pytest.mark.parametrize("case", _cases("validate_artifact"))
def test_the_command_answers_with_the_exit_code_of_the_contract(case: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "document.md"
    path.write_text(case["in"]["text"])
    assert main(["task", "validate-artifact", str(path), *case["in"]["args"]]) == case["out"]["rc"]


@pytest.mark.parametrize("type_", TYPES)
def test_a_document_with_all_that_its_format_asks_for_is_valid_and_else_every_missing_part_is_named_at_once(
    type_: str,
) -> None:
    assert validate(good_document(type_), type_) == []
    found = [problem.message for problem in validate("text\n", type_) if problem.severity == ERROR]
    form = FORMATS[type_]
    assert len(found) == 1 + len(form.metadata) + len(form.sections) + (type_ == PLAN)
    assert all(any(name in message for message in found) for name in (*form.metadata, *form.sections))


def test_a_section_in_code_is_no_section_and_a_field_below_the_top_no_field_of_the_document() -> None:
    for name in FORMATS[PLAN].sections:
        quoted = GOOD.replace(f"## {name}\n", f"```\n## {name}\n```\n", 1)
        assert any(name in problem.message for problem in validate(quoted, PLAN) if problem.severity == ERROR)
    for name in FORMATS[PLAN].metadata:
        moved = GOOD.replace(f"- **{name}**: …\n", "", 1) + f"\n- **{name}**: …\n"
        assert [problem.message for problem in validate(moved, PLAN)] == [f"the field **{name}**: is missing"]


@pytest.mark.parametrize("spelling", ["- **{}**: x", "**{}**: x", "**{}:** x", "- **{}:** x", "* **{}** : x"])
def test_a_field_may_be_spelled_as_people_do(spelling: str) -> None:
    assert validate(GOOD.replace("- **Effort**: …", spelling.format("Effort")), PLAN) == []


def test_what_is_only_advisable_is_an_error_where_one_is_strict() -> None:
    bare = GOOD.replace("**Dependency Analysis**:", "**Order**:").replace(" [NOT STARTED]", "")
    assert [problem.severity for problem in validate(bare, PLAN)] == [WARNING, WARNING]
    assert [problem.severity for problem in validate(bare, PLAN, strict=True)] == [ERROR, ERROR]


def test_a_placeholder_is_a_warning_at_its_line() -> None:
    [problem] = validate(GOOD.replace("- **Effort**: …", "- **Effort**: TBD"), PLAN)
    assert (problem.severity, GOOD.splitlines()[problem.line - 1]) == (WARNING, "- **Effort**: …")


def test_a_code_block_that_is_never_closed_is_named() -> None:
    [problem] = validate(f"{GOOD}\n```sh\nmake\n", PLAN)
    assert (problem.severity, problem.line) == (WARNING, GOOD.count("\n") + 2)
    assert validate(f"{GOOD}\n```sh\nmake\n```", PLAN) == []
    assert validate(f"{GOOD}\n```sh\nmake\n```\n", PLAN) == []


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff", " \r\n"])
def test_an_empty_file_is_said_to_be_empty(text: str) -> None:
    assert [problem.message for problem in validate(text, REPORT)] == ["the file is empty"]


def test_a_line_without_end_is_no_text() -> None:
    [problem] = validate("x" * 300_000, PLAN)
    assert problem.severity == ERROR


@given(st.lists(st.sampled_from(PIECES)).map("\n".join) | st.text(), st.sampled_from(TYPES))
def test_anything_can_be_judged(text: str, type_: str) -> None:
    lines = text.count("\n") + text.count("\r") + 1
    assert all(1 <= problem.line <= lines for problem in validate(text, type_))
