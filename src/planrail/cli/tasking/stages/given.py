"""A person's own report or plan instead of an agent's: checked, repaired where that is possible, linked, committed."""

import os

from planrail.cli.screen import quote
from planrail.cli.tasking.stages.composing import Draft, shorten
from planrail.cli.tasking.stages.finishing import finish
from planrail.cli.tasking.stages.folders import create
from planrail.cli.tasking.stages.opening import leave_stages
from planrail.cli.tasking.stages.surroundings import files_of
from planrail.errors import PlanrailError, UsageError
from planrail.records import replace
from planrail.tasks.artifacts.repairing import facts_of, repair
from planrail.tasks.artifacts.validating import ERROR
from planrail.tasks.model import PLAN, REPORT
from planrail.tasks.rounds import round_for
from planrail.tasks.stages.model import RESEARCH, StageOrder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.cli.tasking.desk import Desk
    from planrail.cli.tasking.stages.wishes import StageEnd, StageWish
    from planrail.tasks.model import Task

_LARGEST = 4_000_000  # bytes of a document


def take_document(desk: "Desk", task: "Task", wish: "StageWish") -> "StageEnd":
    """Take a document as the result of a stage. The file itself is copied, and stays as it is."""
    type_ = REPORT if wish.stage == RESEARCH else PLAN
    text = _read(wish.source)
    repaired = repair(text, type_, facts_of(task, type_))
    errors = [problem.message for problem in repaired.left if problem.severity == ERROR]
    if errors:
        raise PlanrailError(
            f"{wish.source} is no {type_} yet: {'; '.join(errors[:5])}",
            remedy=_remedy(task, type_, wish.source),
        )
    leave_stages(desk, task, wish.stage)
    round_ = round_for(task, RESEARCH if wish.stage == RESEARCH else "plan", files_of(desk, task, REPORT))
    order = StageOrder(wish.stage, task.number, round_, task.title, {}, has_plan=True)
    folder = create(desk.root, order, {"task": task.id, "session": desk.session, "began": desk.now(), "given": True})
    title = _title(text) or task.title
    end = finish(desk, folder, draft=Draft(title, shorten([title]), lambda path: repaired.text), force=wish.force)
    return replace(end, notes=(*end.notes, *(f"repaired: {change}" for change in repaired.changes)))


def _remedy(task: "Task", type_: str, source: str) -> str:
    """What helps: a plan that planrail can carry out as it is need not be rewritten, only linked."""
    look = f"planrail task validate-artifact {quote(source)} {type_}"
    if type_ != PLAN or not _has_phases(source):
        return look
    return f"as it is: planrail task link-artifact {task.number} plan {quote(source)}; what it lacks: {look}"


def _has_phases(source: str) -> bool:
    from planrail.cli.open_plan import open_plan
    from planrail.errors import UnreadablePlan

    try:
        return bool(open_plan(source).phases)
    except UnreadablePlan:
        return False


def _title(text: str) -> str:
    """The document's own title, without the word for its type."""
    first = next((line for line in text.splitlines()[:40] if line.startswith("# ")), "")
    return first.removeprefix("# ").partition(": ")[2].strip() or first.removeprefix("# ").strip()


def _read(path: str) -> str:
    try:
        if os.path.getsize(path) > _LARGEST:
            raise UsageError(f"{path} is too large for a document", remedy="name a text file")
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise UsageError(f"{path} cannot be read: {why}", remedy="name a text file: --from FILE") from error
