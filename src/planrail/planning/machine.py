"""The phase machine: which phase a planning is in, and what follows from an answer.

It knows nothing about texts. An answer comes here as the list of its problems; with none the planning goes on, with
some the phase is asked for again, a bounded number of times. No phase is passed by any other door.

understand → explore → alternatives → draft → (critique → revise) × N; or an interview instead of the first four.
"""

from collections.abc import Sequence

from planrail.base.errors import UsageError
from planrail.base.records import record, replace
from planrail.planning.answers.judging import AnswerProblem

UNDERSTAND = "understand"
EXPLORE = "explore"
ALTERNATIVES = "alternatives"
DRAFT = "draft"
CRITIQUE = "critique"
REVISE = "revise"
INTERVIEW = "interview"  # explore, update the plan, ask; until nothing is open

SKIPPABLE = (UNDERSTAND, EXPLORE, ALTERNATIVES)
NAMES = (*SKIPPABLE, DRAFT, CRITIQUE, REVISE)
MIDDLING = (EXPLORE, DRAFT, CRITIQUE, REVISE)  # of a wish that is neither small nor risky
WRITING = (DRAFT, REVISE, INTERVIEW)  # phases whose answer is a plan
ROUNDS = (1, 2, 3, 4)
DEFAULT_ROUNDS = 2

_USE = f"use some of: {', '.join(NAMES)}"


def list_phases(
    named: Sequence[str] = (), *, skipped: Sequence[str] = (), rounds: int | None = None, interview: bool = False
) -> tuple[str, ...]:
    """The phases of one planning, in order, or a `UsageError`. `rounds` None: as named, else two.

    A critique that is named once is repeated as often as `rounds` says.
    """
    if rounds is not None and rounds not in ROUNDS:
        raise UsageError(f"{rounds} rounds of critique cannot be had", remedy="choose 1 to 4: --rounds 2")
    for name in skipped:
        if name not in SKIPPABLE:
            raise UsageError(f"the phase {name!r} cannot be skipped", remedy=f"skip some of: {', '.join(SKIPPABLE)}")
    critiques = (CRITIQUE, REVISE) * (rounds or DEFAULT_ROUNDS)
    if interview:
        if named:
            raise UsageError("an interview has phases of its own", remedy="leave out --phases or --interview")
        return (INTERVIEW, *critiques)
    if not named:
        return (*(name for name in SKIPPABLE if name not in skipped), DRAFT, *critiques)
    names = _check_order([name for name in named if name not in skipped])
    return tuple(names) if rounds is None or names.count(CRITIQUE) != 1 else (*names[:-2], *critiques)


def name_phases(text: str) -> tuple[str, ...]:
    names = tuple(name for part in text.split(",") if (name := part.strip().lower()))
    if not names:
        raise UsageError("no phase is named", remedy=_USE)
    return names


def round_of(phases: Sequence[str], index: int) -> int:
    """Which round of critique a place in the list belongs to, from 1; 0 before the first."""
    return list(phases[: index + 1]).count(CRITIQUE)


def _check_order(names: list[str]) -> list[str]:
    """The names, if a plan comes out at their end and none of them stands before one that it builds on."""
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise UsageError(f"there is no phase {unknown[0]!r}", remedy=_USE)
    if DRAFT not in names:
        raise UsageError("without the phase draft no plan is written", remedy="name it: --phases explore,draft")
    before, after = names[: names.index(DRAFT) + 1], names[names.index(DRAFT) + 1 :]
    if before != [name for name in NAMES if name in before] or after != [CRITIQUE, REVISE] * (len(after) // 2):
        raise UsageError(
            f"the phases cannot stand in this order: {','.join(names)}",
            remedy="keep to: understand,explore,alternatives,draft,critique,revise; each critique with its revise",
        )
    if len(after) > 2 * ROUNDS[-1]:
        raise UsageError("more than 4 rounds of critique cannot be had", remedy="name critique,revise at most 4 times")
    return names


GOING_ON = ""
FINISHED = "finished"
CANCELLED = "cancelled"
EXHAUSTED = "exhausted"  # the last attempt at a phase was not good enough either

INTERVIEWS = 8  # rounds of questions, after which what is still open stays in the plan


@record
class Progress:
    """`attempt` counts the answers to this phase from 1, `asked` the rounds of questions."""

    phases: tuple[str, ...]
    attempts: int  # the most answers that one phase gets
    index: int = 0
    attempt: int = 1
    asked: int = 0
    ended: str = GOING_ON

    @property
    def phase(self) -> str:
        return self.phases[self.index]

    @property
    def is_last(self) -> bool:
        return self.index == len(self.phases) - 1


# ---- decisions ----


@record
class Advance:
    """The answer is good: on to the next phase."""


@record
class Ask:
    """The answer is good, and leaves questions: a person answers, and the phase goes round."""

    questions: tuple[str, ...]


@record
class Retry:
    """The answer is not good enough: again, with the reasons."""

    problems: tuple[AnswerProblem, ...]


@record
class FinishPlanning:
    """The answer was the last one: the plan is written."""


@record
class GiveUp:
    """The last attempt was not good enough either."""

    problems: tuple[AnswerProblem, ...]


@record
class StayEnded:
    """The planning has ended before: nothing happens any more."""


Decision = Advance | Ask | Retry | FinishPlanning | GiveUp | StayEnded


def decide(progress: Progress, problems: tuple[AnswerProblem, ...], questions: tuple[str, ...] = ()) -> Decision:
    """What follows from an answer, by its problems; `questions`: what only a person can answer, in an interview."""
    if progress.ended:
        return StayEnded()
    if problems:
        return Retry(problems) if progress.attempt < progress.attempts else GiveUp(problems)
    if progress.phase == INTERVIEW and questions and progress.asked < INTERVIEWS:
        return Ask(questions)
    return FinishPlanning() if progress.is_last else Advance()


def apply(progress: Progress, decision: Decision) -> Progress:
    match decision:
        case Advance():
            return replace(progress, index=progress.index + 1, attempt=1)
        case Ask():
            return replace(progress, asked=progress.asked + 1, attempt=1)
        case Retry():
            return replace(progress, attempt=progress.attempt + 1)
        case FinishPlanning():
            return replace(progress, ended=FINISHED)
        case GiveUp():
            return replace(progress, ended=EXHAUSTED)
        case StayEnded():
            return progress
