"""A text that was read once, with the reader of plans: its blocks, headings and points, and what it says itself.

Judged is what is meant, not how it is typed: `## Goal`, `**Goal**`, `Goal` with a line under it; `1.`, `1)`, `(1)`,
`①`, `a.`, bullets. Nothing in a fence or a comment counts.
"""

import re
from collections.abc import Iterator
from functools import cached_property

from planrail.base.errors import UnreadablePlan
from planrail.base.records import record
from planrail.base.settings import SECTIONS
from planrail.planning.answers.front_matter import split_front_matter
from planrail.planning.answers.section_titles import name_sections
from planrail.plans.model import Plan
from planrail.plans.reading import read
from planrail.plans.text.blocks import Block, Fence, Heading, Item, Table, Text, indentation, split_cells, split_lines
from planrail.plans.text.quoting import Quoting
from planrail.plans.text.scanning import scan
from planrail.plans.text.source import PlanSource

MOST_UNITS = 10_000  # headings and items of a plan; one of half a megabyte has three thousand
LINE_LEVEL = 7  # of a bold line that stands for a heading: below every real one
ITEM_LEVEL = 8  # of an item that begins in bold
_NAME_LEVEL = 9  # of an item that is only the name of a section
_DEEPEST = 3  # a section of a plan is not headed deeper than this
_FEW_LINES = 20_000
_SHORT_LINE = 10  # characters, on average: many such lines are no plan, and each costs as much as a long one

# Bullets, arrows, ticks, dingbats and pictures; each with a space behind it.
_BULLET = (
    "(?:[-*+•‣◦▪●○∙·–—»›➢\u2190-\u21ff\u25a0-\u25ff\u2600-\u275f\u2794-\u27bf\u2b00-\u2bff\U0001f300-\U0001faff]"
    "\ufe0f?|[-=]>)"
)
_NUMBER = (
    r"(?:\d{1,4}(?:\.\d{1,3})*[.)](?![\d.)])|\d{1,3}[）．、]|[(（]\d{1,3}[)）]|\d{1,2}\ufe0f?\u20e3|"
    r"[一二三四五六七八九十]{1,3}[、．)）]|[(（][一二三四五六七八九十]{1,3}[)）]|"
    r"[\u2460-\u249b\u24ea\u2776-\u2793\u3220-\u3229\u3280-\u3289])"
)
# Letters and Roman numerals need a space behind them, or every sentence that begins with "I." were an item.
_LETTER = (
    r"(?:[A-Za-z가-하][.)]|\([A-Za-z가-하]\)|[ivxIVX]{1,6}[.)]|\d{1,3}:|\d{1,3} ?[-–—]|"
    r"(?:[Ff]irst|[Ss]econd|[Tt]hird|[Ff]ourth|[Ff]ifth)(?:ly)?[,:]|[첫둘셋넷다][째섯]{1,2},)"
)
_POINT = re.compile(
    r"(?P<indent>[ \t]*)(?:\#{1,6}[ \t]+)?(?:\*\*|__)?"
    rf"(?:(?P<number>{_NUMBER})[*_]*\s*|(?:{_LETTER}|{_BULLET})[*_]*\s+)(?P<text>[^\s|].*)"
)
_TITLE = re.compile(
    r" {0,3}(?:<(?:h(?P<level>[1-6])|b|strong)(?:\s[^>]*)?>(?P<tagged>[^<]+)<"
    rf"|(?P<mark>(?:{_NUMBER}|{_LETTER}|{_BULLET})[ \t]+)?(?:\*{{2,3}}|__)(?P<bold>[^\s*_].*?)(?:\*\*|__)(?P<rest>.*))"
)
_NAMES = frozenset(name.lower() for name in SECTIONS)
_RULE_ABOVE = re.compile(r"\A(\ufeff?)---(?=[ \t]*[\r\n])")
_ITEM_MARK = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?")
_COMMENT = re.compile(r"<!--(?:(?!\n[ \t]*\n).){0,1000}?-->", re.DOTALL)
_SEEN = re.compile(r"[^\n]")


@record
class Title:
    """A heading, or a line that stands for one, and what follows it on that line."""

    start: int  # where its line begins
    line: int
    level: int
    text: str
    rest: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The sections of a plan that it names: none, one, or "Risks & Questions"."""
        return name_sections(self.text) if not _DEEPEST < self.level < LINE_LEVEL else ()


@record
class Point:
    """A list item, or a numbered heading: its text and how far it is indented."""

    text: str
    indentation: int
    is_numbered: bool


class Page:
    """A text, its lines with their offsets, and its blocks; `is_refused` where nobody wrote this: it has none then."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines, self.starts = split_lines(text)
        most = max(_FEW_LINES, len(self.text) // _SHORT_LINE)
        self.is_refused = not (len(self.lines) <= most or sum(map(bool, self.lines)) <= most)
        self.blocks = [] if self.is_refused else self._scan()

    def _scan(self) -> list[Block]:
        try:
            return scan(self.text if self._front else _RULE_ABOVE.sub(r"\1***", self.text))[1]
        except UnreadablePlan:
            return []

    @cached_property
    def _front(self) -> int:
        """How many characters the front matter has. A rule at the top is none."""
        parts = split_front_matter(self.text)
        return len(self.text) - len(parts.body) if parts.has_front_matter else 0

    @cached_property
    def titles(self) -> list[Title]:
        """The headings of any style, items that begin in bold included."""
        found: dict[int, Title] = {}
        for block in self.blocks:
            title = self._title(block) if isinstance(block, Heading | Item | Text) else None
            if title is not None:
                found.setdefault(block.line, title)
        return list(found.values())

    @cached_property
    def marks(self) -> list[Title]:
        """The headings, and the lines that name a section and stand for one."""
        lines = (LINE_LEVEL, ITEM_LEVEL, _NAME_LEVEL)
        return [
            title
            for title in self.titles
            if title.level not in lines or ((title.level == LINE_LEVEL or not title.rest) and title.names)
        ]

    @property
    def headings(self) -> list[Title]:
        return [title for title in self.titles if title.level < _NAME_LEVEL]

    def _title(self, block: Heading | Item | Text) -> Title | None:
        start = self.starts[block.line - 1]
        if isinstance(block, Heading):
            return Title(start, block.line, block.level, block.text)
        line = self.lines[block.line - 1]
        found = _TITLE.match(line) if "**" in line or "__" in line or "<" in line else None
        if found is None:
            is_bare = isinstance(block, Item) and not block.depth and block.box is None
            is_name = is_bare and block.text.strip(" :：").lower() in _NAMES
            return Title(start, block.line, _NAME_LEVEL, block.text) if is_name else None
        if found["tagged"]:
            return Title(start, block.line, int(found["level"] or LINE_LEVEL), found["tagged"])
        title, rest = found["bold"].strip(), found["rest"].strip(" \t*_\\")
        if rest and not any(end in ":：" for end in (title[-1], rest[0], rest[-1])):
            return None  # emphasis
        is_line = not found["mark"] and isinstance(block, Text) and (block.is_lazy or not block.depth)
        return Title(start, block.line, LINE_LEVEL if is_line else ITEM_LEVEL, title, rest.strip(" :："))

    @cached_property
    def points(self) -> list[Point]:
        numbers = dict.fromkeys(block.line for block in self.blocks if isinstance(block, Heading | Item | Text))
        found = (_POINT.match(self.lines[number - 1]) for number in numbers)
        return [
            Point(match["text"], len(match["indent"].expandtabs(4)), match["number"] is not None)
            for match in found
            if match and any(char.isalnum() for char in match["text"][:200])
        ]

    @property
    def outer_points(self) -> list[Point]:
        outermost = min((point.indentation for point in self.points), default=0)
        return [point for point in self.points if point.is_numbered or point.indentation < outermost + 2]

    @cached_property
    def tables(self) -> list[Table]:
        return [block for block in self.blocks if isinstance(block, Table)]

    def rows(self) -> list[list[str]]:
        rows = (row for table in self.tables for _, _, row in table.rows)
        return [[cell.text for cell in split_cells(row, 0)] for row in rows]

    # ---- what it says itself ----

    @cached_property
    def _unquoted(self) -> tuple[str, list[Fence]]:
        text = self.text.replace("\r\n", " \n").replace("\r", "\n")
        walk = _Unquoting(text)
        at, pieces = 0, [""]
        for start, end in [(0, self._front), *walk.quotations(text.count("\n", 0, self._front))]:
            pieces += (text[at:start], _SEEN.sub(" ", text[start:end]))
            at = end
        said = "".join((*pieces, text[at:]))
        said = _COMMENT.sub(lambda match: _SEEN.sub(" ", match[0]), said) if "-->" in said else said
        return said, [block for block in walk.blocks if isinstance(block, Fence)]

    @property
    def said(self) -> str:
        """The text with blanks for what it quotes, front matter included; every offset stays what it was."""
        return self._unquoted[0]

    @property
    def fenced(self) -> str:
        return "\n".join(fence.body for fence in self._unquoted[1])

    @property
    def is_cut(self) -> bool:
        """Whether a fence is never closed."""
        fences = self._unquoted[1]
        is_open = bool(fences) and fences[-1].end_line >= len(self.lines)
        return is_open and not self.lines[-1].lstrip().startswith(("```", "~~~"))


class _Unquoting(Quoting):
    """Goes from quotation to quotation: fences, also those that begin an item, comments and raw HTML."""

    def quotations(self, first: int) -> Iterator[tuple[int, int]]:
        self.at = first
        ends = [*self.starts[: len(self.lines)], self.starts[len(self.lines) - 1] + len(self.lines[-1])]
        while self.at < len(self.lines):
            line, start = self.lines[self.at], ends[self.at]
            self.at += 1
            rest = _ITEM_MARK.sub("", line, count=1)
            base = indentation(line)[0] if line[:4].isspace() else 0
            is_fence = rest.startswith(("`", "~")) and self.take_fence(rest, base)
            if is_fence or (rest.startswith("<") and self.skip_html(rest)):
                yield start, ends[self.at]


def read_page(page: Page) -> Plan:
    """The plan in a text. One of more headings and items than any author writes is refused before it is read."""
    count = sum(isinstance(block, Heading | Item) for block in page.blocks)
    if count > MOST_UNITS or page.is_refused:
        raise UnreadablePlan(
            f"the plan has more than {MOST_UNITS:,} headings and items", remedy="merge or cut some, or split the plan"
        )
    return read(PlanSource("PLAN.md", page.text))


def top_level(marks: list[Title]) -> int:
    """The level at which a text has its sections: where most of the seven are named; 0 where none is."""
    tops = [mark for mark in marks if mark.level == 1]
    named: dict[int, set[str]] = {}
    for mark in marks:
        is_title = mark.level == 1 and len(tops) == 1
        if mark.names and not is_title:
            named.setdefault(mark.level, set()).update(mark.names)
    return max(named, key=lambda level: (len(named[level]), -level), default=0)
