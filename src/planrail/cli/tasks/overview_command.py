"""What is in hand, what is ready, what is blocked by what, and what to type next.

With --json: {"counts": {STATUS: N}, "in_hand": [TASK], "ready": [TASK], "blocked": [TASK with "waits_for"], "next"}.
"""

from argparse import ArgumentParser, Namespace
from collections import Counter

from planrail.base.wording import Answer, clip, paint, plural
from planrail.tasks.book.task_rows import read_book
from planrail.tasks.context.context import Context, look_up
from planrail.tasks.context.looks import answer_empty, describe_brief, next_command, note_foreign, render_line
from planrail.tasks.model import Brief
from planrail.tasks.statuses import BLOCKED, IN_HAND, TERMINAL
from planrail.tasks.waves import blocked, describe_waits, ready

_MOST = 15  # lines of one kind
_MOST_WAITS, _WIDTH = 6, 60


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="every one of them, however many there are")


def answer(context: Context, arguments: Namespace) -> Answer:
    briefs = look_up(context)
    in_hand = [brief for brief in briefs if brief.status in IN_HAND]
    free = [brief for brief in ready(briefs) if brief.status not in IN_HAND]
    stuck = [(brief, waits) for brief, waits in blocked(briefs) if brief.status not in IN_HAND]
    following = f"planrail task show {stuck[0][0].number}" if stuck else "planrail task archive"
    for first in [*in_hand, *free][:1]:  # the work in hand, then what is ready
        following = next_command(first.status, first.number)
    if arguments.json:
        waiting = [{**_row(brief), "waits_for": list(waits)} for brief, waits in stuck]
        rows = {"in_hand": list(map(_row, in_hand)), "ready": list(map(_row, free)), "blocked": waiting}
        return Answer({"counts": Counter(brief.status for brief in briefs), **rows, "next": following})
    if not briefs:
        return answer_empty(context)
    most = len(briefs) if arguments.all else _MOST
    reasons = _reasons(context, stuck[:most], {brief.number: brief.status for brief in briefs})
    closed, foreign = sum(brief.status in TERMINAL for brief in briefs), note_foreign(context)
    lines = [
        *_tell("in hand", in_hand, most, {}),
        *_tell("ready", free, most, {}),
        *_tell("blocked", [brief for brief, _ in stuck], most, reasons),
        paint(f"{plural(len(briefs), 'task')}, {closed} closed", "dim"),
        *([foreign] if foreign else []),
    ]
    return Answer(lines=lines, command="planrail task import" if foreign else following)


def _reasons(context: Context, stuck: list[tuple[Brief, tuple[int, ...]]], states: dict[int, str]) -> dict[int, str]:
    """What each of the blocked tasks that are shown waits for: others, or what a person said."""
    with read_book(context.root) as book:
        found = {}
        for brief, waits in stuck:
            if waits:
                more = " …" if len(waits) > _MOST_WAITS else ""
                found[brief.number] = f"waits for {describe_waits(waits[:_MOST_WAITS], states)}{more}"
            else:
                found[brief.number] = clip(" ".join(book.load(brief.number).why.split()), _WIDTH)
    return found


def _tell(name: str, tasks: list[Brief], most: int, remarks: dict[int, str]) -> list[str]:
    shown = (
        f"  {render_line(brief)}  {paint(remarks.get(brief.number, ''), 'dim')}".rstrip() for brief in tasks[:most]
    )
    more = [f"  … and {len(tasks) - most} more: planrail task --all"] if len(tasks) > most else []
    return [paint(f"{name} ({len(tasks)})", "bold"), *shown, *more] if tasks else []


def _row(brief: Brief) -> dict[str, object]:
    command = next_command(brief.status, brief.number) if brief.status != BLOCKED else ""
    return {**describe_brief(brief), "command": command}
