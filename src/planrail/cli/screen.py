"""What commands print: JSON for programs, colour for people at a terminal, plain text into a pipe."""

import os
import re
import sys

from planrail.plans.states import State
from planrail.records import record
from planrail.visible import show_code, show_text, spell_hidden

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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


_BACKSLASH, _TICK = "\\", "'"
_PAINT = re.compile("\033\\[[0-9;]*m")
_PAINTED: set[str] = set()  # the sequences that `paint` itself has made


@record
class Answer:
    """What a command answers, made by those who know it and printed by the command: for programs and for people."""

    document: "Mapping[str, object] | None" = None  # None: there is nothing that a program could read
    lines: "Sequence[str]" = ()
    warnings: "Sequence[tuple[str, str]]" = ()  # each with its remedy
    command: str = ""  # what to type next
    code: int = 0


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


def clean(text: str) -> str:
    """The text as a person may see it (see `visible`), with the colours that planrail itself has put there."""
    if "\033" not in text:
        return show_text(text)
    parts = _PAINT.split(text)
    codes = [code if code in _PAINTED else show_text(code) for code in _PAINT.findall(text)]
    return "".join(show_text(part) + code for part, code in zip(parts, [*codes, ""], strict=True))


def paint(text: str, *styles: str) -> str:
    """The text in colour, where standard output is a terminal that wants it."""
    if not _wants_colour():
        return text
    code, end = f"\033[{';'.join(_CODES[style] for style in styles)}m", "\033[0m"
    _PAINTED.update((code, end))
    return code + show_text(text) + end


def _wants_colour() -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


def print_json(value: object) -> None:
    """One JSON document on standard output."""
    import json

    is_unicode = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
    text = json.dumps(value, ensure_ascii=not is_unicode, indent=2)
    sys.stdout.write(spell_hidden(text, lambda found: json.dumps(found[0])[1:-1]) + "\n")  # the same to a program


def print_next(command: str) -> None:
    """The last line of every answer: what to type next."""
    say(f"\n{paint('next:', 'bold')} {command}")


def quote(argument: str) -> str:
    """An argument as a shell would need it; with escapes that bash and zsh know where a character cannot be seen.

    A file whose name begins as an option does is named from here on.
    """
    import shlex

    if argument.startswith("-") and os.path.lexists(argument):
        argument = f"./{argument}"
    if show_code(argument) == argument:
        return shlex.quote(argument)
    return f"$'{show_code(argument.replace(_BACKSLASH, _BACKSLASH * 2).replace(_TICK, _BACKSLASH + _TICK))}'"


def clip(text: str, width: int) -> str:
    """At most `width` characters of a text."""
    return text if len(text) <= width else text[: width - 1] + "…"


def plural(count: int, noun: str) -> str:
    """A number of things: "1 phase", "2 phases"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
