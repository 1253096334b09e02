"""The whole document: sections, length, and something to do."""

import pytest

from planrail.base.settings import DEFAULT_LINT, LintSettings
from planrail.plans.lint.problems import Severity
from tests.lint.linting import messages, problems_of

_PHASE = "\n## Phase 1 — Work\n\nChange `a`.\n"
_COMPLETE = """
# Plan

## Goal
One sentence.
## Scope
This.
## Non-Scope
Not that.
## Steps
### Phase 1 — Work
Do it.
## Verification
Look.
## Risks
None.
## Open Questions
None.
"""


def _missing(text: str, settings: LintSettings = DEFAULT_LINT) -> list[str]:
    found = [problem for problem in problems_of(text, settings=settings) if problem.rule == "missing-section"]
    return [problem.message.removeprefix("no section is headed ").split(",")[0] for problem in found]


def test_a_plan_with_the_seven_sections_lacks_none() -> None:
    assert _missing(_COMPLETE) == []


def test_each_missing_section_is_named_as_a_warning_on_the_first_line() -> None:
    found = [problem for problem in problems_of(f"# Plan\n{_PHASE}") if problem.rule == "missing-section"]
    assert len(found) == 6
    assert {problem.severity for problem in found} == {Severity.WARNING}
    assert {problem.line for problem in found} == {1}


@pytest.mark.parametrize(
    ("heading", "section"),
    [
        ("## Overview", "Goal"),
        ("## 1. Objectives", "Goal"),
        ("## 목표", "Goal"),
        ("## Ziel", "Goal"),
        ("## 目标", "Goal"),
        ("## Цель", "Goal"),
        ("## What We're NOT Doing", "Non-Scope"),
        ("## What We’re NOT Doing", "Non-Scope"),
        ("## Out of scope", "Non-Scope"),
        ("## 비범위", "Non-Scope"),
        ("## Nicht-Ziele", "Non-Scope"),
        ("## Testing & Validation", "Verification"),
        ("## Success Criteria", "Verification"),
        ("## 검증", "Verification"),
        ("## Risks & Mitigations", "Risks"),
        ("## 风险", "Risks"),
        ("## Unknowns", "Open Questions"),
        ("## Questions for the team", "Open Questions"),
        ("**Goal**: one sentence", "Goal"),
        ("**Risks:** the cache", "Risks"),
        ("Goal: one sentence", "Goal"),
        ("Open Questions\n--------------", "Open Questions"),
    ],
)
def test_a_section_counts_under_any_name_that_means_it(heading: str, section: str) -> None:
    assert section not in _missing(f"# Plan\n\n{heading}\n\ntext\n{_PHASE}")


def test_goals_and_non_goals_say_goal_scope_and_non_scope_at_once() -> None:
    assert not {"Goal", "Scope", "Non-Scope"} & set(_missing(f"# Plan\n\n## Goals & Non-Goals\n\ntext\n{_PHASE}"))


def test_a_goal_and_what_is_out_of_scope_together_say_the_scope() -> None:
    assert "Scope" not in _missing(f"# Plan\n\n## Goal\n\na\n\n## Non-Goals\n\nb\n{_PHASE}")


def test_what_is_out_of_scope_does_not_say_the_goal_or_the_scope() -> None:
    assert {"Goal", "Scope"} <= set(_missing(f"# Plan\n\n## Non-Goals\n\nb\n{_PHASE}"))


def test_the_goal_of_a_phase_is_not_the_goal_of_the_plan() -> None:
    assert "Goal" in _missing("# Plan\n\n## Phase 1 — Work\n\n### Goal\n\nDo it.\n")


def test_verification_inside_the_phases_counts() -> None:
    assert "Verification" not in _missing("# Plan\n\n## Phase 1 — Work\n\n### Acceptance Criteria\n\n- it works\n")


def test_checks_in_the_phases_are_a_verification() -> None:
    assert "Verification" not in _missing(f"# Plan\n{_PHASE}\n```sh check\ngrep -q a b\n```\n")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("tasks.md", "# Tasks\n\n## Phase 1: Setup\n\n- [ ] T001 Do it\n\nSome words.\n"),
        ("TODO.md", "- [ ] one\n- [ ] two\n"),
        ("PLAN.md", "# P\n\n## Phase 1: A\n- [ ] a\n- [ ] b\n\n## Phase 2: B\n- [ ] c\n  - more\n- [ ] d\n"),
        ("tasks.json", '{"tasks": [{"id": 1, "title": "a", "status": "pending"}]}'),
    ],
)
def test_a_list_of_tasks_needs_no_sections(path: str, text: str) -> None:
    assert "missing-section" not in {problem.rule for problem in problems_of(text, path=path)}


def test_the_settings_say_which_sections_are_wanted() -> None:
    settings = LintSettings(["Goal", "Rollback"], 20_000, [], [], [])
    assert _missing(f"# Plan\n\n## Goal\n\na\n{_PHASE}", settings) == ["Rollback"]


@pytest.mark.parametrize(("length", "expected"), [(20_000, 0), (20_001, 1)])
def test_a_plan_is_too_long_from_the_first_character_over_the_limit(length: int, expected: int) -> None:
    text = _COMPLETE.lstrip("\n")
    assert len(messages("length", text + "x" * (length - len(text)))) == expected


def test_the_message_about_length_gives_the_reason() -> None:
    (message,) = messages("length", "# Plan\n" + "word " * 5_000)
    assert "50 %" in message
    assert "20 %" in message


def test_a_document_without_phases_is_an_error() -> None:
    found = [problem for problem in problems_of("# Notes\n\nJust prose.\n") if problem.rule == "no-phases"]
    assert [problem.severity for problem in found] == [Severity.ERROR]


def test_a_document_with_a_phase_has_something_to_do() -> None:
    assert messages("no-phases", _COMPLETE) == []
