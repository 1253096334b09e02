"""What can be said about the run of a task's plan: the options of `planrail run` that make sense there."""

import sys
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Callable
from functools import partial

from planrail.cli.options.runs import read_options
from planrail.runs.request.display import Display
from planrail.runs.request.requests import read_fields, spell_name, spell_options
from planrail.tasks.numbers import Typed
from planrail.tasks.orchestrating import STEPS
from planrail.tasks.work.task_runs import ImplementRequest

JOBS = 2
_DEFAULTS = {"jobs": JOBS, "steps": STEPS}


def add_common(parser: ArgumentParser) -> None:
    parser.add_argument("--jobs", metavar="N", type=int, default=JOBS, help=f"how many tasks at once ({JOBS})")
    parser.add_argument("--no-commit", action="store_true", help="leave documents and views uncommitted")
    parser.add_argument("--json", action="store_true", help="one JSON document at the end")
    parser.add_argument("--part", action="store_true", help=SUPPRESS)  # of a call for several tasks, which looks on
    parser.add_argument("--share", metavar="LIMITS", help=SUPPRESS)  # of the budget of such a call


def read_implement_request(
    arguments: Namespace, typed: Typed, open_display: Callable[..., Display]
) -> ImplementRequest:
    """What a call asks for: all that is left of the plan, without asking."""
    run = read_fields({**read_options(arguments), "finish": True, "auto": True})
    is_quiet = arguments.json and not arguments.part
    open_ = partial(open_display, is_quiet=is_quiet)
    return ImplementRequest(run, open_, here=arguments.here, is_quiet=is_quiet, typed=typed)


def may_ask(arguments: Namespace) -> bool:
    return not arguments.json and sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def repeat_run_options(arguments: Namespace, *names: str) -> tuple[str, ...]:
    """The options of a run again, as words, and others that are named."""
    return (*spell_options(arguments), *repeat_options(arguments, "here", "no_commit", *names))


def repeat_options(arguments: Namespace, *names: str) -> tuple[str, ...]:
    words: list[str] = []
    for name in names:
        value = getattr(arguments, name)
        if value is None or value is False or value == _DEFAULTS.get(name):
            continue
        said = [] if value is True else [f"{value:g}" if isinstance(value, float) else str(value)]
        words += [spell_name(name), *said]
    return tuple(words)
