"""The texts of an outline as a plan will carry them: each in a style, from rich to plain."""

from collections.abc import Iterable, Iterator, Mapping

from planrail.base.records import record
from planrail.tasks.documents.criteria import Criterion, write_criteria
from planrail.tasks.documents.outlines import Outline, PlanPhase, sound_dependencies
from planrail.tasks.documents.texts import one_line, plain_words, prose, quoted

Key = tuple[str, str]  # a kind of place, and the text that stands there
Styles = Mapping[Key, int]


TITLE, ITEM, LINE, PROSE, COMMAND, CRITERION = "title", "item", "line", "prose", "command", "criterion"
PLAINEST = 2
_LONGEST_TITLE = 200


@record
class PhaseScript:
    """A phase, in the words in which it is written."""

    title: str
    goal: str
    tasks: tuple[str, ...]
    timing: str
    depends_on: tuple[int, ...]
    criteria: tuple[Criterion, ...]
    files: tuple[str, ...]


@record
class PlanScript:
    """A plan, in the words in which it is written. `overview` and `rollback` are lines of Markdown."""

    title: str
    task_title: str
    overview: tuple[str, ...]
    goals: tuple[str, ...]
    non_goals: tuple[str, ...]
    risks: tuple[tuple[str, str], ...]
    phases: tuple[PhaseScript, ...]
    testing: tuple[str, ...]
    outputs: tuple[str, ...]
    rollback: tuple[str, ...]
    research_inputs: tuple[str, ...]
    effort: str
    open_questions: tuple[str, ...]


def style(kind: str, text: str, level: int) -> str:
    """A text in a style: 0 is as it came, 1 has only words, 2 has them in quotation marks; prose is quoted at once."""
    if kind == PROSE:
        return "\n".join(quoted(text) if level else prose(text))
    flat = one_line(text, _LONGEST_TITLE) if kind == TITLE else one_line(text)
    if not level:
        return flat
    words = plain_words(flat)
    return words if level == 1 or not words else f"“{words}”"


def make_script(task_title: str, outline: Outline, styles: Styles) -> PlanScript:
    """An outline in the words in which it is written. A phase without a title or work gets the ones at hand."""

    def say(kind: str, text: str) -> str:
        return style(kind, text, styles.get((kind, text), 0))

    def lines(texts: Iterable[str]) -> tuple[str, ...]:
        return tuple(filter(None, (say(LINE, text) for text in texts)))

    needs = sound_dependencies(outline.phases)
    return PlanScript(
        say(LINE, outline.title) or say(LINE, task_title) or "untitled",
        say(LINE, task_title) or "untitled",
        tuple(say(PROSE, outline.overview).split("\n")) if outline.overview.strip() else (),
        lines(outline.goals),
        lines(outline.non_goals),
        tuple((say(LINE, risk), say(LINE, answer)) for risk, answer in outline.risks),
        tuple(_phase(number, phase, needs[number - 1], styles) for number, phase in enumerate(outline.phases, 1)),
        lines(outline.testing),
        lines(outline.outputs),
        tuple(say(PROSE, outline.rollback).split("\n")) if outline.rollback.strip() else (),
        lines(outline.research_inputs),
        say(LINE, outline.effort),
        lines(outline.open_questions),
    )


def _phase(number: int, phase: PlanPhase, needs: tuple[int, ...], styles: Styles) -> PhaseScript:
    def say(kind: str, text: str) -> str:
        return style(kind, text, styles.get((kind, text), 0))

    title = say(TITLE, phase.title) or f"Step {number}"
    tasks = tuple(filter(None, (say(ITEM, text) for text in phase.tasks)))
    criteria = [
        ("", f"{plain_words(command)} {text}") if styles.get((COMMAND, command)) else (command, say(CRITERION, text))
        for command, text in phase.criteria
    ]
    files = tuple(filter(None, (say(LINE, path).replace("`", "") for path in phase.files)))
    return PhaseScript(
        title,
        say(LINE, phase.goal),
        tasks or (say(ITEM, phase.goal) or f"Do what phase {number} is about",),
        say(LINE, phase.timing),
        needs,
        tuple(write_criteria(criteria)),
        files,
    )


def texts_of(task_title: str, outline: Outline) -> Iterator[Key]:
    """Every text of an outline with the kind of place that it stands in."""
    yield PROSE, outline.overview
    yield PROSE, outline.rollback
    lists = (outline.goals, outline.non_goals, outline.testing, outline.outputs)
    for text in (task_title, outline.title, outline.effort, *(text for texts in lists for text in texts)):
        yield LINE, text
    for text in (*outline.research_inputs, *outline.open_questions, *(text for pair in outline.risks for text in pair)):
        yield LINE, text
    for phase in outline.phases:
        yield from _texts_of_phase(phase)


def _texts_of_phase(phase: PlanPhase) -> Iterator[Key]:
    yield TITLE, phase.title
    yield from ((LINE, text) for text in (phase.goal, phase.timing, *phase.files))
    yield from ((ITEM, text) for text in (*phase.tasks, phase.goal))
    for command, text in phase.criteria:
        yield COMMAND, command
        yield CRITERION, text
