"""Question after question, until a stage has all its answers or its plan, or something stands in the way.

Questions with a schema are put by `conduct`, and each answer is kept when it is taken. A plan is drafted, criticised
and revised in the flow of `planrail plan`, kept in the stage's folder: `Drafting`.
"""

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence

from planrail.agents.model import Denied, Event, Outcome, failure
from planrail.ask.asking import INVALID as INVALID_ANSWER
from planrail.ask.asking import AgentQuestion, AgentWatcher, Asking, put_aside
from planrail.base.crash_points import reach
from planrail.base.errors import PlanrailError
from planrail.base.one_line import one_line
from planrail.base.records import record, replace
from planrail.base.settings import Settings
from planrail.base.wording import plural
from planrail.planning import conducting as planning_flow
from planrail.planning.answers.plan_text import extract_plan
from planrail.planning.headless.requests import sections_in
from planrail.planning.headless.working import PlanningWork
from planrail.planning.in_session.facts import options_from
from planrail.planning.machine import CRITIQUE, DRAFT, EXHAUSTED, REVISE, round_of
from planrail.planning.news import AgentFailed, AnswerRefused, News, PhaseBegan
from planrail.planning.planning import AnswerContext, Planning, PlanningState, begin
from planrail.planning.plannings import KeptPlanning, load, load_stand, save, save_stand
from planrail.plans.lint.document import Problem, error
from planrail.plans.reading import read
from planrail.plans.states import State
from planrail.plans.text.source import PlanSource
from planrail.tasks import stage_folders as folders
from planrail.tasks.context.context import Context
from planrail.tasks.context.files import read_plan
from planrail.tasks.documents.rendering import repair
from planrail.tasks.documents.validating import ERROR, has_errors
from planrail.tasks.model import PLAN, Task
from planrail.tasks.questions.answers import Wrong, read_answer
from planrail.tasks.questions.model import ROUNDS, Answers, schema_of
from planrail.tasks.questions.prompts import next_questions, plan_request, tell_progress
from planrail.tasks.stages.requests import FAILED, INVALID, LIMIT, MISSING, SPENT, STOPPED, TIMED_OUT, Halted, Tell

_ENDS = {"timeout": TIMED_OUT, "stopped": STOPPED, "limit": LIMIT, "missing": MISSING, INVALID_ANSWER: INVALID}
# What is told where several agents ended at once, each in its own way: the first of these.
_WORST = (MISSING, LIMIT, TIMED_OUT, INVALID, FAILED, STOPPED)
_LABELS = {DRAFT: "the plan", CRITIQUE: "the critique", REVISE: "the revision"}


@record
class Limits:
    """What a call may use: seconds of agents' time, money and tokens; 0 of the latter two is no ceiling.

    `look` says before each question whether it is still wanted.
    """

    seconds: float
    money: float = 0.0
    tokens: int = 0
    look: Callable[[], Halted | None] = lambda: None


class _Allowance:
    """What is left of a call's limits. Past a ceiling nothing is begun; only the time of agents counts."""

    def __init__(self, limits: Limits, asking: Asking) -> None:
        self._limits, self._asking, self._left = limits, asking, limits.seconds

    def ask(self, put: Callable[[float], list[Outcome]]) -> tuple[list[Outcome], Halted | None]:
        """What questions bring that are put within the time that is left, and why they are not all answered."""
        over = self._find_over() or self._limits.look()
        if over is not None:
            return [], over
        began = time.monotonic()
        outcomes = put(self._left)
        self._left -= time.monotonic() - began
        failed = [one for one in outcomes if not one.ok]
        halts = [Halted(_ENDS.get(one.reason, FAILED), one.error, one.resets_at) for one in failed]
        return outcomes, min(halts, key=lambda halted: _WORST.index(halted.status)) if halts else None

    def _find_over(self) -> Halted | None:
        spent, limits = self._asking.spent, self._limits
        if limits.money and spent.cost >= limits.money:
            return Halted(SPENT, f"the budget of this call is used up: {spent.cost:.2f} of {limits.money:.2f}")
        if limits.tokens and spent.tokens_in + spent.tokens_out >= limits.tokens:
            return Halted(SPENT, f"the budget of this call is used up: {limits.tokens} tokens")
        return None


def answers_of(folder: folders.StageFolder) -> Answers:
    return {name: kept.answer for name, kept in folders.load_answers(folder).items()}


def progress_of(folder: folders.StageFolder) -> str:
    if not folder.order.writes_plan:
        return tell_progress(folder.order, answers_of(folder))
    planning = folders.load_drafting(folder)
    if planning is None or not planning.last_answer:
        return "no plan is drafted yet"
    rounds = plural(len(planning.critiques), "time")
    return f"a plan is drafted{f', and criticised {rounds}' if planning.critiques else ''}"


# ---- questions with a schema ----


def open_asking(folder: folders.StageFolder, root: str, tell: Tell) -> Asking:
    lines = _Lines((), tell)

    def take(question: AgentQuestion, outcome: Outcome) -> tuple[str, ...]:
        found = read_answer(outcome.structured, schema_of(question.name))
        if isinstance(found, Wrong):
            return found.problems
        count = len(folders.load_answers(folder))
        folders.save_answer(folder, question.name, folders.Kept(found, question.agent, count + 1))
        reach("stage.answered")
        return ()

    def fail(question: AgentQuestion, why: str, follows: str) -> None:
        lines.show(AgentFailed(question.label, why, bool(follows)))

    watcher = AgentWatcher(lambda question, event: lines.see(question.label, event), fail, take)
    return Asking(folders.steps_folder(folder), root, watcher)


def conduct(folder: folders.StageFolder, asking: Asking, limits: Limits, tell: Tell) -> Halted | None:
    """Have all questions of a stage answered; None when they are."""
    allowance, named = _Allowance(limits, asking), {name: folder.text(name) for name in ("agent", "model")}

    def put(seconds: float) -> list[Outcome]:
        for question in questions:
            tell(f"{question.label} …")
        return asking.ask_all([replace(question, **named) for question in questions], seconds)

    while questions := next_questions(folder.order, answers_of(folder)):
        _, halted = allowance.ask(put)
        if halted is not None:
            return halted
    return None


# ---- a plan ----


class Drafting(PlanningWork):
    """The planning of one stage, within the limits of a call."""

    def __init__(
        self, context: Context, folder: folders.StageFolder, task: Task, settings: Settings, limits: Limits, tell: Tell
    ) -> None:
        kept = _open(context, folder, task, settings)
        lines, steps = _Lines(kept.planning.progress.phases, tell), folders.steps_folder(folder)
        super().__init__(folder.path, kept, settings, lines, None, jobs=steps, again=("failed", "lost"))
        self._allowance = _Allowance(limits, self.asking)
        self._halted: Halted | None = None

    def run(self) -> Halted | None:
        """Have the plan written; None when it is."""
        try:
            ended = planning_flow.conduct(load_stand(self._folder, self.kept), self)
        finally:
            self.end()
        if isinstance(ended, planning_flow.PlanningFinished):
            return None
        if isinstance(ended, planning_flow.Exhausted):
            return Halted(INVALID, f"the answer cannot be used: {'; '.join(ended.stand.problems[:3])}")
        return self._halted

    def ask(self, questions: Sequence[AgentQuestion]) -> list[Outcome]:
        outcomes, self._halted = self._allowance.ask(lambda seconds: self.put(questions, seconds))
        if outcomes or self._halted is None:
            return outcomes
        return [failure("stopped", self._halted.text) for _ in questions]

    def keep(self, stand: PlanningState) -> None:
        super().keep(stand)
        reach("stage.answered")

    def context(self, planning: Planning) -> AnswerContext:
        """A plan of a task is in its format, and a new one says of nothing that it is done."""
        context = super().context(planning)
        is_new = not planning.original
        return replace(context, lint=lambda plan: [*context.lint(plan), *_find_problems(plan, is_new=is_new)])


def _open(context: Context, folder: folders.StageFolder, task: Task, settings: Settings) -> KeptPlanning:
    about = {name: folder.text(name) for name in ("agent", "critic", "model")}
    about |= {"root": context.root, "plan_file": os.path.join(context.root, "PLAN.md"), "number": "0"}
    try:
        kept = load(folder.path, folders.planning_name(folder))
        if kept.about["agent"] != about["agent"]:
            about |= {"conversation": "", "heard": "0"}  # a conversation is one program's own
        kept = kept.note(**about)
    except PlanrailError:
        kept = KeptPlanning(_begin(context, folder, task, settings), about)
        save(folder.path, kept)
    if kept.planning.progress.ended == EXHAUSTED:  # its attempts begin anew
        put_aside(folders.steps_folder(folder), "before")
    return save_stand(folder.path, kept, planning_flow.revive(load_stand(folder.path, kept)))


def _begin(context: Context, folder: folders.StageFolder, task: Task, settings: Settings) -> Planning:
    """A plan that is revised is refined where it is in its format; else it is written anew, by what it says."""
    text = (read_plan(context.root, task) or "") if folder.order.has_plan else ""
    original = text if text and not has_errors(list(repair(text, PLAN).left)) and extract_plan(text) else ""
    phases = (DRAFT, *((CRITIQUE, REVISE) * ROUNDS[folder.order.effort]))
    options = replace(options_from(settings.planning), named=phases, interview=False, free=False, use_memory=False)
    if original:
        options = replace(options, sections=sections_in(original), length="free")
    feedback = folder.text("focus") if original else ""
    name, request = folders.planning_name(folder), plan_request(folder.order)
    return begin(name, request, options, original=original, feedback=feedback)


def _find_problems(plan: str, *, is_new: bool) -> list[Problem]:
    left = [one for one in repair(plan, PLAN).left if one.severity == ERROR]
    found = [error("format", one.line, one.message) for one in left]
    done = [phase for phase in read(PlanSource("PLAN.md", plan)).phases if is_new and phase.status is State.DONE]
    claims = [error("unearned", one.line, f"phase {one.id} is marked as done, which it is not") for one in done]
    return found + claims


class _Lines:
    """See `planning.news.Display`: a line for those who look on at a stage."""

    def __init__(self, phases: Sequence[str], tell: Tell) -> None:
        self._phases, self.note = phases, tell

    def show(self, news: News) -> None:
        match news:
            case PhaseBegan(index=index, attempt=attempt):
                self.note(f"{self._label(index)}{f', attempt {attempt}' if attempt > 1 else ''} …")
            case AnswerRefused(index=index, problems=problems, attempts_left=left):
                follows = "; asked once more" if left else ""
                self.note(f"{self._label(index)}: the answer cannot be used: {'; '.join(problems[:3])}{follows}")
            case AgentFailed(role=role, error=why, is_asked_again=True):
                self.note(f"{role}: {one_line(why)}; asked once more")
            case _:
                pass

    def see(self, slot: str, event: Event) -> None:
        if isinstance(event, Denied):
            self.note(f"{slot}: refused {event.tool}: {one_line(event.reason)}")

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        yield

    def close(self, *, is_finished: bool) -> None:
        """Everything has been told."""

    def _label(self, index: int) -> str:
        number = round_of(self._phases, index)
        return f"{_LABELS[self._phases[index]]}{f' {number}' if number > 1 else ''}"
