"""The commands that put tasks into another state by a person's word: block, abandon, reopen. For several at once."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable

from planrail.base.errors import PlanrailError, UsageError
from planrail.base.records import replace
from planrail.base.wording import Answer, paint
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.context.claiming import refuse_held
from planrail.tasks.context.context import (
    Context,
    change_states,
    commit_task,
    depend_on,
    read_dependencies,
    refresh,
    was_forced,
)
from planrail.tasks.context.looks import describe_task, next_command, render_line
from planrail.tasks.model import Task
from planrail.tasks.numbers import read_numbers
from planrail.tasks.statuses import Refuse, decide_event

_MOST_NAMED = 10
_TEXTS = {
    "block": """\
A task waits for something: for a reason, until you reopen it; or for other tasks, until they are completed.

planrail task block 7 --why "no key yet"    it is BLOCKED, until: planrail task reopen 7
planrail task block 7 --on 9,10             it depends on them, and is ready by itself once they are completed
""",
    "abandon": "A task will not be done. Its documents stay; `planrail task archive` puts them away.",
    "reopen": """\
A task goes on after all: a blocked one where it stood, a closed one as far as its documents go.

What is completed, abandoned or expanded is closed: that takes --force, and goes on record.
""",
}


class ClosingCommand:
    """One of these commands. Its name is what happens to the tasks."""

    def __init__(self, name: str) -> None:
        self._name, self.__doc__ = name, _TEXTS[name]

    def configure(self, parser: ArgumentParser) -> None:
        parser.add_argument("numbers", metavar="N", nargs="+", help="one or several: 7 or 7,9-12")
        parser.add_argument("--why", metavar="TEXT", default="", help="the reason; it goes on record")
        if self._name == "block":
            parser.add_argument("--on", metavar="N,M", default="", help="tasks that have to be completed first")
        if self._name == "reopen":
            parser.add_argument("--force", action="store_true", help="also what is completed, abandoned or expanded")

    def answer(self, context: Context, arguments: Namespace) -> Answer:
        why, force = arguments.why.strip(), getattr(arguments, "force", False)
        if self._name != "block":
            return _say_of_all(context, arguments, self._name, why, force=force)
        if not arguments.on and not why:
            raise UsageError("what does it wait for?", remedy='planrail task block N --why "TEXT", or --on M')
        if arguments.on:
            told = _depend(context, arguments, is_all=not why)
            if not why:
                return told
        # The reason is kept also where it was blocked before, for another one.
        return _say_of_all(context, arguments, "block", why, more=lambda task: replace(task, why=why))


COMMANDS = {name: ClosingCommand(name) for name in _TEXTS}


def _depend(context: Context, arguments: Namespace, *, is_all: bool) -> Answer:
    """Let tasks wait for others; `is_all`: that is all that was asked for, and is committed."""
    on = read_dependencies(context, arguments.on)
    tasks = depend_on(context, read_numbers(" ".join(arguments.numbers)), on)
    refresh(context)
    names, following = ", ".join(map(str, on)), f"planrail task show {on[0]}"
    if is_all:
        commit_task(context, f"task {', '.join(str(task.number) for task in tasks)}: wait for {names}")
    document = {"tasks": [describe_task(context, task) for task in tasks], "next": following}
    return Answer(document, [f"{render_line(task)}  waits for {names}" for task in tasks], command=following)


def _say_of_all(
    context: Context,
    arguments: Namespace,
    event: str,
    why: str,
    *,
    force: bool = False,
    more: Callable[[Task], Task] | None = None,
) -> Answer:
    """Let a person say something of tasks: the event, why, and what changes besides."""
    numbers, is_final = read_numbers(" ".join(arguments.numbers)), event == "abandon"
    with open_book(context.root) as book:
        for task in [book.load(number) for number in numbers]:
            decision = decide_event(task, event, force=force)
            if isinstance(decision, Refuse):
                also = "; nothing was changed" if len(numbers) > 1 else ""
                raise PlanrailError(decision.text + also, remedy=decision.remedy)
            if is_final:
                refuse_held(context, task.number)
        done = change_states(context, book, numbers, event, force=force, why=why, more=more)
        stranded = sorted({waiting for number in numbers for waiting in book.dependents(number)}) if is_final else []
    refresh(context)
    names = ", ".join(map(str, numbers[:_MOST_NAMED])) + (" …" if len(numbers) > _MOST_NAMED else "")
    commit_task(context, f"{'task' if len(numbers) == 1 else 'tasks'} {names}: {event}")
    tasks = [task for task, _ in done]
    following = next_command(tasks[0].status, tasks[0].number) if len(tasks) == 1 else "planrail task"
    following = f"planrail task edit {stranded[0]} --depends none" if stranded else following
    document = {"tasks": [describe_task(context, task) for task in tasks], "stranded": stranded, "next": following}
    forced = paint("  by force, on record", "yellow")
    lines = [render_line(task) + (forced if was_forced(decision) else "") for task, decision in done]
    waits = "waits for what will not be done: let it depend on something else"
    lines += [paint(f"task {number} {waits}", "yellow") for number in stranded[:_MOST_NAMED]]
    return Answer(document, lines, command=following)
