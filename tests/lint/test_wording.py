"""Wording that cannot be verified, and wording that only looks like it."""

import pytest

from planrail.base.settings import LintSettings
from planrail.plans.lint.document import Severity
from tests.lint.linting import in_phase, messages, problems_of
from tests.support.tables import read_table


@pytest.mark.parametrize(("line", "word"), read_table("lint/tables/wording", "vague"))
def test_work_that_cannot_be_verified_is_a_warning_that_quotes_the_words(line: str, word: str) -> None:
    found = [problem for problem in problems_of(in_phase(line)) if problem.rule == "vague-wording"]
    assert [problem.severity for problem in found] == [Severity.WARNING]
    assert f"“{word}”" in found[0].message


@pytest.mark.parametrize("line", read_table("lint/tables/wording", "precise"))
def test_precise_quoted_or_finished_wording_is_left_alone(line: str) -> None:
    assert messages("vague-wording", in_phase(line)) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (in_phase("- [ ] Properly handle various things, etc."), 1),  # a line is reported once
        *((in_phase(f"- [ ] do\n\n### {heading}\n\n- various things"), 0) for heading in ("Risks", "Out of Scope")),
        (f"# Plan\n\nVarious things happened.\n\n{in_phase('- [ ] a')}", 0),
        (in_phase("- [ ] a") + "\n## Acceptance Criteria\n\n- it behaves properly\n", 1),
        ("# P\n\n## Phase 1 — A ✅\n\nFix various bugs.\n\n## Phase 2 — B\n\nx\n", 0),
    ],
)
def test_asides_prose_and_finished_phases_may_be_vague_and_criteria_may_not(text: str, count: int) -> None:
    assert len(messages("vague-wording", text)) == count


@pytest.mark.parametrize(("word", "line"), [("asap", "- [ ] Do it ASAP"), ("대충", "- [ ] 대충고친다")])
def test_the_settings_add_words(word: str, line: str) -> None:
    settings = LintSettings([], 20_000, [word], [], [])
    assert [problem.rule for problem in problems_of(in_phase(line), settings=settings)].count("vague-wording") == 1


def test_the_tasks_of_a_data_file_are_judged_by_their_text() -> None:
    text = '{"tasks": [{"id": 1, "title": "a", "status": "pending", "subtasks": [{"id": 1, "title": "Fix various bugs", "status": "pending"}]}]}'
    assert len(messages("vague-wording", text, path="tasks.json")) == 1
