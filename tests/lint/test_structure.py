"""Ids, dependencies, and what the reader has found."""

import json

import pytest

from planrail.plans.lint.document import Severity
from tests.lint.linting import messages, problems_of


def _severities(rule: str, text: str) -> set[Severity]:
    return {problem.severity for problem in problems_of(text) if problem.rule == rule}


def _plan(*bodies: str) -> str:
    phases = (f"\n## Phase {number} — Part {number}\n\n{body}\n" for number, body in enumerate(bodies, 1))
    return "# Plan\n" + "".join(phases)


@pytest.mark.parametrize(
    "text",
    [
        "# P\n\n## Phase 1 — A\n\nx\n\n## Phase 2 — B\n\nx\n\n## Phase 2 — C\n\nx\n",
        "# P\n\n## Phase 1: A\n\nx\n\n## Phase 01: B\n\nx\n",
        "# P\n\n| Phase | Status |\n|---|---|\n| 1 — A | ✅ |\n| 2 — B | ⬜ |\n| 2 — C | ⬜ |\n",
    ],
)
def test_an_id_that_is_given_twice_is_an_error(text: str) -> None:
    assert len(messages("duplicate-id", text)) == 1
    assert _severities("duplicate-id", text) == {Severity.ERROR}


@pytest.mark.parametrize(
    "text",
    [
        _plan("a", "b", "c"),
        "# P\n\n## Phase 1 — A\n\nx\n\n## Phase 1 Verification\n\nx\n\n## Phase 2 — B\n\nx\n",
        "# P\n\n## Overview\n\n### Phase 1 — A\n\n## Details\n\n### Phase 1 — A\n\n- [ ] x\n\n### Phase 2 — B\n\n- [ ] y\n",
        "# P\n\n## Phase 1 — A\n\n### Task 1\n\nx\n\n## Phase 2 — B\n\n### Task 1\n\nx\n",
        "# P\n\n## Phase 3.1 — A\n\nx\n\n## Phase 3.10 — B\n\nx\n",
        "# P\n\n| Phase | Task | Status |\n|---|---|---|\n| 1 | a | ✅ |\n| 1 | b | ⬜ |\n| 2 | c | ⬜ |\n| 2 | d | ⬜ |\n",
    ],
)
def test_different_ids_and_parts_of_a_phase_are_not_duplicates(text: str) -> None:
    assert messages("duplicate-id", text) == []


@pytest.mark.parametrize(
    "line",
    [
        "**Depends on**: Phase 9",
        "Depends on: Phases 1 and 9",
        "- **Dependencies:** Phase 1, Phase 9",
        "### Dependencies\n\nPhase 9 (the schema).",
    ],
)
def test_a_dependency_on_a_phase_that_is_not_there_is_an_error(line: str) -> None:
    text = _plan("a", line)
    (message,) = messages("unknown-dependency", text)
    assert message == "phase 2 depends on phase 9, which the plan does not have"
    assert _severities("unknown-dependency", text) == {Severity.ERROR}


def test_a_dependency_in_the_tracker_counts() -> None:
    text = "# P\n\n| Phase | Status | Depends on |\n|---|---|---|\n| 1 — A | ✅ | none |\n| 2 — B | ⬜ | Phase 7 |\n"
    assert len(messages("unknown-dependency", text)) == 1


@pytest.mark.parametrize(
    "line",
    [
        "**Depends on**: Phase 1",
        "Depends on: 9",
        "Depends on: Phase 9 of the migration plan",
        "Depends on: Phase 9 (already landed)",
        "Depends on: Phase 1.2",
        "### Dependencies\n\nNone. Phase 9 was dropped.",
        "### Dependencies\n\nNothing here needs Phase 9.",
        "We once had a Phase 9.",
    ],
)
def test_known_foreign_and_finished_dependencies_are_left_alone(line: str) -> None:
    assert messages("unknown-dependency", _plan("a", line)) == []


def test_codes_are_compared_as_a_whole() -> None:
    text = "# P\n\n## WP01 — A\n\n- [ ] a\n\n## WP02 — B\n\n- [ ] b\n\n**Depends on**: WP01, WP07\n"
    (message,) = messages("unknown-dependency", text)
    assert "WP07" in message


def test_phases_that_wait_for_each_other_or_for_themselves_are_an_error_and_a_chain_is_none() -> None:
    text = _plan("Depends on: Phase 2", "Depends on: Phase 1")
    assert len(messages("cycle", text)) == 1
    assert _severities("cycle", text) == {Severity.ERROR}
    assert messages("cycle", _plan("a", "**Depends on**: Phase 2")) == ["phase 2 depends on itself"]
    assert messages("cycle", _plan("a", "Depends on: Phase 1", "Depends on: Phases 1 and 2")) == []


def test_a_data_file_names_its_dependencies_by_id() -> None:
    tasks = [
        {"id": 1, "title": "a", "status": "pending", "dependencies": [2, 99]},
        {"id": 2, "title": "b", "status": "pending", "dependencies": [1]},
    ]
    found = problems_of(json.dumps({"tasks": tasks}), path="tasks.json")
    assert sorted(problem.rule for problem in found) == ["cycle", "unknown-dependency"]
    assert {problem.severity for problem in found} == {Severity.ERROR}


def test_states_that_contradict_each_other_and_a_mark_that_nobody_knows_are_warnings() -> None:
    table = "# P\n\n| Phase | Status |\n|---|---|\n| 1 — A | ✅ Done |\n"
    assert _severities("contradiction", f"{table}\n## Phase 1 — A [NOT STARTED]\n\nx\n") == {Severity.WARNING}
    assert _severities("unknown-mark", f"{table}| 2 — B | ⬜ |\n| 3 — C | 🦄 quux |\n") == {Severity.WARNING}
    rules = {problem.rule for problem in problems_of(_plan("a", "Depends on: Phase 1"))}
    assert not rules & {"contradiction", "unknown-mark", "cycle", "duplicate-id", "unknown-dependency"}
