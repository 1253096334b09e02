"""Landing: the candidate, its proof, the move of the target; and the marks in the plan, which land with it or are
written in place."""

import contextlib
import hashlib
import os
import shlex
import time
from collections.abc import Callable, Iterator

from planrail.base.errors import PlanrailError, ToolFailed
from planrail.base.records import replace
from planrail.base.run_model import (
    Baseline,
    Candidate,
    DriftOutcome,
    Evidence,
    Landing,
    PhaseOrder,
    Proof,
    Refusal,
    Snapshot,
)
from planrail.git.git_writing import ask_git, hold
from planrail.git.trailers import add_trailers, read_history
from planrail.git.workspaces.work_snapshots import tree_of
from planrail.plans.canonical.canonical import canonicalise
from planrail.plans.editing.corrections import apply_splices, undo_corrections
from planrail.plans.editing.edits import find_empty_cells, mark_complete, mark_done, write_commits
from planrail.plans.files.plan_writing import write_text
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource
from planrail.runs.evidence.judging import hash_evidence
from planrail.runs.forge.pr_body import close_issues
from planrail.runs.landing.candidates import Conflict, build_candidate, read_author, refuse_landing
from planrail.runs.landing.landing_moves import TAKEN_OVER
from planrail.runs.landing.proofs import prove
from planrail.runs.landing.targets import land
from planrail.runs.steps import lines
from planrail.runs.steps.judging import Judging
from planrail.runs.steps.lines import WAITING, find_work, repository_lock, resolve_line
from planrail.runs.steps.redoing import REDONE
from planrail.runs.steps.site import At, Site
from planrail.runs.steps.workspaces import Workspaces
from planrail.store.runs.run_history import VERIFIED

# Seconds between two looks at whose turn it is, before people are told, and until nobody is waited for any more.
_LOOK, _QUIETLY, _LONGEST_TURN = 0.05, 5.0, 900.0
_RECORD = "the target had this work already; this commit records its proof, and changes no file"
_COMPLETE = "the plan is complete: {}, and the whole was verified once more"


class Landings:
    def __init__(self, site: Site, workspaces: Workspaces, judging: Judging) -> None:
        self._site, self._workspaces, self._judging = site, workspaces, judging

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """One run at a time, of all on this machine, builds, proves and moves a target.

        What is proven while another lands is proven for nothing: many runs would prove again and again, and those with
        quick checks would keep the others waiting for ever.
        """
        site, since = self._site, time.monotonic()
        name = hashlib.sha256(site.order.line.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        place = os.path.join(os.path.dirname(repository_lock(site.order.root)), "turns", name)
        has_told = False

        def wait(_: float) -> None:
            nonlocal has_told
            with site.interruptions.undisturbed():  # a run that was stopped does not go on waiting
                if not has_told and time.monotonic() - since > _QUIETLY:
                    has_told = True
                    site.watcher.note("another run is landing; this one is next, or soon")
            time.sleep(_LOOK)

        with contextlib.ExitStack() as stack:
            with contextlib.suppress(ToolFailed):  # the run whose turn it is hangs: the first one lands, then
                stack.enter_context(hold(place, _LONGEST_TURN, wait))
            yield

    def build(
        self, at: At, snapshot: Snapshot, evidence: Evidence, drift: DriftOutcome, after: str = ""
    ) -> Candidate | Refusal:
        """The commit that is to land, on the target as it is now, or the target itself where that has this very work;
        raises `Paused` where the two do not fit together, unless the work is redone `after` that."""
        onto = resolve_line(self._site)
        if onto != snapshot.base and find_work(self._site, at, evidence, onto, snapshot.base):
            return Candidate(onto, tree_of(self._site.root, onto), onto)
        built = self._build_on(onto, at.phase, snapshot, evidence, drift, int(self._site.now()))
        if isinstance(built, Candidate):
            return built
        if after == REDONE and built.reason == "conflict":
            return built
        if self._site.order.remote:  # a worker's clone is no place for people to look for a branch
            return replace(built, command=f"planrail run {self._site.order.path} {at.phase.id}")
        finished = self._build_on(snapshot.base, at.phase, snapshot, evidence, drift, 0)
        assert isinstance(finished, Candidate)  # on its own base nothing is merged
        raise lines.keep(self._site, at, finished, evidence, built.text)

    def _build_on(
        self, onto: str, phase: PhaseOrder, snapshot: Snapshot, evidence: Evidence, drift: DriftOutcome, now: int
    ) -> Candidate | Refusal:
        root, order = self._site.root, self._site.order
        if onto != snapshot.base and order.options.landing == "direct":
            return Refusal("moved", "the target has moved, and work that lands directly is never merged")
        extra = self._marked_file(onto, lambda text: mark_text(order.path, text, phase.id, drift))
        subject, author = f"Phase {phase.id}: {phase.title}".replace("\n", " ")[:100], read_author(root)

        def build(body: str) -> Candidate | Conflict:
            proven = (hash_evidence(evidence.runs), evidence.confined)
            message = add_trailers(f"{subject}\n\n{body}", order.plan, phase.id, *proven)
            return build_candidate(root, snapshot, onto, message, extra, author=author, at=now)

        built = build("\n".join(f"- {item}" for item in phase.items))
        if isinstance(built, Candidate) and self._is_record(built):
            built = build(f"{_RECORD}.")
        if isinstance(built, Conflict):
            return Refusal("conflict", f"the target has changed the same places: {built.text}")
        return built

    def _is_record(self, candidate: Candidate) -> bool:
        """Whether the target has all of the work already, as a squash by hand leaves it: without the trailers by which
        a proof is known, so that a commit is needed that has them."""
        return candidate.commit != candidate.onto and candidate.tree == tree_of(self._site.root, candidate.onto)

    def prove(self, at: At, snapshot: Snapshot, candidate: Candidate, baseline: Baseline) -> Proof:
        """That the candidate has what was verified and loses nothing. No row of a ledger lands anything: the checks are
        run on the candidate itself."""
        order, name = self._site.order, self._site.order.line.removeprefix("refs/heads/")
        is_landed = candidate.commit == candidate.onto  # the target has the work, perhaps as a person merged it
        if not is_landed:
            extra = [order.path] if order.is_tracked else []
            proof = prove(order.root, snapshot, candidate, candidate.onto, extra)
            if not proof.ok:
                return proof
        checked = self._workspaces.check(at, candidate.commit, candidate.tree, baseline.base, "candidate")
        failed = self._judging.judge_again(at.phase, baseline, checked)
        where = f"on {name}" if is_landed else "on the candidate"
        proof = Proof(not failed, tuple(f"{where}: {finding.text}" for finding in failed))
        if proof.ok or order.remote or not is_landed:
            return proof
        text = f"{name} has the work of phase {at.phase.id}, and it does not hold: {'; '.join(proof.problems)}"
        lines.rest(self._site, at, Landing("paused", message=text), None)
        raise lines.pause(order, f"{text}. First repair that on {name}, and commit it", at.phase.id)

    def land(self, at: At, candidate: Candidate, evidence: Evidence) -> Landing:
        """Move the target, if it is still where the candidate was built; raises `Paused` where that has to wait."""
        order, options = self._site.order, self._site.order.options
        protected = options.main_protected and order.line == order.target
        refusal = refuse_landing(options.landing, verified=not evidence.failures, main_is_protected=protected)
        if refusal is not None:
            return Landing("refused", message=refusal.text, command=refusal.command)
        if not self._site.holds_claim():
            return Landing("refused", message=TAKEN_OVER)
        commit = candidate.commit
        if commit == candidate.onto:  # the target had the work already
            commit = find_work(self._site, at, evidence, commit, "") or commit
        fact = self._site.describe(at, VERIFIED, commit, evidence, base=candidate.onto)
        self._site.say(at, f"verified/{commit}", fact)
        landing = self.move_target(candidate, at.phase.id)
        if landing.state == WAITING:
            raise lines.rest(self._site, at, landing, evidence)
        if landing.state != "landed":
            return landing
        if self._site.is_resumed:
            lines.clear(self._site, commit)
        told = f"{commit[:12]}: {_RECORD}" if self._is_record(candidate) else landing.message
        return Landing("landed", commit, landing.ref, told, landing.command)

    def move_target(self, candidate: Candidate, phase: str = "") -> Landing:
        """Move the target to a candidate, if the plan is still ours. Neither Ctrl-C nor a stop leaves it half way."""
        site, order = self._site, self._site.order
        if order.remote:
            with site.interruptions.undisturbed():
                return lines.land_remotely(site, candidate)
        lock = repository_lock(order.root)
        places = (lock, lines.waiting_branch(order), lines.intent_of(order, candidate.commit))
        with site.interruptions.undisturbed(), hold(lock):
            lines.finish_landings(order.root)
            return land(order.root, order.line, candidate, *places, phase=phase, guard=site.holds_claim)

    def build_mark(self, done: tuple[str, ...]) -> Candidate:
        """The commit that marks the plan complete; one without a name where there is nothing to commit."""
        order, head = self._site.order, resolve_line(self._site)
        extra = self._marked_file(head, self._mark_complete)
        if not extra:
            return Candidate("", "", head)
        snapshot = Snapshot(head, tree_of(order.root, head), head, ())
        message = add_trailers(f"Mark the plan complete: {order.title}{close_issues(order)}", order.plan, "", "")
        author, now = read_author(order.root), int(self._site.now())
        built = build_candidate(order.root, snapshot, head, message, extra, author=author, at=now)
        assert not isinstance(built, Conflict)  # nothing is merged
        return built

    def complete(self, done: tuple[str, ...], mark: Candidate) -> Landing:
        """Mark the plan complete, by that commit or in its file. Only the run that still holds the plan does."""
        order, landing = self._site.order, Landing("landed", mark.onto)
        if mark.commit:
            landing = self.move_target(mark)
            if landing.state == WAITING:
                raise lines.pause(order, f"every phase landed; the mark in the plan waits: {landing.message}")
        elif not self._site.holds_claim():
            return Landing("refused", message=TAKEN_OVER)
        elif self._is_marked_in_place():
            self._write_in_place(self._mark_complete, *order.phases)
        if landing.state != "landed":
            return landing
        if order.options.landing != "pr":  # otherwise its request is still to be merged
            lines.lower_line_fence(self._site)
        skipped = [phase.id for phase in order.phases if phase.state == "skipped" and phase.id not in order.adopted]
        others = [f"{', '.join(order.adopted)}, done before"] if order.adopted else []
        others += [f"{', '.join(skipped)}, skipped"] if skipped else []
        told = "every phase landed" + (f", but for {' and '.join(others)}" if others else "")
        return Landing("landed", landing.commit, landing.ref, _COMPLETE.format(told), landing.command)

    def _mark_complete(self, text: str) -> str:
        day = time.strftime("%Y-%m-%d", time.gmtime(self._site.now()))
        try:
            return mark_complete(PlanSource(self._site.order.path, text), day)
        except PlanrailError:
            return text

    # ---- marks in the plan ----

    def _marked_file(self, onto: str, mark: Callable[[str], str]) -> dict[str, bytes]:
        """The plan with a mark, as a part of a commit; nothing where the plan is not planrail's to commit."""
        order = self._site.order
        if not order.is_tracked or self._is_plan_dirty():
            return {}
        text = ask_git(order.root, "show", f"{onto}:{order.path}")
        if text is None:
            return {}
        marked = self._note_commits(mark(text), onto)
        return {order.path: marked.encode("utf-8", "surrogateescape")} if marked != text else {}

    def _note_commits(self, text: str, onto: str) -> str:
        """The plan with the commits of the phases that landed before, where it has cells for them.

        Those of a pull request get other names when it is merged, and are left out.
        """
        order = self._site.order
        source = PlanSource(order.path, text)
        if order.options.landing == "pr" or not find_empty_cells(source):
            return text
        landed = read_history(order.root, onto)
        return write_commits(source, {found.phase: found.commit for found in landed[::-1] if found.plan == order.plan})

    def _is_plan_dirty(self) -> bool:
        """Whether the plan's file in the checkout has changes that are not committed. A mirror has no checkout."""
        order = self._site.order
        return not order.remote and bool(ask_git(order.root, "status", "--porcelain", "-z", "--", order.path))

    def _is_marked_in_place(self) -> bool:
        """Whether the plan's own file is marked, and not a commit: it is no part of what lands. In a mirror it is
        nobody's."""
        order = self._site.order
        return not order.remote and (not order.is_tracked or self._is_plan_dirty())

    def mark_in_place(self, phase: PhaseOrder, drift: DriftOutcome | None) -> None:
        """Mark the plan's own file, where it is not a part of what lands."""
        order = self._site.order
        if not self._is_marked_in_place():
            return
        if not self._write_in_place(lambda text: mark_text(order.path, text, phase.id, drift), phase):
            told = f"your edits of phase {phase.id} in {order.path} did not run, so it is not marked there"
            self._site.watcher.note(f"{told}; to run them, commit them, then: planrail run {shlex.quote(order.path)}")

    def _write_in_place(self, mark: Callable[[str], str], *phases: PhaseOrder) -> bool:
        """Mark the plan's file in the checkout. False: it does not have these phases as they ran, and stays."""
        place = os.path.join(self._site.root, self._site.order.path)
        try:
            with open(place, encoding="utf-8", errors="surrogateescape", newline="") as file:
                text = file.read()
        except OSError:
            return True
        if not is_as_run(self._site.order.path, text, *phases):
            return False
        marked = self._note_commits(mark(text), resolve_line(self._site))
        if marked != text:
            write_text(place, marked)
        return True


def is_as_run(path: str, text: str, *phases: PhaseOrder) -> bool:
    """Whether a text of the plan has phases as they ran. Numbers that planrail itself corrected do not count."""
    before, _ = undo_corrections(text, plan := read(PlanSource(path, text)))
    plans = {before: read(PlanSource(path, before)) if before != text else plan, text: plan}
    parts = {(part.key, part.hash) for known, plan in plans.items() for part in canonicalise(plan, known).phases}
    return all(not phase.canonical or (phase.id, phase.canonical) in parts for phase in phases)


def mark_text(path: str, text: str, phase: str, drift: DriftOutcome | None) -> str:
    """The plan's text with its corrections and with the phase marked as done, as far as the document can say so."""
    if drift is not None and all(text[start:end] == old for start, end, old, _ in drift.edits):
        text = apply_splices(text, drift.edits)
    try:
        return mark_done(PlanSource(path, text), phase).text
    except PlanrailError:
        return text
