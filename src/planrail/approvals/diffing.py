"""What changed between two versions of a plan: phase by phase, as people read differences."""

import difflib

from planrail.plans.canonical import HOLE, Canonical
from planrail.records import record

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
    found = []
    if old.rest != new.rest:
        found.append(Difference(OUTSIDE, "outside the phases", "changed", _unified(old.rest, new.rest)))
    for phase in new.phases:
        known = before.pop(phase.key, None)
        if known is None:
            found.append(Difference(phase.key, phase.title, "new", _unified("", phase.text)))
        elif known.hash != phase.hash:
            found.append(Difference(phase.key, phase.title, "changed", _unified(known.text, phase.text)))
    found += [Difference(one.key, one.title, "removed", _unified(one.text, "")) for one in before.values()]
    return [*found, *_moved(old, new)]


def _moved(old: Canonical, new: Canonical) -> list[Difference]:
    now = [phase.key for phase in new.phases if phase.key in {known.key for known in old.phases}]
    then = [phase.key for phase in old.phases if phase.key in set(now)]
    if now == then:
        return []
    lines = (f"-{' '.join(then)}", f"+{' '.join(now)}")
    return [Difference(OUTSIDE, "the order of the phases", "moved", lines)]


def _unified(old: str, new: str) -> tuple[str, ...]:
    lines = difflib.unified_diff(_lines(old), _lines(new), lineterm="", n=_CONTEXT)
    return tuple(line for at, line in enumerate(lines) if at > 1)


def _lines(text: str) -> list[str]:
    return [line if line != HOLE else "…" for line in text.split("\n")] if text else []
