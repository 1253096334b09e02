"""A phase stands after all that it depends on."""

import json

import pytest

from tests.lint.linting import messages, problems_of


def _plan(*bodies: str) -> str:
    phases = (f"\n### Phase {number}: Part {number}\n\n{body}\n" for number, body in enumerate(bodies, 1))
    return "# Plan\n\n## Steps\n" + "".join(phases)


@pytest.mark.parametrize(
    "line",
    ["**Depends on:** Phase 3", "Depends on: 3", "- **Dependencies**: Phase 1, Phase 3", "**의존성:** Phase 3"],
)
def test_a_dependency_further_down_is_reported_where_it_is_stated(line: str) -> None:
    text = _plan("a", line, "c")
    (problem,) = (one for one in problems_of(text) if one.rule == "late-dependency")
    assert problem.message == "phase 2 depends on phase 3, which stands after it: put 3 first"
    assert text.splitlines()[problem.line - 1] == line


def test_a_dependency_in_the_tracker_counts() -> None:
    text = (
        "# P\n\n| Phase | Status | Depends on |\n|---|---|---|\n| 1 — A | ⬜ | Phase 2 |\n| 2 — B | ⬜ | none |\n"
        "\n## Phase 1 — A\n\nx\n\n## Phase 2 — B\n\ny\n"
    )
    assert len(messages("late-dependency", text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        _plan("a", "Depends on: Phase 1", "Depends on: Phase 1, Phase 2"),
        _plan("Depends on: none", "Depends on: Phase 9"),
        _plan("Depends on: Phase 2", "Depends on: Phase 1"),  # a circle has a rule of its own
        _plan("Depends on: Phase 3", "Depends on: Phase 1", "Depends on: Phase 2"),
        "# P\n\n## Phase 1 — A ✅\n\nDepends on: Phase 2\n\n## Phase 2 — B\n\nx\n",
        "# P\n\n## Phase 1 — A\n\nDepends on: Phase 2\n\n## Phase 2 — B ✅\n\nx\n",
        "# P\n\n## Phase 2 — B\n\nx\n\n## Phase 1 — A\n\nDepends on: Phase 2\n",
    ],
)
def test_what_stands_above_is_finished_or_goes_in_a_circle_is_left_alone(text: str) -> None:
    assert messages("late-dependency", text) == []


def test_the_files_of_other_tools_have_no_order_to_be_read_in() -> None:
    tasks = [
        {"id": 1, "title": "a", "dependencies": [2], "status": "pending"},
        {"id": 2, "title": "b", "status": "pending"},
    ]
    assert messages("late-dependency", json.dumps({"tasks": tasks}), path="tasks.json") == []
