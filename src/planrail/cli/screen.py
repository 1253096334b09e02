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


_CONTROLS = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160)), "�")


def say(text: str = "") -> None:
    """A line on standard output. What comes from a document cannot steer the terminal: controls are replaced."""
    parts = text.split("\033[") if _wants_colour() else [text]
    print("\033[".join(part.translate(_CONTROLS) for part in parts))


def paint(text: str, *styles: str) -> str:
    """The text in colour, where standard output is a terminal that wants it."""
    if not _wants_colour():
        return text
    inside = text.translate(_CONTROLS)
    return f"\033[{';'.join(_CODES[style] for style in styles)}m{inside}\033[0m"


def _wants_colour() -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


def print_json(value: object) -> None:
    """One JSON document on standard output."""
    import json

    is_unicode = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
    sys.stdout.write(json.dumps(value, ensure_ascii=not is_unicode, indent=2) + "\n")


def print_next(command: str) -> None:
    """The last line of every answer: what to type next."""
    say(f"\n{paint('next:', 'bold')} {command}")


def quote(argument: str) -> str:
    """An argument as a shell would need it."""
    import shlex

    return shlex.quote(argument)


def clip(text: str, width: int) -> str:
    """At most `width` characters of a text."""
    return text if len(text) <= width else text[: width - 1] + "…"
