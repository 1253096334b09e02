"""Landing: the target moves by compare-and-swap, and where it is checked out the checkout comes along.

Otherwise it does not move at all: a ref that moves under a checkout turns the landed work into its own reverse, staged
in front of the user. Killed at any instant and called again, this ends in the same state.
"""

import os
import shlex
import time

from planrail.errors import ToolFailed
from planrail.records import record, replace
from planrail.repo.checkout_state import Standing, bring_along, identify, look, set_index, settle
from planrail.repo.checkouts import Checkout, Layout, find_checkouts, find_obstacle, read_layout, read_ref, resolve_ref
from planrail.repo.git_writing import ask_git, run_git
from planrail.repo.landing_intents import Intent, clear_stale_locks, drop_intent, load_intent, save_intent
from planrail.repo.object_store import empty_tree, null_id
from planrail.repo.repository_lock import hold
from planrail.repo.trailers import encode_value
from planrail.repo.tree_diffs import read_diffs
from planrail.repo.waiting_branches import put_on_branch
from planrail.runs.crash_points import reach
from planrail.runs.landing import FastForward, WaitOnBranch, decide_checkout
from planrail.runs.model import Candidate, Landing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.runs.tree_merging import Changes

_HEADS = "refs/heads/"
_LONGEST_NAME = 100
_REFUSALS = ("not uptodate", "would be overwritten", "would lose")  # git's words for "there is work in the way"
_PATIENCE = (0.05, 0.1, 0.2, 0.4, 0.8)  # seconds to wait for a git of the user's


@record
class _Move:
    """A landing in hand."""

    root: str
    ref: str
    candidate: Candidate
    changes: "Changes"
    layout: Layout
    checkouts: list[Checkout]
    intent_path: str
    reason: str  # for the reflog

    @property
    def old(self) -> str:
        """What a checkout holds before."""
        return self.candidate.onto or empty_tree(self.candidate.commit)


def land(
    root: str,
    ref: str,
    candidate: Candidate,
    lock_path: str,
    waiting_branch: str,
    intent_path: str,
    *,
    phase: str = "",
) -> Landing:
    """Move the target to the candidate, if it still stands where the candidate was built, and its checkouts with it.

    `landed`; `moved` where the target is elsewhere by now; `waiting` on `waiting_branch` where uncommitted work is in
    the way. Raises `ToolFailed` where git or the disk fails; called again, it goes on.
    """
    with hold(lock_path):
        reach("land.before")
        layout = read_layout(root)
        reason = f"planrail: phase {encode_value(phase)[:_LONGEST_NAME]}" if phase else "planrail"
        real = resolve_ref(layout, root, ref)
        checkouts = find_checkouts(layout, real)
        move = _Move(root, real, candidate, {}, layout, checkouts, intent_path, reason)
        return _land(move, waiting_branch)


def finish_landing(root: str, lock_path: str, waiting_branch: str, intent_path: str) -> None:
    """Bring a landing to its end that was begun and cut off, for a run that will not go on.

    Where the target has not moved there is nothing to be done: the work stays where it is kept.
    """
    with hold(lock_path):
        intent, layout = load_intent(intent_path), read_layout(root)
        if intent is None:
            drop_intent(intent_path)
            return
        clear_stale_locks(layout, intent, intent_path)
        candidate, checkouts = Candidate(intent.new, "", intent.old), find_checkouts(layout, intent.ref)
        move = _Move(root, intent.ref, candidate, {}, layout, checkouts, intent_path, "planrail")
        if read_ref(layout, root, intent.ref) == intent.new:
            _finish(move, intent, waiting_branch)
        else:
            drop_intent(intent_path)


def _land(move: _Move, waiting_branch: str) -> Landing:
    candidate = move.candidate
    standing = read_ref(move.layout, move.root, move.ref)
    intent = load_intent(move.intent_path)
    if intent is not None:
        clear_stale_locks(move.layout, intent, move.intent_path)
        if intent.ref == move.ref and intent.new == standing:
            ended = _finish(move, intent, waiting_branch)
            if intent.new == candidate.commit:
                return ended
            standing = read_ref(move.layout, move.root, move.ref)
    if standing == candidate.commit:
        return _landed(move)
    if standing != candidate.onto:
        return _elsewhere(move, standing)
    return _begin(_with_changes(move), waiting_branch)


def _begin(move: _Move, waiting_branch: str) -> Landing:
    looks = [look(checkout, move.changes) for checkout in move.checkouts]
    lock = _find_lock(move)
    verdict = WaitOnBranch(lock, ()) if lock else _decide(move, looks)
    if isinstance(verdict, WaitOnBranch):
        drop_intent(move.intent_path)
        return _wait(move, waiting_branch, verdict)
    folders = {checkout.folder: standing for checkout, standing in zip(move.checkouts, looks, strict=True)}
    intent = _intent(move, folders)
    save_intent(move.intent_path, intent)
    problem = _move_ref(move, intent)
    if problem is not None:
        drop_intent(move.intent_path)
        return problem
    reach("land.ref_moved")
    try:
        for checkout, standing in zip(move.checkouts, looks, strict=True):
            bring_along(checkout, move.old, move.candidate.commit, move.changes, standing)
    except ToolFailed as error:
        return _after_failure(move, waiting_branch, error)
    reach("land.checkout_half")
    return _end(move)


def _intent(move: _Move, looks: "dict[str, Standing]") -> Intent:
    kept = {path for standing in looks.values() for path in standing.dirty}
    fresh = {path for standing in looks.values() for path in standing.fresh}
    candidate = move.candidate
    return Intent(move.ref, candidate.onto, candidate.commit, list(looks), sorted(kept - fresh), sorted(fresh))


def _end(move: _Move) -> Landing:
    drop_intent(move.intent_path)
    reach("land.done")
    return _landed(move)


def _with_changes(move: _Move) -> _Move:
    [diff] = read_diffs(move.root, [("", move.candidate.commit)])
    return replace(move, changes=diff.changes)


def _decide(move: _Move, looks: list[Standing]) -> FastForward | WaitOnBranch:
    """Whether all checkouts of the target can come along."""
    obstacle = find_obstacle(move.layout, move.ref)
    if obstacle:
        return WaitOnBranch(obstacle, ())
    candidate = {path: identify(new) for path, (_, new) in move.changes.items()}
    for checkout, standing in zip(move.checkouts, looks, strict=True):
        folds_case = os.path.lexists(os.path.join(checkout.folder, ".GIT"))
        verdict = decide_checkout(move.changes.keys(), standing.dirty, candidate, folds_case=folds_case)
        if isinstance(verdict, WaitOnBranch):
            return verdict
    return FastForward()


def _find_lock(move: _Move) -> str:
    """What another git holds, after a moment of patience; "" where all is free."""
    for checkout in move.checkouts:
        lock = os.path.join(checkout.git_dir, "index.lock")
        for pause in _PATIENCE:
            if not os.path.lexists(lock):
                break
            time.sleep(pause)
        else:
            return f"{lock} is there: a git is at work in {checkout.folder}, or was killed there"
    return ""


def _move_ref(move: _Move, intent: Intent) -> Landing | None:
    """Compare and swap. None where it is done; what to answer where the target has moved meanwhile."""
    old = move.candidate.onto or null_id(move.candidate.commit)
    place = move.checkouts[0].folder if move.checkouts else move.root  # its HEAD's log is kept as well
    for pause in (*_PATIENCE, 0.0):
        try:
            run_git(place, "update-ref", "-m", move.reason, move.ref, move.candidate.commit, old)
            return None
        except ToolFailed as error:
            standing = read_ref(move.layout, move.root, move.ref)
            if standing == move.candidate.commit:
                return None
            if standing != move.candidate.onto:
                return _elsewhere(move, standing)
            if not pause:
                drop_intent(move.intent_path)
                message = f"{error.message}; nothing has moved, and the work is kept as {move.candidate.commit[:12]}"
                raise ToolFailed(message, remedy="planrail resume") from error
            time.sleep(pause)
            clear_stale_locks(move.layout, intent, move.intent_path)  # our git may have been killed alone
    raise AssertionError("unreachable")


def _after_failure(move: _Move, waiting_branch: str, error: ToolFailed) -> Landing:
    """git could not bring a checkout along: everything is taken back. It waits where the user's work is the reason."""
    intent = load_intent(move.intent_path)
    if intent is not None:
        clear_stale_locks(move.layout, intent, move.intent_path)
    looks = [look(checkout, move.changes, is_resumed=True) for checkout in move.checkouts]
    verdict = _decide(move, looks)
    try:
        _take_back(move, intent or _intent(move, {}), looks)
    except ToolFailed as problem:
        raise _half_way(move, problem.message) from error
    if isinstance(verdict, FastForward) and not any(words in error.message for words in _REFUSALS):
        message = f"{error.message}; nothing has moved, and the work is kept as {move.candidate.commit[:12]}"
        raise ToolFailed(message, remedy="planrail resume")
    if isinstance(verdict, FastForward):
        verdict = WaitOnBranch(error.message, ())
    return _wait(move, waiting_branch, verdict)


def _half_way(move: _Move, reason: str) -> ToolFailed:
    name = move.ref.removeprefix(_HEADS)
    message = f"{reason}; {name} has the work, and its checkout is half way: nothing of yours was changed"
    return ToolFailed(message, remedy="planrail resume")


def _finish(move: _Move, intent: Intent, waiting_branch: str) -> Landing:
    """The ref was moved, and then planrail was killed: bring the checkouts along, or take it back."""
    candidate = Candidate(intent.new, "", intent.old)
    concerned = [checkout for checkout in move.checkouts if checkout.folder in intent.folders]
    move = _with_changes(replace(move, candidate=candidate, checkouts=concerned))
    looks = [look(checkout, move.changes, is_resumed=True) for checkout in concerned]
    if not any(standing.torn or standing.fresh for standing in looks):
        return _end(move)  # it had come along; what is changed there now was changed later
    lock = _find_lock(move)
    if lock:
        raise _half_way(move, lock)
    verdict = _decide(move, looks)
    if isinstance(verdict, WaitOnBranch):
        _take_back(move, intent, looks)
        return _wait(move, waiting_branch, verdict)
    for checkout, standing in zip(concerned, looks, strict=True):
        settle(checkout, {path: move.changes[path][1] for path in (*standing.torn, *standing.fresh)})
    reach("land.checkout_half")
    return _end(move)


def _take_back(move: _Move, intent: Intent, looks: list[Standing]) -> None:
    """Undo what the interrupted landing wrote, and nothing else; then the target stands where it was."""
    new = {path: identify(change[1]) for path, change in move.changes.items()}
    for checkout, standing in zip(move.checkouts, looks, strict=True):
        written = [path for path, content in standing.dirty.items() if content == new.get(path)]
        ours = {*standing.torn, *standing.fresh, *written} - {*intent.kept, *intent.fresh}
        settle(checkout, {path: move.changes[path][0] for path in ours})
        set_index(checkout.folder, {path: move.changes[path][0] for path in intent.fresh})
    old = move.candidate.onto or null_id(move.candidate.commit)
    if old == null_id(move.candidate.commit):
        run_git(move.root, "update-ref", "-d", move.ref, move.candidate.commit)
    else:
        run_git(move.root, "update-ref", "-m", f"{move.reason}, taken back", move.ref, old, move.candidate.commit)
    drop_intent(move.intent_path)


def _landed(move: _Move) -> Landing:
    commit = move.candidate.commit
    links = [path for path, (_, new) in move.changes.items() if new and new[0] == "160000"]
    command = shlex.join(["git", "submodule", "update", "--", *links]) if links and move.checkouts else ""
    message = f"landed on {move.ref.removeprefix(_HEADS)} as {commit[:12]}"
    return Landing("landed", commit, move.ref, message, command)


def _elsewhere(move: _Move, standing: str) -> Landing:
    """The target stands on neither: it went on from the candidate, moved, or is gone."""
    commit, name = move.candidate.commit, move.ref.removeprefix(_HEADS)
    if not standing:
        command = shlex.join(["git", "branch", name, move.candidate.onto])
        return Landing("refused", commit, move.ref, f"{name} was deleted meanwhile", command)
    if ask_git(move.root, "merge-base", "--is-ancestor", commit, standing) is not None:
        return _end(move)
    return Landing("moved", commit, move.ref, f"{name} has moved to {standing[:12]} meanwhile")


def _wait(move: _Move, waiting_branch: str, verdict: WaitOnBranch) -> Landing:
    commit = move.candidate.commit
    ref = put_on_branch(move.root, move.layout, waiting_branch, commit, move.reason)
    name, target = ref.removeprefix(_HEADS), move.ref.removeprefix(_HEADS)
    place = move.checkouts[0].folder if move.checkouts else move.root
    where = [] if place == move.root else ["-C", place]
    command = shlex.join(["git", *where, "merge", "--ff-only", name])
    message = f"{verdict.reason}; the work waits on {name}, and {target} has not moved"
    return Landing("waiting", commit, ref, message, command)
