"""The commands that put tasks into another state by a person's word: block, abandon, reopen. For several at once."""

import os
from collections.abc import Callable

from planrail.base.errors import Held, PlanrailError
from planrail.base.wording import Answer, paint
from planrail.store.claim_rules import TASK
from planrail.store.ledger import open_store
from planrail.tasks.book.task_rows import TaskBook, open_book
from planrail.tasks.desk.desk import Desk, change_states, commit_task, refresh, was_forced
from planrail.tasks.desk.looks import describe_task, next_command, render_line
from planrail.tasks.model import Task
from planrail.tasks.numbers import read_numbers
from planrail.tasks.statuses import Refuse, decide_event

_MOST_NAMED = 10


def say_of_all(
    desk: Desk,
    named: str,
    event: str,
    why: str,
    *,
    force: bool = False,
    more: Callable[[Task], Task] | None = None,
) -> Answer:
    """Let a person say something of tasks: the event, why, and what changes besides."""
    numbers = read_numbers(named)
    with open_book(desk.root) as book:
        _refuse_early(desk, book, numbers, event, force=force)
        done = change_states(desk, book, numbers, event, force=force, why=why, more=more)
        is_final = event == "abandon"
        stranded = sorted({waiting for number in numbers for waiting in book.dependents(number)}) if is_final else []
    refresh(desk)
    names = ", ".join(map(str, numbers[:_MOST_NAMED])) + (" …" if len(numbers) > _MOST_NAMED else "")
    commit_task(desk, f"{'task' if len(numbers) == 1 else 'tasks'} {names}: {event}")
    tasks = [task for task, _ in done]
    following = next_command(tasks[0].status, tasks[0].number) if len(tasks) == 1 else "planrail task"
    following = f"planrail task edit {stranded[0]} --depends none" if stranded else following
    document = {"tasks": [describe_task(desk, task) for task in tasks], "stranded": stranded, "next": following}
    forced = paint("  by force, on record", "yellow")
    lines = [render_line(task) + (forced if was_forced(decision) else "") for task, decision in done]
    waits = "waits for what will not be done: let it depend on something else"
    lines += [paint(f"task {number} {waits}", "yellow") for number in stranded[:_MOST_NAMED]]
    return Answer(document, lines, command=following)


def refuse_held(desk: Desk, number: int) -> None:
    """Raise `Held` where somebody who lives works on a task: it is not closed under their hands."""
    claim = open_store(desk.root).claims.live_holder(TASK, str(number))
    if claim is None or claim.owner.pid == os.getpid():
        return
    raise Held(
        f"process {claim.owner.pid} works on task {number}; nothing was changed",
        remedy=f"stop it first (Ctrl-C there, or: planrail stop), or: planrail task block {number} --why TEXT",
    )


def _refuse_early(desk: Desk, book: TaskBook, numbers: tuple[int, ...], event: str, *, force: bool) -> None:
    tasks = [book.load(number) for number in numbers]
    for task in tasks:
        decision = decide_event(task, event, force=force)
        if isinstance(decision, Refuse):
            also = "; nothing was changed" if len(tasks) > 1 else ""
            raise PlanrailError(decision.text + also, remedy=decision.remedy)
        if event == "abandon":
            refuse_held(desk, task.number)
