"""Where the sections of a plan begin in a text: headings of any style that name one of the seven.

Headings are those of the plan reader, so nothing in a fence or a comment is one. A line that begins in bold, and a list
item that is only a name, count as well where they name a section: agents write both.
"""

import re
from collections import Counter
from functools import lru_cache

from planrail.base.errors import UnreadablePlan
from planrail.base.records import record
from planrail.base.settings import SECTIONS
from planrail.planning.answers.section_titles import SectionTitles
from planrail.plans.claims import Kind
from planrail.plans.lint.sections import NON_SCOPE, SECTION_NAMES
from planrail.plans.model import Phase, Plan
from planrail.plans.reading import read
from planrail.plans.states import State
from planrail.plans.text.blocks import Block, Fence, Heading, Item, Text
from planrail.plans.text.lines import split_lines
from planrail.plans.text.outline import Section
from planrail.plans.text.scanning import scan
from planrail.plans.text.source import Source
from planrail.plans.words.labels import read_label
from planrail.plans.words.names import UNIT_WORDS

_LISTED = (Kind.TRACKER, Kind.BOX, Kind.INDEX)
_CONTINUES = re.compile(r"[ \t]|$")


@record
class Stretch:
    """A piece of a text that ends with a character that can be seen."""

    start: int
    end: int
    text: str


@record
class PhaseSpan:
    """A phase in a text: its section, from the heading on, and the row or entry that lists it; it has one or both."""

    id: str
    title: str
    status: State
    section: Stretch | None
    row: Stretch | None


def locate_phases(plan: Plan, text: str) -> list[PhaseSpan]:
    """Where each phase stands, in the plan's order. The blank lines behind a section are no part of it."""
    lines, starts = split_lines(text)
    ends = _section_ends(plan)

    def stretch(first: int, last: int) -> Stretch:
        start = starts[first - 1]
        end = start + len(text[start : starts[last - 1] + len(lines[last - 1])].rstrip())
        return Stretch(start, end, text[start:end])

    spans = []
    listed_at = Counter(map(_listed_at, plan.phases))
    for phase in plan.phases:
        section = row = None
        if phase.sections:
            first, last = phase.sections[0].line, ends[phase.sections[0].line]
            section = stretch(first, last if last > 0 else len(lines))
            listed = _listed_at(phase)
            is_own = listed > 0 and listed_at[listed] == 1  # a line that speaks of several phases is no phase's row
            row = stretch(listed, listed) if is_own and not section.start <= starts[listed - 1] < section.end else None
        else:
            row = stretch(phase.line, _end_of_entry(phase, lines))
        spans.append(PhaseSpan(phase.id, phase.title, phase.status, section, row))
    return spans


def _section_ends(plan: Plan) -> dict[int, int]:
    """For the line of each phase's heading the last line before the next section that is not its own."""
    described = [phase for phase in plan.phases if phase.sections]
    if not described:
        return {}
    order = _root(described[0].sections[0]).walk()
    place = {section: at for at, section in enumerate(order)}
    ends: dict[int, int] = {}
    for phase in described:
        own = set(phase.sections)
        at = place[phase.sections[0]] + 1
        while at < len(order) and order[at] in own:
            at += 1
        ends[phase.sections[0].line] = order[at].line - 1 if at < len(order) else -1
    return ends


def _root(section: Section) -> Section:
    while section.parent is not None:
        section = section.parent
    return section


def _end_of_entry(phase: Phase, lines: list[str]) -> int:
    last = max([phase.line, *(item.line for item in phase.items)])
    while last < len(lines) and _CONTINUES.match(lines[last]):
        last += 1
    return last


def _listed_at(phase: Phase) -> int:
    """The line outside its section that states the status of a phase; 0 where none does."""
    claim = phase.claim
    return claim.line if claim is not None and not claim.path and claim.kind in _LISTED else 0


MOST_UNITS = 10_000  # headings and items of a plan; one of half a megabyte has three thousand
_FEW_LINES = 20_000
_SHORT_LINE = 10  # characters, on average: many such lines are no plan, and each costs as much as a long one
_LINE_LEVEL = 7  # of a bold line or an item that stands for a heading: below every real one
_DEEPEST = 3  # a section of a plan is not headed deeper than this
_MOST_WORDS = 4
_NUMBER = re.compile(r"^\W*(?:\(?\d{1,2}[.):]\)?|[①-⑩]|[a-zA-Z][.)])?\s*")
_BOLD = re.compile(r"(?:\*\*|__)(?P<name>[^*_\n]{2,60}?)(?:\*\*|__)")
# Those whose words contain another's come first: "Non-Scope" before "Scope", "Open Questions" before "Goal".
_ORDER = ("Open Questions", "Non-Scope", "Risks", "Verification", "Steps", "Scope", "Goal")
_EXACT = frozenset(name.lower() for name in SECTION_NAMES)


@record
class Mark:
    """A heading, or a line that stands for one, and the sections that it names: none, one, or "Risks & Questions"."""

    start: int  # where its line begins
    line: int
    level: int
    text: str
    names: tuple[str, ...]


class Scanned:
    """A text that was scanned once: its lines with their offsets, its blocks, and the marks among them.

    `is_refused` where nobody wrote this: it has no blocks then.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines, self.starts = split_lines(text)
        most = max(_FEW_LINES, len(self.text) // _SHORT_LINE)
        self.is_refused = not (len(self.lines) <= most or sum(map(bool, self.lines)) <= most)
        self.blocks = [] if self.is_refused else _scan(text)
        self._marks: list[Mark] | None = None

    @property
    def marks(self) -> list[Mark]:
        if self._marks is None:
            found = (_mark(self.starts[block.line - 1], block) for block in self.blocks if not isinstance(block, Fence))
            self._marks = [mark for mark in found if mark is not None]
        return self._marks


def read_scanned(page: Scanned) -> Plan:
    """The plan in a text. One of more headings and items than anybody writes is refused before it is read."""
    count = sum(isinstance(block, Heading | Item) for block in page.blocks)
    if count > MOST_UNITS or page.is_refused:
        raise UnreadablePlan(
            f"the plan has more than {MOST_UNITS:,} headings and items", remedy="merge or cut some, or split the plan"
        )
    return read(Source("PLAN.md", page.text))


def _scan(text: str) -> list[Block]:
    try:
        return scan(text)[1]
    except UnreadablePlan:
        return []


def _mark(start: int, block: Block) -> Mark | None:
    if isinstance(block, Heading):
        names = name_sections(block.text) if block.level <= _DEEPEST else ()
        return Mark(start, block.line, block.level, block.text, names)
    if isinstance(block, Text | Item) and not block.depth:
        title = _line_title(block)
        names = name_sections(title) if title else ()
        return Mark(start, block.line, _LINE_LEVEL, title, names) if names else None
    return None


def _line_title(block: Text | Item) -> str:
    """What a line would be headed, if it stands for a heading: `**Goal:** …`, or `1. Goal`."""
    bold = _BOLD.match(block.text)
    if bold is not None:
        return bold["name"] if isinstance(block, Text) or not block.text[bold.end() :].strip(" :") else ""
    is_bare = isinstance(block, Item) and block.box is None and len(block.text) < 40
    return block.text if is_bare and block.text.strip(" :：").lower() in _EXACT else ""


def top_level(marks: list[Mark]) -> int:
    """The level at which a text has its sections: where most of the seven are named; 0 where none is."""
    tops = [mark for mark in marks if mark.level == 1]
    named: dict[int, set[str]] = {}
    for mark in marks:
        is_title = mark.level == 1 and len(tops) == 1
        if mark.names and not is_title:
            named.setdefault(mark.level, set()).update(mark.names)
    return max(named, key=lambda level: (len(named[level]), -level), default=0)


@lru_cache(maxsize=16_384)
def name_sections(title: str) -> tuple[str, ...]:
    """Which of the seven sections a heading names, in their order; () where it names none, or a unit of work.

    What the judge of a draft takes for a section is one here. A plan is looked for more kindly than it is judged:
    titles that mean a section ("Implementation Steps") count as well.
    """
    names = _named_by(title)
    return () if names and names_unit(title) else names


def _named_by(title: str) -> tuple[str, ...]:
    opened = _titles().opened_by(title)
    if opened:
        return tuple(name for name in SECTIONS if name in opened)
    plain = _NUMBER.sub("", title.replace("’", "'")).strip(" \t*_:：`.").lower()
    meant = _by_words(plain) if len(plain.split()) <= _MOST_WORDS else ""
    return (meant,) if meant else ()


def names_unit(title: str) -> bool:
    label = read_label(title)
    return bool(label.id) and label.word in UNIT_WORDS


def _by_words(plain: str) -> str:
    if not _pattern("|".join(SECTION_NAMES.values())).search(plain):
        return ""
    for name in _ORDER:
        rest = _pattern(NON_SCOPE).sub("", plain) if name in ("Goal", "Scope") else plain
        if _pattern(SECTION_NAMES[name]).search(rest):
            return name
    return ""


@lru_cache
def _titles() -> SectionTitles:
    return SectionTitles(SECTIONS)


@lru_cache
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-zà-ÿа-я])(?:{words})")
