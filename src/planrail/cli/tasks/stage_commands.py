"""What `task research`, `task plan` and `task revise` share: one task or several, and the answer."""

from collections.abc import Callable

from planrail.ask.asking import Switch
from planrail.ask.interruptions import interruptible
from planrail.base.errors import Held, PlanrailError, UsageError
from planrail.base.one_line import one_line
from planrail.base.wording import Answer
from planrail.cli.options.stages import StageCall
from planrail.cli.refusals import refusal_as_json
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.desk.desk import Desk
from planrail.tasks.desk.looks import from_here
from planrail.tasks.stages.conducting import run_all
from planrail.tasks.stages.running import refuse, run_stage
from planrail.tasks.stages.telling import teller
from planrail.tasks.stages.wishes import HELD, REFUSED, STOPPED, StageEnd, StageWish


def carry_out(desk: Desk, call: StageCall) -> Answer:
    numbers, wish = call.numbers, call.wish
    if len(numbers) == 1:
        return _carry_out_one(desk, numbers[0], wish, as_json=call.as_json)
    with refusal_as_json({"stage": wish.stage, "results": []}, as_json=call.as_json):
        _refuse_any(desk, numbers, wish)
    switch = Switch()
    with interruptible():
        ends = run_all(numbers, call.jobs, switch, _worker(desk, wish, switch))
    return _answer_all(ends, wish.stage)


def describe_end(end: StageEnd, stage: str) -> dict[str, object]:
    spent = end.spent
    used = {"tokens_in": spent.tokens_in, "tokens_out": spent.tokens_out, "cost": spent.cost} if spent else None
    return {
        "task": end.task,
        "stage": stage,
        "status": end.status,
        "text": end.text,
        "artifact": end.artifact or None,
        "spent": used,
        "notes": list(end.notes),
        "next": end.command,
    }


def _carry_out_one(desk: Desk, number: int, wish: StageWish, *, as_json: bool) -> Answer:
    try:
        refused = refusal_as_json(lambda error: describe_end(_refused(number, error), wish.stage), as_json=as_json)
        with refused, interruptible():
            end = run_stage(desk, number, wish, tell=teller(desk))
    except KeyboardInterrupt:
        command = f"planrail task {wish.stage} {number}"
        end = StageEnd(False, STOPPED, "stopped; what was answered is kept", command, task=number)
    lines = [end.text, *end.notes, *([from_here(desk, end.artifact)] if end.artifact else [])]
    return Answer(describe_end(end, wish.stage), lines, command=end.command, code=end.exit_code)


def _worker(desk: Desk, wish: StageWish, switch: Switch) -> Callable[[int], StageEnd]:
    def work(number: int) -> StageEnd:
        try:
            return run_stage(desk, number, wish, tell=teller(desk, f"task {number}: "), switch=switch)
        except PlanrailError as error:
            return _refused(number, error)

    return work


def _answer_all(ends: list[StageEnd], stage: str) -> Answer:
    failed = [end for end in ends if not end.ok]
    following = (failed or ends)[0].command
    lines = []
    for end in ends:
        lines += [f"{'✔' if end.ok else '✖'} {end.task:>4}  {one_line(end.text)}"]
        lines += [f"        {note}" for note in end.notes]
    codes = {end.exit_code for end in failed}
    code = codes.pop() if len(codes) == 1 else int(bool(codes))
    document = {"results": [describe_end(end, stage) for end in ends], "next": following}
    return Answer(document, lines, command=following, code=code)


def _refuse_any(desk: Desk, numbers: tuple[int, ...], wish: StageWish) -> None:
    """Each task is looked at before any of them begins."""
    if wish.source:
        remedy = f"planrail task {wish.stage} {numbers[0]} --from FILE"
        raise UsageError("one document belongs to one task", remedy=remedy)
    with open_book(desk.root) as book:
        for number in numbers:
            refuse(book.load(number), wish)


def _refused(number: int, error: PlanrailError) -> StageEnd:
    status = HELD if isinstance(error, Held) else REFUSED
    return StageEnd(False, status, error.message, error.remedy, task=number)
