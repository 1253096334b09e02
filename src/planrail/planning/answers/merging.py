"""A revision of some sections put into the plan: each in the place of the one that it revises.

Nothing is lost: what means a section that is not there goes where the seven have their place, all else to the end.
"""

from planrail.base.records import record
from planrail.base.settings import SECTIONS
from planrail.planning.answers.plan_sections import Mark, Scanned, top_level

_ORDER = {name: number for number, name in enumerate(SECTIONS)}


@record
class _Part:
    """A section of a plan: which of the seven it is, or its title; its title; and its text."""

    key: str
    title: str
    text: str


def merge_sections(plan: str, revision: str) -> str:
    """The plan with the sections that a revision holds in place of its own; a whole plan replaces all of it."""
    head, parts = _parts(plan)
    new_head, new_parts = _parts(revision)
    if not new_parts or not parts:
        return revision if new_parts else plan
    known, given = {part.key for part in parts}, {part.key for part in new_parts}
    has_title = any(mark.level == 1 for mark in Scanned(new_head).marks)
    if known & set(SECTIONS) <= given:
        if has_title:
            return revision
        rest = [part for part in parts if part.key not in given]
        return _join(head, [*new_parts, *rest])
    return _join(new_head if has_title else head, _replaced(parts, new_parts))


def _parts(text: str) -> tuple[str, list[_Part]]:
    """What stands above the first section, and the sections in order."""
    marks = Scanned(text).marks
    level = top_level(marks)
    tops = [mark for mark in marks if mark.level == level and (mark.names or mark.level <= 6)] if level else []
    if not tops:
        return text, []
    ends = [*(mark.start for mark in tops[1:]), len(text)]
    parts = [_Part(_key(mark), _title(mark), text[mark.start : end]) for mark, end in zip(tops, ends, strict=True)]
    return text[: tops[0].start], parts


def _key(mark: Mark) -> str:
    """The section's name where a heading names nothing else beside it; else its own words."""
    return mark.names[0] if len(mark.names) == 1 else _title(mark)


def _title(mark: Mark) -> str:
    return " ".join(mark.text.lower().split())


def _replaced(parts: list[_Part], new_parts: list[_Part]) -> list[_Part]:
    """The sections with new ones in the place of those that they revise; others go where the seven have their place."""
    revised = _revised(parts, new_parts)
    used = set(revised.values())
    spots = {key: _place(parts, key) for key in {new.key for new in new_parts} & _ORDER.keys()}
    places: dict[int, list[_Part]] = {}
    for at, new in enumerate(new_parts):
        if at not in used:
            places.setdefault(spots.get(new.key, len(parts)), []).append(new)
    result = []
    for at in range(len(parts) + 1):
        result += sorted(places.get(at, ()), key=lambda part: _ORDER.get(part.key, len(_ORDER)))
        if at < len(parts):
            result.append(new_parts[revised[at]] if at in revised else parts[at])
    return result


def _revised(parts: list[_Part], new_parts: list[_Part]) -> dict[int, int]:
    """Which section is revised by which new one: the one with its title, else one that means the same; each once."""
    found: dict[int, int] = {}
    left = list(range(len(new_parts)))
    for name in ("title", "key"):
        free: dict[str, int] = {}
        for at in range(len(parts) - 1, -1, -1):
            if at not in found:
                free[getattr(parts[at], name)] = at
        pairs = [(free.pop(getattr(new_parts[at], name), None), at) for at in left]
        found.update((old, at) for old, at in pairs if old is not None)
        left = [at for old, at in pairs if old is None]
    return found


def _place(parts: list[_Part], key: str) -> int:
    """Where a section belongs that is not there yet: behind those that the seven have before it."""
    return next((at + 1 for at in range(len(parts) - 1, -1, -1) if _ORDER.get(parts[at].key, 7) <= _ORDER[key]), 0)


def _join(head: str, parts: list[_Part]) -> str:
    newline = "\r\n" if "\r\n" in head or any("\r\n" in part.text for part in parts) else "\n"
    texts = [text.rstrip() for text in (head, *(part.text for part in parts)) if text.strip()]
    return (newline * 2).join(texts) + newline
