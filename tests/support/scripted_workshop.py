"""Parts of a run that play a script: what each step answers, and where planrail dies. For tests of the pipeline."""

import contextlib
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
    Proof,
    Refusal,
    Snapshot,
    Verdict,
    Work,
    Workspace,
)
from planrail.runs.phases.staleness import Freshness
from planrail.runs.phases.viewpoints import View
from planrail.runs.steps.site import At, Paused, Start

Answers = dict[str, list[object]]

GOOD = Evidence("tree", ())
BAD = Evidence("tree", (), (Finding("check_failed", "a check failed"),))
YES, NO = Verdict(True, "verifier"), Verdict(False, "verifier", problems=("half of it is missing",))


class Died(BaseException):
    """planrail was killed here."""


class ScriptedWorkshop:
    """See `runs.steps.parts.Parts`. `answers` has, for a step, what it says each time; the last one stays."""

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

    @property
    def workspaces(self) -> "ScriptedWorkshop":
        """All parts in one."""
        return self

    gates = judging = landings = publishing = viewing = workspaces
    turn = staticmethod(contextlib.nullcontext)

    def confirm(self, at: At, place: str, question: str) -> object:
        return self._step(f"confirm.{place}", at.phase.id, True)

    def start(self, at: At) -> object:
        return self._step("start", at.phase.id, Start("base"))

    def measure_base(self, at: At, base: str) -> object:
        return self._step("measure_base", at.phase.id, Baseline(base, ()))

    def freshen(self, at: At) -> object:
        return self._step("freshen", at.phase.id, Freshness())

    def open_workspace(self, at: At, base: str) -> object:
        return self._step("open_workspace", at.phase.id, Workspace("place", base, "index"))

    def implement(self, at: At, workspace: Workspace, part: int, conversation: str) -> object:
        return self._step("implement", at.phase.id, Work(True, conversation=conversation or "one"))

    def fix(self, at: At, workspace: Workspace, problems: tuple[str, ...], part: int, *outputs: object) -> object:
        return self._step("fix", at.phase.id, Work(True))

    def snapshot(self, at: At, workspace: Workspace, name: str) -> object:
        return self._step("snapshot", at.phase.id, Snapshot("commit", "tree", "base", ("a.txt",)))

    def gather(self, at: At, *given: object) -> object:
        return self._step("gather", at.phase.id, GOOD)

    def verify(self, at: At, *given: object) -> object:
        return self._step("verify", at.phase.id, YES)

    def look_at(self, at: At, snapshot: Snapshot, part: int) -> object:
        return self._step("look_at", at.phase.id, View(snapshot.tree))

    def sign_off(self, at: At, view: View, part: int) -> object:
        return self._step("sign_off", at.phase.id, True)

    def find_drift(self, at: At, said: Work, verdict: Verdict) -> object:
        return self._step("drift", at.phase.id, DriftOutcome())

    def build(self, at: At, *given: object) -> object:
        return self._step("build", at.phase.id, Candidate("landed", "tree", "base"))

    def prove(self, at: At, *given: object) -> object:
        return self._step("prove", at.phase.id, Proof(True))

    def land(self, at: At, *given: object) -> object:
        return self._step("land", at.phase.id, Landing("landed", "landed"))

    def publish(self, at: At, landing: Landing) -> object:
        return self._step("publish", at.phase.id, landing)

    def merge(self, done: tuple[str, ...]) -> object:
        return self._step("merge", "", Landing("landed", "merged"))

    def wait_for_limit(self, at: At, work: Work) -> object:
        return self._step("wait_for_limit", at.phase.id, 1)

    def end_phase(self, at: At, end: PhaseEnd, *given: object) -> PhaseEnd:
        self._step("end_phase", at.phase.id, None)
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
