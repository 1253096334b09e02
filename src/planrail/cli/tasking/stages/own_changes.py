"""What planrail itself changes in the tree while agents read it: documents of tasks, reports, what its runs land.

None of it is an agent's doing. All the rest is told; so the rules are narrow: a file that a run has landed counts as
planrail's own only where nobody else's commit has touched it, and where it lies in the tree as it was committed.
"""

import os

from planrail.records import record, replace
from planrail.repo.git_writing import ask_git
from planrail.repo.trailers import PHASE, read_trailers
from planrail.runs.reporting.index import NAME
from planrail.tasks.artifacts.roadmap import roadmap_places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from planrail.cli.tasking.desk import Desk
    from planrail.repo.snapshot_model import Changes, Snapshot

_NOT_COPIED = " was not copied"


@record
class OwnPlaces:
    """Where only planrail writes, from the top of the repository on: the folder of tasks, the reports by their names.

    `documents` are what the completion of a task changes elsewhere: the roadmap, and plans that lie elsewhere.
    """

    tasks: str
    reports: str
    documents: "Collection[str]" = ()

    def has(self, path: str) -> bool:
        """Whether a path is such a place."""
        if path.startswith(f"{self.tasks}/") or path in self.documents:
            return True
        name = path.removeprefix(f"{self.reports}/")
        return name != path and (not name or name.startswith(("plan-", NAME)))


def without_own(desk: "Desk", snapshot: "Snapshot", changes: "Changes") -> "Changes":
    """The changes, but for planrail's own.

    A commit moves a branch and the index. What else it had changed would be a change of a file.
    """
    places = _places(desk, snapshot.root)
    files = [file for file in changes.files if not places.has(file.path)]
    if files:
        places = replace(places, documents=_documents(desk, snapshot.root))
        landed = _landed_since(snapshot, {file.path for file in files})
        files = [file for file in files if not places.has(file.path) and file.path not in landed]
    return replace(changes, files=files, refs=[], head=None, index="")


def foreign_notes(desk: "Desk", snapshot: "Snapshot") -> list[str]:
    """What could not be copied, but for what planrail was just writing."""
    places = _places(desk, snapshot.root)
    return [note for note in snapshot.notes if not places.has(note.partition(_NOT_COPIED)[0])]


def _places(desk: "Desk", top: str) -> OwnPlaces:
    from planrail.settings import load_settings

    reports = load_settings(desk.root).run.reports
    return OwnPlaces(_from_top(desk, top, desk.folder), _from_top(desk, top, reports))


def _from_top(desk: "Desk", top: str, path: str) -> str:
    """A path of the project as the repository has it: a project may be a folder of one."""
    return os.path.relpath(os.path.join(os.path.realpath(desk.root), path), os.path.realpath(top))


def _documents(desk: "Desk", top: str) -> frozenset[str]:
    from planrail.ledger.task_rows import open_book

    with open_book(desk.root) as book:
        linked = [artifact.path for task in book.tasks() for artifact in task.artifacts]
    return frozenset(_from_top(desk, top, path) for path in (*roadmap_places(desk.folder), *linked))


def _landed_since(snapshot: "Snapshot", paths: "Collection[str]") -> set[str]:
    """Those of the files that commits of planrail's own have changed since then, and nobody else has."""
    state = snapshot.state
    before = state.refs.get(state.head.removeprefix("ref: "), "" if state.head.startswith("ref: ") else state.head)
    if not before:
        return set()
    own: set[str] = set()
    others: set[str] = set()
    for is_own, changed in _read_commits(snapshot.root, before):
        (own if is_own else others).update(changed)
    landed = (own - others) & set(paths)
    return landed - _differing(snapshot.root, landed) if landed else set()


def _read_commits(root: str, before: str) -> "Iterator[tuple[bool, list[str]]]":
    """The commits since then: whether each is planrail's own, and the files that it changed."""
    said = ask_git(root, "rev-list", f"{before}..HEAD", "--") or ""
    for commit in said.split():
        message = ask_git(root, "log", "-1", "--encoding=UTF-8", "--format=%B", commit, "--") or ""
        changed = ask_git(root, "diff-tree", "--no-commit-id", "--name-only", "-r", "-m", "-z", "--root", commit) or ""
        yield is_own_commit(message), [name for name in changed.split("\0") if name]


def is_own_commit(message: str) -> bool:
    """Whether a commit is a phase that a run has landed. Those about tasks change documents alone, which are known."""
    return any(name == PHASE for name, _ in read_trailers(message))


def _differing(root: str, paths: "Collection[str]") -> set[str]:
    """The files that are not in the tree as they are committed; all of them, where git does not say."""
    said = ask_git(root, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=no")
    return set(paths) if said is None else {entry[3:] for entry in said.split("\0")} & set(paths)
