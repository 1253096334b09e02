"""Divide a task into smaller ones, which take its place: 2 to 5 of them, by your words or by an agent's.

    planrail task expand 7 "first part" "second part"    each part needs the one before it, unless --parallel
    planrail task expand 7 --agent claude                an agent divides it

With --json: {"parent", "tasks": [TASK], "next"}.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable

from planrail.base.errors import PlanrailError, UsageError
from planrail.base.records import replace
from planrail.base.wording import Answer
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.context.claiming import refuse_held
from planrail.tasks.context.context import Context, commit_task, refresh
from planrail.tasks.context.looks import describe_task, next_command, render_line
from planrail.tasks.model import Task
from planrail.tasks.naming import new_task
from planrail.tasks.stages.running import divide
from planrail.tasks.statuses import Refuse, StatusMove, decide_event, move

_FEWEST, _MOST = 2, 5
MIXES_WORDS, WORDS = True, "parts"


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("number", metavar="N", type=int, help="the task")
    parser.add_argument("parts", metavar="TEXT", nargs="*", help="the smaller tasks, each a sentence")
    parser.add_argument("--parallel", action="store_true", help="the parts do not need each other")
    parser.add_argument("--agent", metavar="NAME", help="who divides it, where no parts are given")
    parser.add_argument("--model", metavar="NAME", default="", help="the model that the agent uses")
    parser.add_argument("--timeout", metavar="MIN", type=int, help="minutes that the agent gets")


def answer(context: Context, arguments: Namespace) -> Answer:
    _decide(context.load(arguments.number))
    refuse_held(context, arguments.number)
    wanted = {"agent": arguments.agent or "", "model": arguments.model, "minutes": arguments.timeout}
    given = [part.strip() for part in arguments.parts if part.strip()]
    parts = given or divide(context, arguments.number, **wanted)
    if not _FEWEST <= len(parts) <= _MOST:
        raise UsageError(
            f"{len(parts)} parts are not a division: {_FEWEST} to {_MOST} are",
            remedy=f'planrail task expand {arguments.number} "first part" "second part"',
        )
    parent, children = _expand(context, arguments.number, parts, is_parallel=arguments.parallel)
    commit_task(context, f"task {parent.number}: expand into {', '.join(str(child.number) for child in children)}")
    following = next_command(children[0].status, children[0].number)
    told = [describe_task(context, child) for child in children]
    document = {"parent": describe_task(context, parent), "tasks": told, "next": following}
    lines = [render_line(task) for task in (parent, *children)]
    return Answer(document, lines, command=following)


def _decide(task: Task) -> StatusMove:
    """Dividing what is divided already would make its parts twice."""
    decision = decide_event(task, "expand")
    if isinstance(decision, StatusMove):
        return decision
    if isinstance(decision, Refuse):
        raise PlanrailError(decision.text, remedy=decision.remedy)
    parts = ", ".join(map(str, task.subtasks))
    raise PlanrailError(
        f"task {task.number} is expanded already, into {parts}", remedy=f"planrail task reopen {task.number} --force"
    )


def _expand(context: Context, number: int, parts: list[str], *, is_parallel: bool) -> tuple[Task, list[Task]]:
    """All in one step: the parts are there and the parent is closed, or nothing has happened.

    What waited for the parent waits for its parts.
    """
    with open_book(context.root) as book, book.tables.exclusive():
        waiting = [brief.number for brief in book.briefs() if number in brief.dependencies]
        numbers = tuple(range(book.next_number(), book.next_number() + len(parts)))

        def expand(known: dict[int, Task]) -> Iterable[Task]:
            parent = known[number]
            yield replace(move(parent, _decide(parent), at=context.now(), session=context.session), subtasks=numbers)
            about = {"type_": parent.task_type, "topic": parent.topic, "now": context.now()}
            for place, text in enumerate(parts):  # each gets its number when it is kept
                after = () if is_parallel or not place else (numbers[place - 1],)
                part = new_task(0, text, dependencies=(*parent.dependencies, *after), **about)
                yield replace(part, parent_task=number, session_id=context.session)
            for task in (known[other] for other in waiting):
                kept = tuple(one for one in task.dependencies if one != number)
                yield replace(task, dependencies=(*kept, *(one for one in numbers if one not in kept)))

        saved = book.change_many([number, *waiting], expand, context.note("expand"))
    refresh(context)
    return saved[0], saved[1 : 1 + len(parts)]
