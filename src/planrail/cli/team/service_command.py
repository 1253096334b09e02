"""Keep a worker running on this machine, for the repositories that are registered with it.

    planrail service install     a systemd user unit or a launchd agent
    planrail service status      does it run, for whom, what comes next?
    planrail service add PATH    serve a repository

Without a word: status. Its exit code is 0 where the service runs, else 1.
"""

import os
import sys
import time
from argparse import ArgumentParser, Namespace

from planrail.approval.book import load_policy
from planrail.approval.channels import find_agent
from planrail.base.errors import PlanrailError, UsageError
from planrail.base.wording import Answer, paint, plural, quote
from planrail.cli.screen import print_next, say, show
from planrail.team.registry import add_repository, read_registry, remove_repository
from planrail.team.service.choosing import Kept, find_installed
from planrail.team.service.installing import install, uninstall
from planrail.team.service.machine import Machine, follow_program, open_machine
from planrail.team.service.starting import find_stop_seconds
from planrail.team.service.status import choose_next, describe, find_log_command, gather, read_log, render
from planrail.team.waking import wake_workers

_READING = ("status", "list", "logs")  # what an agent may ask as well
_MOST_SLOTS = 64
_DONE = {"start": "the worker was started", "stop": "the worker was stopped", "restart": "the worker was restarted"}


def configure(parser: ArgumentParser) -> None:
    parser.set_defaults(json=False)
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    install = actions.add_parser("install", help="install it, or bring it up to date, and start it")
    install.add_argument("--slots", metavar="N", type=int, help="how many runs at once ([worker] slots)")
    install.add_argument("--database", metavar="URL", help="the team's database; - reads it from standard input")
    install.add_argument("--dry-run", action="store_true", help="show what would be written, and write nothing")
    status = actions.add_parser("status", help="does it run, for whom, what comes next?")
    status.add_argument("--json", action="store_true", help="print JSON")
    uninstall = actions.add_parser("uninstall", help="stop it, and remove what install wrote")
    uninstall.add_argument("--forget", action="store_true", help="forget the list of repositories as well")
    for name, what in (("start", "start it"), ("stop", "stop it until the next boot"), ("restart", "start it anew")):
        actions.add_parser(name, help=f"{what}; agents are not interrupted")
    for name, what in (("add", "serve a repository"), ("remove", "serve it no more")):
        actions.add_parser(name, help=what).add_argument("path", metavar="PATH", nargs="?", help="(the one here)")
    listing = actions.add_parser("list", help="the repositories that it serves")
    listing.add_argument("--json", action="store_true", help="print JSON")
    logs = actions.add_parser("logs", help="what the worker has said")
    logs.add_argument("-n", "--lines", metavar="N", type=int, default=50, help="the last N lines (50)")
    logs.add_argument("-f", "--follow", action="store_true", help="and what it says from now on")


def run(arguments: Namespace) -> int:
    return run_on(open_machine(), arguments)


def run_on(machine: Machine, arguments: Namespace) -> int:
    action = arguments.action or "status"
    if action not in _READING and not getattr(arguments, "dry_run", False):
        refusal = find_agent(machine.lineage(), load_policy(None, machine.environment).agents)
        if refusal is not None:
            raise PlanrailError(f"a service is a person's to change: {refusal.reason}", remedy=refusal.remedy)
    if action == "install":
        return _install(machine, arguments)
    if action == "uninstall":
        print_next(uninstall(machine, say, forgets=arguments.forget))
        return 0
    if action in _DONE:
        return _steer(machine, action)
    if action == "logs":
        return _show_logs(machine, arguments)
    if action == "status":
        standing = gather(machine)
        told, lines = describe(standing), list(render(standing, time.time()))
        code = 0 if standing.facts.is_running else 1
        return show(Answer(told, lines, command=choose_next(standing), code=code), as_json=arguments.json)
    if action == "list":
        return _show_list(machine, is_json=arguments.json)
    path = arguments.path or os.getcwd()
    return _add(machine, path) if action == "add" else _remove(machine, path)


def _install(machine: Machine, arguments: Namespace) -> int:
    slots = arguments.slots
    if slots is not None and not 1 <= slots <= _MOST_SLOTS:
        raise UsageError(f"--slots {slots} is not from 1 to {_MOST_SLOTS}", remedy="planrail service install --slots 4")
    database = sys.stdin.readline().strip() if arguments.database == "-" else arguments.database
    print_next(install(machine, say, slots=slots, database=database, is_dry=arguments.dry_run))
    return 0


def _steer(machine: Machine, action: str) -> int:
    kind = _installed(machine)
    if action != "start" and kind.look(machine).is_running:
        say(f"phases at work get up to {find_stop_seconds(machine)} s to come to a rest; agents go on in any case")
    kind.steer(machine, action)
    say(f"{paint('✔', 'green')} {_DONE[action]}")
    print_next("planrail service start" if action == "stop" else "planrail service status")
    return 0


def _show_logs(machine: Machine, arguments: Namespace) -> int:
    lines = max(1, arguments.lines)
    if not os.path.exists(machine.log):
        _installed(machine)
    if arguments.follow:
        sys.stdout.flush()
        return follow_program(machine, *find_log_command(machine, lines, follows=True))
    found = read_log(machine, lines)
    for line in found:
        say(line)
    if not found:
        say("the worker has said nothing so far")
    print_next("planrail service status")
    return 0


def _installed(machine: Machine) -> Kept:
    kind = find_installed(machine)
    if kind is None:
        raise PlanrailError("no service is installed for you", remedy="planrail service install")
    return kind


# ---- repositories ----


def _add(machine: Machine, path: str) -> int:
    known, is_new = add_repository(path, machine.environment)
    heard = wake_workers()
    say(f"{known.root} is {'registered' if is_new else 'registered already'}")
    if heard:
        say(f"{plural(heard, 'worker')} heard of it")
        print_next("planrail list upcoming")
    else:
        say("no worker runs, so nobody serves it yet")
        print_next("planrail service install" if find_installed(machine) is None else "planrail service start")
    return 0


def _remove(machine: Machine, path: str) -> int:
    found = remove_repository(path, machine.environment)
    if found is None:
        raise PlanrailError(f"{path} is not registered", remedy="planrail service list")
    wake_workers()
    say(f"{found.root} is served no more; its schedules are kept, and its agents at work go on")
    print_next(f"planrail service add {quote(found.root)}   (to take that back)")
    return 0


def _show_list(machine: Machine, *, is_json: bool) -> int:
    known = read_registry(machine.environment)
    told = {"repositories": [{"root": entry.root, "gone": not entry.is_there} for entry in known]}
    lines = [entry.root if entry.is_there else f"{entry.root}   (gone, and skipped)" for entry in known]
    command = "planrail service status" if known else "planrail service add PATH"
    return show(Answer(told, lines or ["no repository is registered"], command=command), as_json=is_json)
