"""A summary says what was done from evidence, in its format, whatever the texts in it are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.tasks.documents.rendering import render_summary
from planrail.tasks.documents.validating import validate
from planrail.tasks.model import Artifact, Task
from planrail.tasks.statuses import TaskPhase
from planrail.tasks.summarising import PhaseWork, WorkDone, describe_completion, summarise

TASK = Task(7, "greet", "Greet people", artifacts=(Artifact("plan", "specs/007_greet/plans/01_greet.md", "", 1),))
DONE = PhaseWork(
    TaskPhase("1", "Write", "done", "proven"),
    "c" * 40,
    "run",
    ("make test",),
    ("a.py", "b.py"),
    ("5 was 6",),
    ("slow",),
)
SKIPPED = PhaseWork(TaskPhase("2", "Polish", "skipped", "adopted"))
OPEN = PhaseWork(TaskPhase("3", "Ship", "todo"))


def work(*phases: PhaseWork, why: str = "") -> WorkDone:
    return WorkDone(TASK, "specs/007_greet/plans/01_greet.md", phases, "2026-07-01T12:00:00Z", "2026-07-02", why)


def test_phases_commits_checks_files_drift_and_what_is_left_are_named() -> None:
    summary = summarise(work(DONE, SKIPPED))
    assert summary["What Changed"] == [
        "Phase 1 (Write): done, proven; commit cccccccccc; files: a.py, b.py; checks: `make test`",
        "Phase 2 (Polish): left out",
    ]
    assert summary["Decisions"] == ["Phase 1: 5 was 6", "Phase 2 was left out"]
    assert summary["Follow-ups"] == ["Phase 1: slow"]
    assert "2 files changed: a.py, b.py" in summary["Impacts"]
    assert f"commit {'c' * 40}" in summary["References"]
    assert "1 proven by checks that planrail ran itself, 1 left out on purpose" in summary["Overview"][0]


def test_what_was_forced_says_why_and_which_phases_are_open() -> None:
    summary = summarise(work(DONE, OPEN, why="not needed"))
    assert "Completed by force: not needed" in summary["Decisions"]
    assert "Phase 3 Ship: todo, no proof" in summary["Follow-ups"]
    assert describe_completion(work(DONE, OPEN, why="x")) == (
        "1 phase done; 2 files changed (a.py, b.py); completed by force: x"
    )


def test_many_files_are_counted_and_not_all_named() -> None:
    names = tuple(f"file-{number:03}.py" for number in range(400))
    many = PhaseWork(TaskPhase("1", "Write", "done", "proven"), files=names)
    summary = summarise(work(many))
    assert "400 files changed" in summary["Impacts"][0]
    assert len(summary["Impacts"][0]) < 600
    assert "and 392 more" in summary["What Changed"][0]


def test_without_a_plan_there_is_still_a_summary() -> None:
    text = render_summary(TASK, summarise(WorkDone(TASK, "", (), why="done by hand")))
    assert validate(text, "summary") == []
    assert "without a plan: done by hand" in text


TEXTS = st.text(max_size=60)
PHASES = st.builds(
    PhaseWork,
    st.builds(
        TaskPhase,
        TEXTS,
        TEXTS,
        st.sampled_from(("done", "todo", "skipped", "blocked")),
        st.sampled_from(("proven", "adopted", "claimed", "")),
    ),
    commit=TEXTS,
    checks=st.lists(TEXTS, max_size=6).map(tuple),
    files=st.lists(TEXTS, max_size=12).map(tuple),
    drift=st.lists(TEXTS, max_size=2).map(tuple),
    notes=st.lists(TEXTS, max_size=2).map(tuple),
)


@pytest.mark.full
@given(st.lists(PHASES, max_size=4), TEXTS)
def test_whatever_the_texts_are_the_summary_is_in_its_format(phases: list[PhaseWork], why: str) -> None:
    text = render_summary(TASK, summarise(work(*phases, why=why)))
    assert [problem for problem in validate(text, "summary") if problem.severity == "error"] == []
