"""A landing in hand, and what can be answered of it."""

import contextlib
import json
import os
import shlex
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from planrail.base.errors import ToolFailed
from planrail.base.records import record
from planrail.base.run_model import Candidate, Landing
from planrail.git.checkouts import Checkout, Layout, find_checkouts, find_obstacle, read_ref
from planrail.git.git_writing import ask_git, run_git
from planrail.git.object_store import empty_tree, null_id
from planrail.git.trailers import EVIDENCE, read_trailers
from planrail.runs.landing.candidates import WaitOnBranch

if TYPE_CHECKING:
    from planrail.git.tree_merging import Changes


_MOST = 100
# git's words where a user's work is in the way of a checkout (its `unpack-trees`, and `read-tree` itself).
_REFUSALS = (
    "would be overwritten by",
    "would be removed by",
    "not uptodate",
    "not up to date and",
    "would lose untracked files",
    "unmerged; will not remove",
    "unmerged and were left",
    "already present; will not overwrite",
    "already present and thus not updated",
    "Refusing to remove",
    "overlaps with",
    "cannot checkout new HEAD",
    "Cannot update submodule",
    "resolve your current index first",
)


_HEADS = "refs/heads/"
TAKEN_OVER = "another run has taken over this plan; nothing was landed"

_CLOCK = 2.0  # seconds: file systems keep time more or less exactly
_PROCESSES = "/proc"
_LONGEST_WAIT, _PAUSE = 0.2, 0.02  # seconds
_FIELDS = ("ref", "old", "new", "folders", "token", "kept", "fresh")


def is_work_in_the_way(message: str) -> bool:
    """Whether git refuses a checkout because of what lies there, and not because it cannot do it."""
    return any(words in message for words in _REFUSALS)


def put_on_branch(root: str, layout: Layout, branch: str, commit: str, reason: str) -> str:
    """The ref on which the commit waits now. A branch that is not planrail's own work on this phase is left alone."""
    short = branch.removeprefix(_HEADS)
    for number in range(1, _MOST):
        ref = f"{_HEADS}{short}" + (f"-{number}" if number > 1 else "")
        standing = read_ref(layout, root, ref)
        if standing == commit:
            return ref
        is_free = not find_checkouts(layout, ref) and not find_obstacle(layout, ref)  # else it would look like a change
        is_older = is_free and ask_git(root, "merge-base", "--is-ancestor", standing or commit, commit) is not None
        ours = _identity(root, commit) if standing and is_free and not is_older else []
        # nothing is lost: it is older work that the new contains, or an earlier form of the same phase
        if not standing or is_older or (ours and ours == _identity(root, standing)):
            return _set(root, ref, commit, standing, reason)
    raise ToolFailed(f"there are {_MOST} branches named like {branch}", remedy="git branch --list 'planrail/*'")


def take_away(root: str, layout: Layout, refs: Iterable[str], commit: str) -> None:
    """Delete those of the branches that have nothing but an earlier form of the work that landed as this commit."""
    ours = _identity(root, commit)
    for ref in refs:
        standing = read_ref(layout, root, ref)
        is_free = not find_checkouts(layout, ref) and not find_obstacle(layout, ref)
        if standing and is_free and ours and _identity(root, standing) == ours:
            ask_git(root, "update-ref", "-d", ref, standing)  # one that stays does no harm


def _set(root: str, ref: str, commit: str, standing: str, reason: str) -> str:
    """Set the branch; where a branch named `planrail` rules that out, one with a hyphen instead of the slash."""
    old = standing or null_id(commit)
    flat = _HEADS + ref.removeprefix(_HEADS).replace("/", "-")
    try:
        run_git(root, "update-ref", "-m", reason, "--create-reflog", ref, commit, old)
        return ref
    except ToolFailed:
        if standing or flat == ref:
            raise
    if ask_git(root, "rev-parse", "-q", "--verify", flat) != f"{commit}\n":
        run_git(root, "update-ref", "-m", reason, "--create-reflog", flat, commit, old)
    return flat


def _identity(root: str, commit: str) -> list[tuple[str, str]]:
    message = ask_git(root, "log", "-1", "--format=%B", "--encoding=UTF-8", commit, "--") or ""
    found = [trailer for trailer in read_trailers(message) if trailer[0].startswith("Planrail-")]
    return [trailer for trailer in found if trailer[0] != EVIDENCE]


@record
class Move:
    """A target that is to move to a candidate, with all that has to do with it."""

    root: str
    ref: str
    candidate: Candidate
    changes: "Changes"
    layout: Layout
    checkouts: list[Checkout]
    intent_path: str
    waiting_branch: str
    reason: str  # for the reflog
    guard: "Callable[[], bool]"  # whether the run that lands may still do so

    @property
    def old(self) -> str:
        return self.candidate.onto or empty_tree(self.candidate.commit)

    @property
    def name(self) -> str:
        return self.ref.removeprefix(_HEADS)


def landed(move: Move) -> Landing:
    """It is done; submodules are left to a person."""
    commit = move.candidate.commit
    links = [path for path, (_, new) in move.changes.items() if new and new[0] == "160000"]
    command = shlex.join(["git", "submodule", "update", "--", *links]) if links and move.checkouts else ""
    return Landing("landed", commit, move.ref, f"landed on {move.name} as {commit[:12]}", command)


def refused(move: Move) -> Landing:
    """The run that lands may not do so any more."""
    return Landing("refused", move.candidate.commit, move.ref, TAKEN_OVER)


def elsewhere(move: Move, standing: str) -> Landing:
    """The target stands on neither: it went on from the candidate, moved, or is gone."""
    commit = move.candidate.commit
    if not standing:
        command = shlex.join(["git", "branch", move.name, move.candidate.onto])
        return Landing("refused", commit, move.ref, f"{move.name} was deleted meanwhile", command)
    if ask_git(move.root, "merge-base", "--is-ancestor", commit, standing) is not None:
        return landed(move)
    return Landing("moved", commit, move.ref, f"{move.name} has moved to {standing[:12]} meanwhile")


def wait(move: Move, verdict: WaitOnBranch) -> Landing:
    """Put the work on a branch of its own, and say what a person has to do before it can land."""
    commit = move.candidate.commit
    ref = put_on_branch(move.root, move.layout, move.waiting_branch, commit, move.reason)
    place = move.checkouts[0].folder if move.checkouts else move.root
    where = "" if place == move.root else f" in {place}"
    kept = f"the verified work waits on {ref.removeprefix(_HEADS)}, and {move.name} has not moved"
    return Landing("waiting", commit, ref, f"{verdict.reason}; {kept}. First {verdict.todo}{where}")


def unmoved(move: Move, reason: str) -> ToolFailed:
    """Something failed, and all is as it was."""
    message = f"{reason}; nothing has moved, and the work is kept as {move.candidate.commit[:12]}"
    return ToolFailed(message, remedy="planrail resume")


def half_way(move: Move, reason: str) -> ToolFailed:
    """Something failed, and its checkout has not come along: its index stays locked until it has."""
    message = f"{reason}; {move.name} has the work, and its checkout is half way: nothing of yours was changed"
    return ToolFailed(message, remedy="planrail resume")


@record
class Intent:
    """A ref is to be moved, and these folders are to come along. Locks of their indexes with this token are ours.

    `kept` and `fresh` are paths whose content was the new one before: the user's, or an agent's that works in the
    checkout. Those in `fresh` were not staged.
    """

    ref: str
    old: str
    new: str
    folders: list[str]
    token: str
    kept: list[str]
    fresh: list[str]


def save_intent(path: str, intent: Intent) -> None:
    text = json.dumps({name: getattr(intent, name) for name in _FIELDS})
    temporary = f"{path}~"  # one name: what a killed one left is overwritten
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(temporary, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        message = f"{path} cannot be written ({error.strerror}): nothing has landed, and the work is kept"
        raise ToolFailed(message, remedy="planrail resume") from error


def load_intent(path: str) -> Intent | None:
    """What was written down; None where nothing is under way."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            fields = json.load(file)
        return Intent(**{name: fields[name] for name in _FIELDS})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def drop_intent(path: str) -> None:
    for place in (path, f"{path}~"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(place)


def clear_stale_locks(layout: Layout, intent: Intent, intent_path: str) -> None:
    """Remove the locks of our own git that was killed: those younger than the intent, where no git lives.

    The caller holds the repository's lock, which a living git of ours would hold too. The locks of indexes are not
    among them: no git of ours makes one, see `index_locks`.
    """
    began = os.stat(intent_path).st_mtime - _CLOCK
    concerned = [checkout for checkout in layout.checkouts if checkout.folder in intent.folders]
    places = [os.path.join(layout.common, f"{intent.ref}.lock")]
    places += [os.path.join(checkout.git_dir, "HEAD.lock") for checkout in concerned]
    stale = []
    for place in places:
        with contextlib.suppress(OSError):
            stale += [place] if os.lstat(place).st_mtime >= began else []
    if not stale or is_git_alive(layout.checkouts, layout.common):
        return
    for place in stale:
        with contextlib.suppress(OSError):
            os.unlink(place)


def let_pass(checkouts: Iterable[Checkout], common: str) -> None:
    """Wait a moment for gits at work there: one may have read the old index, and takes its lock only afterwards."""
    end = time.monotonic() + _LONGEST_WAIT
    while is_git_alive(checkouts, common) and time.monotonic() < end:
        time.sleep(_PAUSE)


def is_git_alive(checkouts: Iterable[Checkout], common: str) -> bool:
    """Whether a git may be at work in one of these folders. Where processes cannot be seen, it may be."""
    folders = [os.path.realpath(common), *(os.path.realpath(checkout.folder) for checkout in checkouts)]
    try:
        numbers = [name for name in os.listdir(_PROCESSES) if name.isdigit()]
    except OSError:
        return True
    for number in numbers:
        try:
            with open(f"{_PROCESSES}/{number}/comm", "rb", 0) as file:  # half the price of all that is told of it
                if file.read(3) != b"git":
                    continue
            with open(f"{_PROCESSES}/{number}/stat", "rb") as file:
                state = file.read().rpartition(b")")[2].split()[0]
            if state not in (b"Z", b"X"):
                place = os.readlink(f"{_PROCESSES}/{number}/cwd")
                if any(place == folder or place.startswith(f"{folder}/") for folder in folders):
                    return True
        except (FileNotFoundError, ProcessLookupError):
            continue
        except OSError:
            return True  # another user's git: nobody can say where
    return False
