"""A person's own report or plan instead of an agent's: checked, repaired where that is possible, linked, committed."""

import os
import stat
import sys
from collections.abc import Sequence

from planrail.base.errors import PlanrailError, UnreadablePlan, UsageError
from planrail.base.records import replace
from planrail.base.wording import plural, quote
from planrail.projects.open_plan import open_plan
from planrail.tasks.desk.desk import Desk
from planrail.tasks.documents.repairing import facts_of, repair
from planrail.tasks.documents.validating import ERROR
from planrail.tasks.model import PLAN, REPORT, Task, round_for
from planrail.tasks.questions.model import RESEARCH, StageOrder
from planrail.tasks.stage_folders import create
from planrail.tasks.stages.composing import Draft, shorten
from planrail.tasks.stages.finishing import finish
from planrail.tasks.stages.opening import leave_stages
from planrail.tasks.stages.surroundings import files_of
from planrail.tasks.stages.wishes import StageEnd, StageWish

STANDARD_INPUT = "-"
_LARGEST = 4_000_000  # bytes of a document
_NAME_FILE = "name a text file: --from FILE"
_KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}
_MOST_NAMED = 5


def take_document(desk: Desk, task: Task, wish: StageWish) -> StageEnd:
    """Take a document as the result of a stage. The file itself is copied, and stays as it is."""
    type_ = REPORT if wish.stage == RESEARCH else PLAN
    text = read_given(wish.source)
    repaired = repair(text, type_, facts_of(task, type_))
    errors = [problem.message for problem in repaired.left if problem.severity == ERROR]
    if errors:
        raise PlanrailError(_refusal(wish.source, type_, errors), remedy=_remedy(task, type_, wish.source))
    leave_stages(desk, task, wish.stage)
    round_ = round_for(task, RESEARCH if wish.stage == RESEARCH else "plan", files_of(desk, task, REPORT))
    order = StageOrder(wish.stage, task.number, round_, task.title, {}, has_plan=True)
    folder = create(desk.root, order, {"task": task.id, "session": desk.session, "began": desk.now(), "given": True})
    title = _title(text) or task.title
    end = finish(desk, folder, draft=Draft(title, shorten([title]), lambda path: repaired.text), force=wish.force)
    return replace(end, notes=(*end.notes, *(f"repaired: {change}" for change in repaired.changes)))


def _refusal(source: str, type_: str, errors: Sequence[str]) -> str:
    more = f"; and {len(errors) - _MOST_NAMED} more" if len(errors) > _MOST_NAMED else ""
    count = plural(len(errors), "problem")
    return f"{name_given(source)} is no {type_} yet, {count} to mend: {'; '.join(errors[:_MOST_NAMED])}{more}"


def _remedy(task: Task, type_: str, source: str) -> str:
    """What helps: a plan that planrail can carry out as it is need not be rewritten, only linked."""
    if source == STANDARD_INPUT:
        return f"keep it in a file, to see all of them: planrail task validate-artifact FILE {type_}"
    look = f"planrail task validate-artifact {quote(source)} {type_}"
    if type_ != PLAN or not _has_phases(source):
        return look
    return f"as it is: planrail task link-artifact {task.number} plan {quote(source)}; all that it lacks: {look}"


def _has_phases(source: str) -> bool:
    try:
        return bool(open_plan(source).phases)
    except UnreadablePlan:
        return False


def _title(text: str) -> str:
    first = next((line for line in text.splitlines()[:40] if line.startswith("# ")), "")
    return first.removeprefix("# ").partition(": ")[2].strip() or first.removeprefix("# ").strip()


def read_given(source: str) -> str:
    """The text of a document; a `UsageError` where it is none. Line ends stay as they are."""
    try:
        data = _read_input() if source == STANDARD_INPUT else _read_file(source)
        if len(data) > _LARGEST:
            raise UsageError(f"{name_given(source)} is too large for a document", remedy="name a text file")
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{name_given(source)} cannot be read: it is no UTF-8 text", remedy=_NAME_FILE) from error
    except (OSError, ValueError) as error:  # a name with a zero byte in it is a ValueError
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"{name_given(source)} cannot be read: {why}", remedy=_NAME_FILE) from error


def name_given(source: str) -> str:
    return "standard input" if source == STANDARD_INPUT else source


def _read_input() -> bytes:
    if sys.stdin is None:
        raise UsageError("there is no standard input", remedy=_NAME_FILE)
    return sys.stdin.buffer.read(_LARGEST + 1)


def _read_file(path: str) -> bytes:
    """A regular file. Opened without waiting: a pipe would wait for its writer."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        kind = stat.S_IFMT(os.fstat(descriptor).st_mode)
        if kind != stat.S_IFREG:
            raise UsageError(f"{path} cannot be read: it is {_KINDS.get(kind, 'no file')}", remedy=_NAME_FILE)
        return file.read(_LARGEST + 1)
