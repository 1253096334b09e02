"""Which sections of a plan a heading opens. A title is compared by what it says, never by how it begins:
`## 1. Goals:`, `**Non-Goals**` and `Risks & Mitigations` open sections, `Goals of the auth module` does not.

Korean, Chinese and Japanese put what English puts in front of a noun, or says with "and" and "of", behind it: a
particle (목표와), or a word for a kind of text (风险分析, 위험 분석). Those are taken off; the rest has to be
a title. Whether words are parted by a blank says nothing there.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from planrail.planning.answers.section_aliases import (
    ALIASES_IN_PLANS,
    COMPANIONS,
    PARTICLES,
    SECTION_ALIASES,
    TEXT_KINDS,
)

LONGEST = 160  # characters; what is longer is a sentence

_WORD = re.compile(r"\w+")
_MARKUP = re.compile(r"<[^<>]*>|\{#[^{}]*\}|\]\([^()]*\)|[*_`\[\]#\u200b-\u200f\u2060\ufe0f]")
_HYPHENS = dict.fromkeys((*range(0x2010, 0x2016), ord("-"), ord("_")), " ")
_NUMBERED = re.compile(
    r"(?:(?:section|part|섹션|부분|abschnitt|section|sección|seção|sezione|раздел|розділ|bölüm|第)\s*)?"
    r"(?:\d{1,3}(?:\.\d{1,3})*(?:[.):]|\s+|(?=[^\W\d]))|[a-z][.)]\s|[ivx]{1,5}[.)]\s|[\u2460-\u249b\u2776-\u2793])\s*"
)
_LEAD_IN = re.compile(r"[:：]| [–—-]+ ")
_REMARK = re.compile(r"\s*[(（][^()（）]*[)）]$")
_JOINT_CHARACTERS = frozenset("&/+,、・·|与與和及と")
_JOINT_WORDS = frozenset(("and", "und", "et", "y", "e", "ed", "и", "і", "та", "oraz", "i", "ve", "및", "와", "과"))
_JOINT = re.compile(
    rf" ?(?:[{re.escape(''.join(sorted(_JOINT_CHARACTERS)))}]|(?<!\S)(?:{'|'.join(sorted(_JOINT_WORDS))})(?!\S)) ?"
    r"|(?<=[\uac00-\ud7a3])[와과] "
)
# Words of titles that are words of any other heading as well.
_COMMON = frozenset(("of", "the", "to", "in", "is", "what", "we", "will", "do", "out", "work", "project", "by", "how"))


class SectionTitles:
    """Titles and the sections that they open: the shipped words, more words from settings, and sections by name.

    `only_plain` leaves out the titles that stand for a section in a plan alone.
    """

    def __init__(
        self, sections: Sequence[str], more: Mapping[str, Sequence[str]] | None = None, *, only_plain: bool = False
    ) -> None:
        self._meanings = dict(_shipped(SECTION_ALIASES) if only_plain else _all_shipped())
        known = set(self._meanings)
        for name in sections:
            if (folded := _fold(name)) not in self._meanings:
                self._meanings |= {folded: name, folded + "s": name}
        for name, titles in (more or {}).items():
            self._meanings.update((_fold(title), name) for title in titles)
        shipped = {word for title in known for word in _WORD.findall(title)} - _COMMON
        self._vocabulary = shipped | {word for title in self._meanings if title not in known for word in title.split()}
        self._closed_up = {
            title.replace(" ", ""): name for title, name in self._meanings.items() if not title.isascii()
        }
        self._endings = PARTICLES if only_plain else PARTICLES + TEXT_KINDS
        self.required = {name: self._meanings[_fold(name)] for name in sections}

    def opened_by(self, title: str) -> frozenset[str]:
        """The sections that a heading with this title opens."""
        if len(title) > LONGEST or not self._may_open(title):
            return frozenset()
        plain = _without_marks(title)
        found = self._of(_fold(plain))
        lead_in = _LEAD_IN.search(plain) if not found else None
        return self._of(_fold(plain[: lead_in.start()])) if lead_in else found

    def opened_by_any(self, titles: Iterable[str]) -> set[str]:
        """The sections that these titles open together."""
        return {section for title in set(titles) for section in self.opened_by(title)}

    def _may_open(self, title: str) -> bool:
        """Whether a title has any word of a section at all; most have none. Some scripts do not part their words."""
        return not title.isascii() or not self._vocabulary.isdisjoint(_WORD.findall(title.lower()))

    def _of(self, folded: str) -> frozenset[str]:
        whole = self._meaning(folded)
        if whole is not None:
            return frozenset((whole,))
        parts = [part for part in _JOINT.split(folded) if part]
        sections = [self._meaning(part) for part in parts]
        is_known = all(section or part in COMPANIONS for section, part in zip(sections, parts, strict=True))
        return frozenset(section for section in sections if section) if is_known else frozenset()

    def _meaning(self, folded: str) -> str | None:
        """The section that a title without "and" opens."""
        known = self._meanings.get(folded)
        if known is not None or folded.isascii():
            return known
        beginnings = [folded.replace(" ", "")]
        for text in beginnings:
            if text in self._closed_up:
                return self._closed_up[text]
            shorter = (text.removesuffix(end) for end in self._endings)
            beginnings += [found for found in dict.fromkeys(shorter) if found not in beginnings]
        return None


def _without_marks(title: str) -> str:
    """A title without markup, numbers, emoji and remarks in parentheses."""
    plain = _trim(_MARKUP.sub("", title).lower())
    if plain.isalpha():
        return plain
    numbered = _NUMBERED.match(plain)
    plain = plain[numbered.end() :] if numbered and numbered.end() < len(plain) else plain
    return _trim(_REMARK.sub("", plain) or plain) if plain.endswith((")", "）")) else plain


def _trim(text: str) -> str:
    """Without what is no letter, digit or bracket at its ends."""
    start, end = 0, len(text)
    while start < end and not text[start].isalnum() and text[start] not in "(（":
        start += 1
    while end > start and not text[end - 1].isalnum() and text[end - 1] not in ")）":
        end -= 1
    return text[start:end]


def _fold(title: str) -> str:
    return " ".join(_trim(title.lower()).translate(_HYPHENS).split())


def _all_shipped() -> Iterable[tuple[str, str]]:
    return (*_shipped(ALIASES_IN_PLANS), *_shipped(SECTION_ALIASES))


def _shipped(table: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    return ((alias, section) for section, aliases in table.items() for alias in aliases.split("|"))
