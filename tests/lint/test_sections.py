"""The whole document: sections, length, and something to do."""

import pytest

from planrail.base.settings import DEFAULT_LINT, LintSettings
from planrail.plans.lint.document import Severity
from tests.lint.linting import messages, problems_of
from tests.support.tables import read_table

_PHASE = "\n## Phase 1 — Work\n\nChange `a`.\n\n## Phase 2 — More\n\nChange `b`.\n"
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


def test_each_missing_section_is_named_as_a_warning_on_the_first_line() -> None:
    assert _missing(_COMPLETE) == []
    found = [problem for problem in problems_of(f"# Plan\n{_PHASE}") if problem.rule == "missing-section"]
    assert len(found) == 6
    assert {(problem.severity, problem.line) for problem in found} == {(Severity.WARNING, 1)}


def test_a_plan_of_one_phase_needs_a_goal_steps_and_a_verification() -> None:
    assert _missing("# Plan\n\n## Goal\n\ntext\n\n## Phase 1 — Work\n\nChange `a`.\n") == ["Verification"]
    wanted = LintSettings(sections=["Goal", "Risks"])
    assert _missing("# Plan\n\n## Goal\n\ntext\n\n## Phase 1 — Work\n\nChange `a`.\n", wanted) == ["Risks"]


@pytest.mark.parametrize(("heading", "section"), read_table("lint/tables/sections", "names"))
def test_a_section_counts_under_any_name_that_means_it(heading: str, section: str) -> None:
    assert section not in _missing(f"# Plan\n\n{heading}\n\ntext\n{_PHASE}")


@pytest.mark.parametrize(
    ("text", "said", "missing"),
    [
        (f"## Goals & Non-Goals\n\ntext\n{_PHASE}", {"Goal", "Scope", "Non-Scope"}, set()),
        (f"## Goal\n\na\n\n## Non-Goals\n\nb\n{_PHASE}", {"Scope"}, set()),
        (f"## Non-Goals\n\nb\n{_PHASE}", {"Non-Scope"}, {"Goal", "Scope"}),
        ("## Phase 1 — Work\n\n### Goal\n\nDo it.\n", set(), {"Goal"}),  # that of a phase is not that of the plan
        ("## Phase 1 — Work\n\n### Acceptance Criteria\n\n- it works\n", {"Verification"}, set()),
        (f"{_PHASE}\n```sh check\ngrep -q a b\n```\n", {"Verification"}, set()),
    ],
)
def test_one_section_may_say_several_and_the_phases_say_how_to_verify(
    text: str, said: set[str], missing: set[str]
) -> None:
    found = set(_missing(f"# Plan\n\n{text}"))
    assert (found & said, found & missing) == (set(), missing)


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


def test_a_document_without_phases_is_an_error() -> None:
    found = [problem for problem in problems_of("# Notes\n\nJust prose.\n") if problem.rule == "no-phases"]
    assert [problem.severity for problem in found] == [Severity.ERROR]
    assert messages("no-phases", _COMPLETE) == []
