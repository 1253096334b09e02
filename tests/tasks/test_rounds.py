"""Rounds: research opens one; a plan and a summary belong to the last."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.tasks.model import Numbered, Task, number_for, number_of, round_for


@given(st.lists(st.sampled_from(["research", "plan", "revise", "implement"]), max_size=20))
def test_in_any_order_of_stages_a_document_has_the_number_of_the_last_research(stages: list[str]) -> None:
    following: int | None = None
    rounds = 0
    for stage in stages:
        numbered = number_for(stage, following)
        rounds += stage == "research"
        assert numbered.number == max(rounds, 1)
        following = numbered.next_after


@pytest.mark.parametrize(
    ("stage", "following", "files", "numbered"),
    [
        ("plan", 2, ["reports/01_r.md", "reports/02_nobody-linked-it.md"], Numbered(1, 2)),
        ("plan", 3, ["reports/01_r.md", "reports/02_r.md"], Numbered(2, 3)),
        ("research", 1, ["specs/007_x/reports/01_r.md"], Numbered(2, 3)),  # it is not written over
        ("research", 1, ["plans/01_p.md", "plans/04_p.md"], Numbered(1, 2)),  # a plan opens no round
        ("plan", None, ["reports/01_a.md", "reports/02_b.md"], Numbered(2, 3)),
        ("research", None, ["reports/01_a.md", "reports/02_b.md"], Numbered(3, 4)),
        ("plan", None, [], Numbered(1, None)),
        ("plan", 1, [], Numbered(1, 1)),
    ],
)
def test_what_was_kept_counts_before_what_is_on_the_disk(
    stage: str, following: int | None, files: list[str], numbered: Numbered
) -> None:
    assert number_for(stage, following, files) == numbered


def test_a_task_says_its_round_by_itself() -> None:
    task = Task(7, "x", "X", round=2)
    assert (round_for(task, "research"), round_for(task, "plan")) == (3, 2)
    assert round_for(Task(7, "x", "X"), "plan") == 1


@pytest.mark.parametrize(
    ("path", "number"),
    [
        ("specs/007_x/reports/02_short-slug.md", 2),
        ("reports/research-002.md", 2),
        ("reports/01_part-2.md", 1),
        ("reports/notes.md", 0),
        ("reports/2026-11-15-outage.md", 0),
        ("reports/3d_model.md", 0),
        ("reports/٣_x.md", 0),
        ("", 0),
    ],
)
def test_a_file_name_states_its_round_or_none(path: str, number: int) -> None:
    assert number_of(path) == number


@given(st.text())
def test_any_file_name_has_a_number_or_none(name: str) -> None:
    assert number_of(name) >= 0
