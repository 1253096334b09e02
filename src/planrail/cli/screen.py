"""What commands print: JSON for programs, colour for people at a terminal, plain text into a pipe."""

import os
import re
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


# What could steer a terminal or turn a line around: C0 and C1 controls, and those of bidirectional text.
_BIDI = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
_CONTROLS = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160), *_BIDI), "�")
_PAINT = re.compile("\033\\[[0-9;]*m")
_PAINTED: set[str] = set()  # the sequences that `paint` itself has made


def say(text: str = "") -> None:
    """A line on standard output. What comes from a document cannot steer the terminal: controls are replaced."""
    print(clean(text))


def clean(text: str) -> str:
    """The text without controls, but for the colours that planrail itself has put there."""
    parts = _PAINT.split(text)
    codes = [code if code in _PAINTED else "\ufffd" for code in _PAINT.findall(text)]
    return "".join(part.translate(_CONTROLS) + code for part, code in zip(parts, [*codes, ""], strict=True))


def paint(text: str, *styles: str) -> str:
    """The text in colour, where standard output is a terminal that wants it."""
    if not _wants_colour():
        return text
    code, end = f"\033[{';'.join(_CODES[style] for style in styles)}m", "\033[0m"
    _PAINTED.update((code, end))
    return code + text.translate(_CONTROLS) + end


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


def plural(count: int, noun: str) -> str:
    """A number of things: "1 phase", "2 phases"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
