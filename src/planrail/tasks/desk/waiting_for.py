"""What tasks wait for: named, looked up, and never in a circle."""

from collections.abc import Iterable, Sequence

from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.tasks.book.task_rows import TaskBook, open_book
from planrail.tasks.desk.desk import Desk
from planrail.tasks.model import Task
from planrail.tasks.numbers import read_numbers
from planrail.tasks.waves import Circle, group_waves


def read_dependencies(desk: Desk, given: str | None) -> tuple[int, ...]:
    """The tasks that are named; each has to be there."""
    if not given or given.lower() == "none":
        return ()
    numbers = read_numbers(given)
    with open_book(desk.root) as book:
        unknown = [number for number in numbers if book.find(number) is None and not book.find_archived(number)]
    if unknown:
        raise PlanrailError(
            f"there is no task {unknown[0]} to depend on; nothing was recorded", remedy="planrail task list"
        )
    return numbers


def depend_on(desk: Desk, numbers: Sequence[int], on: Sequence[int]) -> list[Task]:
    """Let tasks wait for others, all of them or none."""

    def depend(known: dict[int, Task]) -> Iterable[Task]:
        for task in known.values():
            more = tuple(number for number in on if number not in task.dependencies)
            changed = replace(task, dependencies=(*task.dependencies, *more))
            yield replace(changed, last_updated=desk.now(), session_id=desk.session) if more else task

    with open_book(desk.root) as book, book.tables.exclusive():
        for number in numbers:
            refuse_circle(book, number, (*book.load(number).dependencies, *on))
        return book.change_many(numbers, depend, desk.note("edited", fields=["dependencies"]))


def refuse_circle(book: TaskBook, number: int, dependencies: Sequence[int]) -> None:
    """Raise where tasks would wait for each other."""
    found = group_waves({brief.number: brief.dependencies for brief in book.briefs()} | {number: dependencies})
    if isinstance(found, Circle) and number in found.tasks:
        names = ", ".join(map(str, found.ring or found.tasks))
        raise PlanrailError(
            f"then tasks would wait for each other for ever: {names}; nothing was changed", remedy="planrail task waves"
        )
