"""Mentions: what lists, lines and logs elsewhere in a document say about its units, of one or of several at once."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain

from planrail.base.patterns import pattern
from planrail.plans.claims import Kind, StatusClaim
from planrail.plans.model import Diagnostic
from planrail.plans.statements.statements import box_claim, boxes_claim, entry_mark, short, value_of
from planrail.plans.states import State
from planrail.plans.text.blocks import Item, Text
from planrail.plans.text.outline import Section, is_aside, key_of
from planrail.plans.units.units import Unit, id_key, is_log, part_of, without_stamp
from planrail.plans.words.labels import read_label
from planrail.plans.words.marks import EDGE, read_phrase, read_status
from planrail.plans.words.names import CURRENT_KEYS, STATUS_KEYS

_CODE = pattern(r"[*_`]*([A-Z]{1,6}-?\d[\w.]*)\b")
_SHORTEST_TITLE = 6  # letters by which a title is known again


def find_mentions(
    sections: list[Section], units: list[Unit], problems: list[Diagnostic]
) -> dict[str, list[StatusClaim]]:
    """The claims about units, by key, that the given sections make: `- [x] Phase 3: API`, `✅ Step 2: COMPLETE`."""
    by_key = {id_key(unit.id): unit for unit in units}
    words = {unit.word for unit in units if unit.word}
    own = {unit.item for unit in units if unit.item is not None}
    names: dict[str, str] = {}
    found: dict[str, list[StatusClaim]] = {}
    parts: dict[str, list[Item]] = {}
    for section in sections:
        if is_log(section):
            claims = _log_claims(section, by_key, words)
        else:
            named, others = _entries(section, own, words)
            names = names or (_names_of(units) if others else {})
            listed = _list_claims(named, by_key, words, problems, parts)
            claims = chain(listed, _named_boxes(others, names, problems))
        for key, claim in claims:
            found.setdefault(key, []).append(claim)
    for key, items in parts.items():
        counted = boxes_claim(items, Kind.ITEMS, "parts")
        if counted is not None:
            found.setdefault(key, []).append(counted)
    return found


def _entries(section: Section, own: set[Item], words: set[str]) -> tuple[list[Item | Text], list[Item]]:
    """The lines of a section that may name a unit by a word for it, and the boxes that may do so without."""
    named: list[Item | Text] = []
    others: list[Item] = []
    for block in section.blocks:
        if type(block) is Text or (type(block) is Item and block not in own):
            head = block.text[:48].lower()
            if any(map(head.__contains__, words)):
                named.append(block)
            elif type(block) is Item and block.box is not None and not block.depth:
                others.append(block)
    return named, [] if is_aside(section.text) else others


def _list_claims(
    entries: list[Item | Text],
    by_key: dict[str, Unit],
    words: set[str],
    problems: list[Diagnostic],
    parts: dict[str, list[Item]],
) -> Iterator[tuple[str, StatusClaim]]:
    """What entries say about units; boxes of "Phase 1.2" are collected for phase 1, where there is no other."""
    for entry in entries:
        label = read_label(entry.text, words)
        if label.word not in words:
            continue
        key = id_key(label.id)
        box = entry if type(entry) is Item and entry.box is not None else None
        if box is not None and (whole := part_of(label.id, by_key)):
            parts.setdefault(whole, []).append(box)
        if key not in by_key:
            continue
        if box is not None:
            yield key, box_claim(box, problems, Kind.INDEX)
            continue
        mark = entry_mark(entry.text)
        state = mark.state if mark else read_phrase(label.title.strip(EDGE))  # "Phase 1 completed:"
        if state:
            yield (
                key,
                StatusClaim(Kind.INDEX, state, entry.line, f"list of phases, line {entry.line}: {short(entry.text)}"),
            )


def _names_of(units: list[Unit]) -> dict[str, str]:
    """The keys of units by the names that tell them from all others: their codes, and their titles in letters."""
    titles = [_letters(unit.title) for unit in units]
    counts = Counter(titles)
    names = {unit.id: id_key(unit.id) for unit in units if not unit.id.isdecimal()}
    for unit, title in zip(units, titles, strict=True):
        if counts[title] == 1 and len(title) >= _SHORTEST_TITLE:
            names[title] = id_key(unit.id)
    return names


def _named_boxes(
    boxes: list[Item], names: dict[str, str], problems: list[Diagnostic]
) -> Iterator[tuple[str, StatusClaim]]:
    """What boxes say that name a unit by its code or its title alone: `- [x] S0: Event schema`."""
    for box in boxes:
        code = _CODE.match(box.text)
        key = names.get(_letters(box.text)) or (names.get(code[1]) if code else None)
        if key is not None:
            yield key, box_claim(box, problems, Kind.INDEX)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def _log_claims(section: Section, by_key: dict[str, Unit], words: set[str]) -> Iterator[tuple[str, StatusClaim]]:
    """What a log says about units: an entry belongs to the unit it names, else to the next one that is named."""
    entries: dict[str, dict[str, Item]] = {}
    waiting: list[Item] = []
    for box in section.boxes():
        if box.depth:
            continue
        waiting.append(box)
        label = read_label(without_stamp(box.text))
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
            yield key, claim


_TO = r"(?:[-–—~]|to|through|bis|à|a|al|до|至|到)"
_VERB = r"(?:\s*(?:are|were|is|have been|sind|sont|están|son)(?: all| now| fully)?\b)?[\s:：*_–—(-]*"
_ANY_WORD = ("phase", "step", "task")
_BEFORE_A_NAME = ("currently in", "currently on", "currently at", "now in", "now at")
_HEAD = 60  # characters in which a line says what it speaks of


def _lines(section: Section) -> Iterator[Item | Text]:
    for block in section.blocks:
        if (type(block) is Text or (type(block) is Item and block.box is None)) and not block.depth:
            yield block


def find_ranges(sections: list[Section], units: list[Unit]) -> Iterator[tuple[str, StatusClaim]]:
    """What lines say of several units at once, by key."""
    words = tuple(sorted({unit.word for unit in units if unit.word and unit.word != "number"})) or _ANY_WORD
    either = "|".join(map(re.escape, words))
    named = pattern(rf"(?:{either})\w{{0,2}} (\d{{1,3}})\s*{_TO}\s*(\d{{1,3}})\b{_VERB}")
    for section in sections:
        for block in _lines(section):
            said = value_of(block.text, 0)[0] if key_of(block.text) in STATUS_KEYS else block.text
            said = said.lower().lstrip("*_ ✅✔")
            found = named.match(said) if said.startswith(words) else None
            mark = read_status(found.string[found.end() :]) if found else None
            keys = [id_key(unit.id) for unit in units] if found and mark and mark.start <= 1 else []
            if found and mark and found[1] in keys and found[2] in keys:
                for key in keys[keys.index(found[1]) : keys.index(found[2]) + 1]:
                    yield (
                        key,
                        StatusClaim(Kind.INDEX, mark.state, block.line, f"line {block.line}: {short(block.text)}"),
                    )


def find_current(sections: list[Section], units: list[Unit]) -> tuple[str, StatusClaim] | None:
    """The unit, by its key, in which the document says that the work is now."""
    words = {unit.word for unit in units if unit.word}
    for section in sections:
        is_headed = section.text.strip(" *_:").lower() in CURRENT_KEYS
        for at, line in enumerate(_lines(section)):
            name = _named_current(line.text) or (line.text if is_headed and not at else "")
            if not name:
                continue
            label = read_label(name.strip(" *_"), words)
            unit = next((unit for unit in units if id_key(unit.id) == id_key(label.id)), None)
            is_over = label.mark is not None and label.mark.state.is_terminal
            if unit is not None and label.word in (unit.word, "number") and not is_over:
                reason = f"line {line.line}: {short(line.text)}"
                return id_key(unit.id), StatusClaim(Kind.ITEMS, State.IN_PROGRESS, line.line, reason)
    return None


def _named_current(text: str) -> str:
    """What a line names as the unit in which the work is now; "" where it does not speak of that."""
    plain = text.replace("*", "").replace("__", "").lstrip("> ")
    lower = plain[:_HEAD].lower()
    for sign in (":", "：", " "):
        at = lower.find(sign)
        while at > 0:
            if lower[:at].rstrip() in CURRENT_KEYS and (sign != " " or lower[:at] in _BEFORE_A_NAME):
                return plain[at + 1 :].strip()
            at = lower.find(sign, at + 1)
    return ""
