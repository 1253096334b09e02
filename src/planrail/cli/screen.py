"""What commands print: JSON for programs, colour for people at a terminal, plain text into a pipe."""

import os
import sys

from planrail.plans.states import State

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
GLYPHS = {
    State.DONE: ("✔", "green"),
    State.IN_PROGRESS: ("◐", "yellow"),
    State.PARTIAL: ("◑", "yellow"),
    State.TODO: ("○", "dim"),
    State.BLOCKED: ("✖", "red"),
    State.SKIPPED: ("–", "dim"),
    State.UNKNOWN: ("?", "red"),
}


def paint(text: str, *styles: str) -> str:
    """The text in colour, where standard output is a terminal that wants it."""
    if not _wants_colour():
        return text
    return f"\033[{';'.join(_CODES[style] for style in styles)}m{text}\033[0m"


def _wants_colour() -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


def print_json(value: object) -> None:
    """One JSON document on standard output."""
    import json

    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def print_next(command: str) -> None:
    """The last line of every answer: what to type next."""
    print(f"\n{paint('next:', 'bold')} {command}")


def quote(argument: str) -> str:
    """An argument as a shell would need it."""
    import shlex

    return shlex.quote(argument)


def clip(text: str, width: int) -> str:
    """At most `width` characters of a text."""
    return text if len(text) <= width else text[: width - 1] + "…"
