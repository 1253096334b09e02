"""What commands print: JSON for programs, colour for people at a terminal, plain text into a pipe."""

import os
import sys

from planrail.base.visible import spell_hidden
from planrail.base.wording import Answer, clean, paint
from planrail.plans.states import State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_LEAST = 12  # characters, below which a title says nothing any more
GLYPHS = {
    State.DONE: ("✔", "green"),
    State.IN_PROGRESS: ("◐", "yellow"),
    State.PARTIAL: ("◑", "yellow"),
    State.TODO: ("○", "dim"),
    State.BLOCKED: ("✖", "red"),
    State.SKIPPED: ("–", "dim"),
    State.UNKNOWN: ("?", "red"),
}


def show(answer: Answer, *, as_json: bool) -> int:
    """Print an answer; its exit code."""
    if as_json and answer.document is not None:
        print_json(answer.document)
        return answer.code
    for line in answer.lines:
        say(line)
    for text, remedy in answer.warnings:
        warn(text, remedy)
    if answer.command:
        print_next(answer.command)
    return answer.code


def say(text: str = "") -> None:
    """A line on standard output. What comes from a document cannot steer the terminal, and hides nothing."""
    print(clean(text))


def warn(text: str, remedy: str = "") -> None:
    """A line on standard error, where diagnostics go, with what to type next."""
    print(f"planrail: {clean(text)}" + (f"\n  → {clean(remedy)}" if remedy else ""), file=sys.stderr, flush=True)


def print_json(value: object) -> None:
    import json

    is_unicode = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
    text = json.dumps(value, ensure_ascii=not is_unicode, indent=2)
    sys.stdout.write(spell_hidden(text, lambda found: json.dumps(found[0])[1:-1]) + "\n")  # the same to a program


def print_next(command: str) -> None:
    """The last line of every answer: what to type next."""
    say(f"\n{paint('next:', 'bold')} {command}")


def fit_column(texts: "Iterable[str]", most: int, beside: int) -> int:
    """The width of a column in characters, with this many taken by what stands beside it. A pipe has all the room."""
    longest = min(most, max(map(len, texts), default=0))
    try:
        room = os.get_terminal_size(sys.stdout.fileno()).columns - beside
    except (OSError, ValueError):
        return longest
    return min(longest, max(_LEAST, room)) if room > -beside else longest
