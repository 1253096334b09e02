"""Texts from elsewhere as parts of a document: they say what they said, and cannot become its structure."""

import re
from collections.abc import Iterable

LONGEST_LINE = 2_000  # characters of one entry of a list
LONGEST_PROSE = 60_000
_WIDEST = 4_000  # characters of one line of prose; the scanner refuses lines of 256 thousand
_CONTROLS = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff"
    "\ud800-\udfff]"
)
_BLANKS = re.compile(r"\s+")
_NEWLINE = re.compile("\r\n|\r|\u2028|\u2029|\x85|\x0b|\x0c")
_HEADING = re.compile(r"^(?P<indent>[ \t]*)(?P<signs>#{1,6})(?=[ \t]|$)[ \t]*(?P<text>.*?)[ \t]*#*[ \t]*$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})([^\n]*)$")
_NOT_PLAIN = re.compile(r"[^\w\s.,;!?'\"/+=@%&-]")
_UNDERLINE = re.compile(r"^[ \t]*(=+|-+)[ \t]*$")


def one_line(text: str, longest: int = LONGEST_LINE) -> str:
    """A text on one line, without controls; clipped where it is too long for an entry."""
    flat = _BLANKS.sub(" ", _CONTROLS.sub(" ", text)).strip()
    return flat if len(flat) <= longest else flat[: longest - 1].rstrip() + "…"


def plain_words(text: str) -> str:
    """A text on one line in letters, digits and harmless signs: nothing in it is Markdown."""
    return one_line(_NOT_PLAIN.sub(" ", one_line(text)).replace("_", " ")).strip("-+=.,;!?'\"/@%& ")


def code_of(text: str) -> str:
    """A command as it can be run: its lines, without controls."""
    lines = _NEWLINE.sub("\n", text).split("\n")
    return "\n".join(_CONTROLS.sub("", line).rstrip() for line in lines).strip("\n").strip()


def prose(text: str) -> list[str]:
    """The lines of a text as a part of a section: its headings are bold lines, its fences are closed."""
    lines, fence = [], ""
    for line in _lines_of(text):
        match = _FENCE.match(line)
        if match and not fence and not (match[1][0] == "`" and "`" in match[2]):
            fence = match[1]
        elif match and fence and match[1].startswith(fence) and not match[2].strip():
            fence = ""
        elif not fence:
            line = _flat(line)
        lines.append(line)
    return [*lines, fence] if fence else lines


def quoted(text: str) -> list[str]:
    """The lines of a text as a block quote, of which nothing is read as a part of the document."""
    return [f"> {line}".rstrip() for line in _lines_of(text)]


def bullets(entries: Iterable[str], empty: str = "None.") -> list[str]:
    """A list with one line for each entry; `empty` where there is none."""
    lines = [f"- {text}" for entry in entries if (text := one_line(entry))]
    return lines or [empty]


def _flat(line: str) -> str:
    heading = _HEADING.match(line)
    if heading:
        return f"**{heading['text']}**" if heading["text"].strip("*# ") else ""
    if _UNDERLINE.match(line):
        return ""
    return line.replace("<!--", "&lt;!--")


def _lines_of(text: str) -> list[str]:
    clipped = text if len(text) <= LONGEST_PROSE else text[: LONGEST_PROSE - 1] + "…"
    lines = [_CONTROLS.sub("", line).rstrip() for line in _NEWLINE.sub("\n", clipped).split("\n")]
    while lines and not lines[0].strip():
        del lines[0]
    while lines and not lines[-1].strip():
        del lines[-1]
    return [part for line in lines for part in _wrapped(line)]


def _wrapped(line: str) -> list[str]:
    return [line[at : at + _WIDEST] for at in range(0, len(line), _WIDEST)] or [""]
