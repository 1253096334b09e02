"""Links of a task to its documents, and where documents lie."""

from hypothesis import given
from hypothesis import strategies as st

from planrail.tasks.model import PLAN, REPORT, SUMMARY, TYPES, Artifact, Task, latest, link
from planrail.tasks.naming import artifact_path

TASK = Task(7, "greet_people", "Greet all the people")
artifacts = st.builds(
    Artifact, st.sampled_from(TYPES), st.sampled_from("abcde"), st.sampled_from(("", "so")), st.integers(1, 3)
)


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
