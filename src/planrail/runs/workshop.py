"""What the pipeline needs from the world: one method for each step that touches it. The engine has the real one.

Every method has the same effect when it is called twice with the same arguments, even if the first call died half way.
"""

from collections.abc import Callable
from typing import Literal, Protocol, TypeVar

from planrail.base.run_model import (
    YIELDED,
    Baseline,
    Candidate,
    DriftOutcome,
    Ending,
    Evidence,
    Landing,
    PhaseEnd,
    PhaseOrder,
    Proof,
    Refusal,
    Snapshot,
    Verdict,
    Work,
    Workspace,
)
from planrail.base.values import value
from planrail.runs.phases.viewpoints import View

T = TypeVar("T")

Answer = Literal["go", "ask", "wait"]
_UNATTENDED: dict[str, Answer] = {"start": "go", "fix": "go", "go_on": "wait", "drift": "wait"}
ASKED_AGAIN = ("start", "go_on", "stale")  # a no means "not now": whoever resumes is asked once more
_ASKS_NOTHING = (YIELDED, "waiting")


class Do(Protocol):
    """A step that is done once: its result is kept under its key."""

    def __call__(self, key: str, step: Callable[..., T], *arguments: object) -> T: ...


class Paused(Exception):
    """The run waits for a person or for a time. The step that raised this is not done; a resumed run asks again."""

    def __init__(self, state: str, text: str, command: str, until: int = 0, phase: str = "") -> None:
        super().__init__(text)
        self.state, self.text, self.command, self.until, self.phase = state, text, command, until, phase


@value
class Start:
    """A phase has begun: the claim is ours, the status is on record, the work is based on this commit."""

    base: str
    landed: str = ""  # the commit, where the target has this phase already
    in_session: bool = False  # it was proven in a session: if its checks hold on the target, it is done


@value
class Freshness:
    """Whether a phase is still about the code that is there: a refusal, a question for a person, notes, or nothing."""

    refusal: str = ""
    question: str = ""
    notes: tuple[str, ...] = ()


@value
class At:
    """One attempt of a phase: what names everything that belongs to it."""

    phase: str
    attempt: int

    def key(self, step: str) -> str:
        return f"phase/{self.phase}/{self.attempt}/{step}"


class Workshop(Protocol):
    """Everything that a run does to the world."""

    def choose(self, done: tuple[str, ...]) -> tuple[str, ...] | Refusal:
        """The phases that come next, those that may run side by side together; none where all are done."""

    def confirm(self, at: At, place: str, question: str) -> bool:
        """Whether a person wants to go on at this place; raises `Paused` where somebody must be asked and nobody is
        there."""

    def start(self, phase: PhaseOrder, at: At) -> Start | Refusal:
        """Begin: limits, freshness, claim and status, in one transaction, before any agent starts."""

    def measure_base(self, phase: PhaseOrder, at: At, base: str) -> Baseline:
        """A clean checkout of the base, provisioned, with each check and the project's tests run on it."""

    def freshen(self, phase: PhaseOrder, at: At, base: str) -> Freshness:
        """Whether the plan still fits the base: its citations, its sums, what it says of its own age."""

    def open_workspace(self, phase: PhaseOrder, at: At, base: str) -> Workspace | Refusal:
        """Where the implementer works; raises `Paused` where that has to wait for a person."""

    def implement(self, phase: PhaseOrder, at: At, workspace: Workspace, part: int, conversation: str) -> Work:
        """The agent does the phase. A further part goes on with the conversation of the one before."""

    def fix(self, phase: PhaseOrder, at: At, workspace: Workspace, problems: tuple[str, ...], part: int) -> Work:
        """A fresh agent mends what was found."""

    def snapshot(self, phase: PhaseOrder, at: At, workspace: Workspace, name: str) -> Snapshot | Refusal:
        """What the agent left, as a commit that stays."""

    def gather(self, phase: PhaseOrder, at: At, snapshot: Snapshot, baseline: Baseline, said: Work) -> Evidence:
        """The checks on the snapshot, in a clean checkout, and what they prove."""

    def verify(
        self, phase: PhaseOrder, at: At, snapshot: Snapshot, evidence: Evidence, said: Work, part: int
    ) -> Verdict:
        """The word of an independent verifier on every work item."""

    def look_at(self, phase: PhaseOrder, at: At, snapshot: Snapshot, part: int) -> View:
        """Pictures of a phase that people see, for whoever signs off. Where there are none, it says why."""

    def sign_off(self, phase: PhaseOrder, at: At, view: View, part: int) -> bool:
        """Whether a person has signed off; raises `Paused` until then. False: the pictures are to be taken anew."""

    def drift(self, phase: PhaseOrder, at: At, said: Work, verdict: Verdict) -> DriftOutcome:
        """What the agents found to be otherwise than the plan says."""

    def build(
        self, phase: PhaseOrder, at: At, snapshot: Snapshot, evidence: Evidence, drift: DriftOutcome
    ) -> Candidate | Refusal:
        """The commit that is to land, on the target as it is now; raises `Paused` where the two do not fit together."""

    def prove(self, phase: PhaseOrder, at: At, snapshot: Snapshot, candidate: Candidate, baseline: Baseline) -> Proof:
        """That the candidate has what was verified and loses nothing; the checks are run on it once more."""

    def land(self, phase: PhaseOrder, at: At, candidate: Candidate, evidence: Evidence) -> Landing:
        """Move the target, if it is still where the candidate was built; raises `Paused` where that has to wait."""

    def publish(self, phase: PhaseOrder, at: At, landing: Landing) -> Landing:
        """Show a phase in its pull request."""

    def merge(self, done: tuple[str, ...]) -> Landing:
        """Bring the pull request of all phases to its end: checks awaited, merged if that is wanted, proven."""

    def wait_for_limit(self, at: At, work: Work) -> int:
        """Until a usage limit has passed, if the person opted in; raises `Paused` otherwise."""

    def end_phase(
        self,
        phase: PhaseOrder,
        at: At,
        end: PhaseEnd,
        evidence: Evidence | None,
        drift: DriftOutcome | None,
    ) -> PhaseEnd:
        """Put the end of an attempt on record: status, the mark in the plan, the report."""

    def verify_all(self, done: tuple[str, ...]) -> Evidence:
        """All checks of all phases, and the tests, on the target as it is now."""

    def build_mark(self, done: tuple[str, ...]) -> Candidate:
        """The commit that marks the plan complete; one without a name where there is nothing to commit."""

    def complete(self, done: tuple[str, ...], mark: Candidate) -> Landing:
        """Mark the plan complete, by that commit or in its file."""

    def find_missing(self, ends: list[PhaseEnd]) -> str:
        """What the target does not have of phases that are said to have landed; "" where nothing is missing.

        It is never written down: what a dead planrail wrote may be another's hand.
        """

    def gives_way(self) -> bool:
        """Whether this run lets others work before its next phase. It is asked anew each time."""

    def together(self, works: list[Callable[[], PhaseEnd]]) -> list[PhaseEnd]:
        """Do these side by side."""

    def end(self, ending: Ending) -> Ending:
        """The one terminal transition: release, log, report, clean up."""


# Where a run waits for a person, and what it does where nobody is there. Pure. `auto` is a person's word that it need
# not wait. Without it somebody is asked; where nobody can be, because there is no terminal, a call for one phase is
# that phase's go, and only what goes beyond it waits.


def is_question(rested: str) -> bool:
    """Whether a run that rests in this state asked something, which is answered by resuming it."""
    return rested not in _ASKS_NOTHING


def decide_pause(place: str, *, auto: bool, is_resumed: bool, has_person: bool) -> Answer:
    """Whether to go on, to ask, or to wait until somebody resumes the run: that is a yes where nobody can be asked."""
    if auto or (is_resumed and not (has_person and place in ASKED_AGAIN)):
        return "go"
    return "ask" if has_person else _UNATTENDED.get(place, "wait")
