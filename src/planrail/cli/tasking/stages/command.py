"""What `task research`, `task plan` and `task revise` share: their options, one task or several, and the answer."""

import contextlib
import os
import threading

from planrail.cli.interrupting import interruptible
from planrail.cli.refusals import refusal_as_json
from planrail.cli.screen import print_json, print_next, say, warn
from planrail.cli.tasking.desk import open_desk
from planrail.cli.tasking.looks import from_here
from planrail.cli.tasking.one_line import one_line
from planrail.cli.tasking.stages.asking import Switch
from planrail.cli.tasking.stages.crowds import run_all
from planrail.cli.tasking.stages.opening import check_wish
from planrail.cli.tasking.stages.option_numbers import read_count, read_minutes
from planrail.cli.tasking.stages.running import refuse, run_stage
from planrail.cli.tasking.stages.wishes import HELD, REFUSED, STOPPED, StageEnd, StageWish
from planrail.errors import Held, PlanrailError, UsageError
from planrail.ledger.task_rows import open_book
from planrail.tasks.numbers import read_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable

    from planrail.cli.tasking.desk import Desk
    from planrail.cli.tasking.stages.wishes import Tell

_JOBS, _MOST_JOBS = 2, 8
_LONGEST_FEEDBACK = 100_000
_EFFORTS, _MODELS = ("fast", "hard"), ("haiku", "sonnet", "opus")


def add_options(parser: "ArgumentParser") -> None:
    """The options that all stages have."""
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


def carry_out(stage: str, arguments: "Namespace") -> int:
    """Do what was asked for, for one task or for several."""
    with refusal_as_json({"stage": stage, "results": []}, as_json=arguments.json):
        numbers, wish = read_wish(stage, arguments)
        check_wish(wish)
        jobs = read_count("--jobs", arguments.jobs, _JOBS, _MOST_JOBS)
        desk = open_desk(commit=not arguments.no_commit)
        if len(numbers) > 1:
            _refuse_any(desk, numbers, wish)
    if len(numbers) == 1:
        return _carry_out_one(desk, numbers[0], wish, as_json=arguments.json)
    switch = Switch()
    with interruptible():
        ends = run_all(numbers, jobs, switch, _worker(desk, wish, switch))
    return _tell_all(ends, stage, as_json=arguments.json)


def read_wish(stage: str, arguments: "Namespace") -> tuple[tuple[int, ...], StageWish]:
    """The tasks that are named, and what is wished of the stage."""
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
    return call.numbers, wish


def describe_end(end: StageEnd, stage: str) -> dict[str, object]:
    """How a stage ended, for programs."""
    spent = end.spent
    used = {"tokens_in": spent.tokens_in, "tokens_out": spent.tokens_out, "cost": spent.cost} if spent else None
    return {
        "task": end.task,
        "stage": stage,
        "status": end.status,
        "text": end.text,
        "artifact": end.artifact or None,
        "spent": used,
        "notes": list(end.notes),
        "next": end.command,
    }


def teller(prefix: str = "") -> "Tell":
    """Lines on standard error, for those who look on; whole ones, also from several threads."""
    lock = threading.Lock()

    def tell(text: str) -> None:
        with lock, contextlib.suppress(OSError):  # nobody reads on (`2>&1 | head -1`): the stage goes on
            warn(f"{prefix}{text}")

    return tell


def _carry_out_one(desk: "Desk", number: int, wish: StageWish, *, as_json: bool) -> int:
    try:
        with interruptible():
            end = run_stage(desk, number, wish, tell=teller())
    except KeyboardInterrupt:
        end = _interrupted(number, wish)
    except PlanrailError as error:
        if as_json:
            print_json(describe_end(_refused(number, error), wish.stage))
            error.is_told = True
        raise
    if as_json:
        print_json(describe_end(end, wish.stage))
        return end.exit_code
    say(end.text)
    for note in end.notes:
        say(note)
    if end.artifact:
        say(from_here(desk, end.artifact))
    print_next(end.command)
    return end.exit_code


def _worker(desk: "Desk", wish: StageWish, switch: Switch) -> "Callable[[int], StageEnd]":
    def work(number: int) -> StageEnd:
        try:
            return run_stage(desk, number, wish, tell=teller(f"task {number}: "), switch=switch)
        except PlanrailError as error:
            return _refused(number, error)

    return work


def _tell_all(ends: list[StageEnd], stage: str, *, as_json: bool) -> int:
    failed = [end for end in ends if not end.ok]
    following = (failed or ends)[0].command
    if as_json:
        print_json({"results": [describe_end(end, stage) for end in ends], "next": following})
    else:
        for end in ends:
            say(f"{'✔' if end.ok else '✖'} {end.task:>4}  {one_line(end.text)}")
            for note in end.notes:
                say(f"        {note}")
        print_next(following)
    codes = {end.exit_code for end in failed}
    return codes.pop() if len(codes) == 1 else int(bool(codes))


def _refuse_any(desk: "Desk", numbers: tuple[int, ...], wish: StageWish) -> None:
    """Each task is looked at before any of them begins."""
    if wish.source:
        remedy = f"planrail task {wish.stage} {numbers[0]} --from FILE"
        raise UsageError("one document belongs to one task", remedy=remedy)
    with open_book(desk.root) as book:
        for number in numbers:
            refuse(book.load(number), wish)


def _refused(number: int, error: PlanrailError) -> StageEnd:
    status = HELD if isinstance(error, Held) else REFUSED
    return StageEnd(False, status, error.message, error.remedy, task=number)


def _interrupted(number: int, wish: StageWish) -> StageEnd:
    command = f"planrail task {wish.stage} {number}"
    return StageEnd(False, STOPPED, "stopped; what was answered is kept", command, task=number)


def _chosen(arguments: "Namespace", names: tuple[str, ...]) -> str:
    return next((name for name in reversed(names) if getattr(arguments, name)), "")


def _read_team(arguments: "Namespace") -> int:
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
