"""A person's own report or plan instead of an agent's: checked, repaired where that is possible, linked, committed."""

import os
import stat
import sys

from planrail.base.errors import PlanrailError, UnreadablePlan, UsageError
from planrail.base.records import replace
from planrail.base.wording import plural, quote
from planrail.projects.open_plan import open_plan
from planrail.tasks.context.context import Context
from planrail.tasks.documents.repairing import facts_of, repair
from planrail.tasks.documents.validating import ERROR
from planrail.tasks.model import PLAN, REPORT, Task
from planrail.tasks.questions.model import RESEARCH, StageOrder
from planrail.tasks.stage_folders import create
from planrail.tasks.stages.finishing import StageDraft, finish, shorten
from planrail.tasks.stages.opening import leave_stages, next_round
from planrail.tasks.stages.requests import StageEnd, StageRequest

STANDARD_INPUT = "-"
_LARGEST = 4_000_000  # bytes of a document
_NAME_FILE = "name a text file: --from FILE"
_KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}
_MOST_NAMED = 5


def take_document(context: Context, task: Task, request: StageRequest) -> StageEnd:
    """Take a document as the result of a stage. The file itself is copied, and stays as it is."""
    type_ = REPORT if request.stage == RESEARCH else PLAN
    text = read_own(request.source)
    repaired = repair(text, type_, facts_of(task, type_))
    errors = [problem.message for problem in repaired.left if problem.severity == ERROR]
    if errors:
        more = f"; and {len(errors) - _MOST_NAMED} more" if len(errors) > _MOST_NAMED else ""
        what = f"{_name(request.source)} is no {type_} yet, {plural(len(errors), 'problem')} to fix"
        raise PlanrailError(
            f"{what}: {'; '.join(errors[:_MOST_NAMED])}{more}", remedy=_remedy(task, type_, request.source)
        )
    leave_stages(context, task, request.stage)
    round_ = next_round(context, task, request.stage)
    order = StageOrder(request.stage, task.number, round_, task.title, {}, has_plan=True)
    about = {"task": task.id, "session": context.session, "began": context.now(), "given": True}
    head = next((line for line in text.splitlines()[:40] if line.startswith("# ")), "").removeprefix("# ")
    title = head.partition(": ")[2].strip() or head.strip() or task.title
    draft = StageDraft(title, shorten([title]), lambda path: repaired.text)
    end = finish(context, create(context.root, order, about), draft=draft, force=request.force)
    return replace(end, notes=(*end.notes, *(f"repaired: {change}" for change in repaired.changes)))


def _remedy(task: Task, type_: str, source: str) -> str:
    """What helps: a plan that planrail can carry out as it is need not be rewritten, only linked."""
    if source == STANDARD_INPUT:
        return f"keep it in a file, to see all of them: planrail task validate-artifact FILE {type_}"
    look = f"planrail task validate-artifact {quote(source)} {type_}"
    try:
        has_phases = type_ == PLAN and bool(open_plan(source).phases)
    except UnreadablePlan:
        has_phases = False
    link = f"as it is: planrail task link-artifact {task.number} plan {quote(source)}; all that it lacks: "
    return f"{link if has_phases else ''}{look}"


def read_own(source: str) -> str:
    """The text of a document; a `UsageError` where it is none. Line ends stay as they are."""
    try:
        data = _read(source)
        if len(data) > _LARGEST:
            raise UsageError(f"{_name(source)} is too large for a document", remedy="name a text file")
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{_name(source)} cannot be read: it is no UTF-8 text", remedy=_NAME_FILE) from error
    except (OSError, ValueError) as error:  # a name with a zero byte in it is a ValueError
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"{_name(source)} cannot be read: {why}", remedy=_NAME_FILE) from error


def _name(source: str) -> str:
    return "standard input" if source == STANDARD_INPUT else source


def _read(source: str) -> bytes:
    """Standard input, or a regular file. Opened without waiting: a pipe would wait for its writer."""
    if source == STANDARD_INPUT:
        if sys.stdin is None:
            raise UsageError("there is no standard input", remedy=_NAME_FILE)
        return sys.stdin.buffer.read(_LARGEST + 1)
    descriptor = os.open(source, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        kind = stat.S_IFMT(os.fstat(descriptor).st_mode)
        if kind != stat.S_IFREG:
            raise UsageError(f"{source} cannot be read: it is {_KINDS.get(kind, 'no file')}", remedy=_NAME_FILE)
        return file.read(_LARGEST + 1)
