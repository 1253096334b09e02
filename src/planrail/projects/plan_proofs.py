"""What the ledger adds to a document: which phases are proven or adopted, and which a live run is at work on.

A document without a ledger is read as before, at no cost: the place is looked at before anything is imported for it.
"""

import os
from collections.abc import Mapping

from planrail.base.records import record, replace
from planrail.base.state_folder import state_folder
from planrail.plans.files.plan_projects import find_root
from planrail.plans.model import Next, Phase, Plan
from planrail.plans.states import ProofKind, Route, State

RECENT = 2000  # commits in a row in which trailers are looked for


@record
class PhaseRecord:
    """What the ledger says of a phase. `text` is the hash of the text that was proven; "" where that is not known.

    A word that does not make a phase done is only told; one that reopens it says why it is not done any more.
    """

    proof: ProofKind
    reason: str
    text: str = ""
    makes_done: bool = True
    reopens: bool = False


@record
class KnownProofs:
    """What the ledger says of a plan: the word on each phase; `live` says of phases that a live run is at work on them.

    `held` says who holds the plan, "" where nobody does.
    """

    words: "Mapping[str, PhaseRecord]"
    live: Mapping[str, str] = {}
    held: str = ""


def may_be_known(path: str) -> bool:
    """Whether there can be a ledger that knows this plan: a look at the disk, and nothing is imported for it."""
    top = find_root(path)
    if not os.environ.get("PLANRAIL_STATE_DIR"):
        if any(os.path.exists(f"{top}/.git/planrail/{name}") for name in ("ledger.db", "spool.jsonl")):
            return True
        if os.path.isfile(f"{top}/.git"):
            return True  # a linked worktree: its repository has to be looked for
    if os.environ.get("PLANRAIL_DATABASE"):
        return True  # a team may keep the facts of this repository in a database of its own
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    for place in (top, f"{config}/planrail"):
        try:
            with open(f"{place}/planrail.toml", "rb") as file:
                if b"database" in file.read():
                    return True
        except OSError:
            continue
    return os.path.isdir(os.path.join(state_folder(), "ledgers"))


def is_told(path: str) -> bool:
    """Whether commits of this repository say that phases of some plan have landed: what a fresh clone knows."""
    folder = find_root(path)
    if not os.path.exists(os.path.join(folder, ".git")):
        return False
    from planrail.git.trailers import read_history

    return bool(read_history(folder, "HEAD", RECENT))


def add_proofs(plan: Plan, known: KnownProofs, texts: Mapping[str, str]) -> Plan:
    """The plan with what the ledger knows. `texts` are the hashes of the phases as they are now.

    A proof holds for the text that was proven, and in a session as long as its work is there: a phase that says
    something else by now, or whose work was undone, is open, as a run has it. A document that says done without one
    makes a claim, as ever. The plan's holder is at work on the next phase, where it is not known to be at work on
    another.
    """
    proven = [_prove(phase, known, texts.get(phase.id, "")) for phase in plan.phases]
    if any(old.status.is_terminal and not new.status.is_terminal for old, new in zip(plan.phases, proven, strict=True)):
        plan = replace(plan, next=None)  # the document does not know that a phase is open again
    upcoming = _upcoming(plan, proven)
    live = known.live or ({upcoming.id: known.held} if known.held and upcoming is not None else {})
    # Not the document's word: there is no claim in it that says so.
    held = {"status": State.IN_PROGRESS, "proof": ProofKind.CLAIMED, "claim": None}
    phases = [
        replace(phase, **held, reason=live[phase.id])
        if phase.id in live and phase.proof is not ProofKind.PROVEN
        else phase
        for phase in proven
    ]
    if all(new is old for new, old in zip(phases, plan.phases, strict=True)):
        return plan
    return _conclude(replace(plan, phases=phases), live)


def _prove(phase: Phase, known: KnownProofs, text: str) -> Phase:
    word = known.words.get(phase.id)
    if word is None:
        return phase
    is_changed = bool(word.text and text and word.text != text)
    if is_changed or word.reopens:
        if phase.status is State.SKIPPED:
            return phase
        status = State.TODO if phase.status is State.DONE else phase.status
        why = f"its text has changed since it was proven ({word.reason})" if is_changed else word.reason
        return replace(phase, status=status, reason=why)
    if not word.makes_done:
        return phase if phase.status.is_terminal else replace(phase, reason=f"{phase.reason}; {word.reason}")
    if phase.status is State.DONE:
        told = f"{phase.reason}; {word.reason}" if word.proof is ProofKind.CLAIMED else phase.reason
        return replace(phase, proof=word.proof, reason=told)
    if word.proof is not ProofKind.ADOPTED and phase.status is not State.SKIPPED:
        return replace(phase, status=State.DONE, proof=word.proof, reason=word.reason)
    return phase


def _upcoming(plan: Plan, phases: list[Phase]) -> Phase | None:
    """The next phase: the one that the document's own order gives, where that is still open."""
    from planrail.plans.routes import decide_next

    named = next((phase for phase in phases if plan.next is not None and phase.id == plan.next.phase), None)
    return named if named is not None and not named.status.is_terminal else decide_next(phases)


def _conclude(plan: Plan, live: Mapping[str, str]) -> Plan:
    from planrail.plans.formats.dialects import dialect_of
    from planrail.plans.routes import decide_route, decide_status

    upcoming = _upcoming(plan, plan.phases)
    status = decide_status(plan.phases, plan.header, plan.beside)
    route = decide_route(plan.phases, upcoming, plan.header, status, has_header=dialect_of(plan).has_header)
    if upcoming is not None and upcoming.id in live:
        route = Route.DEFER
    proven = (ProofKind.PROVEN, ProofKind.ADOPTED)
    is_proven = all(phase.status is State.SKIPPED or phase.proof in proven for phase in plan.phases)
    if route is Route.FINALISE and plan.header is None and is_proven:
        route = Route.COMPLETE  # the document has no place that would have to say so
    coming = Next(upcoming.id, upcoming.next_item) if upcoming else None
    return replace(plan, status=status, next=coming, route=route)
