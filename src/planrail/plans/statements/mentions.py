"""Mentions: what lists, lines and logs elsewhere in a document say about its units."""

from collections import Counter
from collections.abc import Iterator

from planrail.base.patterns import pattern
from planrail.plans.claims import Claim, Kind
from planrail.plans.model import Diagnostic
from planrail.plans.statements.heading_claims import short
from planrail.plans.statements.statements import box_claim, boxes_claim, entry_mark
from planrail.plans.states import State
from planrail.plans.text.blocks import Item, Text
from planrail.plans.text.outline import Section, is_aside
from planrail.plans.units.units import Unit, id_key, is_log, part_of, without_stamp
from planrail.plans.words.labels import Label, read_label
from planrail.plans.words.marks import EDGE, read_phrase

_CODE = pattern(r"[*_`]*([A-Z]{1,6}-?\d[\w.]*)\b")
_SHORTEST_TITLE = 6  # letters by which a title is known again


def find_mentions(sections: list[Section], units: list[Unit], problems: list[Diagnostic]) -> dict[str, list[Claim]]:
    """The claims about units, by key, that the given sections make: `- [x] Phase 3: API`, `✅ Step 2: COMPLETE`."""
    by_key = {id_key(unit.id): unit for unit in units}
    words = {unit.word for unit in units if unit.word}
    own = {unit.item for unit in units if unit.item is not None}
    others = [_other_boxes(section, words) for section in sections]
    names = _names_of(units) if any(others) else {}
    found: dict[str, list[Claim]] = {}
    parts: dict[str, list[Item]] = {}
    for section, boxes in zip(sections, others, strict=True):
        if is_log(section):
            claims = _log_claims(section, by_key, words)
        else:
            claims = _list_claims(section, by_key, words, problems, parts)
        for key, claim, item in (*claims, *_named_boxes(boxes, names, problems)):
            if item not in own:
                found.setdefault(key, []).append(claim)
    for key, items in parts.items():
        counted = boxes_claim(items, Kind.ITEMS, "parts")
        if counted is not None:
            found.setdefault(key, []).append(counted)
    return found


def _list_claims(
    section: Section,
    by_key: dict[str, Unit],
    words: set[str],
    problems: list[Diagnostic],
    parts: dict[str, list[Item]],
) -> Iterator[tuple[str, Claim, Item | None]]:
    """What entries say about units; boxes of "Phase 1.2" are collected for phase 1, where there is no other."""
    for block in section.blocks:
        if not isinstance(block, Item | Text) or not _may_mention(block.text, words):
            continue
        label = read_label(block.text, words)
        key = id_key(label.id)
        claim = _entry_claim(block, label, problems) if label.word in words and key in by_key else None
        whole = part_of(label.id, by_key) if label.word in words and isinstance(block, Item) else ""
        if whole and isinstance(block, Item) and block.box is not None:
            parts.setdefault(whole, []).append(block)
        if claim:
            yield key, claim, block if isinstance(block, Item) else None


def _names_of(units: list[Unit]) -> dict[str, str]:
    """The keys of units by the names that tell them from all others: their codes, and their titles in letters."""
    titles = [_letters(unit.title) for unit in units]
    counts = Counter(titles)
    names = {unit.id: id_key(unit.id) for unit in units if not unit.id.isdecimal()}
    for unit, title in zip(units, titles, strict=True):
        if counts[title] == 1 and len(title) >= _SHORTEST_TITLE:
            names[title] = id_key(unit.id)
    return names


def _other_boxes(section: Section, words: set[str]) -> list[Item]:
    """The boxes of a section that may name a unit without the word for it."""
    boxes = [block for block in section.blocks if type(block) is Item and block.box is not None and not block.depth]
    if not boxes or is_aside(section.text) or is_log(section):
        return []
    return [box for box in boxes if not _may_mention(box.text, words)]


def _named_boxes(
    boxes: list[Item], names: dict[str, str], problems: list[Diagnostic]
) -> Iterator[tuple[str, Claim, Item | None]]:
    """What boxes say that name a unit by its code or its title alone: `- [x] S0: Event schema`."""
    for box in boxes:
        code = _CODE.match(box.text)
        key = names.get(_letters(box.text)) or (names.get(code[1]) if code else None)
        if key is not None:
            yield key, box_claim(box, problems, Kind.INDEX), box


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def _may_mention(text: str, words: set[str]) -> bool:
    return any(map(text[:48].lower().__contains__, words))


def _entry_claim(block: Item | Text, label: Label, problems: list[Diagnostic]) -> Claim | None:
    if isinstance(block, Item) and block.box is not None:
        return box_claim(block, problems, Kind.INDEX)
    mark = entry_mark(block.text)
    state = mark.state if mark else read_phrase(label.title.strip(EDGE))  # "Phase 1 completed:"
    reason = f"list of phases, line {block.line}: {short(block.text)}"
    return Claim(Kind.INDEX, state, block.line, reason) if state else None


def _log_claims(section: Section, by_key: dict[str, Unit], words: set[str]) -> Iterator[tuple[str, Claim, Item | None]]:
    """What a log says about units: an entry belongs to the unit it names, else to the next one that is named."""
    entries: dict[str, dict[str, Item]] = {}
    waiting: list[Item] = []
    for block in section.blocks:
        if not isinstance(block, Item) or block.box is None or block.depth:
            continue
        waiting.append(block)
        label = read_label(without_stamp(block.text))
        if label.word in words and id_key(label.id) in by_key:
            named = entries.setdefault(id_key(label.id), {})
            for item in waiting:
                said = without_stamp(item.text)
                if said not in named or item.state is State.DONE:  # of one that stands there twice, the ticked one
                    named[said] = item
            waiting = []
    for key, items in entries.items():
        claim = boxes_claim(list(items.values()), Kind.LOG, "log entries")
        if claim:
            yield key, claim, None
