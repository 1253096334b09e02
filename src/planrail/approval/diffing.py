"""What changed between two versions of a plan: phase by phase, as people read differences."""

import difflib
from collections.abc import Collection

from planrail.base.records import record
from planrail.plans.canonical.canonical import HOLE, Canonical
from planrail.plans.canonical.owned import Outside

_CONTEXT = 3
OUTSIDE = ""  # the key of the text outside all phases


@record
class Difference:
    """What changed in one phase (or outside them all): `kind` is new, removed, changed or moved."""

    key: str
    title: str
    kind: str
    lines: tuple[str, ...]  # as a unified difference without its heads


def compare(old: Canonical, new: Canonical) -> list[Difference]:
    """Every difference of what is approved; none where the two say the same. Marks of progress are none."""
    before = {phase.key: phase for phase in old.phases}
    found, shared = [], before.keys() & {phase.key for phase in new.phases}
    lines = _unified(_with_places(old.outside, shared), _with_places(new.outside, shared))
    if old.rest != new.rest:
        found.append(Difference(OUTSIDE, "outside the phases", "changed", lines))
    elif lines:
        found.append(Difference(OUTSIDE, "the order of the phases, or of what stands between them", "moved", lines))
    if old.outside.log != new.outside.log:
        log = _unified("\n".join(old.outside.log), "\n".join(new.outside.log))
        found.append(Difference(OUTSIDE, "the drift log", "changed", log))
    for phase in new.phases:
        known = before.pop(phase.key, None)
        if known is None:
            found.append(Difference(phase.key, phase.title, "new", _unified("", phase.text)))
        elif known.hash != phase.hash:
            found.append(Difference(phase.key, phase.title, "changed", _unified(known.text, phase.text)))
    return found + [Difference(one.key, one.title, "removed", _unified(one.text, "")) for one in before.values()]


def _with_places(outside: Outside, shared: Collection[str]) -> str:
    rest = outside.text.split("\n") if outside.text else []
    lines: list[str] = []
    at = 0
    for key, before in outside.places:
        place = f"… phase {key} …"
        lines += rest[at:before]
        if key in shared and lines[-1:] != [place]:
            lines.append(place)
        at = before
    return "\n".join([*lines, *rest[at:]])


def _unified(old: str, new: str) -> tuple[str, ...]:
    lines = difflib.unified_diff(_lines(old), _lines(new), lineterm="", n=_CONTEXT)
    return tuple(line for at, line in enumerate(lines) if at > 1)


def _lines(text: str) -> list[str]:
    return [line if line != HOLE else "…" for line in text.split("\n")] if text else []
