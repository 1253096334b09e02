"""Standing: which phases of a plan are approved as they are now, and why the others are not.

The newest approval that is strong enough decides, and no older one: to go back to an earlier text is to ask again. It
holds for a phase if the phase, the text outside all phases and the order of all that is unchanged are those that it was
given for. Rows that were added to the drift log void no phase, but the plan as a whole has to be seen again.
"""

from collections.abc import Callable, Sequence

from planrail.approval.model import KEY, NOBODY, Approval, Rejection, is_enough
from planrail.approval.policy import is_person
from planrail.base.records import record
from planrail.plans.canonical.canonical import HELD, LOG_GROWN, Canonical, PhaseText, compare_seal, hash_document

APPROVED = "approved"
CHANGED = "changed"
NEW = "new"
TOO_WEAK = "too_weak"
TAKEN_BACK = "taken_back"


@record
class Needed:
    """What an approval must be to count here. `verify` says who signed one; "" where its signature is not good."""

    plan: str
    repository: str
    strength: str
    verify: Callable[[Approval], str]
    leads: tuple[str, ...] = ()


@record
class PhaseStanding:
    """How it stands with one phase. `approval` is the one that holds for it, or the last that did."""

    key: str
    title: str
    state: str
    approval: Approval | None = None
    why: str = ""


@record
class Standing:
    """How it stands with a plan. `removed` are phases that were approved and are no longer there."""

    state: str
    phases: tuple[PhaseStanding, ...]
    removed: tuple[str, ...] = ()
    last: Approval | None = None  # the newest approval that is strong enough, whether it holds or not
    note: str = ""  # what else has changed since, though no phase is another for it

    @property
    def is_approved(self) -> bool:
        return self.state == APPROVED


@record
class _Word:
    """An approval, held against the plan as it is now, and whether it was taken back later."""

    approval: Approval
    who: str  # as far as that is known: for a signed one the signer, whatever it says itself
    is_taken_back: bool
    phases: dict[str, str]  # the hashes that it was given for, by key
    outside: str  # what has changed outside the phases


def decide_standing(canonical: Canonical, history: Sequence[Approval | Rejection], needed: Needed) -> Standing:
    """How it stands with a plan as it is now, by all that was said of it, in the order of the ledger.

    Times decide before places in the ledger: the time of a signed approval is signed, so that adding an old one once
    more does not make it the newest.
    """
    words = _words(sorted(history, key=lambda said: said.at), canonical, needed)
    strong = [word for word in words if is_enough(word.approval.strength, needed.strength)]
    deciding = [_newest(strong, lead) for lead in needed.leads] if needed.leads else [_newest(strong, "")]
    phases = tuple(_judge(phase, deciding, words) for phase in canonical.phases)
    last = next((word.approval for word in deciding if word is not None), None)
    here = {phase.key for phase in canonical.phases}
    removed = tuple(key for key, _ in last.phases if key not in here) if last is not None else ()
    note = LOG_GROWN if any(word.outside == LOG_GROWN for word in deciding if word is not None) else ""
    if not phases:
        return Standing(_overall_of_prose(deciding), phases, removed, last, note)
    states = {phase.state for phase in phases}
    if states == {APPROVED} and not (removed or note):
        return Standing(APPROVED, phases, removed, last, note)
    state = next((state for state in (TAKEN_BACK, CHANGED, TOO_WEAK, NEW) if state in states), CHANGED)
    return Standing(state, phases, removed, last, note)


def _words(history: Sequence[Approval | Rejection], canonical: Canonical, needed: Needed) -> list[_Word]:
    """The approvals that were given for this plan here, each with whether the same text was rejected later."""
    rejected: set[str] = set()
    words = []
    for said in reversed(history):
        if isinstance(said, Rejection):
            if said.plan == needed.plan and said.channel != NOBODY:
                rejected.add(said.canonical)
        elif (said.plan, said.repository) == (needed.plan, needed.repository):
            is_signed = said.strength == KEY or bool(said.signature)
            who = needed.verify(said) if is_signed else said.who or "unknown"
            if not who:  # its signature is not good
                continue
            is_taken_back = hash_document(said.phases, said.rest) in rejected
            unchanged = {phase.key for phase in canonical.phases if (phase.key, phase.hash) in set(said.phases)}
            outside = compare_seal(said.rest, canonical.outside, unchanged)
            words.append(_Word(said, who, is_taken_back, dict(said.phases), outside))
    return words[::-1]


def _newest(words: Sequence[_Word], lead: str) -> _Word | None:
    return next((word for word in reversed(words) if not lead or is_person(word.who, lead)), None)


def _judge(phase: PhaseText, deciding: Sequence[_Word | None], words: Sequence[_Word]) -> PhaseStanding:
    given = [word for word in deciding if word is not None]
    if deciding and len(given) == len(deciding) and not any(_why_not(phase, word) for word in given):
        taken = next((word for word in given if word.is_taken_back), None)
        if taken is not None:
            return PhaseStanding(phase.key, phase.title, TAKEN_BACK, taken.approval, "the approval was taken back")
        return PhaseStanding(phase.key, phase.title, APPROVED, given[0].approval, "")
    state, approval, why = NEW, None, "nobody has approved it"
    for word in words:  # the last that speaks of it
        if phase.key in word.phases:
            approval, why = word.approval, _why_not(phase, word)
            state = CHANGED if why else TAKEN_BACK if word.is_taken_back else TOO_WEAK
            weak = f"an approval by {word.approval.strength} is not enough here"
            why = why or ("the approval was taken back" if word.is_taken_back else weak)
    return PhaseStanding(phase.key, phase.title, state, approval, why)


def _why_not(phase: PhaseText, word: _Word) -> str:
    if phase.key not in word.phases:
        return "it was added since"
    if word.phases[phase.key] != phase.hash:
        return "its text has changed"
    return "" if word.outside in (HELD, LOG_GROWN) else word.outside


def _overall_of_prose(deciding: Sequence[_Word | None]) -> str:
    """A plan without phases is approved as a whole."""
    given = [word for word in deciding if word is not None]
    if not deciding or len(given) < len(deciding):
        return NEW
    if any(word.outside != HELD or word.phases for word in given):
        return CHANGED
    return TAKEN_BACK if any(word.is_taken_back for word in given) else APPROVED
