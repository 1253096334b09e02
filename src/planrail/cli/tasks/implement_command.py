"""Carry out the plan of a task by planrail's own run: checked, verified, landed; then complete the task.

Kill it at any time: the same command goes on. A plan that was finished in a session only has to be completed. Several
tasks are done in waves, by their dependencies.
"""

from argparse import ArgumentParser, Namespace

from planrail.base.one_line import one_line
from planrail.base.records import replace
from planrail.base.wording import Answer
from planrail.cli.options import task_runs as options
from planrail.cli.options.runs import add_agents
from planrail.cli.refusals import refusal_as_json
from planrail.cli.screen import show, warn
from planrail.cli.screens import open_display
from planrail.cli.tasks.orchestra import TaskOrder, conduct
from planrail.tasks.context.context import Context, open_context
from planrail.tasks.numbers import Typed, read_numbers
from planrail.tasks.work.implementing import Unapproved, implement
from planrail.tasks.work.task_runs import ImplementRequest, open_purse, run_within

MIXES_WORDS = True
_INTERRUPTED = 130
_CODES = {"complete": 0, "pr_ready": 0, "paused": 0, "parked": 0, "stopped": _INTERRUPTED, "interrupted": _INTERRUPTED}


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("numbers", metavar="N", nargs="+", help="one or several: 7 or 7,9-12")
    add_agents(parser)
    parser.add_argument(
        "--force", action="store_true", help="also a task that is closed, or waits for others; on record"
    )
    options.add_common(parser)


def run(arguments: Namespace) -> int:
    about: dict[str, object] = {"task": None}
    with refusal_as_json(about, as_json=arguments.json):
        numbers, ask = read_numbers(" ".join(arguments.numbers)), options.may_ask(arguments)
        context = open_context(warn, commit=not arguments.no_commit)
        words = options.repeat_run_options(arguments, "force")
        typed = Typed("implement", numbers, words, options.repeat_options(arguments, "jobs"))
        if len(numbers) > 1:
            order = TaskOrder(typed, arguments.jobs, arguments.budget, ask=ask)
            return show(conduct(context, order, is_json=arguments.json), as_json=arguments.json)
        about["task"] = numbers[0]
        request = replace(options.read_implement_request(arguments, typed, open_display), ask=ask)
        try:
            return show(_carry_out(context, numbers[0], request, arguments), as_json=arguments.json)
        except Unapproved as error:
            about["asked"] = error.path
            raise


def _carry_out(context: Context, number: int, request: ImplementRequest, arguments: Namespace) -> Answer:
    spent: dict[str, object] = {}
    if arguments.part:
        purse = open_purse(arguments.share or arguments.budget)  # of this call; that of a run counts earlier ones too
        ended = run_within(
            purse, context.root, number, request, lambda mine: implement(context, number, mine, force=arguments.force)
        )
        spent = {"spent": {"money": purse.money, "tokens": purse.tokens}}
    else:
        ended = implement(context, number, request, force=arguments.force)
    task = ended.task
    told = {"task": task.number, "status": task.status, "state": ended.state, "text": ended.text}
    done = {"summary": ended.summary or None, "commit": ended.commit or None, "resume_phase": task.resume_phase}
    document = {**told, **done, **spent, "reason": ended.reason or None, "command": ended.command}
    lines = [one_line(ended.text if ended.is_complete else f"{ended.state.replace('_', ' ')}: {ended.text}")]
    lines += [f"summary: {ended.summary}"] if ended.summary else []
    return Answer(document, lines, command=ended.command, code=_CODES.get(ended.state, 1))
