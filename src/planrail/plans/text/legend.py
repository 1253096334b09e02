"""Legends: a document that says what its signs mean is read by its own meaning.

`🟢 Planned` in a legend makes every 🟢 of the document mean "not started". The signs are translated in the blocks, one
character for one, so that every offset stays true.
"""

import re

from planrail.base.patterns import pattern
from planrail.plans.states import State
from planrail.plans.text.blocks import Block, Fence, Heading, Item, Table, Text
from planrail.plans.words.marks import read_phrase
from planrail.plans.words.names import LEGEND_TITLES
from planrail.plans.words.words import GLYPHS

_ENTRY = pattern(
    "([" + "".join(GLYPHS) + "])\ufe0f?[\\s|*_`=:：–—-]*([^\\W\\d_][^|,，;；.(（)" + "".join(GLYPHS) + "]{1,30})"
)
_STANDARD = {
    State.DONE: "✅",
    State.IN_PROGRESS: "🔄",
    State.TODO: "⬜",
    State.PARTIAL: "◐",
    State.BLOCKED: "⛔",
    State.SKIPPED: "⏭",
}


def apply_legend(text: str, blocks: list[Block]) -> list[Block]:
    """The blocks of a text with its own signs translated into those that planrail knows."""
    if text.isascii() or not _is_legend(text):
        return blocks
    meanings = {glyph: state for glyph, state in read_legend(blocks).items() if GLYPHS[glyph] is not state}
    if not meanings:
        return blocks
    signs = str.maketrans({glyph: _STANDARD[state] for glyph, state in meanings.items()})
    return [_translate(block, signs) for block in blocks]


def read_legend(blocks: list[Block]) -> dict[str, State]:
    """What the document says that each sign means."""
    found: dict[str, State] = {}
    in_legend = False
    for block in blocks:
        if isinstance(block, Heading):
            in_legend = _is_legend(block.text)
        elif isinstance(block, Table):
            texts = [row for _, _, row in block.rows] if in_legend else []
            _collect(texts, found)
        elif isinstance(block, Item | Text) and (in_legend or _is_legend(block.text[:24])):
            _collect([block.text], found)
    return found


def _is_legend(text: str) -> bool:
    lower = text.lower()
    return any(word in lower for word in LEGEND_TITLES)


def _collect(texts: list[str], found: dict[str, State]) -> None:
    for text in texts:
        for glyph, words in _ENTRY.findall(text):
            state = read_phrase(re.split(r"\s[-–—=]\s|\*\*", words)[0].strip(" *_`:"))
            if state:
                found.setdefault(glyph, state)


def _translate(block: Block, signs: dict[int, str]) -> Block:
    match block:
        case Heading(line=line, level=level, text=text, start=start):
            return Heading(line, level, text.translate(signs), start)
        case Text(line=line, text=text, start=start, depth=depth, is_lazy=is_lazy):
            return Text(line, text.translate(signs), start, depth, is_lazy)
        case Table(line=line, header=header, rows=rows, depth=depth):
            return Table(line, header, [(at, start, row.translate(signs)) for at, start, row in rows], depth)
        case Item():
            block.text = block.text.translate(signs)
            return block
        case Fence():
            return block
