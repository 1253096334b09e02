"""The block structure of a Markdown text as markdown-it-py sees it, and as planrail does, in one form.

Both leave out what stands in block quotes. Fences that are never closed end with the last line that is not blank.
"""

from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

from planrail.plans.text.blocks import Fence, Heading, Item, Table, Text
from planrail.plans.text.scanning import scan

_PARSER = MarkdownIt("commonmark", {"maxNesting": 200}).enable("table")


@dataclass
class Structure:
    """Where the blocks of a text stand; lines count from 1."""

    headings: list[tuple[int, int]]  # line, level: those of the document, not those inside list items
    items: list[tuple[int, int]]  # line, depth
    fences: list[tuple[int, int]]  # first line, last line
    tables: list[tuple[int, int]]  # first line, last line
    text: set[int]  # the lines of paragraphs outside list items


def as_the_referee_sees_it(text: str) -> Structure:
    """The structure by markdown-it-py: CommonMark with tables."""
    found = Structure([], [], [], [], set())
    lines = text.split("\n")
    last = len(text.rstrip("\n").split("\n"))
    around: list[str] = []
    for token in _PARSER.parse(text):
        if token.type in ("blockquote_close", "list_item_close"):
            around.pop()
        if token.map and "blockquote" not in around:
            _note(token, (token.map[0] + 1, min(token.map[1], last)), around, found)
        if token.type in ("blockquote_open", "list_item_open"):
            around.append(token.type.removesuffix("_open"))
    found.text = {line for line in found.text if lines[line - 1].strip()}
    return found


def _note(token: Token, span: tuple[int, int], around: list[str], found: Structure) -> None:
    match token.type:
        case "heading_open" if not around:
            found.headings.append((span[0], int(token.tag[1])))
        case "list_item_open":
            found.items.append((span[0], len(around)))
        case "fence":
            found.fences.append(span)
        case "table_open":
            found.tables.append(span)
        case "paragraph_open" if not around:
            found.text.update(range(span[0], span[1] + 1))


def as_planrail_sees_it(text: str) -> Structure:
    """The structure by planrail's scanner."""
    last = len(text.rstrip("\n").split("\n"))
    _, blocks = scan(text)
    return Structure(
        [(block.line, block.level) for block in blocks if isinstance(block, Heading)],
        [(block.line, block.depth) for block in blocks if isinstance(block, Item)],
        [(block.line, min(block.end_line, last)) for block in blocks if isinstance(block, Fence)],
        [
            (block.line, block.rows[-1][0] if block.rows else block.line + 1)
            for block in blocks
            if isinstance(block, Table)
        ],
        {block.line for block in blocks if isinstance(block, Text) and block.depth == 0},
    )
