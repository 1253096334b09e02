"""The signs of a document: what its own legend says of them, and lists whose entries carry one in place of a box.

`🟢 Planned` in a legend makes every 🟢 of the document mean "not started". The signs are translated in the blocks, one
character for one, so that every offset stays true.

Signs in front of entries ("- ✅ Login", "- TODO: Mail") decorate as often as they state something: "✅ fast, ❌ dear"
weighs two ways, and what a phase will bring is often ticked off beforehand. They are read as boxes where the document
says what they mean, or where one of its lists has signs for what is done and for what is open, or all entries under its
phases are ticked; and where it has no other boxes.
"""

import re

from planrail.base.patterns import pattern
from planrail.base.records import replace
from planrail.plans.states import State
from planrail.plans.text.blocks import Block, Heading, Item, Table, Text
from planrail.plans.text.outline import is_aside, names_unit
from planrail.plans.words.marks import GLYPH, read_phrase, sign_state
from planrail.plans.words.names import LEGEND_TITLES
from planrail.plans.words.phrases import PROMISES
from planrail.plans.words.words import DECORATIONS, GLYPHS

_ENTRY = pattern(
    "([" + "".join(GLYPHS) + "])\ufe0f?[\\s|*_`=:：–—-]*([^\\W\\d_][^|,，;；.(（)" + "".join(GLYPHS) + "]{1,30})"
)
_STANDARD = {
    "done": "✅",
    "in_progress": "🔄",
    "todo": "⬜",
    "partial": "◐",
    "blocked": "⛔",
    "skipped": "⏭",
}  # by state


def apply_legend(text: str, blocks: list[Block]) -> list[Block]:
    if text.isascii() or not _is_legend(text):
        return blocks
    meanings = {glyph: state for glyph, state in read_legend(blocks).items() if GLYPHS[glyph] is not state}
    if not meanings:
        return blocks
    signs = str.maketrans({glyph: _STANDARD[state] for glyph, state in meanings.items()})
    return [_translate(block, signs) for block in blocks]


def read_legend(blocks: list[Block]) -> dict[str, State]:
    found: dict[str, State] = {}
    in_legend = False
    for block in blocks:
        if isinstance(block, Heading):
            in_legend = _is_legend(block.text)
            continue
        texts = [row for _, _, row in block.rows] if isinstance(block, Table) and in_legend else []
        if isinstance(block, Item | Text) and (in_legend or _is_legend(block.text[:24])):
            texts = [block.text]
        for glyph, words in (entry for text in texts for entry in _ENTRY.findall(text)):
            state = read_phrase(re.split(r"\s[-–—=]\s|\*\*", words)[0].strip(" *_`:"))
            if state:
                found.setdefault(glyph, state)
    return found


def _is_legend(text: str) -> bool:
    lower = text.lower()
    return any(word in lower for word in LEGEND_TITLES)


def _translate(block: Block, signs: dict[int, str]) -> Block:
    if isinstance(block, Heading | Text):
        return replace(block, text=block.text.translate(signs))
    if isinstance(block, Table):
        return replace(block, rows=[(at, start, row.translate(signs)) for at, start, row in block.rows])
    if isinstance(block, Item):
        block.text = block.text.translate(signs)
    return block


_WEIGHING = "❌✗✘✖❎"  # signs that are the opposite of a tick, and so of an advantage
_EMPTY_BOXES = "⬜☐□◻▢🔲🔳⬚"
_WORD = pattern(r"\**([A-Z]{3,12}(?: [A-Z]{3,10})?)\**[:：](?=\s)")


def take_signs(blocks: list[Block]) -> list[Block]:
    """The blocks of a text, with the signs in front of its entries as their boxes, where they state something."""
    lists = _signed_lists(blocks)
    if not lists:
        return blocks
    draws_boxes = any(item.text[0] in _EMPTY_BOXES for entries in lists for item in entries)  # which decorate nothing
    plain = [[item for item in entries if item.text[0] not in _WEIGHING] for entries in lists]
    states = [{sign[0] for item in entries if (sign := _sign(item))} for entries in plain]
    # In some list, signs say "done" and others, which do not weigh, say that something is still to do.
    has_contrast = any(State.DONE in found and found & {State.TODO, State.IN_PROGRESS} for found in states)
    means = draws_boxes or has_contrast or read_legend(blocks)
    if means or _are_all_ticked(blocks, {item for entries in lists for item in entries}):
        for item in (item for entries in lists for item in entries):
            state, end = _sign(item) or (State.UNKNOWN, 0)
            rest = item.text[end:].lstrip()
            item.box, item.box_start, item.said = item.text[:end], item.start, state
            item.start += len(item.text) - len(rest)
            item.text = rest
    return blocks


def _signed_lists(blocks: list[Block]) -> list[list[Item]]:
    """The entries with a sign in front that list work, list by list; none where the document has check boxes."""
    lists: list[list[Item]] = [[]]
    lists_work = True
    for block in blocks:
        if type(block) is Item:
            if block.box is not None:
                return []
            if lists_work and _sign(block) is not None:
                lists[-1].append(block)
            continue
        if type(block) is Heading or (type(block) is Text and not block.depth):
            lower = block.text[:60].lower()
            lists_work = not is_aside(block.text) and not any(word in lower for word in PROMISES)  # "Expected result"
        lists.append([])
    return [entries for entries in lists if entries]


def _sign(item: Item) -> tuple[State, int] | None:
    """What stands in front of an entry, and where it ends."""
    text = item.text
    sign = GLYPH.match(text)
    if sign:
        state = sign_state(sign[0]) if sign[0][0] not in DECORATIONS and text[sign.end() :].strip() else None
        return (state, sign.end()) if state else None
    word = _WORD.match(text) if text[:1].isupper() or text[:1] == "*" else None
    state = read_phrase(word[1]) if word else None
    return (state, word.end()) if word and state else None


def _are_all_ticked(blocks: list[Block], entries: set[Item]) -> bool:
    """Whether every entry under every phase carries a tick: a plan that was kept by signs until its end."""
    unit: int | None = None
    phases = 0
    counted: list[Item] = []
    for block in blocks:
        if type(block) is Heading:
            if names_unit(block.text):
                unit, phases = block.level, phases + 1
            elif unit is not None and block.level <= unit:
                unit = None
        elif type(block) is Item and unit is not None and not block.depth:
            counted.append(block)
    states = {sign[0] if item in entries and (sign := _sign(item)) else None for item in counted}
    return phases > 1 and states == {State.DONE}
