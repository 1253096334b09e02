"""Where commands about tasks are carried out: which project, in whose name, and the three steps that all of them take.

The ledger is changed in one transaction, the views follow it, and what belongs together is committed: exactly those
paths, with the session in the trailer. Cheap to import: a status update is measured in starts of the interpreter.
"""

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from planrail.base.errors import PlanrailError
from planrail.base.projects import find_project
from planrail.base.records import record, replace
from planrail.base.settings import TasksSettings, load_tasks
from planrail.store.places import common_directory, ledger_folder
from planrail.tasks.book.task_rows import Note, TaskBook, open_book, read_book
from planrail.tasks.book.task_views import write_views
from planrail.tasks.model import Brief, Task
from planrail.tasks.numbers import read_numbers
from planrail.tasks.statuses import Decision, Refuse, StatusMove, TaskPhase, decide_event, move
from planrail.tasks.waves import Circle, decide_waiting, group_waves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object

VIEWS = ("state.json", "TODO.md", "archive/state.json")


class Tell(Protocol):
    def __call__(self, text: str, remedy: str = "") -> None: ...


def _no_one(text: str, remedy: str = "") -> None:
    """Nobody listens."""


@record
class Context:
    """A project, and one call of a command. `folder` is where the documents lie, from the root on.

    `tell` says what a person should know of it, and what to do about that.
    """

    root: str
    folder: str
    session: str
    settings: TasksSettings
    commit: bool = True
    tell: Tell = _no_one

    def now(self) -> str:
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

    def note(self, what: str, **value: object) -> Note:
        return Note(what, self.session, time.time(), value)

    def load(self, number: int) -> Task:
        with open_book(self.root) as book:
            return book.load(number)

    def find_waiting(self, task: Task) -> Refuse | None:
        briefs = look_up(self)
        states = {brief.number: brief.status for brief in briefs}
        return decide_waiting(task, states, {brief.number: brief.dependencies for brief in briefs})


def open_context(tell: Tell, *, session: str = "", commit: bool = True) -> Context:
    root = find_project(os.getcwd())
    settings = load_tasks(root)
    session = session or f"sess_{int(time.time())}_{os.urandom(3).hex()}"
    return Context(root, settings.folder, session, settings, commit and settings.commit, tell)


def is_inside(root: str, path: str) -> bool:
    """Whether a path, from the root on, lies inside the project, links resolved."""
    top = os.path.realpath(root)
    return os.path.realpath(os.path.join(root, path)).startswith(f"{top.rstrip('/')}/")


def path_in_project(root: str, path: str) -> str | None:
    """A path from the root on; None where it lies, or leads, outside the project."""
    place = os.path.realpath(path)
    return os.path.relpath(place, os.path.realpath(root)).replace(os.sep, "/") if is_inside(root, place) else None


def look_up(context: Context) -> list[Brief]:
    """All tasks in a few fields. A look makes no ledger."""
    with read_book(context.root) as book:
        return book.briefs()


def apply(
    context: Context,
    number: int,
    event: str,
    *,
    force: bool = False,
    why: str = "",
    phases: Sequence[TaskPhase] | None = None,
    more: Callable[[Task], Task] | None = None,
) -> tuple[Task, Decision]:
    """Let something happen to a task; a refusal is a `PlanrailError`. The views follow, also where nothing changes.

    `more` is what changes beside the state, in the same transaction.
    """
    with open_book(context.root) as book:
        [found] = change_states(context, book, [number], event, force=force, why=why, phases=phases, more=more)
    refresh(context)
    return found


def change_states(  # noqa: PLR0913 - as `apply`, in a book that is open
    context: Context,
    book: TaskBook,
    numbers: Sequence[int],
    event: str,
    *,
    force: bool = False,
    why: str = "",
    phases: Sequence[TaskPhase] | None = None,
    more: Callable[[Task], Task] | None = None,
) -> list[tuple[Task, Decision]]:
    """The same for several tasks, all or none. The views are left to the caller."""
    decisions: dict[int, Decision] = {}
    about: dict[str, object] = {"why": why} if why else {}

    def decide(known: dict[int, Task]) -> Iterable[Task]:
        for task in known.values():
            decision = decisions[task.number] = decide_event(task, event, phases, force=force)
            if isinstance(decision, Refuse):
                raise PlanrailError(decision.text, remedy=decision.remedy)
            if was_forced(decision):
                about["forced"] = True
            moved = move(task, decision, at=context.now(), session=context.session, why=why)
            yield more(moved) if more is not None else moved

    tasks = book.change_many(numbers, decide, Note(event, context.session, time.time(), about))
    return [(task, decisions[task.number]) for task in tasks]


def was_forced(decision: Decision) -> bool:
    return isinstance(decision, StatusMove) and decision.is_forced


def refresh(context: Context, *, archive: bool = False, afresh: bool = False) -> None:
    """Let the views follow the ledger. What a person had written into one is kept aside, and they are told."""
    written = write_views(context.root, archive=archive, afresh=afresh)
    for kept in written.kept:
        context.tell(f"{context.folder}/ is generated, and was edited by hand; that text is kept in {kept}")
    for problem in written.problems:  # the ledger has it all the same
        context.tell(problem)


def commit_task(
    context: Context, message: str, paths: Sequence[str] = (), moved: Mapping[str, str] | None = None
) -> str:
    """Commit these paths and the views, and nothing else; the commit, "" where there is none to make.

    `moved` are files that have another place now, by their old one: what a person has changed in them stays theirs.

    Why there is none is told: the documents are there all the same, and the next commit takes the views along.
    """
    if not context.commit or common_directory(context.root) is None:
        return ""
    from planrail.git.exact_commits import commit_paths, find_ignored  # most calls commit nothing

    views = [view for name in VIEWS if os.path.isfile(os.path.join(context.root, view := f"{context.folder}/{name}"))]
    for path in find_ignored(context.root, paths):
        context.tell(f"git ignores {path}, so that it is not committed; see: git check-ignore -v {path}")
    lock = os.path.join(ledger_folder(context.root), "repository.lock")
    try:
        return commit_paths(context.root, lock, [*paths, *views], f"{message}\n\nSession: {context.session}\n", moved)
    except PlanrailError as error:
        context.tell(error.message, error.remedy)
        return ""


def read_dependencies(context: Context, given: str | None) -> tuple[int, ...]:
    if not given or given.lower() == "none":
        return ()
    numbers = read_numbers(given)
    with open_book(context.root) as book:
        unknown = [number for number in numbers if book.find(number) is None and not book.find_archived(number)]
    if unknown:
        raise PlanrailError(
            f"there is no task {unknown[0]} to depend on; nothing was recorded", remedy="planrail task list"
        )
    return numbers


def depend_on(context: Context, numbers: Sequence[int], on: Sequence[int]) -> list[Task]:
    def depend(known: dict[int, Task]) -> Iterable[Task]:
        for task in known.values():
            more = tuple(number for number in on if number not in task.dependencies)
            changed = replace(task, dependencies=(*task.dependencies, *more))
            yield replace(changed, last_updated=context.now(), session_id=context.session) if more else task

    with open_book(context.root) as book, book.tables.exclusive():
        for number in numbers:
            refuse_circle(book, number, (*book.load(number).dependencies, *on))
        return book.change_many(numbers, depend, context.note("edited", fields=["dependencies"]))


def refuse_circle(book: TaskBook, number: int, dependencies: Sequence[int]) -> None:
    found = group_waves({brief.number: brief.dependencies for brief in book.briefs()} | {number: dependencies})
    if isinstance(found, Circle) and number in found.tasks:
        names = ", ".join(map(str, found.ring or found.tasks))
        raise PlanrailError(
            f"then tasks would wait for each other for ever: {names}; nothing was changed", remedy="planrail task waves"
        )
