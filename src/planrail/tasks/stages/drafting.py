"""The plan of a task: drafted, criticised and revised in the flow of `planrail plan`, kept in the stage's folder."""

import contextlib
import os
import time
from collections.abc import Iterator, Sequence

from planrail.agents.model import Denied, Event, Outcome, failure
from planrail.ask.asking import Question, put_aside
from planrail.base.crash_points import reach
from planrail.base.errors import PlanrailError
from planrail.base.one_line import one_line
from planrail.base.records import replace
from planrail.base.settings import Settings
from planrail.planning.answers.plan_text import extract_plan
from planrail.planning.conducting import Exhausted, Finished, conduct, revive
from planrail.planning.headless.requests import sections_in
from planrail.planning.headless.working import Work
from planrail.planning.in_session.facts import options_from
from planrail.planning.machine import CRITIQUE, DRAFT, EXHAUSTED, REVISE, round_of
from planrail.planning.news import AgentFailed, AnswerRefused, News, PhaseBegan
from planrail.planning.options import Options
from planrail.planning.planning import Ground, Planning, Stand, begin
from planrail.planning.plannings import Kept, load, load_stand, save, save_stand
from planrail.plans.lint.problems import Problem, error
from planrail.plans.reading import read
from planrail.plans.states import State
from planrail.plans.text.source import Source
from planrail.tasks.desk.desk import Desk
from planrail.tasks.documents.repairing import repair
from planrail.tasks.documents.validating import ERROR, has_errors
from planrail.tasks.model import PLAN, Task
from planrail.tasks.questions.model import ROUNDS
from planrail.tasks.questions.prompts import plan_request
from planrail.tasks.stage_folders import StageFolder, planning_name, steps_folder
from planrail.tasks.stages.asking import Halted, halt
from planrail.tasks.stages.conducting import Limits, find_over
from planrail.tasks.stages.surroundings import read_plan
from planrail.tasks.stages.wishes import INVALID, Tell

_LABELS = {DRAFT: "the plan", CRITIQUE: "the critique", REVISE: "the revision"}


class Drafting(Work):
    """The planning of one stage, within the limits of a call."""

    def __init__(
        self, desk: Desk, folder: StageFolder, task: Task, settings: Settings, limits: Limits, tell: Tell
    ) -> None:
        kept = _open(desk, folder, task, settings)
        lines, steps = _Lines(kept.planning, tell), steps_folder(folder)
        super().__init__(folder.path, kept, settings, lines, None, jobs=steps, again=("failed", "lost"))
        self._limits, self._left = limits, limits.seconds
        self._halted: Halted | None = None

    def run(self) -> Halted | None:
        """Have the plan written; None when it is."""
        try:
            ended = conduct(load_stand(self._folder, self.kept), self)
        finally:
            self.end()
        if isinstance(ended, Finished):
            return None
        if isinstance(ended, Exhausted):
            return Halted(INVALID, f"the answer cannot be used: {'; '.join(ended.stand.problems[:3])}")
        return self._halted

    def ask(self, questions: Sequence[Question]) -> list[Outcome]:
        self._halted = find_over(self.asking, self._limits) or self._limits.look()
        if self._halted is not None:
            return [failure("stopped", self._halted.text) for _ in questions]
        began = time.monotonic()
        outcomes = self.put(questions, self._left)
        self._left -= time.monotonic() - began
        self._halted = halt(outcomes)
        return outcomes

    def keep(self, stand: Stand) -> None:
        super().keep(stand)
        reach("stage.answered")

    def ground(self, planning: Planning) -> Ground:
        """A plan of a task is in its format, and a new one says of nothing that it is done."""
        ground = super().ground(planning)
        is_new = not planning.original
        return replace(ground, lint=lambda plan: [*ground.lint(plan), *_find_problems(plan, is_new=is_new)])


def _open(desk: Desk, folder: StageFolder, task: Task, settings: Settings) -> Kept:
    about = {name: folder.text(name) for name in ("agent", "critic", "model")}
    about |= {"root": desk.root, "plan_file": os.path.join(desk.root, "PLAN.md"), "number": "0"}
    try:
        kept = load(folder.path, planning_name(folder))
        if kept.about["agent"] != about["agent"]:
            about |= {"conversation": "", "heard": "0"}  # a conversation is one program's own
        kept = kept.note(**about)
    except PlanrailError:
        kept = Kept(_begin(desk, folder, task, settings), about)
        save(folder.path, kept)
    if kept.planning.progress.ended == EXHAUSTED:  # its attempts begin anew
        put_aside(steps_folder(folder), "before")
    return save_stand(folder.path, kept, revive(load_stand(folder.path, kept)))


def _begin(desk: Desk, folder: StageFolder, task: Task, settings: Settings) -> Planning:
    """A plan that is revised is refined where it is in its format; else it is written anew, by what it says."""
    paper = read_plan(desk.root, task) if folder.order.has_plan else None
    is_ours = paper is not None and not has_errors(list(repair(paper.text, PLAN).left)) and extract_plan(paper.text)
    original = paper.text if paper is not None and is_ours else ""
    phases = (DRAFT, *((CRITIQUE, REVISE) * ROUNDS[folder.order.effort]))
    options: Options = replace(
        options_from(settings.planning), named=phases, interview=False, free=False, use_memory=False
    )
    if original:
        options = replace(options, sections=sections_in(original), length="free")
    feedback = folder.text("focus") if original else ""
    request = plan_request(folder.order)
    return begin(planning_name(folder), request, options, original=original, feedback=feedback)


def _find_problems(plan: str, *, is_new: bool) -> list[Problem]:
    left = [one for one in repair(plan, PLAN).left if one.severity == ERROR]
    found = [error("format", one.line, one.message) for one in left]
    done = [phase for phase in read(Source("PLAN.md", plan)).phases if is_new and phase.status is State.DONE]
    claims = [error("unearned", one.line, f"phase {one.id} is marked as done, which it is not") for one in done]
    return found + claims


class _Lines:
    """See `planning.news.Display`: a line for those who look on at a stage."""

    def __init__(self, planning: Planning, tell: Tell) -> None:
        self._phases, self._tell = planning.progress.phases, tell

    def show(self, news: News) -> None:
        match news:
            case PhaseBegan(index=index, attempt=attempt):
                self._tell(f"{self._label(index)}{f', attempt {attempt}' if attempt > 1 else ''} …")
            case AnswerRefused(index=index, problems=problems, attempts_left=left):
                follows = "; asked once more" if left else ""
                self._tell(f"{self._label(index)}: the answer cannot be used: {'; '.join(problems[:3])}{follows}")
            case AgentFailed(role=role, error=why, is_asked_again=True):
                self._tell(f"{role}: {one_line(why)}; asked once more")
            case _:
                pass

    def see(self, slot: str, event: Event) -> None:
        if isinstance(event, Denied):
            self._tell(f"{slot}: refused {event.tool}: {one_line(event.reason)}")

    def note(self, text: str) -> None:
        self._tell(text)

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        yield

    def close(self, *, is_finished: bool) -> None:
        """Everything has been told."""

    def _label(self, index: int) -> str:
        number = round_of(self._phases, index)
        return f"{_LABELS[self._phases[index]]}{f' {number}' if number > 1 else ''}"
