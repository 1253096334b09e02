"""What people read: the answer of a command as a value, colour, a number of things, an argument as a shell needs it."""

import os
import re
import sys

from planrail.base.records import record
from planrail.base.visible import show_code, show_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_BACKSLASH, _TICK = "\\", "'"
_PAINT = re.compile("\033\\[[0-9;]*m")
_PAINTED: set[str] = set()  # the sequences that `paint` itself has made


@record
class Answer:
    """What a command answers, made by code that knows it and printed by the command: for programs and for people."""

    document: "Mapping[str, object] | None" = None  # None: there is nothing that a program could read
    lines: "Iterable[str]" = ()  # for people; not asked for where JSON is
    warnings: "Sequence[tuple[str, str]]" = ()  # each with its remedy
    command: str = ""  # what to type next
    code: int = 0


def pick(value: object, names: str) -> "dict[str, object]":
    """Fields of a value for a JSON document, such as `state text? plan=order.path`; null for a `?` that is empty."""
    told: dict[str, object] = {}
    for word in names.split():
        name, _, path = word.rstrip("?").partition("=")
        found = value
        for part in (path or name).split("."):
            found = getattr(found, part)
        told[name] = found if found or not word.endswith("?") else None
    return told


def clean(text: str) -> str:
    """The text as a person may see it (see `visible`), with the colours that planrail itself has put there."""
    if "\033" not in text:
        return show_text(text)
    parts = _PAINT.split(text)
    codes = [code if code in _PAINTED else show_text(code) for code in _PAINT.findall(text)]
    return "".join(show_text(part) + code for part, code in zip(parts, [*codes, ""], strict=True))


def paint(text: str, *styles: str) -> str:
    """The text in colour, where standard output is a terminal that wants it."""
    is_forced = bool(os.environ.get("FORCE_COLOR"))
    if os.environ.get("NO_COLOR") or not (is_forced or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")):
        return text
    code, end = f"\033[{';'.join(_CODES[style] for style in styles)}m", "\033[0m"
    _PAINTED.update((code, end))
    return code + show_text(text) + end


def quote_file(root: str, path: str) -> str:
    """A file of a repository as one would type it here."""
    return quote(os.path.relpath(os.path.join(root, path)))


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


def name_some(names: "Iterable[object]", most: int = 5) -> str:
    """A few names for a sentence, and how many more there are."""
    listed = list(map(str, names))
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more


def cut_clauses(text: str, most: int = 300) -> str:
    """As many of the clauses of a text as fit, the first in any case, and "…" where more are left."""
    kept, *left = text.split("; ")
    while left and len(kept) + len(left[0]) + 2 <= most:
        kept = f"{kept}; {left.pop(0)}"
    return f"{kept}; …" if left else kept


def list_some(lines: "Sequence[str]", most: int, hint: str = "") -> list[str]:
    return [*lines[:most], *([f"  … and {len(lines) - most} more{hint}"] if len(lines) > most else [])]


def plural(count: int, noun: str) -> str:
    """A number of things: "1 phase", "2 phases"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
