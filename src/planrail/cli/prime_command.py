"""Where the tasks of this project stand, in a few lines for an agent that knows nothing any more.

The same lines are told to a session after a clear or a compaction; `prime = false` under [tasks] turns that off.
With --json: {"text", "tokens", "open", "in_hand": [NUMBER]}.
"""

from argparse import ArgumentParser, Namespace

from planrail.base.wording import Answer
from planrail.cli.screen import warn
from planrail.store.journal_lines import split_key
from planrail.store.runs.run_folders import list_runs
from planrail.tasks.book.task_rows import read_book
from planrail.tasks.book.task_view_files import look_closer, save_prime
from planrail.tasks.context.context import open_context
from planrail.tasks.priming import LiveRun, render_prime, weigh
from planrail.tasks.statuses import IN_HAND, TERMINAL
from planrail.team.next_steps import next_of

_MOST = 12  # runs


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> Answer:
    """Print the lines; those that sessions are told follow."""
    context = open_context(warn)
    with read_book(context.root) as book:
        briefs = book.briefs()
        notes = look_closer(book, briefs)
    save_prime(context.root, render_prime(briefs, notes) if context.settings.prime else "")
    going = []
    for found in [found for found in list_runs(context.root) if not found.is_over][:_MOST]:
        phase = split_key(found.current)[0] or (found.ending.phase if found.ending is not None else "")
        state = found.state.replace("_", " ")
        going.append(LiveRun(found.order.path, f"{state} at phase {phase}" if phase else state, next_of(found)))
    text = render_prime(briefs, notes, going)
    still = sum(brief.status not in TERMINAL for brief in briefs)
    numbers = [brief.number for brief in briefs if brief.status in IN_HAND]
    told = {"text": text, "tokens": weigh(text), "open": still, "in_hand": numbers}
    if text:
        return Answer(told, [text.rstrip("\n")])
    return Answer(told, ["no task of this project is open"], command='planrail task new "what is to be done"')
