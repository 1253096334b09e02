"""Landing: the candidate, its proof, the move of the target, and the pull request where there is one."""

import os

from planrail.engine.half_landings import finish_landings
from planrail.engine.lines import land_remotely, resolve_line
from planrail.engine.places import intent_of, waiting_branch
from planrail.errors import PlanrailError
from planrail.plans.marking import mark_done
from planrail.plans.source import Source
from planrail.records import replace
from planrail.repo.candidates import build_candidate, read_author
from planrail.repo.git_writing import ask_git
from planrail.repo.plan_writing import write_text
from planrail.repo.proofs import prove
from planrail.repo.repository_lock import hold
from planrail.repo.targets import land
from planrail.repo.trailers import add_trailers
from planrail.repo.work_snapshots import tree_of
from planrail.runs.drift.edits import apply_splices
from planrail.runs.evidence.judging import hash_evidence
from planrail.runs.landing.deciding import Conflict, Land, decide_landing
from planrail.runs.model import Candidate, Landing, Proof, Snapshot
from planrail.runs.workshop import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.engine.book import Book
    from planrail.engine.judging import Judging
    from planrail.engine.rooms import Rooms
    from planrail.engine.site import Site
    from planrail.runs.model import Baseline, DriftOutcome, Evidence, PhaseOrder
    from planrail.runs.workshop import At


class Landings:
    """How verified work gets onto the target."""

    def __init__(self, site: "Site", book: "Book", rooms: "Rooms", judging: "Judging") -> None:
        self._site, self._book, self._rooms, self._judging = site, book, rooms, judging

    def build(
        self, phase: "PhaseOrder", at: "At", snapshot: Snapshot, evidence: "Evidence", drift: "DriftOutcome"
    ) -> Candidate | Refusal:
        """See `Workshop.build`."""
        onto = resolve_line(self._site)
        if onto != snapshot.base and self._site.order.options.landing == "direct":
            text = "the target has moved, and work that lands directly is never merged"
            return Refusal("moved", text, f"planrail run {self._site.order.path} {phase.id}")
        extra = self._plan_file(phase, onto, drift)
        message, now = self._message(phase, evidence), int(self._site.now())
        author = read_author(self._site.root)
        built = build_candidate(self._site.root, snapshot, onto, message, extra, author=author, at=now)
        if isinstance(built, Conflict):
            command = f"planrail run {self._site.order.path} {phase.id}"
            return Refusal("conflict", f"the target has changed the same places: {built.text}", command)
        return built

    def _message(self, phase: "PhaseOrder", evidence: "Evidence") -> str:
        subject = f"Phase {phase.id}: {phase.title}".replace("\n", " ")[:100]
        body = "\n".join(f"- {item}" for item in phase.items)
        return add_trailers(f"{subject}\n\n{body}", self._site.order.plan, phase.id, hash_evidence(evidence.runs))

    def _plan_file(self, phase: "PhaseOrder", onto: str, drift: "DriftOutcome") -> "dict[str, bytes]":
        """The plan with its mark, as a part of the commit; nothing where the plan is not planrail's to commit."""
        order = self._site.order
        if not order.is_tracked or self.is_plan_dirty():
            return {}
        text = ask_git(order.root, "show", f"{onto}:{order.path}")
        if text is None:
            return {}
        marked = mark_text(order.path, text, phase.id, drift)
        return {order.path: marked.encode("utf-8", "surrogateescape")} if marked != text else {}

    def is_plan_dirty(self) -> bool:
        """Whether the plan's file in the checkout has changes that are not committed. A mirror has no checkout."""
        order = self._site.order
        if order.remote:
            return False
        return bool(ask_git(order.root, "status", "--porcelain", "-z", "--", order.path))

    def prove(
        self, phase: "PhaseOrder", at: "At", snapshot: Snapshot, candidate: Candidate, baseline: "Baseline"
    ) -> Proof:
        """See `Workshop.prove`. No row of a ledger lands anything: the checks are run on the candidate itself."""
        extra = [self._site.order.path] if self._site.order.is_tracked else []
        proof = prove(self._site.root, snapshot, candidate, candidate.onto, extra)
        if not proof.ok:
            return proof
        checked = self._rooms.check(phase, at, candidate.commit, candidate.tree, baseline.base, "candidate")
        failed = self._judging.judge_again(phase, baseline, checked)
        return Proof(not failed, tuple(f"on the candidate: {finding.text}" for finding in failed))

    def land(self, phase: "PhaseOrder", at: "At", candidate: Candidate, evidence: "Evidence") -> Landing:
        """See `Workshop.land`."""
        options = self._site.order.options
        protected = options.main_protected and self._site.order.line == self._site.order.target
        decided = decide_landing(
            options.landing, verified=not evidence.failures, main_is_protected=protected, awaits_sign_off=False
        )
        if not isinstance(decided, Land):
            return Landing("refused", message=decided.reason, command=getattr(decided, "remedy", ""))
        if not self._site.holds_claim():
            return Landing("refused", message="another run has taken over this plan; nothing was landed")
        self._book.add_verified(phase, at, candidate, evidence)
        return self.move_target(candidate, phase.id)

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

    def check_whole(self, at: "At", commit: str) -> Proof:
        """All checks of all phases on a commit that nobody has looked at yet."""
        order = self._site.order
        checks = tuple(check for phase in order.phases for check in phase.checks)
        whole = replace(order.phases[0], checks=checks)
        checked = self._rooms.check(whole, at, commit, tree_of(order.root, commit), commit, "rebased")
        failed = self._judging.judge_whole(checked, commit).failures
        return Proof(not failed, tuple(finding.text for finding in failed))

    def mark_in_place(self, phase: "PhaseOrder", drift: "DriftOutcome | None") -> None:
        """Mark the plan's own file, where it is not a part of what lands. In a mirror it is nobody's."""
        order = self._site.order
        if order.remote or (order.is_tracked and not self.is_plan_dirty()):
            return
        place = os.path.join(order.root, order.path)
        try:
            with open(place, encoding="utf-8", errors="surrogateescape", newline="") as file:
                text = file.read()
        except OSError:
            return
        marked = mark_text(order.path, text, phase.id, drift)
        if marked != text:
            write_text(place, marked)


def mark_text(path: str, text: str, phase: str, drift: "DriftOutcome | None") -> str:
    """The plan's text with its corrections and with the phase marked as done, as far as the document can say so."""
    if drift is not None and all(text[start:end] == old for start, end, old, _ in drift.edits):
        text = apply_splices(text, drift.edits)
    try:
        return mark_done(Source(path, text), phase).text
    except PlanrailError:
        return text
