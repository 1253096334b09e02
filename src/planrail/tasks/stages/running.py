"""A stage of a task, from wherever it stands to its end; by agents, or with a person's own report or plan."""

import contextlib
import os
import stat
import sys
import threading
import time
from collections.abc import Callable, Sequence

from planrail.ask.asking import Switch, join_all, put_aside
from planrail.ask.interruptions import interruptible
from planrail.base.crash_points import reach
from planrail.base.errors import PlanrailError, ToolFailed, UnreadablePlan, UsageError
from planrail.base.one_line import one_line
from planrail.base.records import replace
from planrail.base.settings import Settings
from planrail.base.wording import plural, quote
from planrail.planning.in_session.facts import load_committed_settings
from planrail.projects.open_plan import open_plan
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.context.claiming import claimed
from planrail.tasks.context.context import Context, apply
from planrail.tasks.documents.rendering import facts_of, repair
from planrail.tasks.documents.validating import ERROR
from planrail.tasks.model import PLAN, REPORT, Task
from planrail.tasks.questions.model import DIVIDE, RESEARCH, StageOrder, kind_of
from planrail.tasks.stage_folders import StageFolder, create, load_answers, open_stages
from planrail.tasks.stages import requests
from planrail.tasks.stages.asking import Drafting, Limits, conduct, open_asking, progress_of
from planrail.tasks.stages.finishing import StageDraft, finish, is_complete, shorten
from planrail.tasks.stages.opening import end_agents, find_missing, leave_stages, next_round, open_stage, suggest
from planrail.tasks.stages.requests import Halted, StageEnd, StageRequest, Tell
from planrail.tasks.statuses import BLOCKED, TERMINAL, Refuse, decide_event, marker
from planrail.tasks.watching.tree_watch import compare_tree, remember_tree

_WORDS = {"research": "research", "plan": "planning", "revise": "revising", "divide": "dividing"}
# What went wrong, by the closed set of the log. Where a person or a limit ended it, nothing did.


def teller(context: Context, prefix: str = "") -> Tell:
    """Lines for those who look on; whole ones, also from several threads."""
    lock = threading.Lock()

    def tell(text: str) -> None:
        with lock, contextlib.suppress(OSError):  # nobody reads on (`2>&1 | head -1`): the stage goes on
            context.tell(f"{prefix}{text}")

    return tell


def run_stage(
    context: Context, number: int, request: StageRequest, *, tell: Tell, switch: Switch | None = None
) -> StageEnd:
    """Carry out a stage, or go on with it. What stands in the way is an end that says how to go on.

    Raises `Held` where another process has the task, and `PlanrailError` where the stage is refused. An interruption
    ends the agents and is passed on; what was answered is kept. `switch` ends them from another thread.
    """
    request.check()
    with claimed(context, number):
        task = context.load(number)
        waiting = context.find_waiting(task)
        refuse(task, request)
        if waiting is not None:
            tell(f"{waiting.text}; to {request.stage} it is possible all the same")
        if request.source:
            return take_document(context, task, request)
        settings = load_committed_settings(context.root)
        missing = find_missing(context, task, request, settings)
        if missing is not None:
            return missing
        folder = open_stage(context, task, request, settings, tell)
        if is_complete(folder):
            return finish(context, folder, force=request.force)
        if not folder.order.is_about_description:  # else its state stays as it is
            force = request.force and task.status in (*TERMINAL, BLOCKED)
            task, _ = apply(context, number, f"begin_{folder.order.kind}", force=force)
        reach("stage.marked")
        return _ask(context, folder, task, request, settings, tell, switch or Switch())


def refuse(task: Task, request: StageRequest) -> None:
    decision = decide_event(task, f"begin_{kind_of(request.stage)}", force=request.force)
    if isinstance(decision, Refuse):
        raise PlanrailError(decision.text, remedy=decision.remedy)


def _ask(
    context: Context,
    folder: StageFolder,
    task: Task,
    request: StageRequest,
    settings: Settings,
    tell: Tell,
    switch: Switch,
) -> StageEnd:
    """Put the questions that are left, with an eye on the tree; then the end, whichever it is."""

    def look() -> Halted | None:
        with open_book(context.root) as book:
            return judge_task(book.find(task.number), task.number, folder.text("task"), task.status)

    minutes = request.timeout or float(context.settings.timeout)
    folder, unwatched = remember_tree(context, folder, time.time())
    limits = Limits(minutes * 60, request.money, request.tokens, look)
    drafting = Drafting(context, folder, task, settings, limits, tell) if folder.order.writes_plan else None
    asking = switch.connect(drafting.asking if drafting else open_asking(folder, context.root, tell))
    try:
        halted = drafting.run() if drafting else conduct(folder, asking, limits, tell)
    finally:
        folder, changed = compare_tree(context, folder)
        for note in changed:
            tell(note)
    end = _halt(context, folder, halted, minutes) if halted else finish(context, folder, force=request.force)
    return replace(end, spent=asking.spent, notes=(*end.notes, *((unwatched,) if unwatched else ()), *changed))


def judge_task(task: Task | None, number: int, id_: str, status: str) -> Halted | None:
    """Why a task is not to be worked on any more. It had that id and that status when the work began."""
    if task is None or task.id != id_:
        return Halted(requests.REFUSED, "was archived meanwhile", command=f"planrail task recover {number}")
    if task.status == status or task.status not in (*TERMINAL, BLOCKED):
        return None
    force = " --force" if task.status in TERMINAL else ""
    text = f"is {marker(task.status)} by now{f' ({task.why})' if task.why else ''}"
    return Halted(requests.REFUSED, text, command=f"planrail task reopen {number}{force}")


# ---- a stage that did not come to its end ----


def _halt(context: Context, folder: StageFolder, halted: Halted, minutes: float) -> StageEnd:
    """The end of a stage that something stood in the way of: what, how far it is, and how to go on. It is logged."""
    order, progress = folder.order, progress_of(folder)
    if halted.status == requests.REFUSED:
        text = f"task {order.number} {halted.text}: nothing more is asked, and what was answered is kept"
        return StageEnd(requests.REFUSED, f"{text} ({progress})", halted.command, order.number)
    until = f" until {time.strftime('%H:%M', time.localtime(halted.resets_at))}" if halted.resets_at else ""
    words = {
        requests.LIMIT: f"stopped, the agent is at its usage limit{until}",
        requests.TIMED_OUT: f"stopped after {minutes:g} minute{'s' * (minutes != 1)}",
        requests.STOPPED: "was stopped",
        requests.SPENT: f"rests, {halted.text}",
    }
    why = words.get(halted.status, f"failed, {one_line(halted.text)}")
    text, again = f"{_WORDS[order.stage]} {why}: {progress}", f"planrail task {order.stage} {order.number}"
    if halted.status == requests.MISSING:
        again = suggest(StageRequest(order.stage), order.number)
    elif order.stage == DIVIDE:  # without parts and without an agent, a division is nobody's to make
        again = f"planrail task expand {order.number} --agent {quote(folder.text('agent'))}"
    return StageEnd(halted.status, text, again, order.number)


# ---- other ways to call it ----


def run_all(numbers: Sequence[int], jobs: int, switch: Switch, work: Callable[[int], StageEnd]) -> list[StageEnd]:
    """How each task ended, in the order of the call. An interruption ends all agents, and what has not begun stays."""
    ends: dict[int, StageEnd] = {}
    waiting, lock = list(numbers), threading.Lock()

    def take_turns() -> None:
        while True:
            with lock:
                if not waiting:
                    return
                number = waiting.pop(0)
            try:
                ends[number] = work(number)
            except Exception as error:  # one that fails in a way nobody thought of costs the others nothing
                ends[number] = StageEnd(requests.FAILED, f"{type(error).__name__}: {error}", "", number)

    threads = [threading.Thread(target=take_turns, daemon=True) for _ in range(min(jobs, len(numbers)))]

    def stop() -> None:
        with lock:
            waiting.clear()
        switch.turn_off()

    with contextlib.suppress(KeyboardInterrupt):
        join_all(threads, stop)
    for number in (one for one in numbers if one not in ends):
        told = "stopped before it was begun"
        ends[number] = StageEnd(requests.STOPPED, told, f"planrail task show {number}", number)
    return [ends[number] for number in numbers]


def divide(
    context: Context, number: int, *, agent: str = "", model: str = "", minutes: float | None = None
) -> list[str]:
    """The smaller tasks that an agent proposes, 2 to 5. What was answered before a crash is not asked again."""
    request = StageRequest(DIVIDE, agent=agent, model=model, timeout=minutes or 0.0)
    request.check()
    tell = teller(context)
    with claimed(context, number), interruptible():
        task = context.load(number)
        for used in open_stages(context.root, number):  # a division that the task has had: now another one is wanted
            if used.order.stage == DIVIDE and used.about.get("parts") != list(task.subtasks):
                end_agents(used)
                put_aside(used.path, "done")
        settings = load_committed_settings(context.root)
        missing = find_missing(context, task, request, settings)
        if missing is not None:
            raise ToolFailed(missing.text, remedy=missing.command)
        folder = open_stage(context, task, request, settings, tell).note(parts=list(task.subtasks))
        spare = request.timeout or float(context.settings.timeout)
        halted = conduct(folder, open_asking(folder, context.root, tell), Limits(spare * 60), tell)
        if halted is not None:
            end = _halt(context, folder, halted, spare)
            raise (ToolFailed if halted.status == requests.MISSING else PlanrailError)(end.text, remedy=end.command)
        parts = load_answers(folder)["division"].answer["parts"]
    return [str(part) for part in parts] if isinstance(parts, list) else []


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
