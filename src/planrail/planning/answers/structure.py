"""The structure of an answer: its headings, items and table rows, however they are formatted.

Judged is what somebody means, not how it is typed: `## Goal`, `**Goal**`, `Goal` with a line under it; `1.`, `1)`,
`(1)`, `①`, `a.`, bullets. Each kind is found by one search over the whole text, and only when it is asked for.
"""

import re
from itertools import islice

from planrail.base.records import record

_FRONT_MATTER = re.compile(r"\n---[ \t]*\n(?=[\w-]+:)(?:[^\n]*\n)*?(?:---|\.\.\.)[ \t]*(?=\n)")
_FENCE = r"\n[ \t]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?P<fence>`{3,}+(?=[^`\n]*\n)|~{3,}+)(?P<info>[^\n]*)"
_TAG = r"|\n {0,3}<(?P<tag>pre|script|style|textarea)(?=[\s>])"
_OPENING = re.compile(_FENCE + _TAG + "|<!--")
# Begins with one character in all its parts: three times as fast, and enough for a text without comments.
_OPENING_OF_LINES = re.compile(_FENCE + _TAG)
_MARKDOWN = ("markdown", "md", "mdx")


@record
class Unquoted:
    """A text without its quotations, with a line break before each line, and what stands in its fences.

    `is_cut` where a fence is never closed.
    """

    text: str
    fenced: str
    is_cut: bool


def unquote(text: str) -> Unquoted:
    """What the text says itself. Line ends are made one kind, a byte order mark is dropped."""
    return _Cutter("\n" + text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n") + "\n").cut()


class _Cutter:
    """One pass from quotation to quotation: one search finds where they begin, so that long prose costs little."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._is_cut = False
        self._fenced: list[str] = []
        self._closings: dict[str, re.Pattern[str]] = {}
        self._absent: set[str] = set()  # ends that do not come any more: looked for once, not at each beginning
        self._nests = True  # quoted documents whose own fences pair up

    def cut(self) -> Unquoted:
        text = self._text
        search = (_OPENING if "<!--" in text else _OPENING_OF_LINES).search
        front = _FRONT_MATTER.match(text)
        at = position = front.end() if front else 0
        pieces: list[str] = []
        while opening := search(text, position):
            end = self._end(opening)
            if end is None:
                position = opening.end()
                continue
            pieces += (text[at : opening.start()], "\n" if text[opening.start()] == "\n" else " ")
            at = position = end
        return Unquoted("".join((*pieces, text[at:])), "".join(self._fenced), self._is_cut)

    def _end(self, opening: re.Match[str]) -> int | None:
        if opening["fence"]:
            end = self._end_of_fence(opening)
            self._fenced.append(self._text[opening.end() : end])
            return end
        if opening["tag"]:
            return self._end_of_line(self._find(f"</{opening['tag']}>", opening.end()))
        return self._end_of_comment(opening.start())

    def _end_of_fence(self, opening: re.Match[str]) -> int:
        info = opening["info"].split()
        if self._nests and info and info[0].lower() in _MARKDOWN:
            end = self._end_of_document(opening)
            if end is not None:
                return end
            self._nests = False
        closing = self._closing(opening["fence"]).search(self._text, opening.end())
        self._is_cut = self._is_cut or closing is None
        return closing.end() if closing else len(self._text)

    def _closing(self, fence: str) -> re.Pattern[str]:
        if fence not in self._closings:
            self._closings[fence] = re.compile(rf"\n[ \t]*{_at_least(fence)}[ \t]*(?=\n)")
        return self._closings[fence]

    def _end_of_document(self, opening: re.Match[str]) -> int | None:
        """A quoted document has fences of its own: authors mean the last closing fence, where they pair up."""
        depth = 1
        inner = re.compile(rf"\n[ \t]*{_at_least(opening['fence'])}(?P<info>[^\n`]*)(?=\n)")
        for fence in inner.finditer(self._text, opening.end()):
            depth += 1 if fence["info"].strip() else -1
            if not depth:
                return fence.end()
        return None

    def _end_of_comment(self, start: int) -> int | None:
        """A comment that begins a line runs on to the line of its end; inside a line it stays in its paragraph."""
        text = self._text
        near = text[max(0, start - 1000) : start]
        before = near[near.rfind("\n") + 1 :]
        if not before.strip():
            return self._end_of_line(self._find("-->", start + 4))
        if before.count("`") % 2:
            return None
        end = self._find("-->", start + 4)
        return None if end is None or "\n\n" in text[start : min(end, start + 100_000)] else end

    def _end_of_line(self, at: int | None) -> int:
        return len(self._text) if at is None else self._text.find("\n", at)

    def _find(self, end: str, position: int) -> int | None:
        if end in self._absent:
            return None
        found = self._text.find(end, position)
        if found < 0:
            self._absent.add(end)
            return None
        return found + len(end)


def _at_least(fence: str) -> str:
    return f"{re.escape(fence[0])}{{{len(fence)},}}"


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
        if self._headings is None:
            found = (self._heading(match) for match in _HEADING.finditer(self.text))
            self._headings = [heading for heading in found if heading is not None]
        return self._headings

    @property
    def items(self) -> list[Item]:
        if self._items is None:
            found = _ITEM.findall(self.text)
            self._items = [
                Item(text, len(indent.expandtabs(4)), bool(number))
                for indent, number, _, text in found
                if any(char.isalnum() for char in text[:200])
            ]
        return self._items

    @property
    def outer_items(self) -> list[Item]:
        outermost = min((item.indentation for item in self.items), default=0)
        return [item for item in self.items if item.is_numbered or item.indentation < outermost + 2]

    def rows(self) -> list[list[str]]:
        found: list[list[str]] = []
        end = 0
        for delimiter in _DELIMITER.finditer(self.text):
            if delimiter.start() >= end:
                rows, end = self._rows_after(delimiter.end())
                found += rows
        return found

    def table_headers(self) -> list[list[str]]:
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
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]


def _bold_title(text: str) -> str:
    """The title of a line that begins in bold: all of it is bold, or a colon follows. Else it is emphasis."""
    match = _BOLD.match(text)
    if match is None:
        return ""
    title, rest = match[1].strip(), match[2].strip(" \t*_\\")
    is_title = not rest or title.endswith((":", "：")) or rest[0] in ":："
    return title if is_title else ""
