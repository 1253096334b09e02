"""What is in hand, what is ready, what is blocked by what, and what to type next.

With --json: {"counts": {STATUS: N}, "in_hand": [TASK], "ready": [TASK], "blocked": [TASK with "waits_for"], "next"}.
"""

from argparse import ArgumentParser, Namespace

from planrail.base.records import record
from planrail.base.wording import Answer, clip, paint, plural
from planrail.tasks.book.task_rows import read_book
from planrail.tasks.desk.desk import Desk, look_up
from planrail.tasks.desk.looks import answer_empty, describe_brief, next_command, note_foreign, render_line
from planrail.tasks.model import Brief
from planrail.tasks.statuses import BLOCKED, IN_HAND, TERMINAL
from planrail.tasks.waves import blocked, describe_waits, ready

_MOST = 15  # lines of one kind
_MOST_WAITS, _WIDTH = 6, 60


@record
class _Look:
    counts: dict[str, int]
    in_hand: list[Brief]
    ready: list[Brief]
    blocked: list[tuple[Brief, tuple[int, ...]]]

    @property
    def next(self) -> str:
        """What to type: the work in hand first, then the first task that is ready."""
        first = next(iter([*self.in_hand, *self.ready]), None)
        if first is not None:
            return next_command(first.status, first.number)
        return f"planrail task show {self.blocked[0][0].number}" if self.blocked else "planrail task archive"


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="every one of them, however many there are")


def answer(desk: Desk, arguments: Namespace) -> Answer:
    briefs = look_up(desk)
    look = _look(briefs)
    if arguments.json:
        return Answer(_describe(look))
    if not briefs:
        return answer_empty(desk)
    most = len(briefs) if arguments.all else _MOST
    reasons = _reasons(desk, look, most, {brief.number: brief.status for brief in briefs})
    closed, foreign = sum(look.counts.get(status, 0) for status in TERMINAL), note_foreign(desk)
    lines = [
        *_tell("in hand", look.in_hand, most, {}),
        *_tell("ready", look.ready, most, {}),
        *_tell("blocked", [brief for brief, _ in look.blocked], most, reasons),
        paint(f"{plural(len(briefs), 'task')}, {closed} closed", "dim"),
        *([foreign] if foreign else []),
    ]
    return Answer(lines=lines, command="planrail task import" if foreign else look.next)


def _look(briefs: list[Brief]) -> _Look:
    counts: dict[str, int] = {}
    for brief in briefs:
        counts[brief.status] = counts.get(brief.status, 0) + 1
    in_hand = [brief for brief in briefs if brief.status in IN_HAND]
    waiting = [(brief, waits) for brief, waits in blocked(briefs) if brief.status not in IN_HAND]
    return _Look(counts, in_hand, [brief for brief in ready(briefs) if brief.status not in IN_HAND], waiting)


def _reasons(desk: Desk, look: _Look, most: int, states: dict[int, str]) -> dict[int, str]:
    """What each of the blocked tasks that are shown waits for: others, or what a person said."""
    with read_book(desk.root) as book:
        found = {}
        for brief, waits in look.blocked[:most]:
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


def _describe(look: _Look) -> dict[str, object]:
    waiting = [{**_row(brief), "waits_for": list(waits)} for brief, waits in look.blocked]
    return {
        "counts": look.counts,
        "in_hand": [_row(brief) for brief in look.in_hand],
        "ready": [_row(brief) for brief in look.ready],
        "blocked": waiting,
        "next": look.next,
    }


def _row(brief: Brief) -> dict[str, object]:
    command = next_command(brief.status, brief.number) if brief.status != BLOCKED else ""
    return {**describe_brief(brief), "command": command}
