"""What became of each attempt of a phase, gathered from the journal of its run and from the ledger. Pure.

The journal has everything that a run found out; where it is gone, or a phase was done in a session, the ledger has
enough for a report.
"""

from collections.abc import Iterable, Sequence

from planrail.base import run_model as model
from planrail.base.records import mutable_record, record, replace
from planrail.runs.phases.viewpoints import View
from planrail.store.journal_lines import ENDED, WAITING, JournalLine, Step, list_steps, split_key
from planrail.store.runs.run_history import History, judge_phases


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
    order: model.PhaseOrder | None = None
    baseline: model.Baseline | None = None
    workspace: model.Workspace | None = None
    snapshot: model.Snapshot | None = None
    evidence: model.Evidence | None = None
    verdict: model.Verdict | None = None
    drift: model.DriftOutcome | None = None
    proof: model.Proof | None = None
    landing: model.Landing | None = None
    view: View | None = None
    works: tuple[tuple[str, model.Work], ...] = ()
    steps: tuple[Step, ...] = ()
    signed_by: str = ""

    @property
    def findings(self) -> tuple[model.Finding, ...]:
        proven = self.evidence.findings if self.evidence is not None else ()
        return (*proven, *self.view.findings) if self.view is not None else proven

    @property
    def pictures(self) -> tuple[str, ...]:
        return tuple(shot.path for shot in self.view.pictures) if self.view is not None else ()

    @property
    def seconds(self) -> float:
        """How long was worked on it: what its steps took together, without those that wait for a person or a limit."""
        worked = [step for step in self.steps if step.kind not in WAITING]
        return sum(max(0.0, step.ended - step.began) for step in worked if step.ended is not None)


@record
class RunPart:
    """A run as the report sees it: what was ordered, what its journal says, how it stands.

    `phase` is the one that it came to rest at, `rested` when that was; "" and 0 where nobody said so.
    """

    order: model.Order
    lines: Sequence[JournalLine]
    state: str
    text: str = ""
    command: str = ""
    phase: str = ""
    rested: float = 0.0


_FIELDS = {
    model.Baseline: "baseline",
    model.Workspace: "workspace",
    model.Snapshot: "snapshot",
    model.Evidence: "evidence",
    model.Verdict: "verdict",
    model.DriftOutcome: "drift",
    model.Proof: "proof",
    model.Landing: "landing",
    View: "view",
}


def gather_attempts(runs: Iterable[RunPart], history: History) -> list[Attempt]:
    found: dict[tuple[str, str, int], Attempt] = {}
    for run in runs:
        for attempt in _from_journal(run):
            found[attempt.run, attempt.phase, attempt.number] = attempt
    _take_history(found, history)
    return sorted(found.values(), key=lambda attempt: (attempt.began, attempt.number), reverse=True)


def _from_journal(run: RunPart) -> list[Attempt]:
    phases = {phase.id: phase for phase in run.order.phases}
    steps, found = list_steps(run.lines), dict[tuple[str, int], Attempt]()
    if run.state != "running" and run.lines:
        # nobody is at work any more: what was under way ended when the run came to rest
        last = max(run.lines[-1].at, run.rested)
        steps = [replace(step, ended=max(step.began, last)) if step.ended is None else step for step in steps]
    for step in steps:
        key, order = (step.phase, step.attempt), phases.get(step.phase)
        if step.phase and step.attempt:
            if key not in found:
                title = order.title if order is not None else ""
                found[key] = Attempt(run.order.run, *key, title, began=step.began, order=order)
            found[key].steps = (*found[key].steps, step)
    for line in run.lines:
        phase, number, step_name = split_key(line.key)
        if line.state == ENDED and (phase, number) in found:
            _take(found[phase, number], step_name, line)
    return list(found.values())


def _take(attempt: Attempt, step: str, line: JournalLine) -> None:
    """Learn from the result of a step. What it is says more than what the step is called."""
    result = line.result()
    if isinstance(result, model.Work):
        attempt.works = (*attempt.works, (step, result))
        # a step is as long as its agent worked: a planrail that took it up after a crash came late
        attempt.steps = tuple(
            replace(one, began=min(one.began, (one.ended or one.began) - result.seconds)) if one.name == step else one
            for one in attempt.steps
        )
    elif isinstance(result, model.PhaseEnd):
        attempt.state, attempt.reason, attempt.text = result.state, result.reason, result.text
        attempt.commit, attempt.command, attempt.ended = result.commit, result.command, line.at
    elif type(result) in _FIELDS:
        setattr(attempt, _FIELDS[type(result)], result)
    if isinstance(result, model.Verdict) and result.work is not None:
        attempt.works = (*attempt.works, (step, result.work))


def _take_history(found: dict[tuple[str, str, int], Attempt], history: History) -> None:
    """What only the ledger knows: attempts without a journal, hashes of evidence, sign-offs; and what it doubts."""
    for fact in history.phases:
        key = (fact.run, fact.phase, fact.attempt)
        attempt = found.get(key) or Attempt(*key, fact.title, began=fact.at, by=fact.by)
        found[key] = attempt
        if not attempt.steps or attempt.ended is None:
            attempt.state, attempt.reason, attempt.text = fact.state, fact.reason, fact.text
        elif attempt.state == "pr-ready" and fact.is_done:  # its request was merged since
            attempt.state, attempt.text, attempt.commit = fact.state, fact.text, fact.commit
        attempt.commit = attempt.commit or fact.commit
        attempt.evidence_hash = fact.evidence or attempt.evidence_hash
    for proof in history.evidence:
        known = found.get((proof.run, proof.phase, proof.attempt))
        if known is not None and known.evidence is None:
            known.evidence = model.Evidence(proof.tree, proof.runs, proof.findings)
    for word in history.verdicts:
        known = found.get((word.run, word.phase, word.attempt))
        if known is not None and known.verdict is None:
            known.verdict = word.verdict
    signed = {(one.run, one.phase): f"{one.who}, {one.channel}" for one in history.sign_offs}
    for attempt in found.values():
        attempt.signed_by = signed.get((attempt.run, attempt.phase), attempt.signed_by)
    for fact in judge_phases(history.phases, history.evidence).values():
        known = found.get((fact.run, fact.phase, fact.attempt))
        if known is not None and fact.state == "claimed":  # a word that says done without evidence
            known.state = fact.state
