"""The phase machine: which phase a planning is in, and what follows from an answer.

It knows nothing about texts. An answer comes here as the list of its problems; with none the planning goes on, with
some the phase is asked for again, a bounded number of times. No phase is passed by any other door.
"""

from planrail.base.records import record, replace
from planrail.planning.answers.judging import Problem
from planrail.planning.phases import INTERVIEW, is_final

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
        """The phase that is asked for."""
        return self.phases[self.index]

    @property
    def is_last(self) -> bool:
        """Whether what this phase writes is the plan."""
        return is_final(self.phases, self.index)


# ---- events ----


@record
class Judged:
    """An answer was judged. `questions`: what only a person can answer, in an interview."""

    problems: tuple[Problem, ...] = ()
    questions: tuple[str, ...] = ()


@record
class Cancelled:
    """Somebody has had enough."""


Event = Judged | Cancelled

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

    problems: tuple[Problem, ...]


@record
class Finish:
    """The answer was the last one: the plan is written."""


@record
class GiveUp:
    """The last attempt was not good enough either."""

    problems: tuple[Problem, ...]


@record
class Cancel:
    """The planning ends here."""


@record
class Stay:
    """The planning has ended before: nothing happens any more."""


Decision = Advance | Ask | Retry | Finish | GiveUp | Cancel | Stay


def decide(progress: Progress, event: Event) -> Decision:
    """What follows from an event."""
    if progress.ended:
        return Stay()
    if isinstance(event, Cancelled):
        return Cancel()
    if event.problems:
        has_more = progress.attempt < progress.attempts
        return Retry(event.problems) if has_more else GiveUp(event.problems)
    if progress.phase == INTERVIEW and event.questions and progress.asked < INTERVIEWS:
        return Ask(event.questions)
    return Finish() if progress.is_last else Advance()


def apply(progress: Progress, decision: Decision) -> Progress:
    """The progress after a decision."""
    match decision:
        case Advance():
            return replace(progress, index=progress.index + 1, attempt=1)
        case Ask():
            return replace(progress, asked=progress.asked + 1, attempt=1)
        case Retry():
            return replace(progress, attempt=progress.attempt + 1)
        case Finish():
            return replace(progress, ended=FINISHED)
        case GiveUp():
            return replace(progress, ended=EXHAUSTED)
        case Cancel():
            return replace(progress, ended=CANCELLED)
        case Stay():
            return progress
