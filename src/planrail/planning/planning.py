"""One planning: a request, the phases it has been through, the plan so far; and what an answer does to it.

Pure. What an answer is judged by beyond its text (the repository, lint) comes in as `AnswerContext`.
"""

from collections.abc import Callable, Collection, Sequence

from planrail.base.records import record, replace
from planrail.planning import machine
from planrail.planning.answers.judging import AnswerProblem, Bar, judge
from planrail.planning.answers.page import Page, read_page
from planrail.planning.answers.plan_text import extract_plan, length_problem, merge_sections
from planrail.planning.answers.promises import makes_promise
from planrail.planning.answers.questions import judge_content, open_questions
from planrail.planning.answers.references import find_references
from planrail.planning.answers.substance import Subject
from planrail.planning.answers.words import Words
from planrail.planning.asks import ASKED
from planrail.planning.machine import (
    CRITIQUE,
    DRAFT,
    EXPLORE,
    INTERVIEW,
    REVISE,
    UNDERSTAND,
    WRITING,
    Decision,
    Progress,
    round_of,
)
from planrail.planning.options import PlanningOptions, outgrow
from planrail.planning.principles import refuted_by
from planrail.planning.proportion import MOST_FILES, SMALL, find_excess
from planrail.plans.lint.document import Problem as Finding

LOOKING = (UNDERSTAND, EXPLORE)  # phases that say how things are
_FALSE = ("grounding", "error")


@record
class Planning:
    """`plan` is the text so far, "" before the first draft; `original` the plan that is refined, "" for a new one."""

    id: str
    request: str
    options: PlanningOptions
    progress: Progress
    plan: str = ""
    critiques: tuple[str, ...] = ()  # one for each round
    reports: tuple[tuple[str, str], ...] = ()  # phase and answer, of the phases that write no plan
    last_answer: str = ""  # the one that was accepted last
    proposed: str = ""  # the plan as it was last put before a person
    original: str = ""
    feedback: str = ""  # what a person said about the plan that is refined

    @property
    def round(self) -> int:
        """The round of critique that the planning is in, from 1; 0 before the first."""
        return round_of(self.progress.phases, self.progress.index)

    @property
    def critique(self) -> str:
        return self.critiques[-1] if self.critiques else ""


@record
class AgentAnswer:
    """What an agent said, and the plan file if it has written that since the phase began."""

    text: str
    file: str = ""


@record
class AnswerContext:
    """What answers are held against. `lint` finds what is wrong with a plan; `keep` puts back what must not change."""

    exists: Callable[[str], bool] | None = None
    file_count: int | None = None
    lint: Callable[[str], Sequence[Finding]] = lambda plan: ()
    keep: Callable[[str, str], str | list[AnswerProblem]] = lambda original, revised: revised
    words: Words | None = None
    names: Callable[[Collection[str]], Collection[str]] | None = None  # those of some names that the project has
    can_ask: bool = True  # a person is there who answers the questions of an interview


@record
class PlanningState:
    """Where a planning stands, between two answers.

    `heard` counts the reports that the author's conversation holds; `problems` are those of the last answer;
    `answers` what a person answered, None while nobody was asked.
    """

    planning: Planning
    conversation: str = ""
    heard: int = 0
    problems: tuple[str, ...] = ()
    answers: tuple[tuple[str, str], ...] | None = None


@record
class PlanningStep:
    """The planning after an answer, and what was decided."""

    planning: Planning
    decision: Decision


def name_step(planning: Planning) -> str:
    """What an answer is known by: its place among the phases, the phase, the round of questions and the attempt."""
    progress = planning.progress
    return f"{progress.index + 1:02}-{progress.phase}-{progress.asked}{progress.attempt:02}"


def begin(id_: str, request: str, options: PlanningOptions, *, original: str = "", feedback: str = "") -> Planning:
    progress = Progress(options.phases, options.attempts)
    return Planning(id_, request, options, progress, plan=original, original=original, feedback=feedback)


_Judged = tuple[
    str, Sequence[AnswerProblem], tuple[str, ...]
]  # the plan, what is wrong with an answer, and questions in it


def take_answer(planning: Planning, answer: AgentAnswer, context: AnswerContext) -> PlanningStep:
    """What an answer does: the planning goes on, stays where it is, or ends. It is never taken as another phase's."""
    phase = planning.progress.phase
    if planning.progress.ended:
        return PlanningStep(planning, machine.StayEnded())
    plan, problems, questions = _judge(planning, answer, context)
    if not problems and (excess := _excess(planning, plan)):
        planning, problems = _outgrow(planning, excess)
    decision = machine.decide(planning.progress, tuple(problems), questions)
    after = replace(planning, progress=machine.apply(planning.progress, decision))
    if problems:
        return PlanningStep(after, decision)
    after = replace(after, last_answer=answer.text)
    if phase in WRITING:
        is_finished = after.progress.ended == machine.FINISHED
        after = replace(after, plan=plan, proposed=plan if is_finished else planning.proposed)
    elif phase == CRITIQUE:
        after = replace(after, critiques=(*after.critiques, answer.text))
    else:
        after = replace(after, reports=(*after.reports, (phase, answer.text)))
    return PlanningStep(after, decision)


def _excess(planning: Planning, plan: str) -> str:
    """Why a plan is too large for the small planning that wrote it; "" where it is not, or the planning is not."""
    if planning.options.size != SMALL or planning.progress.phases != (DRAFT,):
        return ""
    files = {reference.partition(":")[0].rpartition("/")[2] for reference in find_references(plan)}
    return find_excess(len(read_page(Page(plan)).phases), len(files), len(open_questions(plan)))


def _outgrow(planning: Planning, excess: str) -> tuple[Planning, list[AnswerProblem]]:
    """A small planning becomes a whole one by itself, unless a person said that it is small."""
    options = planning.options
    if not options.why:
        said = (
            f"The plan has {excess}, which is too much for a small planning. Cut it to one phase of at most"
            f" {MOST_FILES} files; else the user has to leave this planning, and to begin it again with --deep"
        )
        return planning, [AnswerProblem("too-large", said)]
    grown = outgrow(options, excess)
    return replace(planning, options=grown, progress=replace(planning.progress, phases=grown.phases)), []


def cancel(planning: Planning) -> Planning:
    progress = planning.progress
    return replace(planning, progress=replace(progress, ended=progress.ended or machine.CANCELLED))


def _judge(planning: Planning, answer: AgentAnswer, context: AnswerContext) -> _Judged:
    phase = planning.progress.phase
    if phase in WRITING:
        return _judge_plan(planning, answer, context)
    if answer.text and answer.text == planning.last_answer:
        repeated = AnswerProblem("repeated", "this is the answer to the phase before, word for word")
        return planning.plan, [repeated], ()
    bar = _bar(planning, context)
    if phase in LOOKING:
        findings = [found for found in context.lint(answer.text) if (found.rule, found.severity) == _FALSE]
        bar = replace(bar, broken=tuple(finding.message for finding in findings))
    if phase == CRITIQUE and not planning.options.open_critique:
        bar = replace(bar, refuted=refuted_by(context.lint(planning.plan)))
    return planning.plan, judge(phase, answer.text, bar), ()


def _bar(planning: Planning, context: AnswerContext) -> Bar:
    options, is_last, looked_up = planning.options, planning.progress.is_last, (context.exists, context.file_count)
    bar = Bar(options.promise, options.sections, is_last, options.open_critique, *looked_up, words=context.words)
    return replace(bar, subject=_subject(planning, context))


def _subject(planning: Planning, context: AnswerContext) -> Subject:
    """What an answer can be about. A plan may say again what a long request says, a revision what the plan said, and a
    critique what an earlier one found."""
    phase = planning.progress.phase
    asked = ASKED.get(phase, "") + ("" if phase in (*WRITING, CRITIQUE) else f"\n{planning.request}")
    request = "" if planning.original else planning.request
    known = "\n".join(text for _, text in planning.reports)
    return Subject(request, asked, known, planning.plan if phase == CRITIQUE else "", context.names)


def _judge_plan(planning: Planning, answer: AgentAnswer, context: AnswerContext) -> _Judged:
    progress, bar = planning.progress, _bar(planning, context)
    # A file is read like a message: what an agent wrote above or around its plan claims nothing.
    given, said = plan_said(answer.text, bar, answer.file)
    phase = DRAFT if progress.phase == INTERVIEW else progress.phase
    problems = judge(phase, said, bar)
    if not given and not problems:
        problems = [AnswerProblem("no-plan", "there is no plan in the answer: not one of its headings")]
    if problems:
        return planning.plan, problems, ()
    is_part = progress.phase == REVISE and not progress.is_last
    plan = merge_sections(planning.plan, given) if is_part else given
    kept = context.keep(planning.original, plan) if planning.original else plan
    if not isinstance(kept, str):
        return planning.plan, kept, ()
    questions = open_questions(kept) if progress.phase == INTERVIEW and context.can_ask else ()
    return kept, _shortcomings(planning, kept, context), questions


def plan_said(text: str, bar: Bar, file: str = "") -> tuple[str, str]:
    """The plan in an answer, out of its fence; and what is judged of it: the plan, with the promise, if it was made."""
    plan = extract_plan(file or text)
    if plan and makes_promise(Page(text), bar.promise):
        return plan, f"{plan}\n\n<promise>{bar.promise}</promise>"
    return plan, plan or text


def _shortcomings(planning: Planning, plan: str, context: AnswerContext) -> list[AnswerProblem]:
    """What a plan lacks although its structure is right: it is too long, empty, or lint refutes it at the very end.

    What the plan that is refined lacked already counts for nothing: what is finished cannot be fixed.
    """
    too_long = length_problem(plan, planning.options.length)
    problems = [too_long] if too_long else []
    if planning.progress.phase == DRAFT or planning.progress.is_last:
        bar = _bar(planning, context)
        lacking = {problem.rule for problem in judge_content(planning.original, bar)} if planning.original else set()
        problems += [problem for problem in judge_content(plan, bar) if problem.rule not in lacking]
    if planning.progress.is_last:
        before = context.lint(planning.original) if planning.original else ()
        known = {(finding.rule, finding.message) for finding in before}
        found = [finding for finding in context.lint(plan) if (finding.rule, finding.message) not in known]
        errors = [finding for finding in found if finding.severity == "error"]
        problems += [
            AnswerProblem("lint", f"line {finding.line}: {finding.message} ({finding.rule})") for finding in errors
        ]
    return problems


def repropose(planning: Planning, plan: str, context: AnswerContext) -> list[AnswerProblem]:
    """What is wrong with a plan that was changed after its planning had finished; [] where it can be proposed again."""
    bar = replace(_bar(planning, context), is_final=False)
    return judge(DRAFT, plan, bar) or _shortcomings(planning, plan, context)
