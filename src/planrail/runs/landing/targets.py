"""Landing: the target moves by compare-and-swap, and where it is checked out the checkout comes along.

Otherwise it does not move at all: a ref that moves under a checkout turns the landed work into its own reverse, staged
in front of the user. So the index is held (`index_locks`) from before the ref moves until the new one is in its place.
Killed at any instant and called again, this ends in the same state.
"""

import contextlib
import os
import time
from collections.abc import Callable, Iterator

from planrail.base.crash_points import reach
from planrail.base.errors import ToolFailed
from planrail.base.records import replace
from planrail.base.run_model import Candidate, Landing
from planrail.git.checkout_state import CheckoutState, bring_along, identify, look, set_index, settle
from planrail.git.checkouts import find_checkouts, find_obstacle, read_layout, read_ref, resolve_ref
from planrail.git.git_writing import hold, run_git
from planrail.git.index_locks import PATIENCE, copy_index, hold_index, let_go, make_token, put_index
from planrail.git.object_store import null_id
from planrail.git.trailers import encode_value
from planrail.git.tree_merging import read_diffs
from planrail.runs.landing import landing_moves as moves
from planrail.runs.landing.candidates import WaitOnBranch, decide_checkout

_LONGEST_NAME = 100


def land(  # noqa: PLR0913 - the caller's places and its guard
    root: str,
    ref: str,
    candidate: Candidate,
    lock_path: str,
    waiting_branch: str,
    intent_path: str,
    *,
    phase: str = "",
    guard: Callable[[], bool] = lambda: True,
) -> Landing:
    """Move the target to the candidate, if it still stands where the candidate was built, and its checkouts with it.

    `landed`; `moved` where the target is elsewhere by now; `waiting` on `waiting_branch` where uncommitted work is in
    the way; `refused` where `guard`, which is asked just before the target moves, says no. Raises `ToolFailed` where
    git or the disk fails; called again, it goes on.
    """
    with hold(lock_path):
        reach("land.before")
        layout = read_layout(root)
        reason = f"planrail: phase {encode_value(phase)[:_LONGEST_NAME]}" if phase else "planrail"
        real = resolve_ref(layout, root, ref)
        checkouts = find_checkouts(layout, real)
        return _land(
            moves.Move(root, real, candidate, {}, layout, checkouts, intent_path, waiting_branch, reason, guard)
        )


def finish_landing(root: str, lock_path: str, waiting_branch: str, intent_path: str) -> None:
    """Bring a landing to its end that was begun and cut off, for a run that will not go on.

    Where the target has not moved there is nothing to be done: the work stays where it is kept. So this never moves
    it, and nobody has to be asked; a checkout is not left behind its branch because a plan was taken over.
    """
    with hold(lock_path):
        intent, layout = moves.load_intent(intent_path), read_layout(root)
        if intent is None:
            moves.drop_intent(intent_path)
            return
        moves.clear_stale_locks(layout, intent, intent_path)
        candidate, checkouts = Candidate(intent.new, "", intent.old), find_checkouts(layout, intent.ref)
        rest = (intent_path, waiting_branch, "planrail", lambda: False)
        move = moves.Move(root, intent.ref, candidate, {}, layout, checkouts, *rest)
        if read_ref(layout, root, intent.ref) == intent.new:
            _finish(move, intent)
        else:
            _clean_up(move, intent)


def _land(move: moves.Move) -> Landing:
    candidate, intent = move.candidate, moves.load_intent(move.intent_path)
    standing = read_ref(move.layout, move.root, move.ref)
    if intent is not None:
        moves.clear_stale_locks(move.layout, intent, move.intent_path)
        if intent.ref == move.ref and intent.new == standing:
            ended = _finish(move, intent)
            if intent.new == candidate.commit:
                return ended
            standing = read_ref(move.layout, move.root, move.ref)
        else:
            _clean_up(move, intent)
    if standing == candidate.commit:
        return moves.landed(move)
    if standing != candidate.onto:
        return moves.elsewhere(move, standing)
    move = _with_changes(move)
    while (answer := _begin(move)) is None:
        move = replace(move, checkouts=find_checkouts(move.layout, move.ref))
    return answer


def _begin(move: moves.Move) -> Landing | None:
    """Nothing has moved yet. None where the user has switched branches meanwhile: it is to be begun anew."""
    candidate, folders = move.candidate, [checkout.folder for checkout in move.checkouts]
    intent = moves.Intent(move.ref, candidate.onto, candidate.commit, folders, make_token(), [], [])
    moves.save_intent(move.intent_path, intent)  # before there is a lock, so that it is known whose it is
    reach("land.intended")
    with _holding(move, intent):
        answer = _go(move, intent)
    _clean_up(move, intent)
    if isinstance(answer, WaitOnBranch):
        return moves.wait(move, answer) if move.guard() else moves.refused(move)
    if answer is not None and answer.state == "landed":
        reach("land.done")
    return answer


@contextlib.contextmanager
def _holding(move: moves.Move, intent: moves.Intent) -> Iterator[None]:
    """Whatever fails, the locks go; but not while the branch has moved and its checkout has not: they protect it."""
    try:
        yield
    except BaseException:
        if read_ref(move.layout, move.root, intent.ref) != intent.new:
            _clean_up(move, intent)
        raise
    let_go(move.layout.checkouts, intent.token)
    reach("land.checkout_half")


def _clean_up(move: moves.Move, intent: moves.Intent) -> None:
    """First the locks, then what says that they are ours."""
    let_go(move.layout.checkouts, intent.token)
    moves.drop_intent(move.intent_path)


def _go(move: moves.Move, intent: moves.Intent) -> Landing | WaitOnBranch | None:
    obstacle = _hold_indexes(move, intent)
    if obstacle:
        return WaitOnBranch(obstacle, ())
    if find_checkouts(move.layout, move.ref) != move.checkouts:
        return None
    looks = [look(checkout, move.changes) for checkout in move.checkouts]
    verdict = _decide(move, looks)
    if verdict is not None:
        return verdict
    kept = {path for standing in looks for path in standing.dirty}
    fresh = {path for standing in looks for path in standing.fresh}
    intent = replace(intent, kept=sorted(kept - fresh), fresh=sorted(fresh))
    moves.save_intent(move.intent_path, intent)
    problem = _move_ref(move, intent) if move.guard() else moves.refused(move)
    if problem is not None:
        return problem
    reach("land.ref_moved")
    try:
        for checkout, standing in zip(move.checkouts, looks, strict=True):
            bring_along(checkout, move.old, move.candidate.commit, move.changes, standing)
        _put_indexes(move, intent)
    except ToolFailed as error:
        return _after_failure(move, intent, error)
    return moves.landed(move)


def _hold_indexes(move: moves.Move, intent: moves.Intent) -> str:
    """Hold the index of every checkout. "" where that is so, otherwise what is in the way."""
    for checkout in move.checkouts:
        obstacle = hold_index(checkout, intent.token)
        if obstacle:
            return obstacle
        reach("land.locked")
    return ""


def _put_indexes(move: moves.Move, intent: moves.Intent) -> None:
    reach("land.index_ready")
    for checkout in move.checkouts:
        put_index(checkout, intent.token)
    reach("land.index_set")
    if move.checkouts:
        moves.let_pass(move.checkouts, move.layout.common)


def _with_changes(move: moves.Move) -> moves.Move:
    [diff] = read_diffs(move.root, [("", move.candidate.commit)])
    return replace(move, changes=diff.changes)


def _decide(move: moves.Move, looks: list[CheckoutState]) -> WaitOnBranch | None:
    """What keeps a checkout of the target from coming along."""
    obstacle = find_obstacle(move.layout, move.ref)
    if obstacle:
        return WaitOnBranch(obstacle, ())
    candidate = {path: identify(new) for path, (_, new) in move.changes.items()}
    for checkout, standing in zip(move.checkouts, looks, strict=True):
        folds_case = os.path.lexists(os.path.join(checkout.folder, ".GIT"))
        verdict = decide_checkout(move.changes.keys(), standing.dirty, candidate, folds_case=folds_case)
        if verdict is not None:
            return verdict
    return None


def _move_ref(move: moves.Move, intent: moves.Intent) -> Landing | None:
    """Compare and swap. None where it is done; what to answer where the target has moved meanwhile."""
    old = move.candidate.onto or null_id(move.candidate.commit)
    place = move.checkouts[0].folder if move.checkouts else move.root  # its HEAD's log is kept as well
    for pause in (*PATIENCE, 0.0):
        try:
            run_git(place, "update-ref", "-m", move.reason, move.ref, move.candidate.commit, old)
            return None
        except ToolFailed as error:
            standing = read_ref(move.layout, move.root, move.ref)
            if standing == move.candidate.commit:
                return None
            if standing != move.candidate.onto:
                return moves.elsewhere(move, standing)
            if not pause:
                raise moves.unmoved(move, error.message) from error
            time.sleep(pause)
            moves.clear_stale_locks(move.layout, intent, move.intent_path)  # our git may have been killed alone
    raise AssertionError("unreachable")


def _after_failure(move: moves.Move, intent: moves.Intent, error: ToolFailed) -> WaitOnBranch:
    """git could not bring a checkout along: everything is taken back. It waits where the user's work is the reason."""
    moves.clear_stale_locks(move.layout, intent, move.intent_path)
    obstacle = _hold_indexes(move, intent)
    if obstacle:
        raise moves.half_way(move, obstacle) from error
    looks = [look(checkout, move.changes, is_resumed=True) for checkout in move.checkouts]
    verdict = _decide(move, looks)
    try:
        _take_back(move, intent, looks)
    except ToolFailed as problem:
        raise moves.half_way(move, problem.message) from error
    if verdict is not None:
        return verdict
    if moves.is_work_in_the_way(error.message):
        return WaitOnBranch(error.message, ())
    raise moves.unmoved(move, error.message)


def _finish(move: moves.Move, intent: moves.Intent) -> Landing:
    """The ref was moved, and then planrail was killed: bring the checkouts along, or take it back."""
    candidate = Candidate(intent.new, "", intent.old)
    concerned = [checkout for checkout in move.checkouts if checkout.folder in intent.folders]
    move = _with_changes(replace(move, candidate=candidate, checkouts=concerned))
    with _holding(move, intent):
        verdict = _make_good(move, intent)
    _clean_up(move, intent)
    if verdict is not None:
        return moves.wait(move, verdict)
    reach("land.done")
    return moves.landed(move)


def _make_good(move: moves.Move, intent: moves.Intent) -> WaitOnBranch | None:
    obstacle = _hold_indexes(move, intent)
    looks = [look(checkout, move.changes, is_resumed=True) for checkout in move.checkouts]
    if not any(standing.torn or standing.fresh for standing in looks):
        return None  # it had come along; what is changed there now was changed later
    if obstacle:
        raise moves.half_way(move, obstacle)
    verdict = _decide(move, looks)
    if verdict is not None:
        _take_back(move, intent, looks)
        return verdict
    for checkout, standing in zip(move.checkouts, looks, strict=True):
        copy_index(checkout)
        settle(checkout, {path: move.changes[path][1] for path in (*standing.torn, *standing.fresh)})
    _put_indexes(move, intent)
    return verdict


def _take_back(move: moves.Move, intent: moves.Intent, looks: list[CheckoutState]) -> None:
    """Undo what the interrupted landing wrote, and nothing else; then the target stands where it was."""
    new = {path: identify(change[1]) for path, change in move.changes.items()}
    for checkout, standing in zip(move.checkouts, looks, strict=True):
        written = [path for path, content in standing.dirty.items() if content == new.get(path)]
        ours = {*standing.torn, *standing.fresh, *written} - {*intent.kept, *intent.fresh}
        copy_index(checkout)
        settle(checkout, {path: move.changes[path][0] for path in ours})
        set_index(checkout, {path: move.changes[path][0] for path in intent.fresh})
        if ours or intent.fresh:
            put_index(checkout, intent.token)
    old = move.candidate.onto or null_id(move.candidate.commit)
    if old == null_id(move.candidate.commit):
        run_git(move.root, "update-ref", "-d", move.ref, move.candidate.commit)
    else:
        run_git(move.root, "update-ref", "-m", f"{move.reason}, taken back", move.ref, old, move.candidate.commit)
