"""Claims: what each place of a document says about a unit, and which of them is believed.

A plan states the status of a phase in up to six places, and they disagree. Each place makes a claim; the strongest
kind wins, the first of its kind within it, and a claim that contradicts the winner becomes a diagnostic.
"""

from enum import IntEnum

from planrail.base.records import record
from planrail.plans.states import State


class Kind(IntEnum):
    """Where a claim comes from, strongest first."""

    TRACKER = 0  # a row of the tracker table, a status in YAML or JSON
    BOX = 1  # the unit's own check box
    TITLE = 2  # a mark in the unit's heading
    STATUS_LINE = 3  # "**Status:** done" in the unit's section
    SIGN = 4  # a sign in the unit's heading, without a word
    INDEX = 5  # an entry of a list of phases elsewhere in the document
    STATEMENT = 6  # "✅ finished" in the text of the section
    COMPANION = 7  # a progress document that the plan names
    GROUP = 8  # a heading over it: "Completed phases", "Next steps"
    PLAN = 9  # the header of the plan says that all of it is finished
    PARTS = 10  # the marks of the headings inside its section
    ITEMS = 11  # the boxes of the work items
    CHECKPOINT = 12  # the commit that a tag records
    CRITERIA = 13  # the boxes of the criteria, where the work has none
    LOG = 14  # entries of a progress log
    EVIDENCE = 15  # files that exist, commits that name the phase


@record
class StatusClaim:
    """What one place says about a unit. `start` and `end` are the mark's span where there is one to edit."""

    kind: Kind
    state: State
    line: int
    reason: str
    start: int = -1
    end: int = -1
    path: str = ""  # the file that says it, where it is not the plan itself
    is_counted: bool = False  # the mark says less: what hangs under it was counted
    is_weak: bool = False  # it says only that nobody has set it to anything else: a bare sign, an empty cell, "ready"
    is_waiting: bool = False  # the work waits for a person to look at it

    @property
    def is_explicit(self) -> bool:
        """Whether the author wrote this state down, rather than planrail having counted it."""
        return self.kind <= Kind.COMPANION and not self.is_counted


def decide(claims: list[StatusClaim]) -> StatusClaim | None:
    """The claim that is believed; None where nothing is said. A weak one yields to any that says more."""
    if len(claims) < 2:
        return claims[0] if claims else None
    best = _strongest(claims)
    if best.is_weak:
        more = [claim for claim in claims if claim.state.is_started or claim.state.is_terminal]
        best = _strongest(more) if more else best
    return best


def _strongest(claims: list[StatusClaim]) -> StatusClaim:
    best = claims[0]
    for claim in claims:
        if claim.kind < best.kind or (claim.kind == best.kind and claim.line < best.line):
            best = claim
    return best


def contradictions(winner: StatusClaim, claims: list[StatusClaim]) -> list[StatusClaim]:
    believed = winner.state
    return [claim for claim in claims if claim.state is not believed and _contradicts(believed, claim.state)]


def _contradicts(believed: State, other: State) -> bool:
    if State.UNKNOWN in (believed, other):
        return False
    if believed.is_terminal or other.is_terminal:
        return True
    return believed is State.TODO and other.is_started
