"""Work through what is due: schedules, submissions, runs that were parked or lost their process. In the foreground.

    planrail worker [health] [--slots N] [--once]

It serves the repository that it is started in, those that are registered (planrail service add), and the database of a
team where settings name one. SIGTERM or Ctrl-C: it takes nothing more and lets phases end; a second time, or after the
drain, it leaves, and agents go on, and the next to resume their run takes them over. With --json its lines are JSON.
"""

import os
from argparse import ArgumentParser, Namespace
from functools import partial
from typing import TYPE_CHECKING

from planrail.approval.book import project_root
from planrail.base.errors import PlanrailError, UsageError
from planrail.base.settings import load_settings
from planrail.base.settings.tables import WorkerSettings
from planrail.base.wording import Answer
from planrail.cli.screen import show, warn
from planrail.team.registry import list_repositories
from planrail.team.waking import ask_workers

if TYPE_CHECKING:
    from planrail.team.worker.loop import Manners
    from planrail.team.worker.sources import Source


_MOST_SLOTS = 64


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("what", nargs="?", choices=["health"], help="ask the workers of this machine how they are")
    parser.add_argument("--slots", metavar="N", type=int, help="how many runs at once ([worker] slots)")
    parser.add_argument("--drain", metavar="SECONDS", type=int, help="how long it lets phases end when it is to leave")
    parser.add_argument("--once", action="store_true", help="do what is due now, and leave")
    parser.add_argument("--unless-running", action="store_true", help="leave at once where a worker is there already")
    parser.add_argument("--json", action="store_true", help="lines as JSON")


def run(arguments: Namespace) -> int:
    if arguments.what == "health":
        return _tell_health(ask_workers(), is_json=arguments.json)
    if arguments.unless_running and ask_workers():
        return 0
    from planrail.team.worker.logs import Log
    from planrail.team.worker.loop import Worker
    from planrail.team.worker.serving import serve
    from planrail.team.worker.signals import keep_private

    keep_private()
    settings = load_settings(None).worker
    turn = partial(serve, turn=settings.turn * 60.0)
    return Worker(_find_sources, turn, _manners(arguments, settings), Log(is_json=arguments.json)).run()


def _find_sources() -> "list[Source]":
    from planrail.team.worker.sources import find_sources

    here = project_root(os.getcwd())
    own = [here] if os.path.exists(os.path.join(here, ".git")) else []
    try:
        registered = list_repositories()
    except PlanrailError as error:  # what else there is to do is done all the same
        warn(error.message)
        registered = []
    return find_sources([*own, *registered])


def _manners(arguments: Namespace, settings: WorkerSettings) -> "Manners":
    from planrail.team.worker.loop import Manners

    slots = settings.slots if arguments.slots is None else arguments.slots
    if not 1 <= slots <= _MOST_SLOTS:
        raise UsageError(f"--slots {slots} is not from 1 to {_MOST_SLOTS}", remedy="planrail worker --slots 4")
    drain = settings.drain if arguments.drain is None else max(0, arguments.drain)
    return Manners(slots, float(drain), is_once=arguments.once, engine=settings.engine)


def _tell_health(workers: list[dict[str, object]], *, is_json: bool) -> int:
    is_well = bool(workers) and all(worker.get("ok") for worker in workers)
    lines = []
    for worker in workers:
        runs = worker.get("runs")
        busy = len(runs) if isinstance(runs, list) else 0
        broken = worker.get("broken") or worker.get("text") or ""
        told = f"{busy} of {worker.get('slots')} slots busy" if worker.get("ok") else f"not well: {broken}"
        lines.append(f"worker {worker['pid']}: {told}{', drains' if worker.get('draining') else ''}")
    command = "planrail list upcoming" if is_well else "planrail doctor --database" if workers else "planrail worker"
    known, code = {"ok": is_well, "workers": workers}, 0 if is_well else 1
    return show(Answer(known, lines or ["no worker runs here"], command=command, code=code), as_json=is_json)
