"""Links of a task to its documents, in the task and in entries of an older TODO.md; and where documents lie."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.tasks.artifacts.linking import Linked, NoPlace, link, link_in_entry
from planrail.tasks.artifacts.paths import artifact_path
from planrail.tasks.model import PLAN, REPORT, SUMMARY, TYPES, Artifact, Task, latest

_CASES = Path(__file__).parents[4] / "shared" / "cases" / "execution.jsonl"
ENTRY = "### 7. Demo\n- **Status**: [PLANNED]\n- **Topic**: x\n\n**Description**: d\n"
TASK = Task(7, "greet_people", "Greet all the people")
artifacts = st.builds(
    Artifact, st.sampled_from(TYPES), st.sampled_from("abcde"), st.sampled_from(("", "so")), st.integers(1, 3)
)


def _cases(kind: str) -> list[Any]:
    if not _CASES.is_file():
        return []
    rows = [json.loads(line) for line in _CASES.read_text("utf-8").splitlines()]
    return [pytest.param(row, id=row["id"]) for row in rows if row["kind"] == kind]


@pytest.mark.parametrize("case", _cases("link_artifact"))
def test_an_entry_gets_its_link_where_the_rule_says(case: dict[str, Any]) -> None:
    done = link_in_entry(**case["in"])
    assert isinstance(done, Linked)
    assert {"entry": done.entry, "stdout": done.said, "rc": 0} == case["out"]


def linked(entry: str, *names: str, field: str = "**Plan**", before: str = "**Description**") -> str:
    for name in names:
        done = link_in_entry(entry, field, before, f"specs/007_demo/plans/{name}.md")
        assert isinstance(done, Linked)
        entry = done.entry
    return entry


def test_a_second_link_makes_a_list_and_a_third_is_added_to_it() -> None:
    entry = linked(ENTRY, "01_a", "02_b", "03_c")
    plan = "- **Plan**:\n" + "".join(f"  - [007_demo/plans/{name}.md]\n" for name in ("01_a", "02_b", "03_c"))
    assert entry == ENTRY.replace("- **Topic**: x\n", f"- **Topic**: x\n{plan}")


def test_a_list_grows_at_its_own_end_whatever_follows_it() -> None:
    entry = "- **Plan**:\n  - [a]\n- **Topic**: x\n\n**Description**: d\n"
    assert linked(entry, "b").startswith("- **Plan**:\n  - [a]\n  - [007_demo/plans/b.md]\n- **Topic**")


def test_line_ends_are_kept() -> None:
    entry = linked(ENTRY.replace("\n", "\r\n"), "01_a", "02_b")
    assert entry.count("\r\n") == entry.count("\n") == ENTRY.count("\n") + 3


def test_an_entry_without_a_place_is_left_alone() -> None:
    assert isinstance(link_in_entry("- **Status**: [PLANNED]\n", "**Plan**", "**Summary**", "specs/7_x/a.md"), NoPlace)


@given(st.lists(st.sampled_from(("01_a", "02_b", "03_c", "04_d")), max_size=6))
def test_a_link_is_written_once_however_often_it_is_made(names: list[str]) -> None:
    entry = linked(ENTRY, *names)
    assert all(entry.count(f"/{name}.md]") == 1 for name in names)
    assert linked(entry, *names) == entry


# ---- in the task ----


def test_a_new_plan_takes_the_place_of_that_rounds_plan_alone() -> None:
    known = (Artifact(REPORT, "r", round=1), Artifact(PLAN, "a", round=1), Artifact(PLAN, "b", round=2))
    task = link(Task(7, "n", "t", artifacts=known), Artifact(PLAN, "c", round=2))
    assert [artifact.path for artifact in task.artifacts] == ["r", "a", "c"]


@given(st.lists(artifacts, max_size=8))
def test_a_path_is_linked_once_and_a_round_has_one_plan(some: list[Artifact]) -> None:
    task = TASK
    for artifact in some:
        task = link(task, artifact)
        assert task.artifacts[-1] == artifact
        assert link(task, artifact) == task
    paths = [artifact.path for artifact in task.artifacts]
    rounds = [artifact.round for artifact in task.artifacts if artifact.type == PLAN]
    assert len(set(paths)) == len(paths)
    assert len(set(rounds)) == len(rounds)


def test_the_plan_that_was_linked_last_is_the_newest_of_its_round() -> None:
    task = link(link(TASK, Artifact(PLAN, "a", round=2)), Artifact(PLAN, "b", round=2))
    newest = latest(task, PLAN)
    assert newest is not None
    assert newest.path == "b"


# ---- paths ----


def test_a_document_lies_in_the_folder_of_its_type_with_its_round_in_front() -> None:
    path = artifact_path(TASK, PLAN, 2, "Greet all the people in the morning", ())
    assert path.startswith("specs/007_greet_people/plans/02_greet-all-people")
    assert artifact_path(TASK, SUMMARY, 0, "x", (), "work").startswith("work/007_greet_people/summaries/01_")


@given(st.text(max_size=40), st.integers(0, 120), st.sampled_from(TYPES), st.integers(1, 4))
def test_a_path_is_new_and_stays_in_the_folder(title: str, round_: int, type_: str, count: int) -> None:
    taken: list[str] = []
    for _ in range(count):
        path = artifact_path(TASK, type_, round_, title, taken)
        assert path.startswith("specs/007_greet_people/")
        assert path.isprintable()
        assert ".." not in path
        assert path.count("/") == 3
        assert path.lower() not in taken
        taken.append(path.lower())
