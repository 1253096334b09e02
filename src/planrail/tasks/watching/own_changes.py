"""What planrail itself changes in the tree while agents read it: views and documents of tasks, reports, landed work.

None of it is an agent's doing. All the rest is told; so the rules are narrow. A view counts as planrail's own by what
it noted when it wrote it, a document by the stage that keeps its text; every other file only where nobody else's commit
has touched it, and where it lies in the tree as it was committed.
"""

import os
from collections.abc import Callable, Collection, Iterable, Sequence

from planrail.base.records import record
from planrail.git.git_writing import ask_git
from planrail.git.snapshots.look import TreeSnapshot
from planrail.git.snapshots.model import FileChange
from planrail.git.trailers import PHASE, read_trailers
from planrail.runs.reporting.gathering import find_folder
from planrail.runs.reporting.reports import FOLDER, NAME
from planrail.store.places import ledger_folder
from planrail.tasks.book.task_rows import Happened, open_book
from planrail.tasks.book.task_view_files import draft_place, load_note, recognise
from planrail.tasks.context.context import VIEWS, Context
from planrail.tasks.context.files import number_of
from planrail.tasks.documents.roadmap import roadmap_places
from planrail.tasks.stage_folders import load, load_document, read_document, stages_folder
from planrail.tasks.statuses import COMPLETED

_SESSION = "Session"
_MOST = 300  # commits that are looked at; of a longer history nothing is taken for planrail's own
_NOT_COPIED = " was not copied"


@record
class OwnCommit:
    id: str
    message: str
    paths: Sequence[str]


class OwnWork:
    """What planrail has done in a project since a snapshot was taken, as far as that can be told.

    Paths are from the top of the repository on: a project may be a folder of one.
    """

    def __init__(self, context: Context, snapshot: TreeSnapshot) -> None:
        self._context, self._snapshot, self._root = context, snapshot, snapshot.root
        self._sessions: dict[int, set[str]] = {}
        self._tasks = self._from_top(context.folder)
        self._reports = self._from_top(find_folder(context.root) or FOLDER)
        self._roadmap = [self._from_top(path) for path in roadmap_places(context.folder)]
        self._views = [f"{self._tasks}/{name}" for name in VIEWS]
        with open_book(context.root) as book:  # documents of tasks may lie elsewhere
            self._linked = {self._from_top(one.path): task.number for task in book.tasks() for one in task.artifacts}

    def _from_top(self, path: str) -> str:
        return os.path.relpath(os.path.join(os.path.realpath(self._context.root), path), os.path.realpath(self._root))

    def is_report(self, path: str) -> bool:
        name = path.removeprefix(f"{self._reports}/")
        return name != path and (not name or name.startswith(("plan-", NAME)))

    def is_document(self, path: str) -> bool:
        """Whether a path is one of those that commits about tasks change."""
        return path.startswith(f"{self._tasks}/") or path in self._roadmap or path in self._linked

    def is_own(self, commit: OwnCommit) -> bool:
        return is_own_commit(commit, self.is_document, self._knows)

    def sort_files(self, files: Iterable[FileChange]) -> tuple[list[FileChange], list[FileChange]]:
        """The files that are not planrail's own, and those of which nobody can tell."""
        left = [file for file in files if not self._is_known(file.path)]
        landed = self._landed({file.path for file in left}) if left else set()
        left = [file for file in left if file.path not in landed]
        unsure = [file for file in left if self._was_at_work(file.path)]
        return [file for file in left if file not in unsure], unsure

    def _number_of(self, path: str) -> int:
        inside = path.removeprefix(f"{self._tasks}/")
        return self._linked.get(path, 0) or (number_of(inside.removeprefix("archive/")) if inside != path else 0)

    def _is_known(self, path: str) -> bool:
        """Whether a file holds what planrail has noted that it wrote there, or is where only planrail writes.

        A view that is being written has another path for a while: it comes and goes beside every stage.
        """
        if self.is_report(path) or path in map(draft_place, self._views):
            return True
        place = os.path.join(self._root, path)
        if path in self._views:
            name, folder = (
                path.removeprefix(f"{self._tasks}/"),
                os.path.join(ledger_folder(self._context.root), "views"),
            )
            notes = os.listdir(folder) if os.path.isdir(folder) else []  # of all checkouts: they show the same ledger
            prints = [one for note in notes for one in load_note(os.path.join(folder, note)).prints.get(name, ())]
            return not os.path.islink(place) and recognise(place, prints, by_text=True) is not None
        number = self._number_of(path)
        return bool(number) and _is_kept(self._context.root, number, place)

    def _landed(self, paths: Collection[str]) -> set[str]:
        """Those of the files that commits of planrail's own have changed since then, and nobody else has."""
        before = self._snapshot.head
        own: set[str] = set()
        others: set[str] = set()
        for commit in (read_commits(self._root, before, "HEAD") if before else None) or ():
            (own if self.is_own(commit) else others).update(commit.paths)
        landed = (own - others) & set(paths)
        asked = ("status", "--porcelain", "-z", "--no-renames", "--untracked-files=no")
        said = ask_git(self._root, *asked) if landed else ""
        return set() if said is None else landed - {entry[3:] for entry in said.split("\0")}  # as they are committed

    def _knows(self, paths: Sequence[str], session: str) -> bool:
        """Whether the history of a task of these documents has a session. Views are known by themselves."""
        numbers = {self._number_of(path) for path in paths} - {0}
        if not numbers:
            return all(path in self._views for path in paths)
        for number in numbers - set(self._sessions):
            self._sessions[number] = {happened.session for happened in self._history(number)}
        return any(session in self._sessions[number] for number in numbers)

    def _was_at_work(self, path: str) -> bool:
        """Whether something has happened to the task of a document since then; to the roadmap, if one was completed."""
        numbers = [self._number_of(path)]
        if path in self._roadmap:
            with open_book(self._context.root) as book:
                numbers = [brief.number for brief in book.briefs() if brief.status == COMPLETED]
        since = self._snapshot.taken_at
        return any(happened.at >= since for number in numbers if number for happened in self._history(number))

    def _history(self, number: int) -> Sequence[Happened]:
        with open_book(self._context.root) as book:
            return book.history(number)


def foreign_notes(context: Context, snapshot: TreeSnapshot) -> list[str]:
    """What could not be copied, but for what planrail was just writing."""
    own = OwnWork(context, snapshot) if snapshot.notes else None
    paths = {note: note.partition(_NOT_COPIED)[0] for note in snapshot.notes}
    return [note for note, path in paths.items() if own and not (own.is_document(path) or own.is_report(path))]


def _is_kept(root: str, number: int, place: str) -> bool:
    """Whether a stage of the task, begun or over, has kept exactly this text as the document of this path."""
    base = stages_folder(root, number)
    for name in os.listdir(base) if os.path.isdir(base) else ():
        stage = load(os.path.join(base, name))
        if stage is None or not stage.text("artifact"):
            continue
        is_its = os.path.realpath(os.path.join(root, stage.text("artifact"))) == os.path.realpath(place)
        if is_its and (text := load_document(stage)) is not None and text == read_document(place):
            return True
    return False


def read_commits(root: str, before: str, after: str) -> list[OwnCommit] | None:
    """The commits that `after` has and `before` has not; None where they are too many to look at."""
    asked = ("-z", f"--max-count={_MOST + 1}", "--encoding=UTF-8", "--format=%H%n%B", f"{before}..{after}", "--")
    said = ask_git(root, "-c", "log.showSignature=false", "log", *asked) or ""
    entries = [entry.partition("\n") for entry in said.split("\0") if entry]
    if len(entries) > _MOST:
        return None
    paths = ("diff-tree", "--no-commit-id", "--name-only", "-r", "-m", "-z", "--root")
    return [
        OwnCommit(name, message, [path for path in (ask_git(root, *paths, name) or "").split("\0") if path])
        for name, _, message in entries
    ]


def is_own_commit(
    commit: OwnCommit, is_document: Callable[[str], bool], knows: Callable[[Sequence[str], str], bool]
) -> bool:
    """Whether planrail has made a commit. It never makes an empty one.

    `is_document`: whether a path is one of a task's documents or views; `knows`: whether one of the tasks that these
    paths belong to has a session in its history.
    """
    trailers = read_trailers(commit.message)
    if any(name == PHASE for name, _ in trailers):
        return True
    session = next((value for name, value in trailers if name == _SESSION), "")
    return bool(session and commit.paths) and all(map(is_document, commit.paths)) and knows(commit.paths, session)
