"""Agents and a memory without processes and files, for tests of the conductor; and answers that are good enough."""

import copy
from collections.abc import Callable, Mapping, Sequence

from planrail.agents.model import Outcome
from planrail.ask.asking import AgentQuestion
from planrail.planning.news import News
from planrail.planning.options import PlanningOptions
from planrail.planning.plan_format import EXAMPLE
from planrail.planning.planning import AgentAnswer, AnswerContext, Planning, PlanningState, begin

PLAN = EXAMPLE
UNDERSTOOD = """1. The problem: empty names are greeted, which is why people complain.
2. Success: the program exits with 2.
3. Constraints: no new dependency.
4. Assumption: names come from the command line.
5. Impact: scripts that pass an empty name.
"""
EXPLORED = "- `src/greeter.py:3` greets\n- `tests/test_greeter.py` tests it\n"
COMPARED = """1. Option A: refuse it in `greet()`. Pros: one place. Cons: it raises.
2. Option B: refuse it where arguments are read. Pros: simple. Cons: other callers.

I recommend option A.
"""
CRITIQUE = """1. P1 ordering: PASS - each phase builds on the one before
2. P3 contracts: FAIL - the error's type is not named in 1.1; name it
3. P4 error paths: FAIL - a closed stderr is not mentioned; say what happens
"""
PROMISED = f"{PLAN}\n<promise>PLAN_OK</promise>\n"
ASKING = PLAN.replace("None.", "- Which exit status? (1 / 2)\n- Who is told?")
GOOD = {
    "understand": UNDERSTOOD,
    "explore": EXPLORED,
    "alternatives": COMPARED,
    "draft": PLAN,
    "interview": PLAN,
    "critique": CRITIQUE,
    "revise": PLAN,
}


class Killed(BaseException):
    """The process died."""


class FakeCrew:
    """See `planning.conducting.Port`: answers from a function of the one who is asked and the prompt."""

    def __init__(
        self, keeper: "FakeKeeper", answer: Callable[[str, str], Outcome], person: Mapping[str, str] | None = None
    ) -> None:
        self.keeper, self.answer, self.person = keeper, answer, person or {}
        self.questions: list[AgentQuestion] = []
        self.asked: list[tuple[str, ...]] = []
        self.keep, self.keep_answer, self.context = keeper.keep, keeper.keep_answer, keeper.context
        self.lessons, self.look_at_tree, self.show = keeper.lessons, keeper.look_at_tree, keeper.show
        self.note = keeper.notes.append

    @property
    def prompts(self) -> list[tuple[str, str, str]]:
        """Role, conversation, prompt."""
        return [(one.role, one.conversation, one.following or one.prompt) for one in self.questions]

    def ask(self, questions: Sequence[AgentQuestion]) -> list[Outcome]:
        self.questions += questions
        return [self.answer(one.label, one.following or one.prompt) for one in questions]

    def ask_person(self, questions: Sequence[str]) -> Mapping[str, str]:
        self.asked.append(tuple(questions))
        assert len(self.asked) < 50, "it asks for ever"
        return self.person


class FakeKeeper:
    """Keeps the last stand, and whatever happened. `survives` may kill the process at any call."""

    def __init__(
        self, stand: PlanningState, *, can_ask: bool = True, survives: Callable[[str], None] = lambda call: None
    ) -> None:
        self.stand, self.can_ask, self.survives = stand, can_ask, survives
        self.news: list[News] = []
        self.notes: list[str] = []
        self.answers: list[tuple[str, str]] = []
        self.accepted: list[int] = []
        self.looks = 0

    def keep(self, stand: PlanningState) -> None:
        self.survives("before keep")
        if stand.planning.progress.index > self.stand.planning.progress.index:
            self.accepted.append(self.stand.planning.progress.index)
        self.stand = copy.copy(stand)
        self.survives("after keep")

    def keep_answer(self, planning: Planning, answer: AgentAnswer) -> None:
        self.survives("answer")
        self.answers.append((planning.progress.phase, answer.text))

    def context(self, planning: Planning) -> AnswerContext:
        return AnswerContext(can_ask=self.can_ask)

    def lessons(self, planning: Planning) -> str:
        return "LESSONS"

    def look_at_tree(self) -> None:
        self.survives("look")
        self.looks += 1

    def show(self, news: News) -> None:
        self.survives("show")
        self.news.append(news)


def stand_at_start(**options: object) -> PlanningState:
    """A planning that has not begun."""
    return PlanningState(begin("p1", "Refuse empty names", PlanningOptions(**options)))  # type: ignore[arg-type]


def phase_in(prompt: str) -> str:
    """The phase that a prompt asks for."""
    return prompt.partition("Phase: ")[2].split()[0].lower()


def is_last_round(prompt: str) -> bool:
    """Whether a prompt asks for the promise."""
    return "This is the last round" in prompt


def reply(text: str, *, ok: bool = True, conversation: str = "", reason: str = "", error: str = "") -> Outcome:
    return Outcome(text, ok, conversation, error, reason)


def good_answer(role: str, prompt: str) -> Outcome:
    """What passes every validator."""
    phase = phase_in(prompt)
    text = PROMISED if phase == "revise" and is_last_round(prompt) else GOOD[phase]
    return reply(text, conversation="c1" if role == "author" else "")
