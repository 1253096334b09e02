"""The work items and criteria of a phase, as an agent is given them and a verifier has to answer for each."""

from planrail.plans.text.blocks import Item, Text
from planrail.plans.text.outline import any_criteria, is_aside, is_criteria, key_of
from planrail.plans.words.names import DEPENDENCY_KEYS, STATUS_KEYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planrail.plans.model import Phase
    from planrail.plans.text.outline import Section

_NOT_WORK = {*DEPENDENCY_KEYS, *STATUS_KEYS, "execution", "goal", "timing", "effort", "owner", "files", "notes"}
_ASIDE_TITLES = ("design", "constraint", "dependenc", "context", "background", "note", "reference", "risk", "goal")


def read_items(phase: "Phase", sections: "Sequence[Section]") -> tuple[str, ...]:
    """The work items: the boxes, nested ones too; in a phase that has none, the plain points of its lists."""
    if phase.items:
        return tuple(item.text for item in phase.items)
    return tuple(item.text for item in _plain_points(sections))


def read_criteria(phase: "Phase", sections: "Sequence[Section]", shift: int = 0) -> dict[int, str]:
    """The criteria by their lines: the boxes and the plain points under a heading or a label that announces them.

    The lines are those of the sections, which begin `shift` lines into the document.
    """
    boxes = {item.line - shift: item.text for item in phase.criteria}
    points = {item.line: item.text for item in _criteria_points(sections)}
    work = {item.line - shift for item in phase.items}
    merged = {**{line: text for line, text in points.items() if line not in work}, **boxes}
    return {line: merged[line] for line in sorted(merged)}


def _criteria_points(sections: "Sequence[Section]") -> "Iterator[Item]":
    for section in sections:
        for item, is_criterion in _labelled(section, under=_under_criteria(section, sections)):
            if is_criterion:
                yield item


def _plain_points(sections: "Sequence[Section]") -> "Iterator[Item]":
    """The points of lists that say what to do, without those that only describe."""
    for section in sections:
        if section is not sections[0] and _is_beside(section, sections[0]):
            continue
        for item, is_criterion in _labelled(section, under=_under_criteria(section, sections)):
            if not is_criterion and item.parent is None and key_of(item.text) not in _NOT_WORK:
                yield item


def _labelled(section: "Section", *, under: bool) -> "Iterator[tuple[Item, bool]]":
    """The items of a section, each with whether it is a criterion: by a heading or the label above it."""
    labelled = False
    for block in section.blocks:
        if isinstance(block, Text) and not block.depth and block.text.rstrip("*_ ").endswith((":", "：")):
            labelled = is_criteria(block.text)
        elif isinstance(block, Item):
            yield block, under or labelled


def _under_criteria(section: "Section", sections: "Sequence[Section]") -> bool:
    return section is not sections[0] and any_criteria(section, sections[0])


def _is_beside(section: "Section", top: "Section") -> bool:
    """Whether a section of a phase describes it rather than lists its work."""
    while section is not top:
        title = section.text.lower()
        if is_aside(section.text) or any(word in title for word in _ASIDE_TITLES):
            return True
        if section.parent is None:
            return False
        section = section.parent
    return False
