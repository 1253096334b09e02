"""The text that an answer says itself, without what it only quotes: front matter, fenced code, comments, raw HTML.

One search over the whole text finds where quotations begin, so that long prose costs next to nothing.
"""

import re

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
    """One pass from quotation to quotation."""

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
        """Where the quotation ends; None where there is none."""
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
