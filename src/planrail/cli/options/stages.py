"""What can be said to the stages of a task: research, plan and revise."""

import os
from argparse import ArgumentParser, Namespace

from planrail.base.errors import UsageError
from planrail.base.records import record
from planrail.tasks.numbers import read_call
from planrail.tasks.stages.opening import check_wish
from planrail.tasks.stages.wishes import StageWish, read_count, read_minutes

_JOBS, _MOST_JOBS = 2, 8
_LONGEST_FEEDBACK = 100_000
_EFFORTS, _MODELS = ("fast", "hard"), ("haiku", "sonnet", "opus")


@record
class StageCall:
    """What was asked for: a stage, for one task or for several of which so many are done at once."""

    numbers: tuple[int, ...]
    wish: StageWish
    jobs: int = 2
    as_json: bool = False


def add_stage_options(parser: ArgumentParser) -> None:
    parser.add_argument("words", metavar="N", nargs="+", help="the tasks, such as 7 or 7,9-12; then what to look at")
    parser.add_argument("--agent", metavar="NAME", default="", help="who is asked: claude, codex")
    parser.add_argument("--model", metavar="NAME", default="", help="the model that the agent uses")
    parser.add_argument("--effort", metavar="NAME", default="", help="fast, normal or hard")
    for name in _EFFORTS:
        parser.add_argument(f"--{name}", action="store_true", help=f"the same as --effort {name}")
    for name in _MODELS:
        parser.add_argument(f"--{name}", action="store_true", help=f"the same as --model {name}")
    parser.add_argument("--clean", action="store_true", help="without what earlier work taught")
    parser.add_argument("--timeout", metavar="MIN", help="minutes of agents' time; 30")
    parser.add_argument("--from", dest="source", metavar="FILE", default="", help="a document of your own instead")
    parser.add_argument("--restart", action="store_true", help="leave what was begun, and begin anew")
    parser.add_argument("--force", action="store_true", help="also where the task is closed; that goes on record")
    parser.add_argument("--jobs", metavar="N", help=f"how many tasks at once; {_JOBS}")
    parser.add_argument("--no-commit", action="store_true", help="leave the documents uncommitted")
    parser.add_argument("--json", action="store_true", help="one JSON document at the end")


def read_stages(stage: str, arguments: Namespace) -> StageCall:
    call = read_call(arguments.words)
    feedback = _read_feedback(getattr(arguments, "feedback", ""))
    wish = StageWish(
        stage,
        focus="\n".join(part for part in (call.focus, feedback) if part),
        agent=arguments.agent,
        critic=getattr(arguments, "critic", None) or "",
        model=arguments.model or _chosen(arguments, _MODELS),
        effort=arguments.effort or _chosen(arguments, _EFFORTS),
        team=_read_team(arguments),
        timeout=read_minutes(arguments.timeout),
        clean=arguments.clean,
        force=arguments.force,
        restart=arguments.restart,
        source=arguments.source,
    )
    check_wish(wish)
    jobs = read_count("--jobs", arguments.jobs, _JOBS, _MOST_JOBS)
    return StageCall(call.numbers, wish, jobs, arguments.json)


def _chosen(arguments: Namespace, names: tuple[str, ...]) -> str:
    return next((name for name in reversed(names) if getattr(arguments, name)), "")


def _read_team(arguments: Namespace) -> int:
    given = getattr(arguments, "team_size", None) or getattr(arguments, "team", None)
    if given is None:
        return 0
    if not (given.isascii() and given.isdigit() and int(given) > 0):
        raise UsageError(f"{given!r} is no number of researchers", remedy="say how many: --team 3")
    return int(given)


def _read_feedback(given: str) -> str:
    """A text, or the content of the file that it names."""
    if "\n" in given or not os.path.isfile(given):
        return given
    with open(given, encoding="utf-8", errors="replace") as file:
        return file.read(_LONGEST_FEEDBACK).strip()
