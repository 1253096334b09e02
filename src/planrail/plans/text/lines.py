"""Lines and columns: where the lines of a text begin, how far they are indented, what box stands at their front."""

import re
from itertools import accumulate

from planrail.base.patterns import pattern
from planrail.plans.words.words import STATUS

_BOX = pattern(r"\[([^\[\]\nA-CE-WYZ]{0,2}|[A-Za-z][a-z _-]{3,14}|[A-Z][A-Z _-]{3,14})\](?=[ \t*]|$)")
_LINE_END = pattern(r"\r\n|\n|\r")


def split_lines(text: str) -> tuple[list[str], list[int]]:
    """The lines and their offsets. Only line feed and carriage return end a line: form feeds and U+2028 do not."""
    if "\r" not in text:
        lines = text.split("\n")
        return lines, list(accumulate(map(len, lines), lambda start, length: start + length + 1, initial=0))
    lines, starts, start = [], [0], 0
    for match in _LINE_END.finditer(text):
        lines.append(text[start : match.start()])
        start = match.end()
        starts.append(start)
    lines.append(text[start:])
    return lines, starts


def box_at(line: str, at: int) -> re.Match[str] | None:
    """The check box at a place: one mark in brackets, or a status word; other words in brackets are labels."""
    if not line.startswith("[", at):
        return None
    match = _BOX.match(line, at)
    return match if match and (len(match[1]) < 3 or match[1].lower() in STATUS) else None


def indentation(line: str) -> tuple[int, int]:
    """The indentation of a line, as (columns, characters); a tab reaches to the next multiple of four."""
    width = 0
    for count, char in enumerate(line):
        if char == " ":
            width += 1
        elif char == "\t":
            width += 4 - width % 4
        else:
            return width, count
    return width, len(line)
