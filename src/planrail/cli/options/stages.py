"""What can be said to the stages of a task: research, plan and revise."""

import math
import os
from argparse import ArgumentParser, Namespace

from planrail.base.errors import UsageError
from planrail.tasks.numbers import read_call
from planrail.tasks.stages.requests import StageRequest

_JOBS, _MOST_JOBS = 2, 8
_LONGEST_FEEDBACK = 100_000
_EFFORTS, _MODELS = ("fast", "hard"), ("haiku", "sonnet", "opus")


def add_stage_options(parser: ArgumentParser, stage: str) -> None:
    parser.add_argument("words", metavar="N", nargs="+", help="the tasks, such as 7 or 7,9-12; then what to look at")
    parser.add_argument("--agent", metavar="NAME", default="", help="who is asked: claude, codex")
    parser.add_argument("--model", metavar="NAME", default="", help="the model that the agent uses")
    parser.add_argument("--effort", metavar="NAME", default="", help="fast, normal or hard")
    for option, names in (("effort", _EFFORTS), ("model", _MODELS)):
        for name in names:
            parser.add_argument(f"--{name}", action="store_true", help=f"the same as --{option} {name}")
    parser.add_argument("--clean", action="store_true", help="without what earlier work taught")
    parser.add_argument("--timeout", metavar="MIN", help="minutes of agents' time; 30")
    parser.add_argument("--from", dest="source", metavar="FILE", default="", help="a document of your own instead")
    parser.add_argument("--restart", action="store_true", help="leave what was begun, and begin anew")
    parser.add_argument("--force", action="store_true", help="also where the task is closed; that goes on record")
    parser.add_argument("--jobs", metavar="N", help=f"how many tasks at once; {_JOBS}")
    parser.add_argument("--no-commit", action="store_true", help="leave the documents uncommitted")
    parser.add_argument("--json", action="store_true", help="one JSON document at the end")
    parser.set_defaults(critic="", feedback="", team=None, team_size=None)
    if stage == "research":
        several = "several researchers at once, from different sides: 2 to 6"
        parser.add_argument("--team", metavar="N", nargs="?", const="2", help=several)
        parser.add_argument("--team-size", metavar="N", help="the same")
    else:
        parser.add_argument("--critic", metavar="NAME", help="who criticises: another agent sees other things")
    if stage == "revise":
        parser.add_argument("--feedback", metavar="TEXT", help="what is to be different: a text, or a file")


def read_stages(stage: str, arguments: Namespace) -> tuple[tuple[int, ...], StageRequest, int]:
    """The tasks of a call, what is asked of the stage for each, and how many are done at once."""
    call = read_call(arguments.words)
    feedback, team = arguments.feedback, arguments.team_size or arguments.team
    if "\n" not in feedback and os.path.isfile(feedback):
        with open(feedback, encoding="utf-8", errors="replace") as file:
            feedback = file.read(_LONGEST_FEEDBACK).strip()
    if team is not None and not (team.isascii() and team.isdigit() and int(team) > 0):
        raise UsageError(f"{team!r} is no number of researchers", remedy="say how many: --team 3")
    request = StageRequest(
        stage,
        focus="\n".join(part for part in (call.focus, feedback) if part),
        model=arguments.model or _chosen(arguments, _MODELS),
        effort=arguments.effort or _chosen(arguments, _EFFORTS),
        team=int(team or 0),
        timeout=read_minutes(arguments.timeout),
        **{name: getattr(arguments, name) for name in ("agent", "critic", "clean", "force", "restart", "source")},
    )
    request.check()
    return call.numbers, request, read_count("--jobs", arguments.jobs, _JOBS, _MOST_JOBS)


def _chosen(arguments: Namespace, names: tuple[str, ...]) -> str:
    return next((name for name in reversed(names) if getattr(arguments, name)), "")


def read_minutes(given: str | None) -> float:
    if given is None:
        return 0.0
    try:
        minutes = float(given)
    except ValueError:
        minutes = math.nan
    if not 0 < minutes < math.inf:
        raise UsageError(f"--timeout {given}: that is no time; say how many minutes", remedy="--timeout 30")
    return minutes


def read_count(option: str, given: str | None, default: int, most: int) -> int:
    if given is None:
        return default
    number = int(given) if given.isascii() and given.isdigit() and len(given) < 10 else 0
    if not 1 <= number <= most:
        raise UsageError(f"{option} {given}: choose a whole number from 1 to {most}", remedy=f"{option} {default}")
    return number
