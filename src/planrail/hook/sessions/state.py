"""What planrail knows of one agent session: the state that events change.

It is kept as one small JSON file. Fields that this version does not know are kept as they are, so that two versions
can share a state folder.
"""

from planrail.base.records import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeVar

    R = TypeVar("R")

DRAFT = "draft"
PROPOSED = "proposed"
APPROVED = "approved"

ANSWERED_YES = "yes"
ANSWERED_NO = "no"
ANSWERED_NOTE = "note"  # a no behind which no person was seen: it is told, and changes nothing

# Why a plan comes back after a clear: what was going on when the user asked for it.
PLAN_PENDING = "plan-pending"
PLAN_COMPLETED = "plan-completed"
NO_PLAN = "no-plan"


@record
class Summary:
    """A plan in a few lines, read once and kept until the file changes (`stamp`)."""

    stamp: str = ""
    title: str = ""
    goal: str = ""
    status: str = ""  # not_started, in_progress, complete, unknown; "" where the file is missing
    phase: str = ""  # the current one
    phases_done: int = 0
    phases: int = 0
    done: int = 0
    total: int = 0
    item: str = ""  # the next one
    open_items: list[str] = []  # noqa: RUF012 - the first few; a record is never changed
    size: int = 0  # of the text, in characters
    phase_id: str = ""
    checks: int = 0  # of the current phase
    limits: list[str] = []  # noqa: RUF012 - what it leaves out, and its constraints
    problem: str = ""  # why the file cannot be read as text
    proven: int = 0  # of the phases that are done: those that evidence or a user has made so


@record
class StopRow:
    """How the stops of a session that executes a plan were answered so far."""

    phase: str = ""
    mark: str = ""  # of the tree and the plan that the last answer was about
    missing: list[str] = []  # noqa: RUF012 - in that answer
    holds: int = 0  # in a row, without progress
    fewest: int = 0  # things that were missing, in that row


@record
class Session:
    """A session's mode, its plan, and what it has been told so far."""

    agent: str
    id: str
    project: str = ""  # the root that was found by walking up from the folder
    process: str = ""
    is_fork: bool = False  # branched off from another session, and nobody knows yet from which
    # plan mode
    planning: bool = False
    own_mode: bool = False  # planrail's plan mode, not the agent's
    mode: str = ""  # the agent's permission mode, as last seen outside plan mode
    mode_before: str = ""  # the one that plan mode was entered from; "" where nobody saw it
    asked_from: str = ""  # the mode in which the agent asked to enter plan mode
    turns: int = 0  # of people, since plan mode was entered
    planned_before: bool = False
    reentered: bool = False  # a notice about it is due
    exit_notice: str = ""  # to be told once
    blocking: bool = True  # the person can switch it off
    snapshot: str = ""  # the name of the tree's state at entry
    embedded: str = ""  # a submodule that has its repository, and settings that git would follow, among the files
    compare_due: bool = False  # a command ran that only the second opinion let pass
    reported: str = ""  # the changes that the person has been told of
    report: str = ""  # what the agent is still to be told about them
    told_next: str = ""  # what the user is to be told at the next occasion
    # the plan
    plan: str = ""
    stage: str = ""
    proposing: bool = False  # a proposal is before the person at this moment
    summary: Summary | None = None
    # the window
    window: int = 0  # as the status line says
    warned: int = 0  # the percentage at the last full warning
    held: bool = False  # the stop was held since the last clear or compaction
    spared: bool = False  # the next stop is not held: the plan has just been approved
    intent: str = ""  # the plan is wanted back after a clear: PLAN_PENDING, PLAN_COMPLETED, NO_PLAN
    intent_at: int = 0
    loop: dict[str, object] = {}  # noqa: RUF012 - a loop to be resumed
    # the phases of planning
    authoring: str = ""  # the planning that the stops carry the agent through
    awaits_request: bool = False  # plan mode is on, and the next thing that is said is what to plan
    is_confirming: bool = False  # an approval of a plan whose phases are not done was given once, and asked about
    holds: int = 0  # stops that were held in a row, with no tool between them
    execution: dict[str, object] = {}  # noqa: RUF012 - how stops were answered while a phase was open: `StopRow`
    # what a person said about the plan
    answered: str = ""  # ANSWERED_YES or ANSWERED_NO, given outside the session and not heard here yet
    feedback: str = ""  # what came with it
    examined: bool = False  # the agent was asked once for what its plan lacks
    proposed_mark: str = ""  # of the text that was put before the person last
    plan_mark: str = ""  # of the text as the agent left it at its last stop
    # settings, as last read
    settings: dict[str, object] = {}  # noqa: RUF012
    unknown: dict[str, object] = {}  # noqa: RUF012 - fields of a later version

    @property
    def is_gate(self) -> bool:
        """Whether something stands that must not be passed by accident: the hook then fails closed."""
        return self.is_fork or self.planning or self.stage == PROPOSED or (self.held and self.intent != "")

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing worth keeping: no plan, no planning, and nothing left to be told or done."""
        has_work = self.is_fork or self.planning or self.plan or self.asked_from or self.loop or self.intent
        has_word = self.answered or self.exit_notice or self.report or self.warned or self.held or not self.blocking
        return not (has_work or has_word or self.told_next or self.examined or self.unknown)


def to_json(session: Session) -> dict[str, object]:
    """The session as it is written: only what differs from a new one."""
    blank = Session(session.agent, session.id)
    names = [name for name in _FIELDS if getattr(session, name) != getattr(blank, name)]
    written: dict[str, object] = {**session.unknown, "agent": session.agent, "id": session.id}
    written.update((name, getattr(session, name)) for name in names if name != "unknown")
    if session.summary is not None:
        written["summary"] = {name: getattr(session.summary, name) for name in Summary.__slots__}  # type: ignore[attr-defined]
    return written


def from_json(value: object) -> Session:
    """The session that was written, or a ValueError where that is not what this is."""
    if not isinstance(value, dict):
        raise ValueError("a session is a JSON object")
    blank = Session("", "")
    known: dict[str, object] = {}
    for name in _FIELDS:
        if name in value and name not in ("summary", "unknown"):
            if type(value[name]) is not type(getattr(blank, name)):
                raise ValueError(f"{name} of a session is {type(value[name]).__name__}")
            known[name] = value[name]
    if not known.get("agent") or not known.get("id"):
        raise ValueError("a session has an agent and an id")
    known["unknown"] = {name: value[name] for name in value if name not in _FIELDS}
    known["summary"] = read_summary(value.get("summary"))
    return Session(**known)  # type: ignore[arg-type] # the types were compared above


def read_summary(value: object) -> Summary | None:
    """A summary that was written; None where it is none."""
    return take(Summary(), value) if isinstance(value, dict) else None


def take(blank: "R", values: "Mapping[str, object]") -> "R":
    """The record with those of the values that have the type of its own."""
    names: tuple[str, ...] = blank.__slots__  # type: ignore[attr-defined] # a record has them
    known = {name: values[name] for name in names if type(values.get(name)) is type(getattr(blank, name))}
    return replace(blank, **known)


_FIELDS: tuple[str, ...] = Session.__slots__  # type: ignore[attr-defined] # a record has them
