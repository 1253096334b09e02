"""Close a task whose plan is done: every phase proven, adopted or left out on purpose. No run is begun for it.

Where phases are open it refuses and names them. --force closes it all the same, for a reason that goes on record.
"""

from argparse import ArgumentParser, Namespace

from planrail.base.errors import UsageError
from planrail.base.wording import Answer
from planrail.cli.refusals import refusal_as_json
from planrail.tasks.context.claiming import claimed
from planrail.tasks.context.context import Context
from planrail.tasks.context.looks import next_command
from planrail.tasks.numbers import read_numbers
from planrail.tasks.work.completing import complete


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("number", metavar="N", help="the task")
    parser.add_argument("--force", action="store_true", help="although phases are open; needs --why")
    parser.add_argument("--why", metavar="TEXT", default="", help="the reason; it goes on record")


def answer(context: Context, arguments: Namespace) -> Answer:
    about: dict[str, object] = {"task": None}
    with refusal_as_json(about, as_json=arguments.json):
        numbers = read_numbers(arguments.number)
        if len(numbers) != 1:
            raise UsageError("one task is completed at a time", remedy="planrail task complete 7")
        about["task"] = numbers[0]
        if arguments.force and not arguments.why.strip():
            raise UsageError(
                "--force needs a reason, which goes on record",
                remedy=f'planrail task complete {numbers[0]} --force --why "…"',
            )
        with claimed(context, numbers[0]):
            done = complete(context, numbers[0], force=arguments.force, why=arguments.why.strip())
    task, command = done.task, next_command(done.task.status, done.task.number)
    told = {"task": task.number, "status": task.status, "summary": done.summary or None}
    document = {**told, "commit": done.commit or None, "text": task.completion_summary, "command": command}
    before = "" if done.is_new else " since earlier"
    lines = [f"task {task.number} is completed{before}: {task.completion_summary}"]
    return Answer(document, [*lines, *([f"summary: {done.summary}"] if done.summary else [])], command=command)
