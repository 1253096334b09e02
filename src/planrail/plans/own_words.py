"""What a document brings along itself: words for units ("Component 1", "Welle 3"), and signs that only decorate."""

import re

from planrail.plans.labels import Label, title_behind
from planrail.plans.marks import sign_state
from planrail.plans.names import NO_UNITS
from planrail.plans.outline import Section
from planrail.plans.states import State

_FIRST_PICTURE = "\u2300"
_NAMED = re.compile(
    r"([^\W\d_]{2,20}(?: [^\W\d_]{2,20})?)[ -]#?(\d{1,3}(?:\.\d{1,3}){0,2}[a-z]?)(?=\s*(?:[:：.)(（]|[-–—]+\s|$))"
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


def drop_ornaments(sections: list[Section]) -> None:
    """Take the marks from headings whose signs in front only decorate: 📦, 🔄, 🗑, one for each phase, and no tick."""
    groups: dict[tuple[int, str], list[Section]] = {}
    for section in sections:
        if section.label.id and section.text[:1] > _FIRST_PICTURE and not section.text[0].isalnum():
            groups.setdefault((section.level, section.label.word), []).append(section)
    for members in groups.values():
        states = [sign_state(section.text[0]) for section in members]
        if None in states and State.DONE not in states:
            for section in members:
                label = section.label
                if label.mark is not None and label.mark.start == 0 and label.mark.end <= 2:
                    section.label = Label(label.word, label.id, label.title, None, label.tags)
