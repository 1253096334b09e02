"""A task that waits says for which, and names all that is to be done first."""

import pytest

from planrail.tasks.model import Task
from planrail.tasks.statuses import Refuse
from planrail.tasks.waves import decide_waiting, gather_open

SEVEN = Task(7, "t", "T", "planned", dependencies=(1, 2))


@pytest.mark.parametrize(
    ("states", "text", "remedy"),
    [
        ({1: "planned"}, "task 1, which is PLANNED", "planrail task orchestrate 1,7"),
        ({2: "not_started"}, "task 2, which is NOT STARTED", "planrail task orchestrate 2,7"),
        ({1: "planned", 2: "not_started"}, "tasks 1, 2", "planrail task orchestrate 1,2,7"),
        ({1: "abandoned"}, "task 1, which is ABANDONED", "planrail task edit 7 --depends 2"),
        ({1: "planned", 2: "expanded"}, "tasks 1, 2 (task 2 is EXPANDED)", "planrail task edit 7 --depends 1"),
    ],
)
def test_what_a_task_waits_for_is_named_with_what_brings_it_on(states: dict[int, str], text: str, remedy: str) -> None:
    assert decide_waiting(SEVEN, states) == Refuse(f"task 7 waits for {text}", remedy)


@pytest.mark.parametrize("states", [{}, {1: "completed", 2: "completed"}])
def test_what_is_completed_or_archived_keeps_nobody_waiting(states: dict[int, str]) -> None:
    assert decide_waiting(SEVEN, states) is None


def test_all_that_is_open_before_it_is_named_and_not_only_what_it_names_itself() -> None:
    states = dict.fromkeys((1, 2, 7, 3, 5), "not_started") | {4: "completed"}
    before = {1: (3, 4), 3: (5,), 2: (3,)}
    refusal = decide_waiting(SEVEN, states, before)
    assert refusal is not None
    assert refusal.remedy == "planrail task orchestrate 1,2,3,5,7"


def test_tasks_that_wait_for_each_other_are_gathered_once() -> None:
    assert gather_open([1], {1: (2,), 2: (1,)}, {1: "planned", 2: "planned"}) == (1, 2)
