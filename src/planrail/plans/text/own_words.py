"""What a document brings along itself: words for units ("Component 1", "Welle 3"), and signs that only decorate."""

import re

from planrail.base.patterns import pattern
from planrail.base.records import replace
from planrail.plans.states import State
from planrail.plans.text.outline import Section
from planrail.plans.words.labels import title_behind
from planrail.plans.words.marks import sign_state
from planrail.plans.words.names import NO_UNITS

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
