"""Mentions: what lists, lines and logs elsewhere in a document say about its units."""

from planrail.plans.blocks import Item, Text
from planrail.plans.claims import Claim, Kind
from planrail.plans.labels import read_label
from planrail.plans.logs import STAMP, is_log
from planrail.plans.model import Diagnostic
from planrail.plans.outline import Section
from planrail.plans.statements import box_claim, boxes_claim, entry_mark, short
from planrail.plans.states import State
from planrail.plans.units import Unit, id_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def find_mentions(sections: list[Section], units: list[Unit], problems: list[Diagnostic]) -> dict[str, list[Claim]]:
    """The claims about units, by key, that the given sections make: `- [x] Phase 3: API`, `✅ Step 2: COMPLETE`."""
    by_key = {id_key(unit.id): unit for unit in units}
    words = {unit.word for unit in units if unit.word}
    own = {unit.item for unit in units if unit.item is not None}
    found: dict[str, list[Claim]] = {}
    for section in sections:
        claims = (
            _log_claims(section, by_key, words) if is_log(section) else _list_claims(section, by_key, words, problems)
        )
        for key, claim, item in claims:
            if item not in own:
                found.setdefault(key, []).append(claim)
    return found


def _list_claims(
    section: Section, by_key: dict[str, Unit], words: set[str], problems: list[Diagnostic]
) -> "Iterator[tuple[str, Claim, Item | None]]":
    for block in section.blocks:
        if not isinstance(block, Item | Text) or not _may_mention(block.text, words):
            continue
        label = read_label(block.text)
        key = id_key(label.id)
        claim = _entry_claim(block, problems) if label.word in words and key in by_key else None
        if claim:
            yield key, claim, block if isinstance(block, Item) else None


def _may_mention(text: str, words: set[str]) -> bool:
    head = text[:48].lower()
    return any(word in head for word in words)


def _entry_claim(block: Item | Text, problems: list[Diagnostic]) -> Claim | None:
    if isinstance(block, Item) and block.box is not None:
        return box_claim(block, problems, Kind.INDEX)
    mark = entry_mark(block.text)
    reason = f"list of phases, line {block.line}: {short(block.text)}"
    return Claim(Kind.INDEX, mark.state, block.line, reason) if mark else None


def _log_claims(
    section: Section, by_key: dict[str, Unit], words: set[str]
) -> "Iterator[tuple[str, Claim, Item | None]]":
    """What a log says about units: an entry belongs to the unit it names, else to the next one that is named."""
    entries: dict[str, dict[str, Item]] = {}
    waiting: list[Item] = []
    for block in section.blocks:
        if not isinstance(block, Item) or block.box is None or block.depth:
            continue
        waiting.append(block)
        label = read_label(STAMP.sub("", block.text))
        if label.word in words and id_key(label.id) in by_key:
            _take(waiting, entries.setdefault(id_key(label.id), {}))
            waiting = []
    for key, items in entries.items():
        claim = boxes_claim(list(items.values()), Kind.LOG, "log entries")
        if claim:
            yield key, claim, None


def _take(waiting: list[Item], entries: dict[str, Item]) -> None:
    """Add log entries; of one that stands there twice, the ticked one is meant."""
    for item in waiting:
        said = STAMP.sub("", item.text)
        if said not in entries or item.state is State.DONE:
            entries[said] = item
