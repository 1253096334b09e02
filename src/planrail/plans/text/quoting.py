"""What is quoted: front matter, fences, comments and raw HTML, which the scanner takes whole or leaves out."""

import re

from planrail.base.patterns import pattern
from planrail.plans.text.blocks import Block, Fence, FrontMatter, Item, Text, indentation, split_lines

FENCE = pattern(r"(`{3,}(?=[^`]*$)|~{3,})[ \t]*(.*)$")
_RAW_HTML = pattern(r"<(pre|script|style|textarea)(?=[\s>]|$)", re.IGNORECASE)
_QUOTES_MARKDOWN = pattern(r"(?:markdown|md|mdx)\b", re.IGNORECASE)


class Quoting:
    """A text on the way through its lines, as far as whole blocks are taken or skipped.

    `at` counts the lines that were read; the open list items are a stack of (content column, item).
    """

    def __init__(self, text: str) -> None:
        self.lines, self.starts = split_lines(text)
        self.blocks: list[Block] = []
        self.stack: list[tuple[int, Item]] = []
        self.at = 0
        self.open = False  # a paragraph is open: a line of text may continue it
        self.paragraph: list[Text] = []  # its lines, less the one that an item carries itself
        self.quoted = False  # the open paragraph stands in a block quote

    def end_paragraph(self) -> None:
        """Take the lines of the open paragraph as text, unless they are quoted."""
        if self.paragraph:
            if not self.quoted:
                self.blocks.extend(self.paragraph)
            self.paragraph = []
        self.open = self.quoted = False

    def take_front_matter(self) -> FrontMatter | None:
        first = self.lines[0].lstrip("\ufeff").rstrip()
        if first != "---":
            return None
        for number in range(1, len(self.lines)):
            if self.lines[number].rstrip() in ("---", "..."):
                self.at = number + 1
                text = "\n".join(self.lines[1:number])
                return FrontMatter(text, self.starts[1], self.starts[number], number + 1)
        return None

    def take_fence(self, rest: str, base: int) -> bool:
        """Take the fence that opens with this line, up to its closing or the end of the item it stands in.

        A quoted Markdown document may have fences of its own: authors mean the last closing fence, not the first. That
        is followed only where the inner fences pair up.
        """
        match = FENCE.match(rest)
        if not match:
            return False
        self.end_paragraph()
        body, end, is_closed = self._read_fence(match[1], base, nests=_QUOTES_MARKDOWN.match(match[2]) is not None)
        if not is_closed:
            body, end, _ = self._read_fence(match[1], base, nests=False)
        self.blocks.append(Fence(self.at, match[2].strip(), "\n".join(body), len(self.stack), end))
        self.at = end
        return True

    def _read_fence(self, mark: str, base: int, *, nests: bool) -> tuple[list[str], int, bool]:
        """The lines of a fence, the number of the line behind it, and whether it was closed."""
        closing = re.compile(re.escape(mark[0]) + "{" + str(len(mark)) + r",}[ \t]*$")
        body: list[str] = []
        at, depth = self.at, 1
        while at < len(self.lines):
            line = self.lines[at]
            width, skip = indentation(line)
            if line.strip() and width < base:
                break
            at += 1
            if closing.match(line, skip) and (nests or width - base < 4):
                depth -= 1
                if not depth:
                    return body, at, True
            elif nests and line.startswith(mark, skip) and line[skip:].strip(mark[0]):
                depth += 1
            body.append(line[min(skip, base) :] if nests or line.strip() else "")
        return body, at, False

    def skip_html(self, rest: str) -> bool:
        """Skip comments and raw blocks; False for any other tag, under which the Markdown is read."""
        raw = _RAW_HTML.match(rest)
        is_comment = rest.startswith("<!--")
        if raw is None and not is_comment:
            return False
        self.end_paragraph()
        end, rest = ("-->", rest[4:]) if raw is None else (f"</{raw[1].lower()}>", rest.lower())
        while end not in rest and self.at < len(self.lines):
            rest = self.lines[self.at].lower()
            self.at += 1
        return True

    def skip_comment(self, rest: str, base: int) -> None:
        """Skip a comment that opens in an item; it ends with the item at the latest."""
        while "-->" not in rest and self.at < len(self.lines):
            rest = self.lines[self.at]
            if rest.strip() and indentation(rest)[0] < base:
                return
            self.at += 1
