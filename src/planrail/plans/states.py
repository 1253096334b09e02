"""The closed sets of the plan's world: states of phases and plans, routes, proofs."""

from enum import StrEnum


class State(StrEnum):
    """The state of a phase or a work item."""

    TODO = "todo"
    IN_PROGRESS = "in_progress"
    DONE = "done"
    PARTIAL = "partial"
    BLOCKED = "blocked"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"

    def __init__(self, name: str) -> None:
        self.is_terminal = name in ("done", "skipped")
        self.is_started = name in ("done", "in_progress", "partial")


class PlanStatus(StrEnum):
    """How far a whole plan is."""

    NOT_STARTED = "not_started"
    IN_PROGRESS = "in_progress"
    COMPLETE = "complete"
    UNKNOWN = "unknown"


class Route(StrEnum):
    """What to do with a plan now."""

    RUN = "run"
    RESUME = "resume"
    DEFER = "defer"
    FINALISE = "finalise"
    COMPLETE = "complete"
    NONE = "none"


class ProofKind(StrEnum):
    """How a state is known."""

    CLAIMED = "claimed"
    PROVEN = "proven"
    ADOPTED = "adopted"
