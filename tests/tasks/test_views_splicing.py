"""A view with a few tasks changed in place is the view rendered whole; what is not as it has to be is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.records import replace
from planrail.tasks.model import Task
from planrail.tasks.statuses import TERMINAL, marker
from planrail.tasks.views.entries import render_entry
from planrail.tasks.views.splicing import Change, splice_state, splice_todo
from planrail.tasks.views.todo import render_frame, render_front, render_section, render_state, render_todo
from tests.tasks.views_values import NASTY, order_of, tasks

HEAD: dict[str, object] = {"active_topics": ["docs"], "completed_projects": [{"project_number": 3, "x": "  ],\n"}]}
FRAME = render_frame(99, HEAD)
STATES = st.sampled_from(["not_started", "planning", "planned", "partial", "pr_ready"])


def state(given: list[Task], following: int = 99) -> str:
    return render_state(following, HEAD, [render_entry(task) for task in given])


def todo(given: list[Task], day: str) -> str:
    return render_todo(99, order_of(given, ["docs"], day), [render_section(task) for task in reversed(given)])


def change(task: Task) -> Change:
    return Change(task.number, render_section(task), marker(task.status), task.status not in TERMINAL)


@st.composite
def books(draw: st.DrawFn) -> tuple[list[Task], dict[int, Task], list[Task]]:
    """Tasks, some of them changed: another marker, other texts, but the same place in the order; and new ones."""
    numbers = sorted(draw(st.sets(st.integers(1, 1200), min_size=1, max_size=8)))
    given = [draw(tasks(number)) for number in numbers]
    chosen = draw(st.sets(st.sampled_from(numbers)))
    changed = {
        task.number: replace(
            task,
            title=draw(st.sampled_from(NASTY)),
            effort=draw(st.text(max_size=3)),
            status=task.status if task.status in TERMINAL else draw(STATES),
        )
        for task in given
        if task.number in chosen
    }
    new = [draw(tasks(number)) for number in draw(st.sampled_from([(), (), (1201,), (1205, 1300)]))]
    return given, changed, new


@pytest.mark.full
@given(books(), st.integers(2, 9000))
def test_a_spliced_state_json_is_the_rendered_one(
    book: tuple[list[Task], dict[int, Task], list[Task]], following: int
) -> None:
    given, changed, new = book
    data = state(given).encode()
    changes = [(task.number, render_entry(task)) for _, task in sorted(changed.items())]
    changes += [(task.number, render_entry(task)) for task in new]
    spliced = splice_state(data, render_frame(following, HEAD), changes)
    assert (
        b"".join(spliced or ())
        == state([*(changed.get(task.number, task) for task in given), *new], following).encode()
    )


@pytest.mark.full
@given(books())
def test_a_spliced_todo_is_the_rendered_one(book: tuple[list[Task], dict[int, Task], list[Task]]) -> None:
    given, changed, new = book
    data = todo(given, "2026-07-01").encode()
    changes = [change(task) for task in [*reversed(new), *(changed[number] for number in sorted(changed)[::-1])]]
    after = [*(changed.get(task.number, task) for task in given), *new]
    order = order_of(after, ["docs"], "2026-07-02") if new else None
    spliced = splice_todo(data, render_front(99), "2026-07-02", changes, order)
    assert b"".join(spliced or ()) == todo(after, "2026-07-02").encode()


def test_a_task_that_is_not_there_and_a_file_of_another_form_are_refused() -> None:
    given = [Task(number, "a", "A") for number in (3, 5, 9)]
    data, shown = state(given).encode(), todo(given, "2026-07-01").encode()
    for number in (1, 4, 8):
        assert splice_state(data, FRAME, [(number, "{}")]) is None
        assert splice_todo(shown, render_front(99), "2026-07-01", [change(Task(number, "a", "A"))]) is None
    for other in (b"", b"{}", data[:-1], data.replace(b": 99", b": x"), data + b"\n", state([]).encode()):
        assert splice_state(other, FRAME, [(3, "{}")]) is None
    for other in (b"", b"# TODO\n", shown.replace(b"## Tasks", b"## Task"), todo([], "2026-07-01").encode()):
        assert splice_todo(other, render_front(99), "2026-07-01", [change(given[0])]) is None


def test_another_order_takes_the_place_of_the_old_one() -> None:
    before = [Task(1, "a", "A"), Task(2, "b", "B", dependencies=(1,))]
    after = [replace(before[0], status="completed"), before[1]]
    data = todo(before, "2026-07-01").encode()
    order = order_of(after, ["docs"], "2026-07-03")
    spliced = splice_todo(data, render_front(99), "2026-07-03", [change(after[0])], order)
    assert b"".join(spliced or ()) == todo(after, "2026-07-03").encode()
