"""What had happened to a plan before this run: phases that earlier runs landed, and those that a person adopted.

A row of the ledger alone proves nothing, and neither does a commit that says so by itself: where the ledger knows the
plan, a phase has landed if both agree. A fresh clone has only the commits, and believes them.
"""

from planrail.base.records import record
from planrail.git.git_writing import ask_git
from planrail.git.remotes.pushing import FETCHED, remote_of
from planrail.git.trailers import read_history
from planrail.runs.request.ordering import Ground, list_texts
from planrail.store.facts import Fact
from planrail.store.ledger import has_ledger, open_ledger
from planrail.store.runs.run_facts import adopted_in

_UNPROVEN = ("failed", "in_progress", "paused", "parked", "stopped")


@record
class Past:
    """The phases that need not run again."""

    landed: tuple[str, ...] = ()
    adopted: tuple[str, ...] = ()


def read_past(ground: Ground, line: str) -> Past:
    """What the commits of the target, or of the line that leads to it, and the ledger say together."""
    facts = _facts(ground)
    refs = [ground.target, *_elsewhere(ground, line)]
    history = [found for ref in refs for found in read_history(ground.root, ref)]
    commits = {(found.phase, found.evidence) for found in history if found.plan == ground.paper.id}
    proofs = _of_these_texts([fact for fact in facts if _text(fact, "state") not in _UNPROVEN], ground)
    known = {(_text(fact, "phase"), _text(fact, "evidence")) for fact in proofs}
    has_run = any(fact.kind == "phase" for fact in facts)
    landed = {phase for phase, evidence in commits if not has_run or (phase, evidence) in known}
    return Past(tuple(sorted(landed)), _adopted(ground, facts, landed, has_run=has_run))


def _of_these_texts(facts: list[Fact], ground: Ground) -> list[Fact]:
    """The facts about phases as the plan has them now: what was proven of another text proves nothing of this one."""
    texts = list_texts(ground.paper)
    return [fact for fact in facts if _text(fact, "canonical") in ("", *texts.get(_text(fact, "phase"), ()))]


def _elsewhere(ground: Ground, line: str) -> list[str]:
    """Where work lands by pull request: the branch of the request, and the target as its remote had it last."""
    if line == ground.target:
        return []
    upstream = remote_of(ground.root, ground.target)
    there = f"{FETCHED}/{upstream.remote}/{upstream.branch}" if upstream is not None else ""
    return [ref for ref in (line, there) if ref and ask_git(ground.root, "rev-parse", "--verify", "--quiet", ref)]


def _facts(ground: Ground) -> list[Fact]:
    if not has_ledger(ground.root):
        return []
    with open_ledger(ground.root) as ledger:
        return ledger.facts(plan=ground.paper.id)


def _adopted(ground: Ground, facts: list[Fact], landed: set[str], *, has_run: bool) -> tuple[str, ...]:
    """Phases that a person adopted; in a project that does without approval, those that were done at the first run."""
    found = set(adopted_in(facts))
    if not ground.policy.required and not has_run:
        found.update(phase.id for phase in ground.paper.plan.phases if phase.status.is_terminal)
    return tuple(sorted(found - landed))


def _text(fact: Fact, name: str) -> str:
    return str(fact.value.get(name) or "")
