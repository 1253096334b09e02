"""Entries: the tasks of a structured file (YAML, JSON), and the plan they make."""

from functools import cache

from planrail.base.records import record
from planrail.plans.claims import Kind, StatusClaim
from planrail.plans.model import Diagnostic, Phase, Plan, WorkItem
from planrail.plans.routes import conclude
from planrail.plans.states import ProofKind, State
from planrail.plans.text.source import PlanSource
from planrail.plans.words.marks import read_status


@record
class TaskEntry:
    """A task of a structured file. `status` stands at `start`, without its quotes; the rest is as in a `Phase`."""

    id: str
    title: str
    status: str
    start: int
    end: int
    depends_on: list[str]
    items: list[WorkItem]
    urgency: tuple[int, ...] = ()
    is_offered: bool = True
    opens_others: bool = True
    awaits_needs: bool = True


@cache  # a file repeats a handful of words thousands of times
def read_state(status: str) -> State | None:
    """The state that a tool's status word means; None for a word that is not known."""
    words = status.strip().lower().replace("_", " ").replace("-", " ")
    if words.startswith(("moved", "merged to", "merged into", "deprecated")):
        return State.SKIPPED
    mark = read_status(words)
    return mark.state if mark and mark.start == 0 and mark.end == len(words) else None


def make_plan(source: PlanSource, title: str, dialect: str, entries: list[TaskEntry]) -> Plan:
    problems: list[Diagnostic] = []
    phases, line, at = [], 1, 0
    for entry in entries:
        if entry.start >= at:  # the lines are counted on from one entry to the next
            line += source.text.count("\n", at, entry.start)
            at = entry.start
        here = line if at == entry.start else source.line_at(entry.start)
        state = read_state(entry.status)
        if state is None and entry.status:
            message = f"{entry.id} has the status “{entry.status}”, which I do not know"
            problems.append(Diagnostic(here, "unknown-mark", message))
        reason = f"status, line {here}: {entry.status or 'none'}"
        claim = StatusClaim(Kind.TRACKER, state or State.UNKNOWN, here, reason, entry.start, entry.end)
        said = (entry.id, entry.title, "task", claim.state, ProofKind.CLAIMED if state else None, reason, here)
        asked = (entry.depends_on, entry.items, (), claim, (), -1, entry.urgency)
        phases.append(Phase(*said, *asked, entry.is_offered, entry.opens_others, entry.awaits_needs))
    return conclude(Plan(source.path, title, "tracker", dialect, phases, None, problems), has_header=False)
