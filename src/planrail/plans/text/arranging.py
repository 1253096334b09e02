"""Arranging the blocks of a document before they are read: its own signs, boxes in other spellings, bold headings."""

import re
from collections.abc import Mapping

from planrail.base.patterns import pattern
from planrail.base.records import replace
from planrail.plans.states import State
from planrail.plans.text.blocks import Block, Item, Text, box_at
from planrail.plans.text.outline import Outline, Section, outline, promote_bold
from planrail.plans.words.labels import title_behind
from planrail.plans.words.marks import may_state, sign_state
from planrail.plans.words.names import NO_UNITS
from planrail.plans.words.phrases import NOTHING, NOTHING_FIRST, NOTHING_MORE

_OPEN = ("", " ")
_LONGEST_NOTHING = 40
_TAIL = 48  # characters in which an entry can say how it ended
_SAYING = (State.DONE, State.IN_PROGRESS, State.BLOCKED)
_NOTHING_BEGINS = (*NOTHING, *NOTHING_FIRST)
_EDGE = " \t*_`~()（）[]."
_DIGITS = "0123456789"
_FIRST_SIGN = "\u2022"  # behind all letters of Europe


def arrange(text: str, blocks: list[Block], boxes: Mapping[str, str] | None = None) -> Outline:
    """The outline of a document whose blocks were scanned from this text.

    `boxes` are marks that mean another thing where a tool keeps the document.
    """
    if not text.isascii() or "TODO:" in text:  # no signs, no legend: the module is not needed
        from planrail.plans.text.signs import apply_legend, take_signs

        blocks = apply_legend(text, blocks)
        if "TODO:" in text or any(type(block) is Item and block.text[:1] > _FIRST_SIGN for block in blocks):
            blocks = take_signs(blocks)
    if "\n[" in text or text.startswith("["):
        blocks = [_with_box(block) if type(block) is Text else block for block in blocks]
    for block in blocks:
        if type(block) is Item and block.box in _OPEN:
            _read_text(block)
        elif boxes and type(block) is Item and block.box is not None:
            block.box = boxes.get(block.box, block.box)
    document = outline(promote_bold(blocks))
    if any(map(_may_bring_a_word, document.sections)):
        adopt_words(document.sections)
        drop_ornaments(document.sections)
    return document


def _may_bring_a_word(section: Section) -> bool:
    """Whether a heading that names no unit has a number or a letter in it, or one has a sign in front; a quick look."""
    if section.text[:1] > _FIRST_SIGN:
        return True
    title = section.label.title
    is_lettered = title[1:2] in (".", ")", "、") or title[title.find(" ") + 1 :][1:2] == " "  # "A. ", "Salve A "
    return not section.label.id and (is_lettered or any(digit in title for digit in _DIGITS))


def _read_text(item: Item) -> None:
    """Hear what the text of an open entry says: that there is nothing to do, or that it was closed otherwise."""
    text = item.text
    if len(text) <= _LONGEST_NOTHING and is_nothing(text):
        item.box = None
        return
    # A text can end with a mark: behind a dash or a colon, in parentheses, struck through, or as a sign.
    tail = text[-_TAIL:]
    has_slot = "~~" in tail or " (" in tail or "- " in tail or ": " in tail or not tail.isascii()
    if has_slot and ("~~" in tail or may_state(tail)):
        from planrail.plans.words.titles import ends_in, read_title

        mark = read_title(text)[0]
        if mark and (mark.state is State.SKIPPED or (ends_in(text, mark) and mark.state in _SAYING)):
            item.said = mark.state


def is_nothing(text: str) -> bool:
    """Whether an entry says that there is nothing to do: "None", "N/A by design"."""
    bare = text.lower().strip(_EDGE)
    if not bare.startswith(_NOTHING_BEGINS):
        return False
    for sign in ",;:(（–—-":
        bare = bare.partition(sign)[0]
    bare = bare.strip(_EDGE)
    if bare.split(" ")[0] in NOTHING_FIRST and bare.endswith(NOTHING_MORE):
        return True  # "No setup needed"
    wholes = [bare.removesuffix(more).strip() for more in NOTHING_MORE if bare.endswith(more)]
    return bare in NOTHING or any(whole in NOTHING for whole in wholes)


def _with_box(block: Text) -> Block:
    """A line that begins with a box is an entry, although its author left out the bullet."""
    box = box_at(block.text, 0)
    if box is None or len(box[1]) != 1:
        return block
    text = block.text[box.end() :].lstrip()
    at = block.start + len(block.text) - len(text)
    return Item(block.line, 0 if block.is_lazy else block.depth, text, at, box[1], block.start + box.start(1), None)


_FIRST_PICTURE = "\u2300"
_LETTERED = pattern(r"([A-Z])[.)、]\s+(?=\S)")
_NAMED = pattern(
    r"([^\W\d_]{2,20}(?: [^\W\d_]{2,20})?)[ -]#?(\d{1,3}(?:\.\d{1,3}){0,2}[a-z]?|[A-H])(?=\s*(?:[:：.)(（]|[-–—]+\s|$))"
)


def adopt_words(sections: list[Section]) -> None:
    """Label the headings of one level that are named by one word and a number, two or more, or counted A, B, C."""
    named: dict[tuple[int, str], list[tuple[Section, re.Match[str]]]] = {}
    lettered: dict[int, list[tuple[Section, re.Match[str]]]] = {}
    for section in sections:
        if section.level < 2 or section.label.id:
            continue
        if (match := _NAMED.match(section.label.title)) and match[1].lower() not in NO_UNITS:
            named.setdefault((section.level, match[1].lower()), []).append((section, match))
        if match := _LETTERED.match(section.label.title):
            lettered.setdefault(section.level, []).append((section, match))
    for (_, word), members in named.items():
        if len({match[2] for _, match in members}) > 1:
            for section, match in members:
                title = title_behind(section.label.title, match.end())
                section.label = replace(section.label, word=word, id=match[2], title=title)
    for members in lettered.values():
        letters = "".join(match[1] for _, match in members)
        if len(members) > 1 and letters in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(members)]:
            for section, match in members:
                title = section.label.title[match.end() :]
                section.label = replace(section.label, word="number", id=match[1], title=title)


def drop_ornaments(sections: list[Section]) -> None:
    """Take the marks from headings whose signs in front only decorate.

    That is one sign for each phase, and no tick among them (📦, 🔄, 🗑); or a tick before every heading that has
    boxes, in a document in which no box is ticked.
    """
    groups: dict[tuple[int, str], list[Section]] = {}
    for section in sections:
        if section.text[:1] > _FIRST_PICTURE and not section.text[0].isalnum():
            groups.setdefault((section.level, section.label.word), []).append(section)
    for (level, word), members in groups.items():
        states = [sign_state(section.text[0]) for section in members]
        is_one_each = word != "" and None in states and State.DONE not in states
        if is_one_each or (set(states) == {State.DONE} and _are_open(level, members, sections)):
            for section in members:
                label = section.label
                if label.mark is not None and label.mark.start == 0 and label.mark.end <= 2:
                    section.label = replace(label, mark=None)


def _are_open(level: int, members: list[Section], sections: list[Section]) -> bool:
    """Whether these are all headings of their level that have boxes, and no box of the document is ticked."""
    known = set(members)
    boxed = [section for section in sections if section.level == level and section.has_boxes]
    is_all = len(boxed) > 1 and all(section in known for section in boxed)
    return is_all and not any(box.state.is_started for section in sections for box in section.boxes())
