"""What a person sees of a planning while it goes on: a line for each phase, and one for each explorer. Pure."""

import unicodedata
from collections.abc import Sequence

from planrail.agents.model import Asked, Began, Denied, Event, Said, Spent, Used
from planrail.base.records import mutable_record
from planrail.base.visible import show_line
from planrail.base.wording import clean
from planrail.planning.machine import CRITIQUE, REVISE, round_of

WAITING, RUNNING, DONE, STOPPED = "waiting", "running", "done", "stopped"
_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_GLYPHS = {WAITING: "○", DONE: "✔", STOPPED: "✖"}
_COLOURS = {WAITING: "2", RUNNING: "33", DONE: "32", STOPPED: "31"}
_NAME = 24  # cells of the column with names


@mutable_record
class Row:
    """A phase: how it stands, since when it runs, how long it took, what its agent does, what it used."""

    name: str
    state: str = WAITING
    began: float | None = None
    took: float = 0.0
    attempt: int = 1
    doing: str = ""
    tokens: int = 0


@mutable_record
class Slot:
    """One of several agents that work on the same phase."""

    name: str
    title: str
    doing: str = ""
    tokens: int = 0


class Board:
    """The phases of a planning and the agents that are at work on the one that runs."""

    def __init__(self, phases: Sequence[str], index: int = 0) -> None:
        self.rows = [Row(name) for name in name_rows(phases)]
        self.slots: list[Slot] = []
        self.current = index
        for row in self.rows[:index]:
            row.state = DONE

    def begin(self, index: int, attempt: int, now: float) -> None:
        self.current, self.slots = index, []
        row = self.rows[index]
        row.began = now if row.began is None or row.state != RUNNING else row.began
        row.state, row.attempt, row.doing = RUNNING, attempt, ""

    def end(self, index: int, state: str, now: float) -> None:
        row = self.rows[index]
        row.took = now - (now if row.began is None else row.began)
        row.state, row.doing, self.slots = state, "", []

    def see(self, slot: str, event: Event) -> None:
        row = self.rows[self.current]
        found = next((one for one in self.slots if one.name == slot), None)
        if isinstance(event, Spent):
            row.tokens += event.tokens_in + event.tokens_out
            if found is not None:
                found.tokens += event.tokens_in + event.tokens_out
        elif found is not None:
            found.doing = describe(event)
        else:
            row.doing = describe(event)

    def render(self, now: float, width: int, height: int, *, colour: bool) -> list[str]:
        lines, focus = [], 0
        for at, row in enumerate(self.rows):
            lines.append(_paint(fit(_render_row(row, now), width - 1), row.state, colour=colour))
            if at == self.current:
                lines += [fit(_render_slot(slot), width - 1) for slot in self.slots]
                focus = len(lines)
        most = max(1, height - 1)
        start = max(0, min(focus - most // 2, len(lines) - most)) if len(lines) > most else 0
        return lines[start : start + most]


def name_rows(phases: Sequence[str]) -> list[str]:
    """The phases as people are told of them: those of a round with its number, where there are several."""
    rounds = list(phases).count(CRITIQUE)
    return [
        f"{phase} {round_of(phases, at)}/{rounds}" if rounds > 1 and phase in (CRITIQUE, REVISE) else phase
        for at, phase in enumerate(phases)
    ]


def describe(event: Event) -> str:
    match event:
        case Began():
            return "has begun"
        case Said(text=text):
            return _one_line(text)
        case Used(tool=tool, detail=detail):
            return _one_line(f"{tool} {detail}")
        case Denied(tool=tool, reason=reason):
            return _one_line(f"{tool} denied: {reason}")
        case Asked(questions=questions):
            return f"asks {len(questions)} question{'s' * (len(questions) != 1)}"
        case Spent():
            return ""


def render_seconds(seconds: float) -> str:
    """A time as people say it: 12s, 3:05, 1:02:03."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def render_tokens(count: int) -> str:
    if count < 1_000:
        return f"{count} tokens" if count else ""
    return f"{count / 1_000:.1f}k tokens" if count < 1_000_000 else f"{count / 1_000_000:.1f}M tokens"


def fit(text: str, width: int) -> str:
    """As much of a text as fits into so many cells of a terminal, on one line and with nothing hidden."""
    text = show_line(text)
    if cells(text) <= width:
        return text
    kept, used = [], 0
    for character in text:
        used += cells(character)
        if used > width - 1:
            break
        kept.append(character)
    return "".join(kept) + "…" if width > 0 else ""


def cells(text: str) -> int:
    """How many cells a text takes: wide characters two, marks on others none."""
    if text.isascii():
        return len(text)
    return sum(_cells_of(character) for character in text)


def _cells_of(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def _one_line(text: str) -> str:
    return clean(" ".join(text[:400].split()))


def _render_row(row: Row, now: float) -> str:
    glyph = _SPINNER[int(now * 8) % len(_SPINNER)] if row.state == RUNNING else _GLYPHS[row.state]
    began = now if row.began is None else row.began
    took = now - began if row.state == RUNNING else row.took
    time = "" if row.began is None else render_seconds(took)
    again = f"attempt {row.attempt}" if row.attempt > 1 and row.state == RUNNING else ""
    told = "  ".join(part for part in (again, render_tokens(row.tokens), row.doing) if part)
    return f" {glyph} {row.name:<{_NAME}}{time:>8}  {told}".rstrip()


def _render_slot(slot: Slot) -> str:
    told = "  ".join(part for part in (render_tokens(slot.tokens), slot.doing) if part)
    return f"     {fit(f'{slot.name}: {slot.title}', 44):<44}  {told}".rstrip()


def _paint(line: str, state: str, *, colour: bool) -> str:
    return f"\033[{_COLOURS[state]}m{line[:3]}\033[0m{line[3:]}" if colour else line
