"""What can be said about the run of a task's plan: the options of `planrail run` that make sense there."""

import sys
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Callable
from functools import partial

from planrail.cli.options.runs import read_options
from planrail.runs.request.display import Display
from planrail.runs.request.requests import read_fields, spell_name, spell_options
from planrail.tasks.numbers import Typed
from planrail.tasks.work.task_runs import ImplementRequest

JOBS = 2


def add_numbers(parser: ArgumentParser) -> None:
    parser.add_argument("numbers", metavar="N", nargs="+", help="one or several: 7 or 7,9-12")


def add_common(parser: ArgumentParser) -> None:
    parser.add_argument("--jobs", metavar="N", type=int, default=JOBS, help=f"how many tasks at once ({JOBS})")
    parser.add_argument("--no-commit", action="store_true", help="leave documents and views uncommitted")
    parser.add_argument("--json", action="store_true", help="one JSON document at the end")
    parser.add_argument("--part", action="store_true", help=SUPPRESS)  # of a call for several tasks, which looks on
    parser.add_argument("--share", metavar="LIMITS", help=SUPPRESS)  # of the budget of such a call


def read_implement_request(arguments: Namespace, typed: Typed, open_display: Callable[..., Display]) -> ImplementRequest:
    """What a call asks for: all that is left of the plan, without asking."""
    request = read_fields({**read_options(arguments), "finish": True, "auto": True})
    is_quiet = arguments.json and not arguments.part
    open_ = partial(open_display, is_quiet=is_quiet)
    return ImplementRequest(request, open_, here=arguments.here, is_quiet=is_quiet, typed=typed)


def may_ask(arguments: Namespace) -> bool:
    """Whether a person is there who can be asked for an approval."""
    return not arguments.json and sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def repeat_run_options(arguments: Namespace) -> tuple[str, ...]:
    """The same options again, as words."""
    others = (spell_name(name) for name in ("here", "no_commit") if getattr(arguments, name))
    return (*spell_options(arguments), *others)


def repeat_own_options(arguments: Namespace) -> tuple[str, ...]:
    """Those that only a call for several tasks has."""
    return ("--jobs", str(arguments.jobs)) if arguments.jobs != JOBS else ()
