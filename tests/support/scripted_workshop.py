"""A workshop that plays a script: what each step answers, and where planrail dies. For tests of the pipeline."""

from collections.abc import Callable

from planrail.base.run_model import (
    Baseline,
    Candidate,
    DriftOutcome,
    Ending,
    Evidence,
    Finding,
    Landing,
    Order,
    PhaseEnd,
    PhaseOrder,
    Proof,
    Refusal,
    Snapshot,
    Verdict,
    Work,
    Workspace,
)
from planrail.runs.phases.choosing import choose
from planrail.runs.phases.viewpoints import View
from planrail.runs.workshop import At, Freshness, Paused, Start

Answers = dict[str, list[object]]

GOOD = Evidence("tree", ())
BAD = Evidence("tree", (), (Finding("check_failed", "a check failed"),))
YES, NO = Verdict(True, "verifier"), Verdict(False, "verifier", problems=("half of it is missing",))


class Died(BaseException):
    """planrail was killed here."""


class ScriptedWorkshop:
    """See `runs.workshop.Workshop`. `answers` has, for a step, what it says each time; the last one stays."""

    def __init__(self, order: Order, answers: Answers | None = None, *, dies_before: int = -1) -> None:
        self._order, self._answers = order, answers or {}
        self._left = dies_before
        self.done: list[str] = []  # every step that had its effect, with its phase
        self.endings: list[Ending] = []
        self.is_to_give_way = False

    def _step(self, name: str, phase: str, default: object) -> object:
        if self._left == 0:
            raise Died
        self._left -= 1
        self.done.append(f"{phase}:{name}")
        given = self._answers.get(name, [])
        answer = (given.pop(0) if len(given) > 1 else given[0]) if given else default
        if isinstance(answer, Exception):
            raise answer
        return answer

    def choose(self, done: tuple[str, ...]) -> object:
        return choose(self._order, done)

    def confirm(self, at: At, place: str, question: str) -> object:
        return self._step(f"confirm.{place}", at.phase, True)

    def start(self, phase: PhaseOrder, at: At) -> object:
        return self._step("start", phase.id, Start("base"))

    def measure_base(self, phase: PhaseOrder, at: At, base: str) -> object:
        return self._step("measure_base", phase.id, Baseline(base, ()))

    def freshen(self, phase: PhaseOrder, at: At, base: str) -> object:
        return self._step("freshen", phase.id, Freshness())

    def open_workspace(self, phase: PhaseOrder, at: At, base: str) -> object:
        return self._step("open_workspace", phase.id, Workspace("place", base, "index"))

    def implement(self, phase: PhaseOrder, at: At, workspace: Workspace, part: int, conversation: str) -> object:
        return self._step("implement", phase.id, Work(True, conversation=conversation or "one"))

    def fix(self, phase: PhaseOrder, at: At, workspace: Workspace, problems: tuple[str, ...], part: int) -> object:
        return self._step("fix", phase.id, Work(True))

    def snapshot(self, phase: PhaseOrder, at: At, workspace: Workspace, name: str) -> object:
        return self._step("snapshot", phase.id, Snapshot("commit", "tree", "base", ("a.txt",)))

    def gather(self, phase: PhaseOrder, at: At, *given: object) -> object:
        return self._step("gather", phase.id, GOOD)

    def verify(self, phase: PhaseOrder, at: At, *given: object) -> object:
        return self._step("verify", phase.id, YES)

    def look_at(self, phase: PhaseOrder, at: At, snapshot: Snapshot, part: int) -> object:
        return self._step("look_at", phase.id, View(snapshot.tree))

    def sign_off(self, phase: PhaseOrder, at: At, view: View, part: int) -> object:
        return self._step("sign_off", phase.id, True)

    def drift(self, phase: PhaseOrder, at: At, said: Work, verdict: Verdict) -> object:
        return self._step("drift", phase.id, DriftOutcome())

    def build(self, phase: PhaseOrder, at: At, *given: object) -> object:
        return self._step("build", phase.id, Candidate("landed", "tree", "base"))

    def prove(self, phase: PhaseOrder, at: At, *given: object) -> object:
        return self._step("prove", phase.id, Proof(True))

    def land(self, phase: PhaseOrder, at: At, *given: object) -> object:
        return self._step("land", phase.id, Landing("landed", "landed"))

    def publish(self, phase: PhaseOrder, at: At, landing: Landing) -> object:
        return self._step("publish", phase.id, landing)

    def merge(self, done: tuple[str, ...]) -> object:
        return self._step("merge", "", Landing("landed", "merged"))

    def wait_for_limit(self, at: At, work: Work) -> object:
        return self._step("wait_for_limit", at.phase, 1)

    def end_phase(self, phase: PhaseOrder, at: At, end: PhaseEnd, *given: object) -> PhaseEnd:
        self._step("end_phase", phase.id, None)
        return end

    def verify_all(self, done: tuple[str, ...]) -> object:
        return self._step("verify_all", "", GOOD)

    def build_mark(self, done: tuple[str, ...]) -> object:
        return self._step("build_mark", "", Candidate("mark", "tree", "base"))

    def complete(self, done: tuple[str, ...], mark: Candidate) -> object:
        return self._step("complete", "", Landing("landed"))

    def find_missing(self, ends: list[PhaseEnd]) -> str:
        return ""

    def gives_way(self) -> bool:
        return self.is_to_give_way

    def together(self, works: list[Callable[[], PhaseEnd]]) -> list[PhaseEnd]:
        return [work() for work in works]

    def end(self, ending: Ending) -> Ending:
        self.endings.append(ending)
        return ending


def limit(conversation: str = "one") -> Work:
    """An agent that came to its usage limit."""
    return Work(False, reason="limit", error="limit", conversation=conversation, resets_at=5)


def lost() -> Work:
    """An agent that died with all its processes."""
    return Work(False, reason="lost", error="killed")


def paused(text: str = "somebody has to look") -> Paused:
    """A step that waits for a person."""
    return Paused("paused", text, "planrail resume")


def refusal(reason: str = "refused") -> Refusal:
    """A step that says no."""
    return Refusal(reason, f"it is {reason}", "planrail report")
