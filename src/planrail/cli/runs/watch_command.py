"""Watch how a plan and its run stand, until the run ends. Ctrl-C leaves; the run goes on.

In a pipe, each thing that happens is a line, and the last ones say how it stands.
"""

import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator

from planrail.approval.book import PlanFile, open_plan_file
from planrail.base.wording import Answer, clean, quote
from planrail.cli.main import INTERRUPTED
from planrail.cli.runs.status_lines import list_all, render_event, render_status
from planrail.cli.screen import say
from planrail.team.looking import RunLook, look
from planrail.team.next_steps import following
from planrail.team.planned import find_plan_file
from planrail.team.queueing import RESTING

_PAUSE = 1.0  # seconds between two looks


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="the plan; without it, that of the newest run here")


def run(arguments: Namespace) -> Answer:
    plan_file = find_plan_file(arguments.plan)
    try:
        last = _draw(plan_file) if sys.stdout.isatty() else _print(plan_file)
    except KeyboardInterrupt:
        told = "no longer watched; a run that is under way goes on"
        return Answer(lines=[told], command=f"planrail status {quote(plan_file.source.path)}", code=INTERRUPTED)
    ended = "" if last.run is not None else "no run so far: there is nothing to watch"
    return Answer(lines=[ended] if ended else [], command=following(last))


def _looks(plan_file: PlanFile) -> Iterator[RunLook]:
    """How the plan stands, again and again while a run of it is under way, or waits for a worker; at least once."""
    while True:
        found = look(open_plan_file(plan_file.source.path, plan_file.root), time.time())
        yield found
        is_live = found.run is not None and found.run.is_live
        if not is_live and all(row.state == RESTING for row in found.planned.submissions):
            return
        time.sleep(_PAUSE)


def _draw(plan_file: PlanFile) -> RunLook:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    with Live(console=Console(), auto_refresh=False, vertical_overflow="crop") as live:
        for found in _looks(plan_file):
            live.update(Text.from_ansi("\n".join(map(clean, render_status(found)))), refresh=True)
    return found


def _print(plan_file: PlanFile) -> RunLook:
    told, shown = len(list_all(plan_file)), list[str]()
    for found in _looks(plan_file):
        if not shown:
            shown = _say_all(render_status(found))
        news = list_all(found.plan_file)[told:]
        told += len(news)
        _say_all(render_event(event, found.plan_file) for event in news)
    if list(render_status(found)) != shown:
        _say_all(render_status(found))
    return found


def _say_all(lines: Iterable[str]) -> list[str]:
    said = list(lines)
    for line in said:
        say(line)
    sys.stdout.flush()
    return said
