"""Wording that cannot be verified, and wording that only looks like it."""

import pytest

from planrail.base.settings import LintSettings
from planrail.plans.lint.problems import Severity
from tests.lint.linting import in_phase, messages, problems_of


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("- [ ] Handle errors properly", "properly"),
        ("- [ ] Update the docs as needed", "as needed"),
        ("- [ ] Migrate users, orders, etc.", "etc."),
        ("- [ ] Add some tests", "add some"),
        ("- [ ] Fix various bugs", "various"),
        ("- [ ] Log failures appropriately", "appropriately"),
        ("- [ ] Retry if necessary", "if necessary"),
        ("- [ ] Handle edge cases", "handle edge cases"),
        ("- [ ] Make the parser robust", "robust"),
        ("- [ ] Format: TBD", "tbd"),
        ("- [ ] TODO: decide on a name", "todo: decide"),
        ("- [ ] Copy a, b and so on", "and so on"),
        ("- [ ] Make it faster somehow", "somehow"),
        ("- [ ] After that it should work", "should work"),
        ("- [ ] 오류를 적절히 처리한다", "적절히"),
        ("- [ ] 필요시 캐시를 비운다", "필요시"),
        ("- [ ] エラーを適切に処理する", "適切に"),
        ("- [ ] 必要时重试", "必要时"),
        ("- [ ] Fehler angemessen behandeln", "angemessen"),
        ("- [ ] Gestionar los errores adecuadamente", "adecuadamente"),
        ("- [ ] Gérer les erreurs si nécessaire", "si nécessaire"),
        ("- [ ] Обновить тесты при необходимости", "при необходимости"),
        ("The phase updates various files.", "various"),
        ("- [ ] ok\n  and in the second line various files", "various"),
    ],
)
def test_work_that_cannot_be_verified_is_a_warning_that_quotes_the_words(line: str, word: str) -> None:
    found = [problem for problem in problems_of(in_phase(line)) if problem.rule == "vague-wording"]
    assert [problem.severity for problem in found] == [Severity.WARNING]
    assert f"“{word}”" in found[0].message


@pytest.mark.parametrize(
    "line",
    [
        "- [ ] Rename `properly()` to `correctly()`",
        "- [ ] Read /etc/hosts and etc/passwd",
        '- [ ] Reject the word "properly" in titles',
        "- [ ] Replace “as needed” by a number",
        "- [ ] Handle edge cases: empty file, one line, no newline",
        "- [ ] Handle edge cases (empty file, one line)",
        "- [ ] Return `Some(x)` for somebody, sometimes, in some order",
        "- [ ] Improve robustness by retrying 3 times",
        "- [ ] The tests pass on Linux and macOS",
        "- [ ] Implement as required by RFC 9110",
        "- [ ] The command should work with `--json`",
        "- [ ] Remove the property and the proper noun",
        "- [ ] See https://example.org/as-needed/various.html",
        "- [x] Fix various bugs",
        "```\nproperly\n```",
        "> properly quoted",
        "<!-- properly -->",
    ],
)
def test_precise_quoted_or_finished_wording_is_left_alone(line: str) -> None:
    assert messages("vague-wording", in_phase(line)) == []


def test_a_line_is_reported_once_however_vague_it_is() -> None:
    assert len(messages("vague-wording", in_phase("- [ ] Properly handle various things, etc."))) == 1


@pytest.mark.parametrize("heading", ["Risks", "Open Questions", "Notes", "Out of Scope"])
def test_asides_may_be_vague(heading: str) -> None:
    assert messages("vague-wording", in_phase(f"- [ ] do\n\n### {heading}\n\n- various things")) == []


def test_prose_outside_the_phases_may_be_vague() -> None:
    assert messages("vague-wording", f"# Plan\n\nVarious things happened.\n\n{in_phase('- [ ] a')}") == []


def test_criteria_outside_the_phases_may_not() -> None:
    text = in_phase("- [ ] a") + "\n## Acceptance Criteria\n\n- it behaves properly\n"
    assert len(messages("vague-wording", text)) == 1


def test_a_finished_phase_is_not_reworded() -> None:
    assert messages("vague-wording", "# P\n\n## Phase 1 — A ✅\n\nFix various bugs.\n\n## Phase 2 — B\n\nx\n") == []


@pytest.mark.parametrize(("word", "line"), [("asap", "- [ ] Do it ASAP"), ("대충", "- [ ] 대충고친다")])
def test_the_settings_add_words(word: str, line: str) -> None:
    settings = LintSettings([], 20_000, [word], [], [])
    assert [problem.rule for problem in problems_of(in_phase(line), settings=settings)].count("vague-wording") == 1


def test_the_tasks_of_a_data_file_are_judged_by_their_text() -> None:
    text = '{"tasks": [{"id": 1, "title": "a", "status": "pending", "subtasks": [{"id": 1, "title": "Fix various bugs", "status": "pending"}]}]}'
    assert len(messages("vague-wording", text, path="tasks.json")) == 1
