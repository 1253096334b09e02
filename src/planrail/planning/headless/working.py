"""Carrying out a headless planning, from wherever it stands to its end."""

import os
import time
from collections.abc import Callable, Mapping, Sequence

from planrail.agents.model import Outcome, Question, UsageEvent
from planrail.ask.asking import AgentQuestion, AgentWatcher, Asking, put_aside
from planrail.ask.interruptions import interruptible
from planrail.base.errors import PlanrailError
from planrail.base.records import record, replace
from planrail.base.settings import Settings
from planrail.planning.answers.questions import split_options
from planrail.planning.conducting import CRITIC, Ended, PlanningFinished, PlanningHalted, conduct, revive
from planrail.planning.headless.delivery import Delivered, Undelivered, compare_tree, deliver, take_snapshot
from planrail.planning.headless.interview import InterviewTerminal, find_terminal
from planrail.planning.in_session.facts import load_committed_settings, open_context
from planrail.planning.machine import CANCELLED, EXHAUSTED, EXPLORE, FINISHED
from planrail.planning.news import AgentFailed, PlanningDisplay
from planrail.planning.options import describe_size
from planrail.planning.planning import AgentAnswer, AnswerContext, Planning, PlanningState
from planrail.planning.plannings import (
    KeptPlanning,
    keep_answer,
    load,
    load_stand,
    locked,
    place_of,
    recall,
    remember,
    save,
    save_stand,
)

OpenDisplay = Callable[[Sequence[str], int], PlanningDisplay]  # for these phases, of which so many are done


@record
class PlanEnd:
    """How a planning ended (finished, exhausted, failed, interrupted, unwritten, refused) and what belongs to that."""

    folder: str
    kept: KeptPlanning
    status: str
    delivered: Delivered | None = None
    problems: tuple[str, ...] = ()
    error: str = ""
    failure: PlanrailError | None = None  # what it ended with, where that is an error of the whole request
    result: str = ""  # where the text of the plan is kept, where it could not be put into its file


def carry_on(folder: str, id_: str, open_display: OpenDisplay) -> PlanEnd:
    """Go on with a planning until it ends, is stopped, or an agent cannot be had; how it stands then."""
    with locked(folder, id_, wait=False) as is_ours:
        kept = load(folder, id_)
        try:
            delivered = _look_back(folder, kept, is_ours=is_ours)
        except PlanrailError as error:
            return PlanEnd(folder, kept, "refused", failure=error)
        if delivered is not None:
            return PlanEnd(folder, kept, "finished", delivered=delivered)
        try:
            if kept.planning.progress.ended == FINISHED:
                return _hand_over(folder, kept)
            return _work(folder, kept, open_display)
        except PlanrailError as error:
            return PlanEnd(folder, load(folder, id_), "failed", failure=error)


def _look_back(folder: str, kept: KeptPlanning, *, is_ours: bool) -> Delivered | None:
    """The plan of a planning that has finished: killed at the very end, nobody had heard of it.

    It raises why a planning cannot be gone on with.
    """
    id_, path = kept.planning.id, kept.about.get("delivered", "")
    if not is_ours:
        raise PlanrailError(f"the planning {id_} is at work already", remedy="wait for it, or stop it with Ctrl-C")
    if kept.planning.progress.ended == CANCELLED:
        raise PlanrailError(f"the planning {id_} was cancelled", remedy="start it again: planrail plan TEXT")
    if path and not os.path.exists(path):
        why = f"the planning {id_} has finished, and its plan is no longer at {path}"
        raise PlanrailError(why, remedy=f"its text is kept in {place_of(folder, id_)}/plan.md")
    return Delivered(path, request=kept.about.get("request", "")) if path else None


def _work(folder: str, kept: KeptPlanning, open_display: OpenDisplay) -> PlanEnd:
    """Ask phase after phase; whatever happens, no agent is left at work and what was used is on record."""
    progress = kept.planning.progress
    display = open_display(progress.phases, progress.index)
    ended: Ended | None = None
    try:
        kept, note = take_snapshot(folder, kept)
        sized = describe_size(kept.planning.options) if not progress.index else ""
        for said in filter(None, (note, sized)):
            display.note(said)
        if progress.ended == EXHAUSTED:  # its attempts begin anew
            put_aside(_jobs(folder, kept), "before")
        kept = save_stand(folder, kept, revive(load_stand(folder, kept)))
        with interruptible():
            terminal = find_terminal() if kept.planning.options.interview else None
            work = PlanningWork(folder, kept, load_committed_settings(kept.about["root"]), display, terminal)
            try:
                ended = conduct(load_stand(folder, kept), work, explorers=int(kept.about["explorers"]))
            finally:
                work.end()
    except KeyboardInterrupt:
        return PlanEnd(folder, load(folder, kept.planning.id), "interrupted")
    finally:
        display.close(is_finished=isinstance(ended, PlanningFinished))
    if isinstance(ended, PlanningFinished):
        return _hand_over(folder, work.kept)
    if isinstance(ended, PlanningHalted):
        return PlanEnd(folder, work.kept, "failed", error=f"the {ended.role} did not answer: {ended.error}")
    return PlanEnd(folder, work.kept, "exhausted", problems=ended.stand.problems)


class PlanningWork:
    """See `planning.conducting.Port`: agents by jobs, which outlive planrail. `kept` is the planning as saved last."""

    def __init__(
        self,
        folder: str,
        kept: KeptPlanning,
        settings: Settings,
        display: PlanningDisplay,
        terminal: InterviewTerminal | None = None,
        *,
        jobs: str = "",
        again: Sequence[str] = ("failed", "lost", "timeout"),
    ) -> None:
        self.kept = kept
        self._folder, self._settings, self._display, self._terminal = folder, settings, display, terminal
        self._known: tuple[int, AnswerContext] | None = None
        self._counted = UsageEvent(0, 0, 0.0)
        watcher = AgentWatcher(
            lambda question, event: display.see(question.label, event),
            lambda question, error, follows: display.show(AgentFailed(question.label, error, bool(follows))),
            person=self._answer_agent if terminal is not None else None,
        )
        place, root, allowed = jobs or _jobs(folder, kept), kept.about["root"], settings.guard.allow_tools
        self.asking = Asking(place, root, watcher, again=again, allowed=allowed)
        self.show, self.note = display.show, display.note

    def ask(self, questions: Sequence[AgentQuestion]) -> list[Outcome]:
        return self.put(questions, float(self.kept.about["timeout"]))

    def put(self, questions: Sequence[AgentQuestion], seconds: float) -> list[Outcome]:
        """A model's name means something to one program only, so another's critic chooses its own."""
        about, asked = self.kept.about, []
        for question in questions:
            agent = (question.role == CRITIC and about["critic"]) or about["agent"]
            model = about["model"] if agent == about["agent"] else ""
            asked.append(replace(question, agent=agent, model=model))
        return self.asking.ask_all(asked, seconds)

    def ask_person(self, questions: Sequence[str]) -> Mapping[str, str]:
        return self._ask_person({question: Question(*split_options(question)) for question in questions})

    def _answer_agent(self, questions: list[Question]) -> Mapping[str, str]:
        return self._ask_person({question.text: question for question in questions})

    def _ask_person(self, questions: Mapping[str, Question]) -> dict[str, str]:
        if self._terminal is None:
            return {}
        with self._display.paused():
            return self._terminal.ask(questions)

    def keep(self, stand: PlanningState) -> None:
        self.kept = save_stand(self._folder, self._with_costs(), stand)

    def keep_answer(self, planning: Planning, answer: AgentAnswer) -> None:
        keep_answer(self._folder, planning, answer)

    def context(self, planning: Planning) -> AnswerContext:
        """What the answers to this phase are held against: looked up once."""
        index = planning.progress.index
        if self._known is None or self._known[0] != index:
            about, is_exploring = self.kept.about, planning.progress.phase == EXPLORE
            context = open_context(about["root"], about["plan_file"], self._settings, count=is_exploring)
            self._known = index, replace(context, can_ask=self._terminal is not None)
        return self._known[1]

    def lessons(self, planning: Planning) -> str:
        return recall(self.kept.about["root"], planning, int(self.kept.about["number"]))

    def look_at_tree(self) -> None:
        self.kept, report = compare_tree(self._folder, self.kept)
        if report:
            self._display.note(report)

    def end(self) -> None:
        self.asking.stop()
        self.kept = self._with_costs()
        save(self._folder, self.kept, can_go_on=True)

    def _with_costs(self) -> KeptPlanning:
        now, then, about = self.asking.spent, self._counted, self.kept.about
        self._counted = now
        return self.kept.note(
            tokens_in=str(int(about.get("tokens_in", "0")) + now.tokens_in - then.tokens_in),
            tokens_out=str(int(about.get("tokens_out", "0")) + now.tokens_out - then.tokens_out),
            cost=f"{float(about.get('cost', '0')) + now.cost - then.cost:.6f}",
        )


def _jobs(folder: str, kept: KeptPlanning) -> str:
    return f"{place_of(folder, kept.planning.id)}/jobs"


def _hand_over(folder: str, kept: KeptPlanning) -> PlanEnd:
    """The plan is written: put it into its file and before a person. Killed in between, this is done again."""
    kept, _ = compare_tree(folder, kept, is_leaving=True)
    delivered = deliver(folder, kept, time.time())
    if isinstance(delivered, Undelivered):
        return PlanEnd(folder, kept, "unwritten", failure=delivered.error, result=delivered.kept)
    notes = [delivered.note, remember(kept.about["root"], kept.planning, int(kept.about["number"]))]
    kept = kept.note(delivered=delivered.path, request=delivered.request)
    try:
        save(folder, kept)
    except PlanrailError as error:  # the plan is there all the same
        notes.append(f"the plan is written, but not that the planning is done: {error.message}")
    delivered = replace(delivered, note="; ".join(note for note in notes if note))
    return PlanEnd(folder, kept, "finished", delivered=delivered)
