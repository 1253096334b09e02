"""Headers: what a plan says about itself as a whole, and what its front matter says about phases."""

import re

from planrail.base.patterns import pattern
from planrail.plans.claims import Kind, StatusClaim
from planrail.plans.model import Diagnostic, Header, Phase
from planrail.plans.statements.statements import SETTLED, value_of
from planrail.plans.states import State
from planrail.plans.text.blocks import FrontMatter, Item, Text
from planrail.plans.text.outline import Outline, Section, key_of
from planrail.plans.text.source import PlanSource
from planrail.plans.units.units import id_key
from planrail.plans.words.labels import read_label
from planrail.plans.words.marks import read_phrase, read_status
from planrail.plans.words.names import STATUS_KEYS
from planrail.plans.words.phrases import WORK_NOUNS

_OVERALL = ("current", "overall", "now", "current status", "overall status")
_CLAUSE = r"[;,.()；，。（）|/]|\s[-–—]+\s|[–—]"
_FRONT_KEY = pattern(r"^(?P<key>[A-Za-z_][\w-]*+)[ \t]*+:[ \t]*+(?P<quote>[\"']?)(?P<value>[^\"'#\r\n]*)", re.MULTILINE)
_PHASE_LINE = pattern(r"[ \t]+(?:-[ \t]+)?(?P<key>[a-z_]+)[ \t]*+:[ \t]*+[\"']?(?P<value>[^\"'#\r\n]+)")
_NAMES = ("name", "title", "phase", "id")


def read_header(source: PlanSource, front_matter: FrontMatter | None, document: Outline) -> Header | None:
    """The status that the plan gives itself: front matter, lines above its sections, title, or a section "Status"."""
    found = (
        _front_value(source, front_matter, "status")
        or _line_status(document.root)
        or _section_status(document.sections)
    )
    if found is None:
        return None
    text, start = found
    mark = read_status(text)
    is_settled = mark is not None and mark.start <= 2 and bool(SETTLED.match(text[mark.end :].lstrip("*_]")))
    state = mark.state if mark and is_settled else read_clauses(text)
    return Header(text, state, source.line_at(start), start, start + len(text))


def _front_value(source: PlanSource, front_matter: FrontMatter | None, *keys: str) -> tuple[str, int] | None:
    """The first of some keys of the front matter that has a value, and where that stands."""
    if front_matter:
        for match in _FRONT_KEY.finditer(source.text, front_matter.start, front_matter.end):
            if match["key"].lower() in keys and match["value"].strip():
                return match["value"].rstrip(), match.start("value")
    return None


def _line_status(root: Section) -> tuple[str, int] | None:
    """A status line at the top, or directly under the title; else the mark of the title."""
    titles = [child for child in root.children if child.level == 1]
    plain = titles if len(titles) == 1 else [title for title in titles if not title.label.id]
    for section in [root, *plain][:2]:
        if section.status is not None:
            value, start = value_of(section.status.text, section.status.start)
            if value.strip(" *_"):
                return value.strip(" *_"), start
    mark = titles[0].label.mark if len(titles) == 1 else None
    return (titles[0].text[mark.start : mark.end], titles[0].start + mark.start) if mark else None


def _section_status(sections: list[Section]) -> tuple[str, int] | None:
    """`## Status`, with the status as its only line, or in an entry: `- Current: completed`."""
    for section in sections:
        if section.level == 2 and key_of(section.text) in STATUS_KEYS:
            return value_of(section.text, section.start)
        if section.level <= 2 and not section.label.id and section.text.strip(" *_:").lower() in STATUS_KEYS:
            texts = [block for block in section.blocks if isinstance(block, Text) and block.depth == 0]
            if len(texts) == 1:
                return texts[0].text, texts[0].start
            entries = [block for block in section.blocks if isinstance(block, Item) and key_of(block.text) in _OVERALL]
            if entries:
                return value_of(entries[0].text, entries[0].start)
    return None


def read_clauses(text: str) -> State | None:
    """What the clauses of a status say of the work: "planning complete, implementation not yet started"."""
    stated = []
    for clause in re.split(_CLAUSE, text):
        words = clause.strip(" *_`").lower()
        subject = next((noun for noun in WORK_NOUNS if words.startswith(noun)), "")
        state = read_phrase(words.removeprefix(subject).strip(" :*_`").removeprefix("is ").removeprefix("has "))
        if state is not None and subject:
            return state
        stated.append(state)
    return State.TODO if State.TODO in stated and State.IN_PROGRESS not in stated else None


def read_title_of(front_matter: FrontMatter | None, root: Section, source: PlanSource) -> str:
    """What the plan is called: its first heading of level 1, else its front matter's title, else its file."""
    for section in root.children:
        if section.level == 1 and section.text:
            return section.text
    if (stated := _front_value(source, front_matter, "title", "name")) is not None:
        return stated[0]
    first = root.children[0].text if root.children else ""
    return first or source.name


def note_header(phases: list[Phase], header: Header | None, problems: list[Diagnostic]) -> None:
    if header is None or not phases:
        return
    against = ""
    if header.state is State.DONE and not all(phase.status.is_terminal for phase in phases):
        against = "has open phases"
    elif header.state is State.TODO and any(phase.status.is_started for phase in phases):
        against = "phases are started"
    if against:
        problems.append(Diagnostic(header.line, "contradiction", f"the plan says “{header.text}”, but {against}"))


def front_claims(source: PlanSource, front_matter: FrontMatter | None) -> dict[str, StatusClaim]:
    """What the front matter says about phases, by key: `- name: "Phase 1: Setup"` and `status: pending` below it."""
    found: dict[str, StatusClaim] = {}
    if front_matter is None or "status" not in front_matter.text:
        return found
    name = ""
    start = front_matter.start
    for line in source.text[start : front_matter.end].splitlines(keepends=True):
        match = _PHASE_LINE.match(line)
        if match and match["key"] in _NAMES:
            name = match["value"].strip()
        elif match and match["key"] == "status" and name:
            label, value, at = read_label(name), match["value"].rstrip(), start + match.start("value")
            mark, number, name = read_status(value), source.line_at(at), ""
            if label.id and mark:
                reason = f"front matter, line {number}: {value}"
                claim = StatusClaim(Kind.TRACKER, mark.state, number, reason, at + mark.start, at + mark.end)
                found.setdefault(id_key(label.id), claim)
        start += len(line)
    return found
