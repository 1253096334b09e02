"""What had happened to a plan before this run: phases that earlier runs landed, and those that a person adopted.

A row of the ledger alone proves nothing, and neither does a commit that says so by itself: where the ledger knows the
plan, a phase has landed if both agree. A fresh clone has only the commits, and believes them.
"""

from planrail.ledger.store import has_ledger, open_ledger
from planrail.records import record
from planrail.repo.trailers import read_history

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.cli.running.ordering import Ground
    from planrail.ledger.facts import Fact

LANDED = ("landed", "done", "merged")


@record
class Past:
    """The phases that need not run again."""

    landed: tuple[str, ...] = ()
    adopted: tuple[str, ...] = ()


def read_past(ground: "Ground") -> Past:
    """What the target's commits and the ledger say together."""
    facts = _facts(ground)
    commits = {
        (found.phase, found.commit) for found in read_history(ground.root, ground.target) if _is_of(ground, found)
    }
    known = {(_text(fact, "phase"), _text(fact, "commit")) for fact in facts if _text(fact, "state") in LANDED}
    has_run = any(fact.kind == "phase" for fact in facts)
    landed = {phase for phase, commit in commits if not has_run or (phase, commit) in known}
    return Past(tuple(sorted(landed)), _adopted(ground, facts, landed, has_run=has_run))


def _is_of(ground: "Ground", found: object) -> bool:
    return getattr(found, "plan", None) == ground.paper.id


def _facts(ground: "Ground") -> "list[Fact]":
    if not has_ledger(ground.root):
        return []
    with open_ledger(ground.root) as ledger:
        return ledger.facts(plan=ground.paper.id)


def _adopted(ground: "Ground", facts: "list[Fact]", landed: set[str], *, has_run: bool) -> tuple[str, ...]:
    """Phases that a person adopted; in a project that does without approval, those that were done at the first run."""
    found: set[str] = set()
    for fact in facts:
        phases = fact.value.get("phases") if fact.kind == "adoption" else None
        found.update(str(phase) for phase in phases) if isinstance(phases, list) else None
    if not ground.policy.required and not has_run:
        found.update(phase.id for phase in ground.paper.plan.phases if phase.status.is_terminal)
    return tuple(sorted(found - landed))


def _text(fact: "Fact", name: str) -> str:
    return str(fact.value.get(name) or "")
