"""The stages of a task at the command line: `task research`, `task plan` and `task revise`, for one task or several."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from planrail.ask.asking import Switch
from planrail.ask.interruptions import interruptible
from planrail.base.errors import Held, PlanrailError, UsageError
from planrail.base.one_line import one_line
from planrail.base.wording import Answer
from planrail.cli.options.stages import add_stage_options, read_stages
from planrail.cli.refusals import refusal_as_json
from planrail.cli.screen import show, warn
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.context.context import Context, open_context
from planrail.tasks.context.looks import from_here
from planrail.tasks.stages.requests import HELD, REFUSED, STOPPED, StageEnd, StageRequest
from planrail.tasks.stages.running import refuse, run_all, run_stage, teller

_TEXTS = {
    "research": """\
Let an agent find out what is known about a task: it reads, planrail writes the report. Opens a round.

    planrail task research 7 look at the cache     a focus, for this round
    planrail task research 7,9-12 --jobs 2         several tasks, side by side
    planrail task research 7 --team 3              three at once, from different sides, and one report of theirs
    planrail task research 7 --from notes.md       your own report

What was begun and did not come to its end is gone on with. With --json: "task", "stage", "status" (done, timed_out,
limit, missing, invalid, failed, stopped, spent, held or refused), "text", "artifact", "spent", "notes" and "next"; for
several tasks {"results": [...], "next"}.
""",
    "plan": """\
Let an agent write the plan of a task, in phases, and another one criticise it. Both read; planrail writes.

    planrail task plan 7                           by what was researched
    planrail task plan 7 --effort hard             criticised twice; fast: not at all
    planrail task plan 7 --timeout 10              what is planned by then is kept, and gone on with by the same command
    planrail task plan 7 --from plan.md            your own plan

With --json: as `planrail task research` has it.
""",
    "revise": """\
Write the plan of a task anew, by what was said about it; where there is no plan yet, its description.

    planrail task revise 7 the cache has to survive a restart
    planrail task revise 7 --feedback notes.md

The new plan belongs to the same round and takes the place of the old one, whose file stays. With --json: as
`planrail task research` has it.
""",
}


class StageCommand:
    MIXES_WORDS = True

    def __init__(self, name: str) -> None:
        self._name, self.__doc__ = name, _TEXTS[name]

    def configure(self, parser: ArgumentParser) -> None:
        add_stage_options(parser, self._name)

    def run(self, arguments: Namespace) -> int:
        as_json = arguments.json
        with refusal_as_json({"stage": self._name, "results": []}, as_json=as_json):
            numbers, request, jobs = read_stages(self._name, arguments)
            context = open_context(warn, commit=not arguments.no_commit)
            if len(numbers) > 1:
                _refuse_any(context, numbers, request)
        if len(numbers) == 1:
            return show(_carry_out_one(context, numbers[0], request, as_json=as_json), as_json=as_json)
        return show(_carry_out_all(context, numbers, request, jobs), as_json=as_json)


COMMANDS = {name: StageCommand(name) for name in _TEXTS}


def _carry_out_all(context: Context, numbers: Sequence[int], request: StageRequest, jobs: int) -> Answer:
    switch = Switch()

    def work(number: int) -> StageEnd:
        try:
            return run_stage(context, number, request, tell=teller(context, f"task {number}: "), switch=switch)
        except PlanrailError as error:
            return _refused(number, error)

    with interruptible():
        ends = run_all(numbers, jobs, switch, work)
    failed = [end for end in ends if not end.ok]
    following = (failed or ends)[0].command
    lines = []
    for end in ends:
        lines += [f"{'✔' if end.ok else '✖'} {end.task:>4}  {one_line(end.text)}"]
        lines += [f"        {note}" for note in end.notes]
    codes = {end.exit_code for end in failed}
    code = codes.pop() if len(codes) == 1 else int(bool(codes))
    document = {"results": [_describe(end, request.stage) for end in ends], "next": following}
    return Answer(document, lines, command=following, code=code)


def _carry_out_one(context: Context, number: int, request: StageRequest, *, as_json: bool) -> Answer:
    stage = request.stage
    try:
        refused = refusal_as_json(lambda error: _describe(_refused(number, error), stage), as_json=as_json)
        with refused, interruptible():
            end = run_stage(context, number, request, tell=teller(context))
    except KeyboardInterrupt:
        end = StageEnd(STOPPED, "stopped; what was answered is kept", f"planrail task {stage} {number}", number)
    lines = [end.text, *end.notes, *([from_here(context, end.artifact)] if end.artifact else [])]
    return Answer(_describe(end, stage), lines, command=end.command, code=end.exit_code)


def _refuse_any(context: Context, numbers: Sequence[int], request: StageRequest) -> None:
    """Each task is looked at before any of them begins."""
    if request.source:
        remedy = f"planrail task {request.stage} {numbers[0]} --from FILE"
        raise UsageError("one document belongs to one task", remedy=remedy)
    with open_book(context.root) as book:
        for number in numbers:
            refuse(book.load(number), request)


def _refused(number: int, error: PlanrailError) -> StageEnd:
    return StageEnd(HELD if isinstance(error, Held) else REFUSED, error.message, error.remedy, number)


def _describe(end: StageEnd, stage: str) -> dict[str, object]:
    spent = end.spent
    used = {"tokens_in": spent.tokens_in, "tokens_out": spent.tokens_out, "cost": spent.cost} if spent else None
    told = {"task": end.task, "stage": stage, "status": end.status, "text": end.text}
    more = {"artifact": end.artifact or None, "spent": used, "notes": list(end.notes), "next": end.command}
    return {**told, **more}
