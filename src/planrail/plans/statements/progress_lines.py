"""Lines that say how far a plan is without naming one unit each: "Phases 1-5 are done", "Currently in Phase 6"."""

import re
from collections.abc import Iterator

from planrail.base.patterns import pattern
from planrail.plans.claims import Claim, Kind
from planrail.plans.statements.heading_claims import short, value_of
from planrail.plans.states import State
from planrail.plans.text.blocks import Item, Text
from planrail.plans.text.outline import Section, key_of
from planrail.plans.units.units import Unit, id_key
from planrail.plans.words.labels import read_label
from planrail.plans.words.marks import read_status
from planrail.plans.words.names import CURRENT_KEYS, STATUS_KEYS

_TO = r"(?:[-–—~]|to|through|bis|à|a|al|до|至|到)"
_VERB = r"(?:\s*(?:are|were|is|have been|sind|sont|están|son)(?: all| now| fully)?\b)?[\s:：*_–—(-]*"
_ANY_WORD = ("phase", "step", "task")
_BEFORE_A_NAME = ("currently in", "currently on", "currently at", "now in", "now at")
_HEAD = 60  # characters in which a line says what it speaks of


def _lines(section: Section) -> Iterator[Item | Text]:
    for block in section.blocks:
        if (type(block) is Text or (type(block) is Item and block.box is None)) and not block.depth:
            yield block


def find_ranges(sections: list[Section], units: list[Unit]) -> Iterator[tuple[str, Claim]]:
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
                    yield key, Claim(Kind.INDEX, mark.state, block.line, f"line {block.line}: {short(block.text)}")


def find_current(sections: list[Section], units: list[Unit]) -> tuple[str, Claim] | None:
    """The unit, by its key, in which the document says that the work is now."""
    words = {unit.word for unit in units if unit.word}
    for section in sections:
        for line, name in _current_names(section):
            label = read_label(name.strip(" *_"), words)
            unit = next((unit for unit in units if id_key(unit.id) == id_key(label.id)), None)
            is_over = label.mark is not None and label.mark.state.is_terminal
            if unit is not None and label.word in (unit.word, "number") and not is_over:
                reason = f"line {line.line}: {short(line.text)}"
                return id_key(unit.id), Claim(Kind.ITEMS, State.IN_PROGRESS, line.line, reason)
    return None


def _current_names(section: Section) -> Iterator[tuple[Item | Text, str]]:
    """The lines of a section that say where the work is, each with what it names."""
    is_headed = section.text.strip(" *_:").lower() in CURRENT_KEYS
    for line in _lines(section):
        name = _named_current(line.text) or (line.text if is_headed else "")
        if name:
            yield line, name
        is_headed = False


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
