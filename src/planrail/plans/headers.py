"""Headers: what a plan says about itself as a whole, its title and its status."""

import re

from planrail.plans.blocks import FrontMatter, Item, Text
from planrail.plans.marks import read_status
from planrail.plans.model import Diagnostic, Header, Phase
from planrail.plans.names import STATUS_KEYS
from planrail.plans.outline import Outline, Section, key_of
from planrail.plans.source import Source
from planrail.plans.statements import SETTLED, value_of
from planrail.plans.states import State

_FRONT_KEY = re.compile(r"^[ \t]*(?P<key>[A-Za-z_][\w -]*?)[ \t]*:[ \t]*(?P<value>.*?)[ \t\r]*$", re.MULTILINE)


def read_header(source: Source, front_matter: FrontMatter | None, document: Outline) -> Header | None:
    """The status that the plan gives itself: in its front matter, else in the lines above its sections."""
    if front_matter:
        for match in _FRONT_KEY.finditer(source.text, front_matter.start, front_matter.end):
            if match["key"].lower() == "status" and match["value"]:
                return _make_header(match["value"].strip("\"'"), source, match.start("value"))
    root = document.root
    tops = [root, *(child for child in root.children if child.level == 1 and not child.label.id)][:2]
    for section in tops:
        for block in section.blocks:
            if isinstance(block, Text | Item) and key_of(block.text) in STATUS_KEYS:
                value, start = value_of(block.text, block.start)
                if value.strip(" *_"):
                    return _make_header(value.strip(" *_"), source, start)
    titles = [child for child in root.children if child.level == 1]
    if len(titles) == 1 and titles[0].label.mark:
        mark = titles[0].label.mark
        start = titles[0].start + mark.start
        return _make_header(source.text[start : titles[0].start + mark.end], source, start)
    for section in document.sections:
        if section.level <= 2 and not section.label.id and section.text.strip(" *_:").lower() in STATUS_KEYS:
            texts = [block for block in section.blocks if isinstance(block, Text) and block.depth == 0]
            if len(texts) == 1:
                return _make_header(texts[0].text, source, texts[0].start)
    return None


def _make_header(text: str, source: Source, start: int) -> Header:
    mark = read_status(text)
    is_settled = mark is not None and mark.start <= 2 and bool(SETTLED.match(text[mark.end :].lstrip("*_]")))
    state = mark.state if mark and is_settled else None
    return Header(text, state, source.line_at(start), start, start + len(text))


def read_title_of(front_matter: FrontMatter | None, root: Section, source: Source) -> str:
    for section in root.children:
        if section.level == 1 and section.text:
            return section.text
    if front_matter:
        for match in _FRONT_KEY.finditer(front_matter.text):
            if match["key"].lower() in ("title", "name") and match["value"]:
                return match["value"].strip("\"'")
    first = root.children[0].text if root.children else ""
    return first or source.path.replace("\\", "/").rsplit("/", 1)[-1]


def note_header(phases: list[Phase], header: Header | None, problems: list[Diagnostic]) -> None:
    if header is None or not phases:
        return
    all_finished = all(phase.status.is_terminal for phase in phases)
    none_started = not any(phase.status.is_started for phase in phases)
    if header.state is State.DONE and not all_finished:
        problems.append(Diagnostic(header.line, "contradiction", f"the plan says “{header.text}”, but has open phases"))
    elif header.state is State.TODO and not none_started:
        problems.append(
            Diagnostic(header.line, "contradiction", f"the plan says “{header.text}”, but phases are started")
        )
