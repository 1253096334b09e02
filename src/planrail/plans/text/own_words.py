"""What a document brings along itself: words for units ("Component 1", "Welle 3"), and signs that only decorate."""

import re

from planrail.base.patterns import pattern
from planrail.plans.states import State
from planrail.plans.text.blocks import Item
from planrail.plans.text.outline import Section
from planrail.plans.words.labels import Label, title_behind
from planrail.plans.words.marks import sign_state
from planrail.plans.words.names import NO_UNITS

_FIRST_PICTURE = "\u2300"
_LETTERED = pattern(r"([A-Z])[.)、]\s+(?=\S)")
_NAMED = pattern(
    r"([^\W\d_]{2,20}(?: [^\W\d_]{2,20})?)[ -]#?(\d{1,3}(?:\.\d{1,3}){0,2}[a-z]?|[A-H])(?=\s*(?:[:：.)(（]|[-–—]+\s|$))"
)


def adopt_words(sections: list[Section]) -> None:
    """Label the headings that name things by a word and a number, two or more with one word on one level."""
    groups: dict[tuple[int, str], list[tuple[Section, re.Match[str]]]] = {}
    for section in sections:
        match = _NAMED.match(section.label.title) if section.level > 1 and not section.label.id else None
        if match and match[1].lower() not in NO_UNITS:
            groups.setdefault((section.level, match[1].lower()), []).append((section, match))
    for (_, word), members in groups.items():
        if len({match[2] for _, match in members}) > 1:
            for section, match in members:
                label = section.label
                title = title_behind(label.title, match.end())
                section.label = Label(word, match[2], title, label.mark, label.tags)


def adopt_letters(sections: list[Section]) -> None:
    """Label the headings of one level that are counted A, B, C."""
    levels: dict[int, list[tuple[Section, re.Match[str]]]] = {}
    for section in sections:
        match = _LETTERED.match(section.label.title) if section.level > 1 and not section.label.id else None
        if match:
            levels.setdefault(section.level, []).append((section, match))
    for members in levels.values():
        if (
            len(members) > 1
            and "".join(match[1] for _, match in members) in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(members)]
        ):
            for section, match in members:
                label = section.label
                section.label = Label("number", match[1], label.title[match.end() :], label.mark, label.tags)


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
                    section.label = Label(label.word, label.id, label.title, None, label.tags)


def _are_open(level: int, members: list[Section], sections: list[Section]) -> bool:
    """Whether these are all headings of their level that have boxes, and no box of the document is ticked."""
    known = set(members)
    boxed = [section for section in sections if section.level == level and section.has_boxes]
    items = [block for section in sections for block in section.blocks if isinstance(block, Item)]
    is_all = len(boxed) > 1 and all(section in known for section in boxed)
    return is_all and not any(item.box is not None and item.state.is_started for item in items)
