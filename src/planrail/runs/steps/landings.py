"""Landing: the candidate, its proof, the move of the target, and the pull request where there is one."""

import os
import shlex
from collections.abc import Callable

from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.base.run_model import (
    Baseline,
    Candidate,
    DriftOutcome,
    Evidence,
    Landing,
    Order,
    PhaseOrder,
    Proof,
    Refusal,
    Snapshot,
)
from planrail.git.checkouts import find_obstacle, read_layout
from planrail.git.git_writing import ask_git, run_git
from planrail.git.repository_lock import hold
from planrail.git.trailers import add_trailers, find_landed, read_history
from planrail.git.workspaces.work_snapshots import tree_of
from planrail.plans.canonical.canonical import canonicalise
from planrail.plans.editing.commit_cells import find_empty_cells, write_commits
from planrail.plans.editing.corrections import apply_splices, undo_corrections
from planrail.plans.editing.marking import mark_done
from planrail.plans.files.plan_writing import write_text
from planrail.plans.reading import read
from planrail.plans.text.source import Source
from planrail.runs.evidence.judging import hash_evidence
from planrail.runs.landing.candidates import Conflict, Land, build_candidate, decide_landing, read_author
from planrail.runs.landing.landing_moves import put_on_branch, take_away
from planrail.runs.landing.proofs import prove
from planrail.runs.landing.targets import land
from planrail.runs.steps.book import Book
from planrail.runs.steps.judging import Judging
from planrail.runs.steps.rooms import Rooms
from planrail.runs.steps.site import Site, finish_landings, intent_of, land_remotely, resolve_line, waiting_branch
from planrail.runs.workshop import At, Paused

WAITING = "waiting"
_HEADS = "refs/heads/"
_RECORD = "the target had this work already; this commit records its proof, and changes no file"


class Waiting:
    """Where the work of a run waits."""

    def __init__(self, site: Site, book: Book) -> None:
        self._site, self._book = site, book

    def find_landed(self, phase: PhaseOrder, evidence: Evidence, ref: str, base: str) -> str:
        """The commit of a ref, since the base, that has this very work of a phase; "" where there is none."""
        named = hash_evidence(evidence.runs)
        return find_landed(self._site.root, ref, self._site.order.plan, phase.id, named, since=base) or ""

    def keep(self, phase: PhaseOrder, at: At, finished: Candidate, evidence: Evidence, why: str) -> Paused:
        """Put work that does not fit the target on a branch, finished, on its own base; a person brings it in."""
        order = self._site.order
        with hold(self._site.lock):
            ref = self._find_branch(phase, evidence, finished.onto) or self._put(finished.commit)
        name, target = ref.removeprefix(_HEADS), order.line.removeprefix(_HEADS)
        obstacle = find_obstacle(read_layout(order.root), order.line)
        bring = f"bring it in yourself, on {target}: git merge {name}, resolve, commit"
        first = f"finish what you have begun: {obstacle} (resolve, git add, git commit)" if obstacle else bring
        text = (
            f"{why}; the verified work waits on {name}, and {target} has not moved. First {first}. "
            f"(To have it done anew instead: planrail stop {order.path}, then planrail run {order.path} {phase.id})"
        )
        commit = run_git(order.root, "rev-parse", "--verify", ref).strip()
        return self.rest(phase, at, Landing(WAITING, commit, ref, text), evidence)

    def rest(self, phase: PhaseOrder, at: At, landing: Landing, evidence: Evidence) -> Paused:
        """Say on record that the work of a phase waits; the run rests."""
        self._book.add_waiting(phase, at, landing, evidence)
        return pause(self._site.order, landing.message, phase.id)

    def clear(self, commit: str) -> None:
        """Take the branch away on which the work waited that has landed now as this commit."""
        with hold(self._site.lock):
            take_away(self._site.root, read_layout(self._site.root), self._list_branches(), commit)

    def _find_branch(self, phase: PhaseOrder, evidence: Evidence, base: str) -> str:
        """The branch on which this work waits already: a person may be in the middle of bringing it in."""
        return next((ref for ref in self._list_branches() if self.find_landed(phase, evidence, ref, base)), "")

    def _list_branches(self) -> list[str]:
        """The branches that the work of this plan can wait on; where one is named `planrail`, without the slash."""
        usual = waiting_branch(self._site.order)
        flat = _HEADS + usual.removeprefix(_HEADS).replace("/", "-")
        asked = [f"{ref}{number}" for ref in (usual, flat) for number in ("", "-*")]
        return run_git(self._site.root, "for-each-ref", "--format=%(refname)", *asked).split()

    def _put(self, commit: str) -> str:
        root, branch = self._site.root, waiting_branch(self._site.order)
        return put_on_branch(root, read_layout(root), branch, commit, "planrail: it waits")


def pause(order: Order, text: str, phase: str = "") -> Paused:
    """The rest of a run whose work waits. Resuming it builds the candidate on the target as it is then."""
    return Paused(WAITING, text, f"planrail resume {order.path}", phase=phase)


class Landings:
    """How verified work gets onto the target."""

    def __init__(self, site: Site, book: Book, rooms: Rooms, judging: Judging) -> None:
        self._site, self._book, self._rooms, self._judging = site, book, rooms, judging
        self._waiting = Waiting(site, book)

    def build(
        self, phase: PhaseOrder, at: At, snapshot: Snapshot, evidence: Evidence, drift: DriftOutcome
    ) -> Candidate | Refusal:
        """See `Workshop.build`. Where the target has this very work already, the candidate is the target itself."""
        onto = resolve_line(self._site)
        if onto != snapshot.base and self._waiting.find_landed(phase, evidence, onto, snapshot.base):
            return Candidate(onto, tree_of(self._site.root, onto), onto)
        built = self._build_on(onto, phase, snapshot, evidence, drift, int(self._site.now()))
        if isinstance(built, Candidate):
            return built
        if self._site.order.remote:  # a worker's clone is no place for people to look for a branch
            return replace(built, command=f"planrail run {self._site.order.path} {phase.id}")
        finished = self._build_on(snapshot.base, phase, snapshot, evidence, drift, 0)
        assert isinstance(finished, Candidate)  # on its own base nothing is merged
        raise self._waiting.keep(phase, at, finished, evidence, built.text)

    def _build_on(
        self, onto: str, phase: PhaseOrder, snapshot: Snapshot, evidence: Evidence, drift: DriftOutcome, now: int
    ) -> Candidate | Refusal:
        root = self._site.root
        if onto != snapshot.base and self._site.order.options.landing == "direct":
            return Refusal("moved", "the target has moved, and work that lands directly is never merged")
        extra, author = self._plan_file(phase, onto, drift), read_author(root)
        built = build_candidate(root, snapshot, onto, self._message(phase, evidence), extra, author=author, at=now)
        if isinstance(built, Conflict):
            return Refusal("conflict", f"the target has changed the same places: {built.text}")
        if not self._is_record(built):
            return built
        message = self._message(phase, evidence, f"{_RECORD}.")
        recorded = build_candidate(root, snapshot, onto, message, extra, author=author, at=now)
        assert isinstance(recorded, Candidate)  # the same, with another message
        return recorded

    def _is_record(self, candidate: Candidate) -> bool:
        """Whether the target has all of the work already, as a squash by hand leaves it: without the trailers by which
        a proof is known, so that a commit is needed that has them."""
        return candidate.commit != candidate.onto and candidate.tree == tree_of(self._site.root, candidate.onto)

    def _message(self, phase: PhaseOrder, evidence: Evidence, note: str = "") -> str:
        subject = f"Phase {phase.id}: {phase.title}".replace("\n", " ")[:100]
        body = note or "\n".join(f"- {item}" for item in phase.items)
        return add_trailers(f"{subject}\n\n{body}", self._site.order.plan, phase.id, hash_evidence(evidence.runs))

    def _plan_file(self, phase: PhaseOrder, onto: str, drift: DriftOutcome) -> dict[str, bytes]:
        """The plan with its mark, as a part of the commit; nothing where the plan is not planrail's to commit."""
        order = self._site.order
        if not order.is_tracked or self.is_plan_dirty():
            return {}
        text = ask_git(order.root, "show", f"{onto}:{order.path}")
        if text is None:
            return {}
        marked = self.note_commits(mark_text(order.path, text, phase.id, drift), onto)
        return {order.path: marked.encode("utf-8", "surrogateescape")} if marked != text else {}

    def note_commits(self, text: str, onto: str) -> str:
        """The plan with the commits of the phases that landed before, where it has cells for them.

        Those of a pull request get other names when it is merged, and are left out.
        """
        order = self._site.order
        source = Source(order.path, text)
        if order.options.landing == "pr" or not find_empty_cells(source):
            return text
        landed = read_history(order.root, onto)
        return write_commits(source, {found.phase: found.commit for found in landed[::-1] if found.plan == order.plan})

    def is_plan_dirty(self) -> bool:
        """Whether the plan's file in the checkout has changes that are not committed. A mirror has no checkout."""
        order = self._site.order
        if order.remote:
            return False
        return bool(ask_git(order.root, "status", "--porcelain", "-z", "--", order.path))

    def prove(self, phase: PhaseOrder, at: At, snapshot: Snapshot, candidate: Candidate, baseline: Baseline) -> Proof:
        """See `Workshop.prove`. No row of a ledger lands anything: the checks are run on the candidate itself."""
        if candidate.commit == candidate.onto:
            return self._prove_landed(phase, at, candidate, baseline)
        extra = [self._site.order.path] if self._site.order.is_tracked else []
        proof = prove(self._site.root, snapshot, candidate, candidate.onto, extra)
        if not proof.ok:
            return proof
        return self._check(phase, at, candidate, baseline, "on the candidate")

    def _prove_landed(self, phase: PhaseOrder, at: At, candidate: Candidate, baseline: Baseline) -> Proof:
        """The target has the work, perhaps as a person merged it: it counts if the checks hold there."""
        name = self._site.order.line.removeprefix("refs/heads/")
        proof = self._check(phase, at, candidate, baseline, f"on {name}")
        if proof.ok or self._site.order.remote:
            return proof
        text = f"{name} has the work of phase {phase.id}, and it does not hold: {'; '.join(proof.problems)}"
        self._book.add_paused(phase, at, text)
        raise pause(self._site.order, f"{text}. First repair that on {name}, and commit it", phase.id)

    def _check(self, phase: PhaseOrder, at: At, candidate: Candidate, baseline: Baseline, where: str) -> Proof:
        checked = self._rooms.check(phase, at, candidate.commit, candidate.tree, baseline.base, "candidate")
        failed = self._judging.judge_again(phase, baseline, checked)
        return Proof(not failed, tuple(f"{where}: {finding.text}" for finding in failed))

    def land(self, phase: PhaseOrder, at: At, candidate: Candidate, evidence: Evidence) -> Landing:
        options = self._site.order.options
        protected = options.main_protected and self._site.order.line == self._site.order.target
        decided = decide_landing(
            options.landing, verified=not evidence.failures, main_is_protected=protected, awaits_sign_off=False
        )
        if not isinstance(decided, Land):
            return Landing("refused", message=decided.reason, command=getattr(decided, "remedy", ""))
        if not self._site.holds_claim():
            return Landing("refused", message="another run has taken over this plan; nothing was landed")
        commit = self._commit_of(phase, candidate, evidence)
        self._book.add_verified(phase, at, replace(candidate, commit=commit), evidence)
        landing = self.move_target(candidate, phase.id)
        if landing.state == WAITING:
            raise self._waiting.rest(phase, at, landing, evidence)
        if landing.state != "landed":
            return landing
        if self._site.is_resumed:
            self._waiting.clear(commit)
        told = f"{commit[:12]}: {_RECORD}" if self._is_record(candidate) else landing.message
        return replace(landing, commit=commit, message=told)

    def _commit_of(self, phase: PhaseOrder, candidate: Candidate, evidence: Evidence) -> str:
        """The commit that has the work: the candidate, or one of the target's where that had it already."""
        if candidate.commit != candidate.onto:
            return candidate.commit
        return self._waiting.find_landed(phase, evidence, candidate.commit, "") or candidate.commit

    def move_target(self, candidate: Candidate, phase: str = "") -> Landing:
        """Move the target to a candidate, if the plan is still ours. Neither Ctrl-C nor a stop leaves it half way."""
        order = self._site.order
        if order.remote:
            with self._site.interruptions.undisturbed():
                return land_remotely(self._site, candidate)
        places = (self._site.lock, waiting_branch(order), intent_of(order, candidate.commit))
        with self._site.interruptions.undisturbed(), hold(self._site.lock):
            finish_landings(order.root)
            return land(order.root, order.line, candidate, *places, phase=phase, guard=self._site.holds_claim)

    def check_whole(self, at: At, commit: str) -> Proof:
        """All checks of all phases on a commit that nobody has looked at yet."""
        order = self._site.order
        checks = tuple(check for phase in order.phases for check in phase.checks)
        whole = replace(order.phases[0], checks=checks)
        checked = self._rooms.check(whole, at, commit, tree_of(order.root, commit), commit, "rebased")
        failed = self._judging.judge_whole(checked, commit).failures
        return Proof(not failed, tuple(finding.text for finding in failed))

    def mark_in_place(self, phase: PhaseOrder, drift: DriftOutcome | None) -> None:
        """Mark the plan's own file, where it is not a part of what lands. In a mirror it is nobody's."""
        order = self._site.order
        if order.remote or (order.is_tracked and not self.is_plan_dirty()):
            return
        if not self.write_in_place(lambda text: mark_text(order.path, text, phase.id, drift), phase):
            told = f"your edits of phase {phase.id} in {order.path} did not run, so it is not marked there"
            self._site.watcher.note(f"{told}; to run them, commit them, then: planrail run {shlex.quote(order.path)}")

    def write_in_place(self, mark: Callable[[str], str], *phases: PhaseOrder) -> bool:
        """Mark the plan's file in the checkout. False: it does not have these phases as they ran, and stays."""
        place = os.path.join(self._site.root, self._site.order.path)
        try:
            with open(place, encoding="utf-8", errors="surrogateescape", newline="") as file:
                text = file.read()
        except OSError:
            return True
        if not self._is_as_run(text, *phases):
            return False
        marked = self.note_commits(mark(text), resolve_line(self._site))
        if marked != text:
            write_text(place, marked)
        return True

    def _is_as_run(self, text: str, *phases: PhaseOrder) -> bool:
        """Whether a text of the plan has phases as they ran. Numbers that planrail itself corrected do not count."""
        path = self._site.order.path
        before, _ = undo_corrections(text, plan := read(Source(path, text)))
        plans = {before: read(Source(path, before)) if before != text else plan, text: plan}
        parts = {(part.key, part.hash) for known, plan in plans.items() for part in canonicalise(plan, known).phases}
        return all(not phase.canonical or (phase.id, phase.canonical) in parts for phase in phases)


def mark_text(path: str, text: str, phase: str, drift: DriftOutcome | None) -> str:
    """The plan's text with its corrections and with the phase marked as done, as far as the document can say so."""
    if drift is not None and all(text[start:end] == old for start, end, old, _ in drift.edits):
        text = apply_splices(text, drift.edits)
    try:
        return mark_done(Source(path, text), phase).text
    except PlanrailError:
        return text
