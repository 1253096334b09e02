"""What happened to a plan, as one list: what was said to it, and what its runs did. Pure."""

from collections.abc import Sequence

from planrail.approval.model import Approval, Rejection, Request, read_approval, read_rejection, read_request
from planrail.base.records import record
from planrail.base.wording import plural
from planrail.store.facts import Fact
from planrail.store.runs.run_facts import AnyFact, read_fact
from planrail.store.runs.run_history import DriftFact, EvidenceFact, PhaseFact, RunFact, SignOff, SpentFact, VerdictFact

_SAID = {"approval": read_approval, "rejection": read_rejection, "request": read_request}


@record
class PlanEvent:
    """Something that happened: request, approval, rejection, run, phase, evidence, verdict, sign_off or drift."""

    at: int
    kind: str
    text: str
    run: str = ""
    phase: str = ""


def list_events(facts: Sequence[Fact]) -> list[PlanEvent]:
    """All of them, in the order in which the ledger learned of them; what says nothing to a person is left out."""
    found = []
    for fact in facts:
        said = _SAID[fact.kind](fact.value) if fact.kind in _SAID else read_fact(fact)
        text = _describe(said) if said is not None else ""
        if text:
            found.append(PlanEvent(fact.at, fact.kind, text, getattr(said, "run", ""), getattr(said, "phase", "")))
    return found


def _describe(said: Approval | Rejection | Request | AnyFact) -> str:
    match said:
        case Request():
            return f"proposed by {said.agent or said.member}"
        case Approval():
            return f"approved by {said.who}, {said.channel}"
        case Rejection():
            return f"rejected by {said.who}, {said.channel}" + (f": {said.feedback}" if said.feedback else "")
        case RunFact():
            who = f", with {said.agent}" if said.agent else ""
            return f"{said.event.replace('_', ' ')}{who}" + (f": {said.text}" if said.text else "")
        case PhaseFact():
            commit = f" as {said.commit[:10]}" if said.commit else ""
            attempt = f", attempt {said.attempt}" if said.attempt > 1 else ""
            return f"{said.state.replace('_', ' ')}{commit}{attempt}" + (f": {said.text}" if said.text else "")
        case EvidenceFact():
            failed = sum(run.exit != 0 for run in said.runs)
            result = f"{failed} failed" if failed else "passed"
            return f"{plural(len(said.runs), 'check')} on {said.tree[:10]}: {result}"
        case VerdictFact(verdict=verdict):
            return "; ".join((f"{'passed' if verdict.passed else 'refused'} by {verdict.by}", *verdict.problems))
        case SignOff():
            return f"signed off by {said.who}, {said.channel}"
        case DriftFact():
            return f"{said.field}: stated {said.stated}, found {said.actual}: {said.decision.replace('_', ' ')}"
        case SpentFact():
            return ""
