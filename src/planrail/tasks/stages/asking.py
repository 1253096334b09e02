"""The questions of a stage that have a schema, put to its agent; each answer is kept when it is taken."""

from collections.abc import Sequence

from planrail.agents.model import Denied, Event, Outcome
from planrail.ask.asking import INVALID as INVALID_ANSWER
from planrail.ask.asking import Asking, Question, Watcher
from planrail.base.crash_points import reach
from planrail.base.one_line import one_line
from planrail.base.records import record, replace
from planrail.tasks import stage_folders as folders
from planrail.tasks.questions.answers import Wrong, read_answer
from planrail.tasks.questions.steps import schema_of
from planrail.tasks.stages.wishes import FAILED, INVALID, LIMIT, MISSING, STOPPED, TIMED_OUT, Tell

_ENDS = {"timeout": TIMED_OUT, "stopped": STOPPED, "limit": LIMIT, "missing": MISSING, INVALID_ANSWER: INVALID}
# What is told where several agents ended at once, each in its own way: the first of these.
_WORST = (MISSING, LIMIT, TIMED_OUT, INVALID, FAILED, STOPPED)


@record
class Halted:
    """Questions are not answered: why, as one of the ends of a stage, and in words.

    `command` is what to type, where that is not the same again.
    """

    status: str
    text: str
    resets_at: int = 0
    command: str = ""


def halt(outcomes: Sequence[Outcome]) -> Halted | None:
    """Why questions are not answered; None where all are."""
    failed = [one for one in outcomes if not one.ok]
    halts = [Halted(_ENDS.get(one.reason, FAILED), one.error, one.resets_at) for one in failed]
    return min(halts, key=lambda halted: _WORST.index(halted.status)) if halts else None


def open_asking(folder: folders.StageFolder, root: str, tell: Tell) -> Asking:
    def see(question: Question, event: Event) -> None:
        if isinstance(event, Denied):
            tell(f"{question.label}: refused {event.tool}: {one_line(event.reason)}")

    def fail(question: Question, error: str, follows: str) -> None:
        if follows:
            tell(f"{question.label}: {one_line(error)}; {follows}")

    def take(question: Question, outcome: Outcome) -> tuple[str, ...]:
        read = read_answer(outcome.structured, schema_of(question.name))
        if isinstance(read, Wrong):
            return read.problems
        count = len(folders.load_answers(folder))
        folders.save_answer(folder, question.name, folders.Kept(read, question.agent, count + 1))
        reach("stage.answered")
        return ()

    return Asking(folders.steps_folder(folder), root, Watcher(see, fail, take))


def ask_all(
    folder: folders.StageFolder, asking: Asking, questions: Sequence[Question], seconds: float
) -> Halted | None:
    """Put questions at once; None where all are answered, and kept."""
    agent, model = folder.text("agent"), folder.text("model")
    return halt(asking.ask_all([replace(one, agent=agent, model=model) for one in questions], seconds))
