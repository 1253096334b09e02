"""The commands that put tasks into another state by a person's word: block, abandon, reopen. For several at once."""

import os
import time
from collections.abc import Callable, Iterator

from planrail.base.errors import Held, PlanrailError
from planrail.base.records import record
from planrail.base.wording import Answer, paint
from planrail.store.claim_rules import TASK
from planrail.store.ledger import open_store
from planrail.tasks.book.task_rows import Note, TaskBook, open_book
from planrail.tasks.desk.desk import Desk, commit_task, refresh, was_forced
from planrail.tasks.desk.looks import describe_task, next_command, render_line
from planrail.tasks.model import Task
from planrail.tasks.numbers import read_numbers
from planrail.tasks.statuses import Decision, Refuse, decide_event, move

_MOST_NAMED = 10


@record
class Word:
    """What a person says about tasks: the event, the verb of the commit, why, and what changes besides."""

    event: str
    verb: str
    why: str = ""
    force: bool = False
    more: Callable[[Task], Task] | None = None


def say_of_all(desk: Desk, named: str, word: Word) -> Answer:
    numbers = tuple(dict.fromkeys(read_numbers(named)))
    with open_book(desk.root) as book:
        _refuse_early(desk, book, numbers, word)
        done = _change(desk, book, numbers, word)
        is_final = word.event == "abandon"
        stranded = sorted({waiting for number in numbers for waiting in book.dependents(number)}) if is_final else []
    refresh(desk)
    names = ", ".join(map(str, numbers[:_MOST_NAMED])) + (" …" if len(numbers) > _MOST_NAMED else "")
    commit_task(desk, f"task {names}: {word.verb}" if len(numbers) == 1 else f"tasks {names}: {word.verb}")
    tasks = [task for task, _ in done]
    following = next_command(tasks[0].status, tasks[0].number) if len(tasks) == 1 else "planrail task"
    following = f"planrail task edit {stranded[0]} --depends none" if stranded else following
    document = {"tasks": [describe_task(desk, task) for task in tasks], "stranded": stranded, "next": following}
    forced = paint("  by force, on record", "yellow")
    lines = [render_line(task) + (forced if was_forced(decision) else "") for task, decision in done]
    waits = "waits for what will not be done: let it depend on something else"
    lines += [paint(f"task {number} {waits}", "yellow") for number in stranded[:_MOST_NAMED]]
    return Answer(document, lines, command=following)


def _change(desk: Desk, book: TaskBook, numbers: tuple[int, ...], word: Word) -> list[tuple[Task, Decision]]:
    decisions: dict[int, Decision] = {}
    about: dict[str, object] = {"why": word.why} if word.why else {}

    def decide(known: dict[int, Task]) -> Iterator[Task]:
        for task in known.values():
            decision = decisions[task.number] = decide_event(task, word.event, force=word.force)
            if isinstance(decision, Refuse):
                raise PlanrailError(decision.text, remedy=decision.remedy)
            if was_forced(decision):
                about["forced"] = True
            moved = move(task, decision, at=desk.now(), session=desk.session, why=word.why)
            yield word.more(moved) if word.more is not None else moved

    tasks = book.change_many(numbers, decide, Note(word.event, desk.session, time.time(), about))
    return [(task, decisions[task.number]) for task in tasks]


def refuse_held(desk: Desk, number: int) -> None:
    """Raise `Held` where somebody who lives works on a task: it is not closed under their hands."""
    claim = open_store(desk.root).claims.live_holder(TASK, str(number))
    if claim is None or claim.owner.pid == os.getpid():
        return
    raise Held(
        f"process {claim.owner.pid} works on task {number}; nothing was changed",
        remedy=f"stop it first (Ctrl-C there, or: planrail stop), or: planrail task block {number} --why TEXT",
    )


def _refuse_early(desk: Desk, book: TaskBook, numbers: tuple[int, ...], word: Word) -> None:
    tasks = [book.load(number) for number in numbers]
    for task in tasks:
        decision = decide_event(task, word.event, force=word.force)
        if isinstance(decision, Refuse):
            also = "; nothing was changed" if len(tasks) > 1 else ""
            raise PlanrailError(decision.text + also, remedy=decision.remedy)
        if word.event == "abandon":
            refuse_held(desk, task.number)
