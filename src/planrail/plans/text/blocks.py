"""The blocks of a Markdown text, each with its line and offset: what the scanner finds and everything else reads."""

import re
from collections.abc import Iterator
from itertools import accumulate

from planrail.base.patterns import pattern
from planrail.base.records import mutable_record, record
from planrail.plans.states import State
from planrail.plans.words.marks import read_box
from planrail.plans.words.words import STATUS


@record
class Heading:
    """A heading: `text` stands at `start`, without the marks of its level."""

    line: int
    level: int
    text: str
    start: int


@mutable_record
class Item:
    """A list item. `box` is the character in its check box, "" for an empty pair, None where it has no box."""

    line: int
    depth: int
    text: str
    start: int
    box: str | None
    box_start: int
    parent: "Item | None"
    number: str = ""  # what an ordered list counts it by
    is_optional: bool = False  # a star behind its box: the work is finished without it
    said: State | None = None  # what the text says of an entry whose box was left open: "(skipped)"

    @property
    def state(self) -> State:
        """What the box says; a mark that planrail does not know says nothing."""
        return self.said or read_box(self.box or "") or State.UNKNOWN

    @property
    def is_done(self) -> bool:
        return self.state.is_terminal

    @property
    def is_closed(self) -> bool:
        """Whether it is ticked, or hangs under a box that is."""
        return (self.box is not None and self.is_done) or (self.parent is not None and self.parent.is_closed)

    def above(self) -> "Iterator[Item]":
        """The items that it hangs under, from the inside out."""
        item = self.parent
        while item is not None:
            yield item
            item = item.parent


@record
class Text:
    """A line of running text outside all quotes; `depth` counts the list items around it.

    A lazy line belongs to the item above although it is not indented: authors who leave out the blank line do so.
    """

    line: int
    text: str
    start: int
    depth: int
    is_lazy: bool = False


@record
class Cell:
    """A table cell, trimmed."""

    text: str
    start: int


@record
class Table:
    """A table: its header cells and its rows, each with its line."""

    line: int
    header: list[Cell]
    rows: list[tuple[int, int, str]]  # line, offset, text: split into cells where the table turns out to matter
    depth: int


@record
class Fence:
    """A fenced block: the info string and the lines between the fences."""

    line: int
    info: str
    body: str
    depth: int
    end_line: int


Block = Heading | Item | Text | Table | Fence


@record
class FrontMatter:
    """The YAML between the two rules at the top of the file."""

    text: str
    start: int
    end: int
    end_line: int


_PIPE = pattern(r"(?<!\\)(?:\\\\)*\|")


def split_row(line: str) -> list[str]:
    """The parts of a table row between its pipes; a pipe behind a backslash is text."""
    if "\\" not in line:
        return line.split("|")
    parts, start = [], 0
    for match in _PIPE.finditer(line):
        parts.append(line[start : match.end() - 1])
        start = match.end()
    return [*parts, line[start:]]


def make_cell(part: str, start: int) -> Cell:
    """The cell that a part of a row at offset `start` is."""
    body = part.strip(" \t")
    return Cell(body, start + (part.find(body[0]) if body else min(1, len(part))))


def cells_under(table: Table, names: tuple[str, ...]) -> "Iterator[tuple[int, Cell]]":
    """The cells in the columns of a table that are headed so, each with its line."""
    columns = [at for at, cell in enumerate(table.header) if cell.text.strip("*_` ").lower() in names]
    for line, start, row in table.rows if columns else ():
        parts = split_row(row)
        shift = 1 if len(parts) > 1 and not parts[0].strip() else 0
        for at in (column + shift for column in columns if column + shift < len(parts)):
            yield line, make_cell(parts[at], start + sum(map(len, parts[:at])) + at)


def split_cells(line: str, start: int) -> list[Cell]:
    """The cells of a table row at offset `start`, without the empty ones outside the outer pipes."""
    parts = split_row(line)
    cells = []
    for part in parts:
        cells.append(make_cell(part, start))
        start += len(part) + 1
    if len(cells) > 1 and not cells[0].text:
        del cells[0]
    if len(cells) > 1 and not cells[-1].text:
        cells.pop()
    return cells


_BOX = pattern(
    r"\[([^\[\]\nA-CE-WYZ]{0,2}|[A-Za-z][a-z _-]{3,14}|[A-Z][A-Z _-]{3,14})\](?=[ \t*]|$|(?<=\[[ xX]\])[^\s(\[:])"
)
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
