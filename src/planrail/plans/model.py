"""The plan as planrail understands it: phases, work items, diagnostics, what comes next."""

from collections.abc import Sequence

from planrail.base.records import record
from planrail.plans.claims import StatusClaim
from planrail.plans.states import PlanStatus, ProofKind, Route, State


@record
class WorkItem:
    """A box to tick, or a subtask: part of a phase."""

    text: str
    state: State
    line: int
    depth: int = 0

    @property
    def is_done(self) -> bool:
        return self.state.is_terminal

    is_closed = is_done


@record
class Check:
    """A command that a phase names to verify itself."""

    command: str
    line: int


@record
class Unrun:
    """What looks like a command where criteria stand and is no check, with the reason."""

    command: str
    line: int
    reason: str


TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.plans.text.blocks import Item
    from planrail.plans.text.outline import Section

    Work = Item | WorkItem


@record
class Phase:
    """A unit of work. `claim` is the place whose word was taken for the state, `line` where the phase is stated."""

    id: str
    title: str
    word: str
    status: State
    proof: ProofKind | None
    reason: str
    line: int
    depends_on: list[str]
    items: "Sequence[Work]"
    criteria: "Sequence[Work]"
    claim: StatusClaim | None
    sections: "Sequence[Section]" = ()  # the parts of the document that describe it, its heading's first
    entry_end: int = -1  # where the text of the list entry ends that is the phase itself
    urgency: tuple[int, ...] = ()  # the lower, the sooner, where the file ranks its phases
    is_offered: bool = True  # whether it may be worked on while it is open: what waits for a review may not
    opens_others: bool = True  # whether those that need it may begin once it is finished
    awaits_needs: bool = True  # whether it is held back by what it needs: what was begun nevertheless may not be

    @property
    def first_line(self) -> int:
        """The line of its heading, or where it is listed."""
        return self.sections[0].line if self.sections else self.line

    @property
    def insert_at(self) -> int:
        """Where a mark can be put if the phase has none: behind its heading or entry; -1 where it has neither."""
        return self.sections[0].start + len(self.sections[0].text) if self.sections else self.entry_end

    @property
    def last_line(self) -> int:
        return max((section.last_line for section in self.sections), default=self.line)

    @property
    def next_item(self) -> str | None:
        """The first open box that has no open box under it."""
        candidate: Work | None = None
        for item in self.items:
            if item.is_closed or item.state is State.BLOCKED:
                continue
            if candidate is not None and item.depth <= candidate.depth:
                break
            candidate = item
        return candidate.text if candidate else None


@record
class Diagnostic:
    """Something in the document that a reader should know: a contradiction, an unknown mark, a cycle."""

    line: int
    rule: str
    message: str


@record
class Header:
    """What the plan says about itself as a whole."""

    text: str
    state: State | None
    line: int
    start: int
    end: int


@record
class Next:
    """The phase to work on, and the first open item in it."""

    phase: str
    item: str | None


@record
class Beside:
    """What a document lists beside its phases: finished work, and the line of the first open one (0 for none)."""

    is_started: bool = False
    open_line: int = 0


@record
class Plan:
    """A document, read."""

    path: str
    title: str
    format: str
    dialect: str
    phases: list[Phase]
    header: Header | None
    diagnostics: list[Diagnostic]
    beside: Beside = Beside()
    status: PlanStatus = PlanStatus.UNKNOWN  # this and what follows is concluded from the phases, see `routes`
    next: Next | None = None
    route: Route = Route.NONE

    @property
    def states(self) -> list[tuple[str, State]]:
        return [(phase.id, phase.status) for phase in self.phases]

    def phase(self, phase_id: str) -> Phase | None:
        """The phase with this id, whatever its letter case; the first where an id occurs twice."""
        for phase in self.phases:
            if phase.id == phase_id:
                return phase
        return next((phase for phase in self.phases if phase.id.lower() == phase_id.lower()), None)
