"""The texts of an outline as a plan will carry them: each in a style, from rich to plain."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from planrail.base.records import record, replace
from planrail.plans.checks import read_checks
from planrail.plans.command_shapes import looks_runnable
from planrail.plans.reading import read
from planrail.plans.text.source import Source
from planrail.tasks.documents.formats import Outline, PlanPhase, sound_dependencies
from planrail.tasks.documents.texts import code_of, one_line, plain_words, prose, quoted
from planrail.tasks.model import Task

_PROBE = "# P\n\n### Phase 1: One [NOT STARTED]\n\n- [ ] do\n\n#### Acceptance Criteria\n\n"
Key = tuple[str, str]  # a kind of place, and the text that stands there
Styles = Mapping[Key, int]
TITLE, ITEM, LINE, PROSE, COMMAND, CRITERION = "title", "item", "line", "prose", "command", "criterion"
PLAINEST = 2
_LONGEST_TITLE = 200
_PROSE = ("overview", "rollback")  # the fields of an outline, by their kind
_LISTS = ("goals", "non_goals", "testing", "outputs", "research_inputs", "open_questions")


@record
class Criterion:
    """A criterion as it is written: its bullet, and the command that stands in a block of its own, if it has to."""

    bullet: str
    block: str = ""
    checks: tuple[str, ...] = ()


def style(kind: str, text: str, level: int) -> str:
    """A text in a style: 0 is as it came, 1 has only words, 2 has them in quotation marks; prose is quoted at once."""
    if kind == PROSE:
        return "\n".join(quoted(text) if level else prose(text))
    flat = one_line(text, _LONGEST_TITLE) if kind == TITLE else one_line(text)
    if not level:
        return flat
    words = plain_words(flat)
    return words if level == 1 or not words else f"“{words}”"


def make_script(task: Task, outline: Outline, styles: Styles) -> tuple[Task, Outline]:
    """Task and outline in the words in which they are written. A phase without a title or work gets those at hand."""

    def say(kind: str, text: str) -> str:
        return style(kind, text, styles.get((kind, text), 0))

    def say_all(kind: str, texts: Iterable[str]) -> tuple[str, ...]:
        return tuple(filter(None, (say(kind, text) for text in texts)))

    def say_phase(number: int, phase: PlanPhase, needs: tuple[int, ...]) -> PlanPhase:
        return PlanPhase(
            say(TITLE, phase.title) or f"Step {number}",
            say(LINE, phase.goal),
            say_all(ITEM, phase.tasks) or (say(ITEM, phase.goal) or f"Do what phase {number} is about",),
            say(LINE, phase.timing),
            needs,
            tuple(
                ("", f"{plain_words(one)} {text}") if styles.get((COMMAND, one)) else (one, say(CRITERION, text))
                for one, text in phase.criteria
            ),
            tuple(filter(None, (say(LINE, path).replace("`", "") for path in phase.files))),
        )

    title, phases = say(LINE, task.title), outline.phases
    numbered = zip(range(1, len(phases) + 1), phases, sound_dependencies(phases), strict=True)
    return replace(task, title=title or "untitled"), replace(
        outline,
        title=say(LINE, outline.title) or title or "untitled",
        effort=say(LINE, outline.effort),
        risks=tuple((say(LINE, risk), say(LINE, answer)) for risk, answer in outline.risks),
        phases=tuple(say_phase(*one) for one in numbered),
        **{name: say_all(LINE, getattr(outline, name)) for name in _LISTS},
        **{name: say(PROSE, getattr(outline, name)) for name in _PROSE},
    )


def texts_of(task: Task, outline: Outline) -> Iterator[Key]:
    yield from ((PROSE, getattr(outline, name)) for name in _PROSE)
    lists = [getattr(outline, name) for name in _LISTS]
    for texts in ((task.title, outline.title, outline.effort), *lists, *outline.risks):
        yield from ((LINE, text) for text in texts)
    for phase in outline.phases:
        yield TITLE, phase.title
        yield from ((LINE, text) for text in (phase.goal, phase.timing, *phase.files))
        yield from ((ITEM, text) for text in (*phase.tasks, phase.goal))
        for command, text in phase.criteria:
            yield COMMAND, command
            yield CRITERION, text


def write_criteria(criteria: Sequence[tuple[str, str]]) -> list[Criterion]:
    return [
        _write_criterion(code_of(command), one_line(text))
        for command, text in criteria
        if command.strip() or text.strip()
    ]


def criteria_lines(criteria: Sequence[tuple[str, str]]) -> list[str]:
    written = write_criteria(criteria)
    lines = [f"- [ ] {criterion.bullet}" for criterion in written]
    for criterion in written:
        lines += _fenced(criterion.block) if criterion.block else []
    return lines


@lru_cache(maxsize=500)  # each is written, and then compared with what is read
def _write_criterion(command: str, text: str) -> Criterion:
    if not command:
        return Criterion(text, checks=_checks_in(text))
    said, apart = (f"`{command}`{joint}{text or 'passes'}" for joint in (" ", " — "))
    can_be_bullet = not any(sign in command for sign in "`\n") and command == one_line(command)
    for bullet in (said, apart) if can_be_bullet else ():
        if _checks_in(bullet) == (command,):
            return Criterion(bullet, checks=(command,))
    if can_be_bullet and not _checks_in(said) and looks_runnable(command):
        return Criterion(said)  # without a check: its text expects a failure, a verifier judges
    return Criterion(text or "The check below passes", command, (*_checks_in(text), command))


def _checks_in(bullet: str) -> tuple[str, ...]:
    phases = read(Source("plan.md", f"{_PROBE}- [ ] {bullet}\n")).phases
    return tuple(check.command for check in read_checks(list(phases[0].sections))) if phases else ()


def _fenced(command: str) -> list[str]:
    ticks = "```"
    while ticks in command:
        ticks += "`"
    return ["", f"{ticks}sh check", *command.split("\n"), ticks]
