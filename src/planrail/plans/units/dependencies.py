"""Dependencies: what a plan says must be finished before a phase can start, and cycles in it."""

import re

from planrail.base.patterns import pattern
from planrail.plans.text.blocks import Item, Table, Text, split_cells
from planrail.plans.text.outline import Section
from planrail.plans.units.units import Unit, id_key
from planrail.plans.words.names import DEPENDENCY_KEYS, UNIT_WORDS

_NONE = pattern(
    r"^\W*(?:none|nothing|no\b|n/?a|keine|aucune?|ningun[oa]|nenhuma?|nessuna?|нет|немає|brak|yok|无|無|沒有|没有|なし|없음|--?|—)",
    re.IGNORECASE,
)
_RANGE = pattern(r"(?<![\w.])(\d+)\s*(?:-|–|—|to|through|bis)\s*(\d+)(?![\w.])")
_TOKEN = pattern(r"[A-Za-z]{0,6}[-_]?\d+(?:\.\d+)*[a-z]{0,2}(?:-[ivx]+)?(?:\.[A-Z])?|\b[A-Z]\b")
_WORD_BEFORE = pattern(r"([^\W\d_]+)s?\s*[#№]?$")
_SINGLE = pattern(r"(?:([A-Za-z]+) )?(\d+(?:\.\d+)*)$")  # "Phase 3", as most lines have it
_WORD_AFTER = pattern(r"\s([a-z]+)")
_JOINING = frozenset(("and", "or", "to", "through", "und", "et", "y", "e", "и", "on", "by", "group", "groups", "plus"))
_COLON = pattern(r"[:：]")
_SENTENCE = pattern(r"(?<=[.;。；])\s+")
_DENIES = pattern(
    r"\b(?:not|no|never|n't|without|independent|nicht|keine|pas|sin|não|не|без)\b|不|无需|無|独立|ない|없", re.I
)
_WAVE_HEADERS = ("wave", "waves", "волна", "批次", "wave #")


def read_ids(text: str, known: dict[str, str]) -> list[str]:
    """The ids of units that a text names: "Phase 14", "1, 2", "Task Groups 1-3", "WP01 and WP02".

    A bare number counts only where the text is a list of ids or a unit word stands before it: "Task 664" in another
    tracker, or "3 files", is not a dependency.
    """
    single = _SINGLE.match(text)
    if single and id_key(single[2]) in known and (not single[1] or single[1].lower() in UNIT_WORDS):
        return [known[id_key(single[2])]]
    if _NONE.match(text):
        return []
    found: list[str] = []
    for first, last in _RANGE.findall(text):
        if int(last) - int(first) < 100:
            found.extend(str(number) for number in range(int(first), int(last) + 1))
    for match in _TOKEN.finditer(_RANGE.sub(" ", text)):
        if _is_reference(match):
            found.append(match[0])
    ids = [known[id_key(name)] for name in found if id_key(name) in known]
    return list(dict.fromkeys(ids))


def _is_reference(match: re.Match[str]) -> bool:
    """Whether a number or code names a unit: behind a unit word, in a list of ids, or alone; "3 files" does not."""
    before = match.string[max(0, match.start() - 60) : match.start()].rstrip(" *_`[(")
    word = _WORD_BEFORE.search(before)
    if word and not before.endswith((",", "&", "+", ";", "、", "，", "/")):
        name = word[1].lower()
        return name in UNIT_WORDS or name.rstrip("s") in UNIT_WORDS or name in _JOINING
    following = _WORD_AFTER.match(match.string, match.end()) if match[0].isdecimal() else None
    return following is None or following[1] in _JOINING


def read_dependencies(units: list[Unit], tables: list[Table], own: dict[str, list[Section]]) -> dict[str, list[str]]:
    """For each unit's id the ids it depends on, from its row, its section and the plan's table of waves."""
    found: dict[str, list[str]] = {unit.id: [] for unit in units}
    stated = [(unit.id, text) for unit in units for part in own.get(unit.id, ()) for text in _dependency_texts(part)]
    stated += [(unit.id, unit.row.depends_on) for unit in units if unit.row and unit.row.depends_on]
    known = {id_key(unit.id): unit.id for unit in units} if stated or tables else {}
    for identity, text in stated:
        needs = found[identity]
        needs += [name for name in read_ids(text, known) if name != identity and name not in needs]
    for table in tables:
        _read_waves(table, known, found)
    return found


def _dependency_texts(section: Section) -> list[str]:
    if section.needs:
        return [_COLON.split(block.text, maxsplit=1)[1].strip(" *_") for block in section.needs]
    if section.label.id or section.text.strip(" :*").lower() not in DEPENDENCY_KEYS:
        return []
    texts = [block.text for block in section.blocks if isinstance(block, Text | Item) and not _NONE.match(block.text)]
    return [sentence for text in texts for sentence in _SENTENCE.split(text) if not _DENIES.search(sentence)]


def _read_waves(table: Table, known: dict[str, str], found: dict[str, list[str]]) -> None:
    header = [cell.text.strip(" *").lower() for cell in table.header]
    wave = next((at for at, name in enumerate(header) if name in _WAVE_HEADERS), None)
    if wave is None or len(header) < 2:
        return
    blocked = next((at for at, name in enumerate(header) if name in DEPENDENCY_KEYS), None)
    members_at = next(at for at in range(len(header)) if at not in (wave, blocked))
    earlier: list[str] = []
    for _, start, text in table.rows:
        cells = split_cells(text, start)
        if members_at >= len(cells):
            continue
        members = read_ids(cells[members_at].text, known)
        needs = read_ids(cells[blocked].text, known) if blocked is not None and blocked < len(cells) else list(earlier)
        for member in members:
            if not found[member]:
                found[member] = [name for name in needs if name != member]
        earlier += members


def find_cycle(depends_on: dict[str, list[str]]) -> list[str]:
    """One cycle among the dependencies, as a path that ends where it starts; empty where there is none."""
    if not any(depends_on.values()):
        return []
    finished: set[str] = set()
    for origin in depends_on:
        path = {origin: iter(depends_on[origin])} if origin not in finished else {}
        while path:
            node = next(reversed(path))
            name = next(path[node], None)
            if name is None:
                path.pop(node)
                finished.add(node)
            elif name in path:
                return [*list(path)[list(path).index(name) :], name]
            elif name not in finished and name in depends_on:
                path[name] = iter(depends_on[name])
    return []
