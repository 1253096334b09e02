"""What may go of what was put on record: nothing of an open plan, of a finished one what no report needs, of one whose
document is archived or gone all of it.

Whatever proves a landing stays as long as its plan has a document. Each plan is judged and cleared while this process
holds it, so that no run begins meanwhile.
"""

import contextlib
import os
import time
from collections.abc import Sequence

from planrail.base.crash_points import reach
from planrail.base.errors import PlanrailError
from planrail.base.records import record, replace
from planrail.base.settings import FILE_NAME, load_settings
from planrail.git.git import show_committed
from planrail.git.remotes.pushing import fetch_ref
from planrail.git.workspaces.work_snapshots import drop_refs
from planrail.plans.states import ProofKind
from planrail.projects.plan_documents import Documents, is_done
from planrail.projects.plan_proofs import KnownProofs, PhaseRecord
from planrail.projects.proof_reading import proven_text
from planrail.runs.landing.fences import Fencing
from planrail.runs.landing.work_refs import drop_work, work_ref
from planrail.store.claim_rules import PLAN, HeldBy
from planrail.store.ledger import has_ledger, open_ledger, open_store
from planrail.store.owners import describe_process
from planrail.store.pruning import forget_plan, list_ages, list_forgettable
from planrail.store.runs import run_leftovers as leftovers
from planrail.store.runs.run_facts import adopted, phase_states
from planrail.store.runs.run_folders import RunState, list_runs, runs_folder
from planrail.team.engines import open_dispatch

KEEP, TRIM, DROP = "keep", "trim", "drop"
DAY = 86_400.0  # seconds
WORKING = ("order", "surroundings")  # the kinds of facts that only a run which goes on needs
_HEADS = "refs/heads/"


@record
class PlanTraces:
    """What there is of a plan. `newest` is the time of the last word on it."""

    plan: str
    newest: float
    is_busy: bool = False  # a run, a submission, a schedule, a claim is not ended
    has_document: bool = False
    is_open: bool = False  # its document has phases that are left to do


@record
class Pruned:
    """What went of a plan, or would: facts, runs, and bytes of files on this machine."""

    plan: str
    path: str
    what: str  # TRIM or DROP
    facts: int
    runs: int
    bytes: int


def decide_prune(traces: PlanTraces, before: float) -> str:
    """What may go of a plan: `KEEP` nothing, `TRIM` what no report needs, `DROP` everything."""
    if traces.is_busy or traces.is_open or traces.newest >= before:
        return KEEP
    return TRIM if traces.has_document else DROP


def read_keep(root: str) -> float:
    """For how many days this repository keeps what nobody needs; 0 for ever."""
    return float(load_settings(root, committed=show_committed(root, FILE_NAME)).worker.keep)


def prune(root: str, days: float, by: str, *, is_trial: bool = False) -> tuple[list[Pruned], int]:
    """Let go of what is older, of all plans of a repository; what went of each, and how many rows of the queue."""
    if not has_ledger(root):
        return [], 0
    look = _Look(root)
    before = look.now - days * DAY
    found = [_prune_plan(look, plan, before, "" if is_trial else by) for plan in look.list_quiet(before)]
    pruned = [one for one in found if one is not None]
    if is_trial:
        return pruned, 0
    leftovers.drop_halves(runs_folder(root))
    with open_dispatch(root) as dispatch:
        rows = dispatch.prune(before, look.plans - {one.plan for one in pruned if one.what == DROP})
    if pruned or rows:
        with open_ledger(root) as ledger:
            ledger.compact()
    return pruned, rows


class _Look:
    """What there is in a repository, read once; and each plan once more, while it is held."""

    def __init__(self, root: str) -> None:
        self.root, self.store = root, open_store(root)
        self.runs: dict[str, list[RunState]] = {}
        for run in list_runs(root):
            self.runs.setdefault(run.order.plan, []).append(run)
        with open_ledger(root) as ledger:
            self.ages = list_ages(ledger)
        with open_dispatch(root) as dispatch:
            self.now = dispatch.tables.now()
            self.busy = {row.plan for row in dispatch.list_submissions()}
            self.busy |= {row.plan for row in dispatch.list_schedules()}
        self.busy |= {claim.name for claim, lives in self.store.claims.list_leases(PLAN) if lives}
        self.plans = {*self.runs, *self.ages}
        self._fetched: dict[tuple[str, str], str | None] = {}
        self._documents: dict[tuple[str, ...], Documents] = {}

    def list_quiet(self, before: float) -> list[str]:
        return [plan for plan in sorted(self.plans) if decide_prune(self.find_traces(plan), before) != KEEP]

    def find_traces(self, plan: str) -> PlanTraces:
        """Without a look at its document, which takes longer."""
        runs = self.runs.get(plan, [])
        times = [float(self.ages.get(plan, 0)), *(float(run.order.began) for run in runs)]
        is_busy = plan in self.busy or any(run.is_live or not run.is_over for run in runs)
        return PlanTraces(plan, max(times), is_busy)

    def read_document(self, plan: str) -> tuple[bool, bool]:
        """Whether a plan has a document, and whether that is open. What cannot be known from here counts as open."""
        runs, known = self.runs.get(plan, []), self._read_proofs(plan)
        commits: tuple[str, ...] = ()
        if self.store.is_shared:
            if (not runs and self.ages[plan]) or any(not run.is_home and not run.order.remote for run in runs):
                return True, True  # it lies in a folder of another machine
            remotes = {(run.order.remote, run.order.target) for run in runs if run.order.remote}
            found = [self._fetch(*remote) for remote in sorted(remotes)]
            if None in found:
                return True, True
            commits = tuple(commit for commit in found if commit)
        if commits not in self._documents:
            self._documents[commits] = Documents(self.root, commits)
        texts = self._documents[commits].read(plan, {run.order.path for run in runs})
        return bool(texts), not all(is_done(text, known) for text in texts)

    def _read_proofs(self, plan: str) -> KnownProofs:
        with open_ledger(self.root) as ledger:
            words = {name: PhaseRecord(ProofKind.ADOPTED, "") for name in adopted(ledger, plan)}
            done = {name: fact for name, fact in phase_states(ledger, plan).items() if fact.is_done}
        return KnownProofs(words | {name: PhaseRecord(ProofKind.PROVEN, "", proven_text(done[name])) for name in done})

    def _fetch(self, remote: str, target: str) -> str | None:
        """The commit of a branch as its remote has it now; None where that cannot be known."""
        if (remote, target) not in self._fetched:
            commit = None
            with contextlib.suppress(PlanrailError):
                commit = fetch_ref(self.root, remote, target.removeprefix(_HEADS))
            self._fetched[remote, target] = commit
        return self._fetched[remote, target]


def _prune_plan(look: _Look, plan: str, before: float, by: str) -> Pruned | None:
    """Let go of what a plan no longer needs; without a name that does it, only see what that is."""
    quiet, (has_document, is_open) = look.find_traces(plan), look.read_document(plan)
    what = decide_prune(replace(quiet, has_document=has_document, is_open=is_open), before)
    if what == KEEP:
        return None
    kinds, runs = WORKING if what == TRIM else (), look.runs.get(plan, [])
    with open_ledger(look.root) as ledger:
        facts = list_forgettable(ledger, plan, before, kinds) or []
    folders = [run.folder for run in runs if run.is_home and os.path.isdir(run.folder)]
    list_files = leftovers.list_unreported if what == TRIM else leftovers.list_files
    files = [path for folder in folders for path in list_files(folder)]
    if not facts and not files and (what == TRIM or not runs):
        return None
    path, count = runs[0].order.path if runs else plan, len(runs) if what == DROP else 0
    found = Pruned(plan, path, what, len(facts), count, leftovers.measure(files))
    return found if not by or _let_go(look, plan, before, by, what, folders) else None


def _let_go(look: _Look, plan: str, before: float, by: str, what: str, folders: Sequence[str]) -> bool:
    """Rows first: a folder without them is found, and removed, by the next prune. False: another process has it."""
    me, now, claims = f"prune-{os.getpid()}", int(time.time()), look.store.claims
    if isinstance(claims.acquire(PLAN, plan, describe_process(os.getpid(), me), now), HeldBy):
        return False
    try:
        with open_ledger(look.root) as ledger:
            kinds = WORKING if what == TRIM else ()
            if not forget_plan(ledger, plan, by, now, before=before, kinds=kinds):
                return False
        reach("prune.forgotten")
        for remote in {run.order.remote for run in look.runs.get(plan, []) if run.order.remote}:
            with contextlib.suppress(PlanrailError):  # a run that ended did it already, as a rule
                drop_work(look.root, remote, Fencing(plan, 0, me), work_ref(plan))
        for folder in folders:
            if what == TRIM:
                leftovers.drop_files(folder, leftovers.list_unreported(folder))
            else:
                drop_refs(look.root, f"refs/planrail/runs/{os.path.basename(folder)}/")
                leftovers.drop_folder(folder)
            reach("prune.cleared")
    finally:
        claims.release(PLAN, plan, me)
    return True
