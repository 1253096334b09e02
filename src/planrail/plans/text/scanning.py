"""Scanning a Markdown text into blocks: headings, list items, tables, fences and lines of text, with their offsets.

One pass over the lines, after CommonMark and the table and task-list extensions of GFM. What is quoted (block quotes,
fences, comments, indented code) is not part of the plan and is left out; fences are kept, because a plan's checks
stand in them. Two things are read more kindly than CommonMark does, because authors mean them: Markdown directly
under an HTML tag such as `<details>`, without the blank line, and fences inside a quoted Markdown document.
"""

import re

from planrail.base.errors import UnreadablePlan
from planrail.base.patterns import pattern
from planrail.plans.text.blocks import Block, FrontMatter, Heading, Item, Table, Text, box_at, indentation, split_cells
from planrail.plans.text.quoting import FENCE, Quoting
from planrail.plans.text.source import MAX_DEPTH, MAX_LINE

_ATX = pattern(r"(#{1,6})(?:[ \t]+|$)")
# The lines that plans have most of, in the form that nearly all of them use: read in one step.
_PLAIN_ITEM = pattern(r"( *)([-*+]) (?:\[([ xX])\] (?=[^ \t*]|\*\*[^\s*])|(?=[A-Za-z(]|\*\*[^\s*]))")
_PLAIN_HEADING = pattern(r"(#{1,6}) (?=[^\s#])(?!.*#\s*$)")
_LIST_MARK = pattern(r"([-*+]|\d{1,9}[.)])([ \t]+|$)")
_STAR = pattern(r"\*(?!\*)")
_RULE = pattern(r"([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_DELIMITER = pattern(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")


def scan(text: str) -> tuple[FrontMatter | None, list[Block]]:
    return _Scanner(text).scan()


class _Scanner(Quoting):
    """One pass over the lines. The open list items are a stack of (content column, item)."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.quoted_fence = ""  # the fence that is open in a block quote
        self.empty_item = -1  # the line of the last item without text

    def scan(self) -> tuple[FrontMatter | None, list[Block]]:
        front_matter = self.take_front_matter()
        lines, starts, total = self.lines, self.starts, len(self.lines)
        plain_item, plain_heading = _PLAIN_ITEM.match, _PLAIN_HEADING.match
        while self.at < total:
            line = lines[self.at]
            start = starts[self.at]
            self.at += 1
            if not line or line.isspace():
                if self.open:
                    self.end_paragraph()
                elif self.empty_item == self.at - 1:
                    self.stack.pop()  # an item begins with at most one blank line
                self.quoted_fence = ""
                continue
            if line[0] == "#":
                heading = plain_heading(line)
                if heading:
                    if self.open:
                        self.end_paragraph()
                    self.stack.clear()
                    at = heading.end()
                    self.blocks.append(Heading(self.at, at - 1, line[at:].rstrip(), start + at))
                    continue
            item = plain_item(line)
            if item and len(line) < MAX_LINE and self._plain_item(start, line, item):
                continue
            if len(line) > MAX_LINE:
                raise UnreadablePlan(
                    f"line {self.at} has {len(line):,} characters; planrail reads lines of up to {MAX_LINE:,}",
                    remedy="break the line, or move the data to a file of its own",
                )
            self._line(start, line)
        self.end_paragraph()
        return front_matter, self.blocks

    def _plain_item(self, start: int, line: str, match: re.Match[str]) -> bool:
        """Push the item of a plain line; False where its indentation makes it something else."""
        stack, width, at = self.stack, match.end(1), match.end()
        keep = len(stack)
        while keep and width < stack[keep - 1][0]:
            keep -= 1
        if width - (stack[keep - 1][0] if keep else 0) > 3 or keep >= MAX_DEPTH:
            return False
        del stack[keep:]
        if self.paragraph:
            self.end_paragraph()
        self.quoted = False
        self.open = True
        parent = stack[-1][1] if stack else None
        box_start = start + width + 3 if match[3] else -1
        item = Item(self.at, len(stack), line[at:].rstrip(), start + at, match[3], box_start, parent)
        self.blocks.append(item)
        stack.append((width + 2, item))
        return True

    def _line(self, start: int, line: str) -> None:
        width, skip = indentation(line) if line[0] in " \t" else (0, 0)
        if self.at == 1 and line[0] == "\ufeff":
            skip = 1
        char = line[skip : skip + 1]
        if not char:
            return self.end_paragraph()
        base = self._leave_items(width, line, skip, char)
        if char != ">":
            self.quoted_fence = ""
        if width < base:
            return self._text(start, line, skip, width)  # lazy: whatever it looks like
        if width - base >= 4:
            return self._text(start, line, skip, width) if self.open else None
        if self._block(start, line, skip, width, base):
            return None
        if "|" in line and "-" in line and self._table(line, skip):
            return None
        return self._text(start, line, skip, width)

    def _block(self, start: int, line: str, skip: int, width: int, base: int) -> bool:
        """Take the line as the beginning of a block, if its first character makes it one."""
        char = line[skip]
        if char == "#":
            return self._heading(start, line, skip)
        if char in "`~":
            return self.take_fence(line[skip:], base)
        if char in "-*+=_0123456789":
            return self._mark(start, line, skip, width)
        if char == "<":
            return self.skip_html(line[skip:])
        if char == ">":
            self._quote(line[skip:])
        return char == ">"

    def _quote(self, rest: str) -> None:
        """A line of a block quote. Only a paragraph in it can be continued by a line without the mark."""
        self.end_paragraph()
        inner = rest.lstrip("> \t")
        fence = FENCE.match(inner)
        if self.quoted_fence:
            is_closing = fence is not None and fence[1].startswith(self.quoted_fence) and not fence[2]
            self.quoted_fence = "" if is_closing else self.quoted_fence
        elif fence:
            self.quoted_fence = fence[1]
        elif inner and not _ATX.match(inner) and not _RULE.match(inner) and not _LIST_MARK.fullmatch(inner.rstrip()):
            self.quoted = self.open = True

    def _leave_items(self, width: int, line: str, skip: int, char: str) -> int:
        """Close the list items that this line is not part of; the content column of the innermost open one."""
        stack = self.stack
        while stack and width < stack[-1][0]:
            if self.open and not self._starts_block(line, skip, char, width):
                return stack[-1][0]  # a lazy continuation: the paragraph, and its item, go on
            self.end_paragraph()
            stack.pop()
        return stack[-1][0] if stack else 0

    def _starts_block(self, line: str, skip: int, char: str, width: int) -> bool:
        if width - next((content for content, _ in reversed(self.stack) if content <= width), 0) >= 4:
            return False
        rest = line[skip:]
        if char in "#>`~<":
            return char in ">" or bool(_ATX.match(rest) or FENCE.match(rest) or char == "<")
        if char in "-*+_0123456789":
            return bool(_LIST_MARK.match(rest) or _RULE.match(rest))
        following = self.lines[self.at].strip() if self.at < len(self.lines) else ""
        return "|" in line and "|" in following and bool(_DELIMITER.match(following))

    def _heading(self, start: int, line: str, skip: int) -> bool:
        match = _ATX.match(line, skip)
        if not match:
            return False
        self.end_paragraph()
        text = line[match.end() :].rstrip(" \t")
        bare = text.rstrip("#")
        text = bare.rstrip(" \t") if not bare or bare[-1] in " \t" else text  # number signs may close it
        if not self.stack:
            self.blocks.append(Heading(self.at, len(match[1]), text, start + match.end()))
        return True

    def _mark(self, start: int, line: str, skip: int, width: int) -> bool:
        """A list item, a thematic break or the underline of a heading."""
        char = line[skip]
        if char in "-=" and self._underline(line[skip:], width):
            return True
        if char in "-*_" and _RULE.match(line, skip):
            self.end_paragraph()
            return True
        match = _LIST_MARK.match(line, skip)
        # A paragraph is interrupted by a list that is not empty and starts with a bullet or 1.
        is_list = match is not None and match.end() < len(line) and match[1] in ("-", "*", "+", "1.", "1)")
        if match is None or (self.open and not self.quoted and not is_list):
            return False
        self.end_paragraph()
        self._item(start, line, match, width)
        return True

    def _underline(self, rest: str, width: int) -> bool:
        body = rest.rstrip()
        if not self.open or self.quoted or body.strip(body[0]) or (self.stack and width < self.stack[-1][0]):
            return False
        if self.stack:  # a heading inside a list item is no heading of the document
            self.end_paragraph()
            return True
        first = self.paragraph[0]
        text = " ".join(part.text for part in self.paragraph)
        self.blocks.append(Heading(first.line, 1 if body[0] == "=" else 2, text.rstrip(), first.start))
        self.paragraph = []
        self.open = False
        return True

    def _item(self, start: int, line: str, match: re.Match[str], width: int) -> None:
        """Push the item of this line, and those that are nested in it on the same line."""
        while True:
            at = match.end()
            box = box_at(line, at)
            mark_end = column = width + len(match[1])
            for char in match[2]:
                column += 4 - column % 4 if char == "\t" else 1
            gap = column - mark_end
            content = column if 1 <= gap <= 4 else mark_end + 1
            self._push(start, line, match, box, content)
            following = None if box or gap > 4 else _LIST_MARK.match(line, at)
            if not following or _RULE.match(line, at):
                break
            match, width = following, content
        rest = line[at:].lstrip()
        self.open = bool(rest) and gap <= 4 and self._continues(rest)
        self.quoted = rest.startswith(">")
        self.empty_item = -1 if rest else self.at

    def _push(self, start: int, line: str, match: re.Match[str], box: re.Match[str] | None, content: int) -> None:
        text_at = box.end() if box else match.end()
        while box and text_at < len(line) and line[text_at] in " \t*" and not line.startswith("**", text_at):
            text_at += 1
        box_text, box_start = (box[1], start + box.start() + 1) if box else (None, -1)
        parent = self.stack[-1][1] if self.stack else None
        text = line[text_at:].rstrip()
        item = Item(self.at, len(self.stack), text, start + text_at, box_text, box_start, parent)
        item.number = match[1][:-1] if match[1][0].isdecimal() else ""
        item.is_optional = box is not None and _STAR.match(line, box.end()) is not None
        self.blocks.append(item)
        self.stack.append((content, item))
        if len(self.stack) > MAX_DEPTH:
            raise UnreadablePlan(
                f"line {self.at}: lists nested more than {MAX_DEPTH} levels deep", remedy="flatten the list"
            )

    def _continues(self, rest: str) -> bool:
        """Whether the text of an item is a paragraph, which later lines may continue."""
        if rest.startswith("<!--"):
            self.skip_comment(rest, self.stack[-1][0])
            return False
        is_fence = rest.startswith(("```", "~~~")) and self.take_fence(rest, self.stack[-1][0])
        return not is_fence and not _ATX.match(rest) and not _RULE.match(rest)

    def _table(self, line: str, skip: int) -> bool:
        """A delimiter row under a one-line paragraph with a pipe makes both, and the rows below, a table."""
        if not self.paragraph or self.quoted or not _DELIMITER.match(line, skip):
            return False
        head = self.paragraph[-1]
        if "|" not in head.text or head.line != self.at - 1:
            return False
        self.paragraph.pop()
        self.end_paragraph()
        rows = []
        while self.at < len(self.lines):
            row = self.lines[self.at]
            bare = row.lstrip(" \t")
            if "|" not in row or bare[:1] in ("#", ">", "`") or _LIST_MARK.match(bare):
                break
            rows.append((self.at + 1, self.starts[self.at], row))
            self.at += 1
        header = split_cells(head.text, head.start)
        self.blocks.append(Table(head.line, header, rows, len(self.stack)))
        return True

    def _text(self, start: int, line: str, skip: int, width: int) -> None:
        self.open = True
        depth = len(self.stack)
        is_lazy = depth > 0 and width < self.stack[-1][0]
        self.paragraph.append(Text(self.at, line[skip:].rstrip(), start + skip, depth, is_lazy))
