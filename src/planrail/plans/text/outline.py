"""The outline of a Markdown plan: its sections as a tree, each with its label and the blocks of its own."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise, takewhile

from planrail.base.patterns import pattern
from planrail.base.records import mutable_record, record
from planrail.plans.text.blocks import Block, Fence, Heading, Item, Table, Text
from planrail.plans.words import verifying
from planrail.plans.words.labels import Label, read_label
from planrail.plans.words.names import ASIDES, CRITERIA, DEPENDENCY_KEYS, DOCUMENT_PARTS, STATUS_KEYS, UNIT_WORDS
from planrail.plans.words.words import word_set


@mutable_record
class Section:
    """A heading and what stands under it. The root section, level 0, holds what stands above the first heading."""

    level: int
    line: int
    text: str
    start: int
    label: Label
    above: "tuple[Section, ...]"  # the sections that it lies in, from the inside out; those beside it share them
    children: "list[Section]"
    blocks: list[Block]
    has_boxes: bool = False  # here or below
    status: Item | Text | None = None  # the first line that states the section's status
    needs: list[Item | Text] | None = None  # the lines that state what it depends on

    def __repr__(self) -> str:  # short: it holds the sections that it lies in, and each of them holds it
        return f"Section(level={self.level}, line={self.line}, text={self.text!r})"

    @property
    def parent(self) -> "Section | None":
        return self.above[0] if self.above else None

    @property
    def last_line(self) -> int:
        """The last line that the section itself is known to have."""
        if not self.blocks:
            return self.line
        block = self.blocks[-1]
        if isinstance(block, Table):
            return block.rows[-1][0] if block.rows else block.line
        return block.end_line if isinstance(block, Fence) else block.line

    def items(self) -> list[Item]:
        return [block for block in self.blocks if type(block) is Item]

    def boxes(self) -> list[Item]:
        return [block for block in self.blocks if type(block) is Item and block.box is not None]

    def path(self) -> "tuple[Section, ...]":
        """This section and those that it lies in, from the inside out."""
        return (self, *self.above)

    def walk(self) -> "list[Section]":
        """This section and all below it, in document order."""
        found, pending = [], [self]
        while pending:
            section = pending.pop()
            found.append(section)
            pending.extend(reversed(section.children))
        return found


@record
class Outline:
    """A document as a tree: the root, all sections in document order, and the tables with the section each is in."""

    root: Section
    sections: list[Section]
    tables: list[tuple[Section, Table]]


LABEL_LINE = pattern(r"^[*_]{1,2}[^*_]{2,60}[*_]{1,2}.{0,60}$|^.{2,60}[:：][*_]{0,2}$")
_BOLD_LINE = pattern(r"(\*\*|__)(?=\S)(?P<name>.+?)\1:?\W*(?:[\[(][^\[\]()]{1,40}[\])])?\W*$")
_NAME_LINE = pattern(r"<name>(?P<name>[^<>]+)</name>")
_LETTERS = pattern(r"[^\W\d_]+")
_SHORT = 5  # words
_MOST_WORDS, _SHORT_TITLE = 12, 24  # of a heading over verification, and signs of one that is not divided into words
_QUESTIONS = word_set("questions|risks|fragen|risiken|preguntas|riesgos|perguntas|вопросы|риски")
_OF = word_set("of|for|de|des|du|del|da|do|di|der|für|pour|para|per")
_DEEPEST = 7  # below every level of a heading
_CRITERIA = pattern("|".join(map(re.escape, filter(str.isascii, CRITERIA))))
_OTHER_CRITERIA = pattern("|".join(re.escape(word) for word in CRITERIA if not word.isascii()))


def promote_bold(blocks: list[Block]) -> list[Block]:
    """The blocks with `**Phase 1: Setup**`, or GSD's `<name>Task 1: Setup</name>`, as a heading where no others are."""
    found: dict[int, Heading] = {}
    for block in blocks:
        if type(block) is Text and not block.depth and block.text[:1] in "*_<":
            name = _NAME_LINE.match(block.text) if block.text[:1] == "<" else _BOLD_LINE.match(block.text)
            if name and names_unit(name["name"]):
                text, at = (block.text[2:].rstrip(":*_ "), 2) if block.text[0] != "<" else (name[1], name.start(1))
                found[block.line] = Heading(block.line, _DEEPEST, text, block.start + at)
    if len(found) < 2 or any(type(block) is Heading and names_unit(block.text) for block in blocks):
        return blocks
    return [found.get(block.line, block) if type(block) is Text else block for block in blocks]


def names_unit(text: str) -> bool:
    """Whether a heading names a unit by a word for one and an id."""
    label = read_label(text)
    return bool(label.id) and label.word in UNIT_WORDS


def outline(blocks: list[Block]) -> Outline:
    root = Section(0, 0, "", 0, Label("", "", "", None, []), (), [], [])
    sections = [root]
    tables: list[tuple[Section, Table]] = []
    current = root
    parts = _criteria_beside_units(blocks)
    for block in blocks:
        if type(block) is Heading:
            current = _open_section(current, block, block.level + (block.line in parts))
            sections.append(current)
            continue
        current.blocks.append(block)
        if type(block) is Item and block.box is not None:
            if not current.has_boxes:
                for above in current.path():
                    above.has_boxes = True
        elif type(block) is Item or type(block) is Text:
            _note_key(current, block)
        elif type(block) is Table:
            tables.append((current, block))
    return Outline(root, sections, tables)


def _criteria_beside_units(blocks: list[Block]) -> set[int]:
    """The lines of headings such as "Acceptance Criteria" that follow several phases on the phases' own level.

    One such heading behind the last phase speaks of the whole plan; one behind each of several is a part of it.
    """
    headings = [block for block in blocks if isinstance(block, Heading) and block.level < _DEEPEST - 1]
    pairs = [(before, after) for before, after in pairwise(headings) if before.level == after.level]
    criteria = [(before, after) for before, after in pairs if is_criteria(after.text) and not names_unit(after.text)]
    found = {after.line for before, after in criteria if names_unit(before.text)}
    return found if len(found) > 1 else set()


def _open_section(parent: Section, heading: Heading, level: int) -> Section:
    """A section below the current one, or beside it, or beside one that it lies in."""
    if level == _DEEPEST:  # beside the section that a bold line heads, if the current one is one or lies in it
        parent = next((above for above in parent.path() if above.level == _DEEPEST), parent)
    while parent.above and parent.level >= level:
        if parent.level == _DEEPEST and 1 < parent.above[0].level < level < _DEEPEST:
            break  # a part of the phase that a bold line heads: it is deeper than the heading over both
        parent = parent.above[0]
    above = parent.children[0].above if parent.children else parent.path()
    section = Section(level, heading.line, heading.text, heading.start, read_label(heading.text), above, [], [])
    parent.children.append(section)
    return section


def key_of(text: str) -> str:
    """The key of a line such as `**Depends on**: 3`, in lower case; "" where the line has none."""
    at = text.find(":", 0, 60)
    if at < 0:
        at = text.find("：", 0, 60)
    return text[:at].strip(" \t*_`>-•").lower() if at > 0 else ""


_PARTS = pattern(r"\s+[·•|]\s+")


def has_parts(text: str) -> bool:
    """Whether a line may state several things beside each other."""
    return " | " in text or (not text.isascii() and (" · " in text or " • " in text))


def key_parts(text: str) -> list[tuple[int, str]]:
    """The parts of a line that states several things, each with its place: `Date: 2026-01-02 · Status: done`."""
    if not has_parts(text):
        return [(0, text)]
    ends = [match.span() for match in _PARTS.finditer(text)]
    starts = [0, *(end for _, end in ends)]
    return [(start, text[start:end]) for start, end in zip(starts, [*(at for at, _ in ends), len(text)], strict=True)]


def _note_key(section: Section, line: Item | Text) -> None:
    key = key_of(line.text)
    if key in STATUS_KEYS or (
        has_parts(line.text) and any(key_of(part) in STATUS_KEYS for _, part in key_parts(line.text))
    ):
        section.status = section.status or line
    elif key in DEPENDENCY_KEYS:
        section.needs = section.needs or []
        section.needs.append(line)


@lru_cache(maxsize=1024)
def is_criteria(text: str) -> bool:
    """Whether a heading or label announces criteria of success rather than work."""
    lower = text.lower()
    is_english = lower.replace("—", "-").isascii()
    return _CRITERIA.search(lower) is not None or (not is_english and _OTHER_CRITERIA.search(lower) is not None)


@lru_cache(maxsize=1024)
def is_aside(text: str) -> bool:
    """Whether a heading announces something other than work: criteria, checklists, open questions.

    Its last word decides: "Validation Checklist" does, "Review queue" is work.
    """
    name = re.split(r"[(（:：]", text.lower(), maxsplit=1)[0].split()
    if is_criteria(text) or not name:
        return is_criteria(text)
    if len(name) <= _SHORT and not _QUESTIONS.isdisjoint(name):
        return True
    is_headed = len(name) > 1 and name[1] in _OF and name[0].strip("*_.") in ASIDES
    return is_headed or name[-1].strip("*_.") in ASIDES


@lru_cache(maxsize=1024)
def is_verification(text: str) -> bool:
    """Whether a heading or label announces how the work is verified, and nothing else: "How to test", "Test plan"."""
    words = [word.lower() for word in _LETTERS.findall(text)]
    if not text.isascii() and len(text) <= _SHORT_TITLE and any(part in text for part in verifying.OTHER_SCRIPTS):
        return True
    is_all = all(
        word in verifying.ANNOUNCING or word in verifying.BESIDE or word in verifying.BY_HAND for word in words
    )
    return is_all and 0 < len(words) <= _MOST_WORDS and not verifying.ANNOUNCING.isdisjoint(words)


def is_document_part(text: str) -> bool:
    """Whether a heading names a part that documents have, and not a piece of work: "Background", "2. Goals"."""
    words = [word.lower() for word in _LETTERS.findall(re.split(r"[(（:：]", text, maxsplit=1)[0])]
    return is_aside(text) or (bool(words) and (words[0] in DOCUMENT_PARTS or words[-1] in DOCUMENT_PARTS))


def split_items(sections: list[Section]) -> tuple[list[Item], list[Item]]:
    work: list[Item] = []
    criteria: list[Item] = []
    for section in sections:
        under_criteria = any_criteria(section, sections[0])
        labelled = False
        for block in section.blocks:
            if type(block) is Item:
                if block.box is None:
                    continue
                announced = block.parent is not None and any(
                    item.box is None and is_criteria(item.text[:80]) for item in block.above()
                )
                (criteria if under_criteria or labelled or announced else work).append(block)
            elif type(block) is Text and (block.is_lazy or not block.depth) and LABEL_LINE.match(block.text):
                labelled = is_criteria(block.text)
    return work, criteria


def any_criteria(section: Section, top: Section) -> bool:
    """Whether the section, or one between it and `top`, is headed as criteria."""
    if section is top:
        return False
    return any(is_criteria(part.text) for part in takewhile(lambda part: part is not top, section.path()))


def labelled_items(section: Section, top: Section) -> Iterator[tuple[int, Item, bool]]:
    """The items of a section, each with its place and whether it is a criterion, by a heading or the label above it."""
    is_under, is_labelled = any_criteria(section, top), False
    for at, block in enumerate(section.blocks):
        if isinstance(block, Text) and not block.depth and block.text.rstrip("*_ ").endswith((":", "：")):
            is_labelled = is_criteria(block.text)
        elif isinstance(block, Item):
            yield at, block, is_under or is_labelled


def fences(sections: list[Section]) -> list[Fence]:
    return [block for section in sections for block in section.blocks if isinstance(block, Fence)]
