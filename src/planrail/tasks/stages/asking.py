"""The questions of a stage, put to its agents; each answer is kept in the stage's folder when it is taken."""

from collections.abc import Sequence

from planrail.agents.model import Denied, Event, Outcome
from planrail.ask.asking import INVALID as INVALID_ANSWER
from planrail.ask.asking import Asking, Question, Watcher
from planrail.base.crash_points import reach
from planrail.base.one_line import one_line
from planrail.base.records import record, replace
from planrail.tasks import stage_folders as folders
from planrail.tasks.questions.answers import Wrong, read_answer
from planrail.tasks.questions.assembling import count_planned
from planrail.tasks.questions.model import CRITIC, PLANNER
from planrail.tasks.questions.steps import schema_of
from planrail.tasks.stages.wishes import FAILED, INVALID, LIMIT, MISSING, STOPPED, TIMED_OUT, Tell

_THREAD = "plan"  # the conversation in which a plan is written
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


def open_asking(folder: folders.StageFolder, root: str, tell: Tell) -> Asking:
    def see(question: Question, event: Event) -> None:
        if isinstance(event, Denied):
            tell(f"{question.label}: refused {event.tool}: {one_line(event.reason)}")

    def fail(question: Question, error: str, follows: str) -> None:
        if follows:
            tell(f"{question.label}: {one_line(error)}; {follows}")

    def take(question: Question, outcome: Outcome) -> tuple[str, ...]:
        answers = folders.load_answers(folder)
        phases = count_planned({name: kept.answer for name, kept in answers.items()})
        read = read_answer(outcome.structured, schema_of(question.name), phases=phases)
        if isinstance(read, Wrong):
            return read.problems
        thread = _THREAD if question.role == PLANNER else ""
        kept = folders.Kept(read, question.agent, outcome.conversation, thread, len(answers) + 1)
        folders.save_answer(folder, question.name, kept)
        reach("stage.answered")
        return ()

    return Asking(folders.steps_folder(folder), root, Watcher(see, fail, take))


def ask_all(
    folder: folders.StageFolder, asking: Asking, questions: Sequence[Question], seconds: float
) -> Halted | None:
    """Put questions at once; None where all are answered, and kept."""
    outcomes = asking.ask_all([_address(folder, question) for question in questions], seconds)
    failed = [one for one in outcomes if not one.ok]
    halts = [Halted(_ENDS.get(one.reason, FAILED), one.error, one.resets_at) for one in failed]
    return min(halts, key=lambda halted: _WORST.index(halted.status)) if halts else None


def _address(folder: folders.StageFolder, question: Question) -> Question:
    """The question with who is asked, and the conversation that it belongs to, where the same program still has it."""
    author = folder.text("agent")
    agent = folder.text("critic") or author if question.role == CRITIC else author
    model = folder.text("model") if agent == author else ""  # its name means something to one program only
    mine = [kept for kept in folders.load_answers(folder).values() if kept.thread == _THREAD]
    is_known = bool(question.following and mine) and mine[-1].agent == agent
    return replace(question, agent=agent, model=model, conversation=mine[-1].conversation if is_known else "")
