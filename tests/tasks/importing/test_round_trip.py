"""A fresh clone takes its tasks from the committed views: what planrail has written, an import reads as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.records import replace
from planrail.tasks.importing.model import Specs
from planrail.tasks.importing.reading import read_specs
from planrail.tasks.model import TYPES, Artifact, Task
from planrail.tasks.views.entries import render_entry
from planrail.tasks.views.todo import render_archive, render_section, render_state, render_todo
from tests.tasks.views_values import TEXTS, order_of, tasks

_ABOUT_THE_TASKS = {"dependency", "number_clash"}


def _settle(task: Task, number: int, archive: str = "") -> Task:
    """A task as commands leave it: with a title, not waiting for itself, its documents in its folder."""
    kinds = dict.fromkeys(one.type for one in task.artifacts)
    folder = f"specs{archive}/{number:03d}_{task.name}"
    documents = tuple(
        Artifact(type_, f"{folder}/{type_}s/01_x.md".replace("summarys", "summaries"), "s", 1)
        for type_ in TYPES
        if type_ in kinds
    )
    title = task.title if task.title.strip() else "A title"
    needs = tuple(one for one in task.dependencies if one != number)
    parts = tuple(one for one in task.subtasks if one != number)
    settled = replace(task, number=number, title=title, dependencies=needs, subtasks=parts, artifacts=documents)
    return replace(settled, round=max(task.round, 1 if documents else 0), is_archived=bool(archive))


def _views(opened: list[Task], archived: list[Task], head: dict[str, object], following: int) -> Specs:
    sections = [render_section(task) for task in reversed(opened)]
    return Specs(
        state=render_state(following, head, [render_entry(task) for task in opened]),
        todo=render_todo(following, order_of(opened, [], "2026-07-01"), sections),
        archive=render_archive([render_entry(task) for task in archived]),
        files=tuple(one.path for task in (*opened, *archived) for one in task.artifacts),
    )


@pytest.mark.full
@given(st.lists(tasks(), max_size=4), st.lists(tasks(), max_size=3), st.dictionaries(st.just("note"), TEXTS))
def test_an_import_of_the_views_is_the_same_book(
    opened: list[Task], archived: list[Task], head: dict[str, object]
) -> None:
    opened = [_settle(task, number) for number, task in enumerate(opened, 1)]
    archived = [_settle(task, number, "/archive") for number, task in enumerate(archived, 11)]
    imported = read_specs(_views(opened, archived, head, 20))
    assert list(imported.tasks) == opened
    assert list(imported.archived) == archived
    assert imported.next_number == 20
    assert imported.head == head
    told = [one for one in imported.divergences if one.kind not in _ABOUT_THE_TASKS]
    has_circle = any("wait for each other" in one.text for one in imported.divergences)  # it has no order that is right
    assert [one for one in told if not (has_circle and ", wave: " in one.text)] == []
