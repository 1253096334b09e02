"""What became of each attempt of a phase, gathered from the journal of its run and from the ledger. Pure.

The journal has everything that a run found out; where it is gone, or a phase was done in a session, the ledger has
enough for a report.
"""

from collections.abc import Iterable, Sequence

from planrail.base.records import mutable_record, record, replace
from planrail.base.run_model import (
    Baseline,
    DriftOutcome,
    Evidence,
    Finding,
    Landing,
    Order,
    PhaseEnd,
    PhaseOrder,
    Proof,
    Snapshot,
    Verdict,
    Work,
    Workspace,
)
from planrail.runs.phases.viewpoints import View
from planrail.store.journal_lines import ENDED, WAITING, Line, Step, list_steps, split_key
from planrail.store.runs.run_history import History, PhaseFact, judge_phases


@mutable_record
class Attempt:
    """One attempt of a phase, with all that is known of it."""

    run: str
    phase: str
    number: int
    title: str = ""
    state: str = "in_progress"
    reason: str = ""
    text: str = ""
    command: str = ""
    commit: str = ""
    began: float = 0.0
    ended: float | None = None
    by: str = "run"
    evidence_hash: str = ""
    order: PhaseOrder | None = None
    baseline: Baseline | None = None
    workspace: Workspace | None = None
    snapshot: Snapshot | None = None
    evidence: Evidence | None = None
    verdict: Verdict | None = None
    drift: DriftOutcome | None = None
    proof: Proof | None = None
    landing: Landing | None = None
    view: View | None = None
    works: tuple[tuple[str, Work], ...] = ()
    steps: tuple[Step, ...] = ()
    signed_by: str = ""

    @property
    def findings(self) -> tuple[Finding, ...]:
        proven = self.evidence.findings if self.evidence is not None else ()
        return (*proven, *self.view.findings) if self.view is not None else proven

    @property
    def pictures(self) -> tuple[str, ...]:
        return tuple(shot.path for shot in self.view.pictures) if self.view is not None else ()

    @property
    def seconds(self) -> float:
        """How long was worked on it: what its steps took together, without those that wait for somebody."""
        worked = [step for step in self.steps if step.kind not in WAITING]
        return sum(max(0.0, step.ended - step.began) for step in worked if step.ended is not None)


@record
class RunPart:
    """A run as the report sees it: what was ordered, what its journal says, how it stands.

    `phase` is the one that it came to rest at, `rested` when that was; "" and 0 where nobody said so.
    """

    order: Order
    lines: Sequence[Line]
    state: str
    text: str = ""
    command: str = ""
    phase: str = ""
    rested: float = 0.0


_FIELDS = {
    Baseline: "baseline",
    Workspace: "workspace",
    Snapshot: "snapshot",
    Evidence: "evidence",
    Verdict: "verdict",
    DriftOutcome: "drift",
    Proof: "proof",
    Landing: "landing",
    View: "view",
}


def gather_attempts(runs: Iterable[RunPart], history: History) -> list[Attempt]:
    """All attempts of all phases, the newest first."""
    found: dict[tuple[str, str, int], Attempt] = {}
    for run in runs:
        for attempt in _from_journal(run):
            found[attempt.run, attempt.phase, attempt.number] = attempt
    _take_history(found, history)
    return sorted(found.values(), key=lambda attempt: (attempt.began, attempt.number), reverse=True)


def _from_journal(run: RunPart) -> list[Attempt]:
    phases = {phase.id: phase for phase in run.order.phases}
    found: dict[tuple[str, int], Attempt] = {}
    for step in _closed(run):
        if step.phase and step.attempt:
            attempt = found.setdefault((step.phase, step.attempt), _new(run, phases.get(step.phase), step))
            attempt.steps = (*attempt.steps, step)
    for line in run.lines:
        phase, number, step_name = split_key(line.key)
        if line.state == ENDED and (phase, number) in found:
            _take(found[phase, number], step_name, line)
    return list(found.values())


def _closed(run: RunPart) -> list[Step]:
    """The steps; where nobody is at work any more, what was under way ended when the run came to rest."""
    steps = list_steps(run.lines)
    if run.state == "running" or not run.lines:
        return steps
    last = max(run.lines[-1].at, run.rested)
    return [replace(step, ended=max(step.began, last)) if step.ended is None else step for step in steps]


def _new(run: RunPart, order: PhaseOrder | None, step: Step) -> Attempt:
    title = order.title if order is not None else ""
    return Attempt(run.order.run, step.phase, step.attempt, title, began=step.began, order=order)


def _take(attempt: Attempt, step: str, line: Line) -> None:
    """Learn from the result of a step. What it is says more than what the step is called."""
    result = line.result()
    if isinstance(result, Work):
        attempt.works = (*attempt.works, (step, result))
        attempt.steps = tuple(_stretch(one, result) if one.name == step else one for one in attempt.steps)
    elif isinstance(result, PhaseEnd):
        _end(attempt, result, line.at)
    elif type(result) in _FIELDS:
        setattr(attempt, _FIELDS[type(result)], result)
    if isinstance(result, Verdict) and result.work is not None:
        attempt.works = (*attempt.works, (step, result.work))


def _stretch(step: Step, work: Work) -> Step:
    """A step as long as its agent worked: whoever took it up after a crash came late."""
    return replace(step, began=min(step.began, (step.ended or step.began) - work.seconds))


def _end(attempt: Attempt, end: PhaseEnd, at: float) -> None:
    attempt.state, attempt.reason, attempt.text = end.state, end.reason, end.text
    attempt.commit, attempt.command, attempt.ended = end.commit, end.command, at


def _take_history(found: dict[tuple[str, str, int], Attempt], history: History) -> None:
    """What only the ledger knows: attempts without a journal, hashes of evidence, sign-offs; and what it doubts."""
    for fact in history.phases:
        _take_fact(found, fact)
    for proof in history.evidence:
        attempt = found.get((proof.run, proof.phase, proof.attempt))
        if attempt is not None and attempt.evidence is None:
            attempt.evidence = Evidence(proof.tree, proof.runs, proof.findings)
    for word in history.verdicts:
        attempt = found.get((word.run, word.phase, word.attempt))
        if attempt is not None and attempt.verdict is None:
            attempt.verdict = word.verdict
    for signed in history.sign_offs:
        for attempt in found.values():
            if (attempt.run, attempt.phase) == (signed.run, signed.phase):
                attempt.signed_by = f"{signed.who}, {signed.channel}"
    _doubt(found, history)


def _take_fact(found: dict[tuple[str, str, int], Attempt], fact: PhaseFact) -> None:
    key = (fact.run, fact.phase, fact.attempt)
    attempt = found.get(key)
    if attempt is None:
        attempt = found[key] = Attempt(fact.run, fact.phase, fact.attempt, fact.title, began=fact.at, by=fact.by)
    if not attempt.steps or attempt.ended is None:
        attempt.state, attempt.reason, attempt.text = fact.state, fact.reason, fact.text
    elif attempt.state == "pr-ready" and fact.is_done:  # its request was merged since
        attempt.state, attempt.text, attempt.commit = fact.state, fact.text, fact.commit
    attempt.commit = attempt.commit or fact.commit
    attempt.evidence_hash = fact.evidence or attempt.evidence_hash


def _doubt(found: dict[tuple[str, str, int], Attempt], history: History) -> None:
    """A word that says done without evidence is shown as what it is."""
    for fact in judge_phases(history.phases, history.evidence).values():
        attempt = found.get((fact.run, fact.phase, fact.attempt))
        if attempt is not None and fact.state == "claimed":
            attempt.state = fact.state
