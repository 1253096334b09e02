"""The structure of an answer: its headings, items and table rows, however they are formatted.

Judged is what somebody means, not how it is typed: `## Goal`, `**Goal**`, `Goal` with a line under it; `1.`, `1)`,
`(1)`, `①`, `a.`, bullets. Each kind is found by one search over the whole text, and only when it is asked for.
"""

import re
from itertools import islice

from planrail.base.records import record
from planrail.planning.answers.unquoting import unquote

BOLD_LEVEL = 7  # below all headings with a level of their own
ITEM_LEVEL = 8

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
_ITEM = re.compile(
    rf"\n([ \t]*)(?:\#{{1,6}}[ \t]+)?(?:\*\*|__)?"
    rf"(?:({_NUMBER})[*_]*[^\S\n]*|({_LETTER}|{_BULLET})[*_]*[^\S\n]+)([^\s|][^\n]*)"
)
_HEADING = re.compile(
    r"\n {0,3}(?:"
    r"(?P<hashes>#{1,6})[^\S\n]+(?P<atx>[^\n]+)"
    r"|(?:\*{2,3}|__)(?P<bold>[^\s*_][^\n]*)"
    r"|(?P<line>=+|-{2,})[ \t]*(?=\n)"
    r"|<(?:h(?P<level>[1-6])|b|strong)(?:\s[^>\n]*)?>(?P<tagged>[^<\n]+)<"
    rf"|(?:{_NUMBER}|{_LETTER}|{_BULLET})[ \t]+(?:\*\*|__)(?P<item>[^\s*_][^\n]*)"
    r")"
)
_DELIMITER = re.compile(
    r"\n[ \t]*(?:\|[ \t]*|(?=:?-+:?[ \t]*\|)):?-++:?[ \t]*+(?:\|[ \t]*:?-++:?[ \t]*+)*+\|?[ \t]*(?=\n)"
)
_LIST_TAG = re.compile(r"[ \t]*<li(?:\s[^<>\n]*)?>", re.IGNORECASE)
_MOST_TABLES = 2_000
_BOLD = re.compile(r"([^\n]+?)(?:\*\*|__)(.*)")
_NO_TITLE = re.compile(r"[ \t]*(?:[#>|]|[-*+][ \t]|\d+[.)][ \t])")


@record
class Heading:
    """A heading of any style. `level` is 1 to 6, 7 for a bold line, 8 for an item that begins in bold."""

    title: str
    level: int


@record
class Item:
    """A list item, or a numbered heading: how far it is indented, and its text."""

    text: str
    indentation: int
    is_numbered: bool


class Structure:
    """A text, read when it is asked about. `text` is without quotations."""

    def __init__(self, text: str) -> None:
        unquoted = unquote(text)
        self.text = _LIST_TAG.sub("\n- ", unquoted.text) if "<li" in unquoted.text else unquoted.text
        self.fenced = unquoted.fenced
        self.is_cut = unquoted.is_cut
        self._headings: list[Heading] | None = None
        self._items: list[Item] | None = None
        self._headers: list[list[str]] | None = None

    @property
    def headings(self) -> list[Heading]:
        """The headings in their order."""
        if self._headings is None:
            found = (self._heading(match) for match in _HEADING.finditer(self.text))
            self._headings = [heading for heading in found if heading is not None]
        return self._headings

    @property
    def items(self) -> list[Item]:
        """The list items and numbered headings in their order."""
        if self._items is None:
            found = _ITEM.findall(self.text)
            self._items = [
                Item(text, len(indent.expandtabs(4)), bool(number))
                for indent, number, _, text in found
                if _has_words(text)
            ]
        return self._items

    @property
    def outer_items(self) -> list[Item]:
        """The items of the outermost lists, and the numbered ones of every depth."""
        outermost = min((item.indentation for item in self.items), default=0)
        return [item for item in self.items if item.is_numbered or item.indentation < outermost + 2]

    def rows(self) -> list[list[str]]:
        """The cells of each row of each table, without the header rows."""
        found: list[list[str]] = []
        end = 0
        for delimiter in _DELIMITER.finditer(self.text):
            if delimiter.start() >= end:
                rows, end = self._rows_after(delimiter.end())
                found += rows
        return found

    def table_headers(self) -> list[list[str]]:
        """The cells of the header row of each table."""
        if self._headers is None:
            starts = (delimiter.start() for delimiter in islice(_DELIMITER.finditer(self.text), _MOST_TABLES))
            self._headers = [split_cells(self._line_before(start)) for start in starts]
        return self._headers

    def count_points(self) -> int:
        """How many points a text makes, by whichever means it makes them: items, headings of a level, table rows."""
        levels = [heading.level for heading in self.headings if heading.level < ITEM_LEVEL]
        by_headings = max((levels.count(level) for level in set(levels)), default=0)
        return max(len(self.outer_items), by_headings, len(self.rows()))

    def _heading(self, match: re.Match[str]) -> Heading | None:
        if match["hashes"]:
            return Heading(match["atx"], len(match["hashes"]))
        if match["line"]:
            return self._underlined(match)
        if match["tagged"]:
            return Heading(match["tagged"], int(match["level"] or BOLD_LEVEL))
        title = _bold_title(match["bold"] or match["item"])
        return Heading(title, BOLD_LEVEL if match["bold"] else ITEM_LEVEL) if title else None

    def _underlined(self, match: re.Match[str]) -> Heading | None:
        title = self._line_before(match.start())
        if not title.strip() or _NO_TITLE.match(title):
            return None
        return Heading(title, 1 if match["line"][0] == "=" else 2)

    def _line_before(self, end: int) -> str:
        return self.text[self.text.rfind("\n", 0, end) + 1 : end]

    def _rows_after(self, position: int) -> tuple[list[list[str]], int]:
        """The rows below a table's delimiter, up to a line without a cell, and where they end."""
        found: list[list[str]] = []
        while position < len(self.text) - 1:
            end = self.text.find("\n", position + 1)
            line = self.text[position + 1 : end]
            if "|" not in line:
                break
            found.append(split_cells(line))
            position = end
        return found, position


def split_cells(line: str) -> list[str]:
    """The cells of a table row."""
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]


def _bold_title(text: str) -> str:
    """The title of a line that begins in bold: all of it is bold, or a colon follows. Else it is emphasis."""
    match = _BOLD.match(text)
    if match is None:
        return ""
    title, rest = match[1].strip(), match[2].strip(" \t*_\\")
    is_title = not rest or title.endswith((":", "：")) or rest[0] in ":："
    return title if is_title else ""


def _has_words(text: str) -> bool:
    return any(char.isalnum() for char in text[:200])
