"""Where commands about tasks are carried out: which project, in whose name, and the three steps that all of them take.

The ledger is changed in one transaction, the views follow it, and what belongs together is committed: exactly those
paths, with the session in the trailer. Cheap to import: a status update is measured in starts of the interpreter.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from planrail.base.errors import PlanrailError
from planrail.base.projects import find_project
from planrail.base.records import record
from planrail.base.settings import TasksSettings, load_tasks
from planrail.git.exact_commits import commit_paths, find_ignored
from planrail.store.places import common_directory, ledger_folder
from planrail.tasks.book.task_rows import Note, open_book, read_book
from planrail.tasks.book.task_views import write_views
from planrail.tasks.model import Brief, Task
from planrail.tasks.moving import move
from planrail.tasks.statuses import Decision, Move, Phase, Refuse, decide_event


class Tell(Protocol):
    """Tells a person something, and what to do about it."""

    def __call__(self, text: str, remedy: str = "") -> None: ...


VIEWS = ("state.json", "TODO.md", "archive/state.json")


def _no_one(text: str, remedy: str = "") -> None:
    """Nobody listens."""


@record
class Desk:
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
        """The time as documents have it."""
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

    def note(self, what: str, **value: object) -> Note:
        """What the history is to say."""
        return Note(what, self.session, time.time(), value)


def open_desk(tell: Tell, *, session: str = "", commit: bool = True) -> Desk:
    """The desk of the project that we are in."""
    root = find_project(os.getcwd())
    settings = load_tasks(root)
    return Desk(root, settings.folder, session or new_session(), settings, commit and settings.commit, tell)


def look_up(desk: Desk) -> list[Brief]:
    """All tasks in a few fields. Who only looks makes no ledger."""
    with read_book(desk.root) as book:
        return book.briefs()


def new_session() -> str:
    """A name for one call of a command, which commits and the history carry."""
    return f"sess_{int(time.time())}_{os.urandom(3).hex()}"


def apply(
    desk: Desk,
    number: int,
    event: str,
    *,
    force: bool = False,
    why: str = "",
    phases: Sequence[Phase] | None = None,
    more: Callable[[Task], Task] | None = None,
) -> tuple[Task, Decision]:
    """Let something happen to a task; a refusal is a `PlanrailError`. The views follow, also where nothing changes.

    `more` is what changes beside the state, in the same transaction.
    """
    decided: list[Decision] = []
    about: dict[str, object] = {"why": why} if why else {}

    def decide(task: Task) -> Task:
        decision = decide_event(task, event, phases, force=force)
        decided[:] = [decision]
        if isinstance(decision, Refuse):
            raise PlanrailError(decision.text, remedy=decision.remedy)
        if was_forced(decision):
            about["forced"] = True
        moved = move(task, decision, at=desk.now(), session=desk.session, why=why)
        return more(moved) if more is not None else moved

    with open_book(desk.root) as book:
        task = book.change(number, decide, Note(event, desk.session, time.time(), about))
    refresh(desk)
    return task, decided[0]


def was_forced(decision: Decision) -> bool:
    """Whether a rule was overruled."""
    return isinstance(decision, Move) and decision.is_forced


def refresh(desk: Desk, *, archive: bool = False, afresh: bool = False) -> None:
    """Let the views follow the ledger. What a person had written into one is kept aside, and they are told."""
    written = write_views(desk.root, archive=archive, afresh=afresh)
    for kept in written.kept:
        desk.tell(f"{desk.folder}/ is generated, and somebody had edited it; their text is kept in {kept}")
    for problem in written.problems:  # the ledger has it all the same
        desk.tell(problem)


def commit_task(desk: Desk, message: str, paths: Sequence[str] = (), moved: Mapping[str, str] | None = None) -> str:
    """Commit these paths and the views, and nothing else; the commit, "" where there is none to make.

    `moved` are files that have another place now, by their old one: what a person has changed in them stays theirs.

    Why there is none is told: the documents are there all the same, and the next commit takes the views along.
    """
    if not desk.commit or common_directory(desk.root) is None:
        return ""

    views = [view for name in VIEWS if os.path.isfile(os.path.join(desk.root, view := f"{desk.folder}/{name}"))]
    for path in find_ignored(desk.root, paths):
        desk.tell(f"git ignores {path}, so that it is not committed; see: git check-ignore -v {path}")
    lock = os.path.join(ledger_folder(desk.root), "repository.lock")
    try:
        return commit_paths(desk.root, lock, [*paths, *views], f"{message}\n\nSession: {desk.session}\n", moved)
    except PlanrailError as error:
        desk.tell(error.message, error.remedy)
        return ""
