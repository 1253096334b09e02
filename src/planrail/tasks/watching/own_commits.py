"""The commits of a while: which of them are planrail's own, and which files did those change?

A phase that a run has landed is known by its trailers. A commit about tasks names its session, which the history of a
task that it is about has to know, and it changes documents of tasks alone.
"""

from collections.abc import Callable, Sequence

from planrail.base.records import record
from planrail.git.git_writing import ask_git
from planrail.git.trailers import PHASE, read_trailers

_SESSION = "Session"
_MOST = 300  # commits that are looked at; of a longer history nothing is taken for planrail's own


@record
class Commit:
    """A commit, and the files that it changed, from the top of the repository on."""

    id: str
    message: str
    paths: Sequence[str]

    @property
    def subject(self) -> str:
        """Its first line."""
        return self.message.partition("\n")[0]


@record
class Measure:
    """By what planrail's own commits about tasks are known.

    `is_document`: whether a path is one of a task's documents or views; `knows`: whether one of the tasks that these
    paths belong to has a session in its history.
    """

    is_document: Callable[[str], bool]
    knows: Callable[[Sequence[str], str], bool]


def read_commits(root: str, before: str, after: str) -> list[Commit] | None:
    """The commits that `after` has and `before` has not; None where they are too many to look at."""
    asked = ("-z", f"--max-count={_MOST + 1}", "--encoding=UTF-8", "--format=%H%n%B", f"{before}..{after}", "--")
    said = ask_git(root, "-c", "log.showSignature=false", "log", *asked) or ""
    entries = [entry.partition("\n") for entry in said.split("\0") if entry]
    if len(entries) > _MOST:
        return None
    return [Commit(name, message, _read_paths(root, name)) for name, _, message in entries]


def _read_paths(root: str, commit: str) -> list[str]:
    said = ask_git(root, "diff-tree", "--no-commit-id", "--name-only", "-r", "-m", "-z", "--root", commit) or ""
    return [name for name in said.split("\0") if name]


def is_landed(message: str) -> bool:
    """Whether a commit is a phase that a run has landed."""
    return any(name == PHASE for name, _ in read_trailers(message))


def is_own(commit: Commit, measure: Measure) -> bool:
    """Whether planrail has made a commit. It never makes an empty one."""
    if is_landed(commit.message):
        return True
    session = session_of(commit.message)
    if not session or not commit.paths or not all(measure.is_document(path) for path in commit.paths):
        return False
    return measure.knows(commit.paths, session)


def session_of(message: str) -> str:
    """The session that a commit about tasks names; "" for none."""
    return next((value for name, value in read_trailers(message) if name == _SESSION), "")
