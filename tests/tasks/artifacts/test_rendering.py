"""Documents from values: in their format, and read back as what they were, whatever the texts in them are."""

import pytest
from hypothesis import given

from planrail.plans.text.scanning import scan
from planrail.tasks.documents.formats import FORMATS, Report
from planrail.tasks.documents.rendering import render_report, render_summary
from planrail.tasks.documents.validating import PLACEHOLDER, validate
from planrail.tasks.model import REPORT, SUMMARY, Task
from tests.tasks.artifacts.nasty_texts import reports, summaries

TASK = Task(7, "greet", "Greet people", effort="2 hours", dependencies=(3, 5))


def test_code_in_prose_stays_code() -> None:
    text = render_report(TASK, Report("R", context="See:\n\n```sh\n# a comment\nmake\n```", findings=(("F", "so"),)))
    assert "```sh\n# a comment\nmake\n```\n" in text


def test_a_document_names_its_task_and_what_it_depends_on() -> None:
    text = render_summary(TASK, {"What Changed": ("a greeting",)})
    assert "- **Task**: 7 - Greet people\n- **Status**: [COMPLETED]\n" in text
    assert "- **Dependencies**: Task 3, Task 5\n" in render_report(TASK, Report("R"))


def headings(text: str) -> list[str]:
    return [block.text for block in scan(text)[1] if type(block).__name__ == "Heading" and block.level == 2]  # type: ignore[union-attr]


@pytest.mark.full
@given(reports)
def test_a_report_of_any_texts_is_valid_and_has_exactly_its_sections(report: Report) -> None:
    text = render_report(TASK, report)
    assert [problem for problem in validate(text, REPORT) if PLACEHOLDER not in problem.message] == []
    assert headings(text) == [*FORMATS[REPORT].sections, "Risks & Mitigations", "Appendix"]


@given(summaries)
def test_a_summary_of_any_texts_is_valid_and_has_exactly_its_sections(summary: dict[str, list[str]]) -> None:
    text = render_summary(TASK, summary)
    assert [problem for problem in validate(text, SUMMARY) if PLACEHOLDER not in problem.message] == []
    assert headings(text) == list(FORMATS[SUMMARY].sections)
