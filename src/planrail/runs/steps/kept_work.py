"""The work of agents that survives its machine: pushed while they are at it, and found by the next attempt elsewhere.

It is an agent's work, and proves nothing: an attempt that begins with it is judged as any other. Everybody who may push
to the remote can write such a ref; so only what the team's database knows to be pushed by this run is used.
"""

import contextlib
import os
import time
from collections.abc import Callable, Collection

from planrail.base.errors import PlanrailError, ToolFailed
from planrail.base.run_model import Snapshot, Workspace
from planrail.git.git_writing import ask_git, run_git
from planrail.git.object_store import read_changes
from planrail.git.remotes.pushing import explain_push, fetch_object, read_remote
from planrail.git.remotes.request_values import PushRejected
from planrail.git.workspaces.work_snapshots import WorkSnapshot, changed_paths, tree_of
from planrail.runs.checks.links import find_misshapen, read_shape
from planrail.runs.landing.candidates import Conflict, build_candidate
from planrail.runs.landing.fences import Fencing, is_passing
from planrail.runs.landing.landing_moves import TAKEN_OVER
from planrail.runs.landing.work_refs import WORK, drop_work, push_work, work_ref
from planrail.runs.steps.agents import choose_driver
from planrail.runs.steps.judging import judge_secrets
from planrail.runs.steps.site import At, Site
from planrail.store.ledger import open_store

_KIND = "work"  # of the facts that say what was pushed; also the name of the snapshot here
_MOST_FILES, _MOST_BYTES = 10_000, 20 * 1024 * 1024  # all of it is read, for secrets


class KeptWork:
    """What a run pushes of its agents' work. Without a team, or without a remote, it does nothing."""

    def __init__(self, site: Site, take: Callable[[At, Workspace, str], WorkSnapshot]) -> None:
        self._site, self._take = site, take
        every, is_shared = site.settings.run.push_work, bool(site.order.remote) and open_store(site.root).is_shared
        self._seconds = every * 60 if is_shared and not isinstance(every, str) else 0.0  # 0: off
        self._fencing = Fencing(site.order.plan, site.fence, site.order.run)
        self._looked: dict[str, float] = {}  # by attempt: when
        self._pushed: dict[str, str] = {}  # by attempt: the tree
        self._told: set[str] = set()

    # ---- pushing ----

    def look(self, at: At, workspace: Workspace) -> None:
        """Push what an agent has begun, where that has changed and it is time. A failure is told, and no more."""
        now = time.monotonic()
        if not self._serves(at) or now - self._looked.setdefault(at.name, now) < self._seconds:
            return
        try:
            taken = self._take(at, workspace, _KIND)
            if taken.paths and taken.tree != self._pushed.get(at.name) and not self._withholds(at, workspace, taken):
                self._push(at, taken)
        except (PlanrailError, OSError) as error:
            self._tell(f"phase {at.phase.id}: what its agent has begun could not be pushed: {error}")
        self._looked[at.name] = time.monotonic()

    def _serves(self, at: At) -> bool:
        """The blocks of a runbook expect the base: they begin anew, and nobody could tell them what is there."""
        return self._seconds > 0 and choose_driver(at.phase, self._site.order.options.agent)[0] != "runbook"

    def _withholds(self, at: At, workspace: Workspace, taken: WorkSnapshot) -> bool:
        """Whether it is too much, or has what must not leave this machine."""
        site, places = self._site, [os.path.join(workspace.path, path) for path in taken.paths]
        size = sum(os.lstat(place).st_size for place in places if os.path.lexists(place))
        why = f"{len(places):,} files with {size:,} bytes are too much"
        if len(places) <= _MOST_FILES and size <= _MOST_BYTES:
            changes = read_changes(site.root, taken.base, taken.commit, taken.paths)
            why = "; ".join(
                found.text for found in judge_secrets(site.root, taken.base, changes, site.settings, site.environment)
            )
        if why:
            self._tell(f"phase {at.phase.id}: what its agent has begun is not pushed: {why}")
        return bool(why)

    def _push(self, at: At, taken: WorkSnapshot) -> None:
        """On record first: a commit that nobody has spoken of is not believed."""
        site, order = self._site, self._site.order
        if not site.holds_claim():
            return
        value = {"run": order.run, "phase": at.phase.id, "attempt": at.attempt, "commit": taken.commit}
        name = f"{_KIND}:{order.run}/{at.key(taken.commit)}"
        with site.open_ledger() as ledger:
            ledger.add(_KIND, order.plan, value, id=name, at=int(site.now()))
        ref = work_ref(order.plan, order.run, at.phase.id, at.attempt)
        answer = push_work(site.root, order.remote, self._fencing, ref, taken.commit)
        if not answer:
            self._pushed[at.name] = taken.tree
        elif answer != TAKEN_OVER and not is_passing(answer):
            why = explain_push(answer, order.remote, ref)
            if isinstance(why, PushRejected):
                self._seconds = 0.0
            way_out = f'let planrail write {WORK}/* there, or set [run] push_work = "off"'
            self._tell(f"{why.reason}; what agents have begun stays on this machine alone ({way_out})")

    def _tell(self, text: str) -> None:
        """Once: it will be so again in a few minutes."""
        if text not in self._told:
            self._told.add(text)
            self._site.watcher.note(text)

    # ---- finding ----

    def find(self, at: At, base: str) -> tuple[str, str]:
        """A commit on this base that has what an earlier attempt had begun on a machine that was lost ("": none), and
        what people are told about it."""
        if at.attempt == 1 or not self._serves(at):
            return "", ""
        begun = told = ""
        try:
            found = self._find(at)
            if found:
                begun = self._fit(at, found, base)
                told = f"with what an earlier attempt had begun on another machine ({found[:12]}), unproven"
        except PlanrailError as error:
            told = f"anew: what an earlier attempt had begun cannot be used: {error.message}"
        if told:
            self._tell(f"phase {at.phase.id} begins {told}")
        return begun, told

    def _find(self, at: At) -> str:
        site, order = self._site, self._site.order
        numbers = range(1, at.attempt)
        refs = {work_ref(order.plan, order.run, at.phase.id, number): number for number in numbers}
        there = {refs[ref]: commit for ref, commit in read_remote(site.root, order.remote, *refs).items()}
        own = {number for number in numbers if self._is_here(At(at.phase, number))}
        chosen = choose_work(there, own)
        if not chosen:
            return ""
        ref, wanted = work_ref(order.plan, order.run, at.phase.id, chosen), there[chosen]
        value = {"run": order.run, "phase": at.phase.id, "attempt": chosen, "commit": wanted}
        is_ours = any(fact.value == value for fact in site.read(_KIND))
        if not is_ours or fetch_object(site.root, order.remote, ref, kept=site.ref(at, "begun")) != wanted:
            raise ToolFailed(f"{order.remote} has something at {ref} that this run has not pushed", remedy="")
        return wanted

    def _is_here(self, at: At) -> bool:
        return ask_git(self._site.root, "rev-parse", "--verify", "--quiet", self._site.ref(at, _KIND)) is not None

    def _fit(self, at: At, commit: str, base: str) -> str:
        """The work on this base, as it would land; raises where it does not fit, or leads out of the tree."""
        root = self._site.root
        parent = run_git(root, "rev-parse", "--verify", f"{commit}^").strip()
        snapshot = Snapshot(commit, tree_of(root, commit), parent, tuple(changed_paths(root, parent, commit)))
        built = build_candidate(root, snapshot, base, f"Begun in an earlier attempt at phase {at.phase.id}", {})
        if isinstance(built, Conflict):
            raise ToolFailed(f"it does not fit the target any more: {built.text}", remedy="")
        wrong = find_misshapen(root, base, read_shape(root, built.tree), snapshot.paths)
        if any(finding.is_failure for finding in wrong):
            raise ToolFailed("; ".join(finding.text for finding in wrong), remedy="")
        return built.commit

    # ---- the end ----

    def drop(self, at: At) -> None:
        order = self._site.order
        if self._seconds and (at.attempt > 1 or at.name in self._pushed or self._site.is_resumed):
            with contextlib.suppress(PlanrailError):  # the end of the run takes away what stays
                pattern = work_ref(order.plan, order.run, at.phase.id)
                drop_work(order.root, order.remote, self._fencing, pattern)


def choose_work(there: Collection[int], own: Collection[int]) -> int:
    """The attempt whose work the next one begins with, by its number; 0: with none. Pure.

    `there` are the attempts of which the remote has work, `own` those that worked on this very machine: after one of
    them an attempt begins anew, as it does without a team.
    """
    last = max((*there, *own), default=0)
    return 0 if last in own else last
