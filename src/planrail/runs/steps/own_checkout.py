"""A phase that works in the user's own checkout (`Execution: direct`): whose work is there, and what is left there.

It begins only where nothing is uncommitted. What changes under an agent that planrail sees begin and end is the phase's
work. What changes at another time, after Ctrl-C, a crash or while the run rests, may be a person's: nobody can tell, so
a person is asked. A snapshot of the beginning lets `planrail undo` take back what a phase leaves that does not land.
"""

import contextlib
import os
from collections.abc import Callable, Iterator

from planrail.agents.jobs.runner import look
from planrail.base.identity import safe_name
from planrail.base.records import replace
from planrail.base.run_model import Ending, Order, PhaseOrder, Refusal, Workspace
from planrail.base.wording import name_some
from planrail.git.checkouts import locate_home
from planrail.git.git_state import read_state
from planrail.git.snapshots.model import AGENT, find_left, snapshots_folder, undo_command
from planrail.git.snapshots.parking import park
from planrail.git.snapshots.snapshots import compare, drop_snapshot, take_snapshot
from planrail.git.workspaces.work_snapshots import WorkSnapshot, changed_paths, tree_of
from planrail.git.workspaces.workspace_git import copy_index
from planrail.runs.reporting.reports import FOLDER, NAME
from planrail.runs.steps.site import PHASE_FILE, At, Paused, Site

DIRECT = "direct"
_ANSWERS = "checkout"  # the facts that say what a person was asked about
_MOST = 20  # files that are named


class OwnCheckout:
    """Keeps the work of a phase apart from what people do in the same folder."""

    def __init__(self, site: Site, take: Callable[[At, Workspace, str], WorkSnapshot]) -> None:
        self._site, self._take = site, take

    def wait_until_ready(self, phase: PhaseOrder) -> None:
        """The run rests while a phase cannot begin here. Before its base is looked up: a person may commit."""
        order = self._site.order
        refusal = refuse_checkout(order, phase.id, self._site.settings.run.reports) if not order.remote else None
        if refusal is not None:
            text = f"{refusal.text}; no agent was started. First: {refusal.command}"
            raise Paused("paused", text, self._site.resume, phase=phase.id)

    def open(self, at: At, workspace: Workspace) -> Workspace | Refusal:
        """The checkout as a workspace, at the base. `workspace` says where planrail's own index of it is."""
        order, phase = self._site.order, at.phase
        self.wait_until_ready(phase)
        if read_state(order.root).head != workspace.base:
            name = order.line.removeprefix("refs/heads/")
            text = f"{name} has moved since phase {phase.id} began, which works in the checkout itself"
            return Refusal("moved", f"{text}; no agent was started", f"planrail run {order.path} {phase.id}")
        workspace = replace(workspace, path=os.path.realpath(order.root))
        copy_index(os.path.join(locate_home(order.root).git_dir, "index"), workspace.index)
        name = f"{AGENT}-{safe_name(order.run)}"
        take_snapshot(order.root, snapshots_folder(), name, session=order.run, agent=AGENT, taken_at=self._site.now())
        self._remember(at, tree_of(order.root, workspace.base))
        return workspace

    @contextlib.contextmanager
    def watching(self, at: At, workspace: Workspace, step: str) -> Iterator[None]:
        """While an agent works. What it finds has to be known before it begins; what it leaves is known when it was
        seen to begin and to end."""
        is_new = look(self._site.job(at, step)) == "absent"
        if is_new:
            self.ask(at, workspace, self._take(at, workspace, "seen").tree)
        yield
        if is_new:
            self._remember(at, self._take(at, workspace, "seen").tree)

    def ask(self, at: At, workspace: Workspace, tree: str) -> None:
        """Rest where the checkout is not as it was last seen, until a person says that all of it is the phase's."""
        known, phase = tree_of(self._site.root, workspace.base), at.phase.id
        with contextlib.suppress(OSError), open(self._seen(at), encoding="ascii") as file:
            known = file.read() or known
        if tree == known:
            return
        named = name_some(changed_paths(self._site.root, known, tree), _MOST)
        text = f"phase {phase} works in your checkout, and planrail did not see who changed this there: {named}"
        answer = self._site.watcher.ask(f"{text}. Is all of it the work of phase {phase}, to be committed with it?")
        if answer is None:
            answer = self._site.was_told(_ANSWERS, at, tree)
        if not answer:
            command = self._site.resume
            told = f"{text}. It is all kept, and nothing was committed. First move away what is yours (git stash push"
            raise Paused("paused", f"{told} --include-untracked -- FILE); the rest is the phase's: {command}", command)
        self._remember(at, tree)

    def close(self) -> None:
        """The work has landed: there is nothing to take back, and what the agent was given has served."""
        order = self._site.order
        snapshot = find_left(order.root, order.run)
        if snapshot is not None:
            _take_back_given(order.root)
            drop_snapshot(snapshot)

    def _remember(self, at: At, tree: str) -> None:
        with open(self._seen(at), "w", encoding="ascii") as file:
            file.write(tree)

    def _seen(self, at: At) -> str:
        return os.path.join(self._site.folder, f"checkout-{at.name}")


def refuse_checkout(order: Order, phase: str, reports: str) -> Refusal | None:
    """Why a phase cannot work in the checkout itself now: it has another branch, or work that nobody has committed."""
    state, name = read_state(order.root), order.line.removeprefix("refs/heads/")
    head = f"phase {phase} works in the checkout itself"
    if state.branch != name:
        text = f"{head}, and {order.root} has {state.branch or 'no branch'} checked out, not {name}"
        return Refusal("refused", text, f"git switch {name}")
    strange = [path for path in state.dirty if not is_own(order, reports, path)]
    if not strange:
        return None
    text = f"{head}, where its work could not be told from what is not committed: {name_some(strange, _MOST)}"
    left = find_left(order.root)
    undo = f"{undo_command(left)} takes back what the run {left.session} left there; or " if left is not None else ""
    return Refusal("refused", text, f"{undo}commit it, move it away, or: git stash push --include-untracked")


def is_own(order: Order, reports: str, path: str) -> bool:
    """Whether a path is one that planrail writes beside the work: the plan, a report, what an agent is given."""
    folder = f"{(reports or FOLDER).rstrip('/')}/"
    is_report = path.startswith(f"{folder}plan-") or path == f"{folder}{NAME}"
    return is_report or path in (order.path, PHASE_FILE)


def list_own(order: Order, reports: str) -> list[str]:
    """The files in the checkout that git does not know and planrail wrote."""
    return [path for path in read_state(order.root).untracked if is_own(order, reports, path)]


def tell_left(order: Order, ending: Ending) -> Ending:
    """An ending that also says what a phase has left in the checkout, where its copy is and what takes it back."""
    snapshot = find_left(order.root, order.run)
    if snapshot is None:
        return ending
    _take_back_given(order.root)
    found = compare(snapshot, (os.path.join(snapshot.root, order.path),))
    changes = replace(found, refs=(), head=None, stash="", settings=())
    if not changes.files:
        drop_snapshot(snapshot)
        return ending
    branch, command = park(snapshot, changes, order.run)[0], undo_command(snapshot)
    left = name_some((file.path for file in changes.files), _MOST)
    told = f"{ending.text}; it left in your checkout: {left}; a copy is on the branch {branch}"
    return replace(ending, text=told, command=command)


def _take_back_given(root: str) -> None:
    if PHASE_FILE in read_state(root).untracked:
        given = os.path.join(root, PHASE_FILE)
        os.unlink(given)
        with contextlib.suppress(OSError):  # there is more in it
            os.rmdir(os.path.dirname(given))
