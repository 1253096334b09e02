"""Canonical texts of JSON task files: the values of each task but its statuses, however the file is laid out."""

import json

from planrail.plans.canonical import Canonical, PhaseText, hash_text, line_ends, line_of, make_phase
from planrail.plans.entries import read_state
from planrail.plans.model import Plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_STATUS_KEYS = ("status", "state", "passes", "done", "completed", "complete")


def canonicalise_json(plan: Plan, text: str) -> Canonical:
    """A task is its members in the order of their names, twice given ones included; the rest is the file without."""
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=_members)
    phases: list[PhaseText] = []
    kept, at, ends = [], 0, line_ends(text)
    for phase in plan.phases:
        start = phase.claim.start if phase.claim is not None else -1
        if start < at:
            continue
        value, end = decoder.raw_decode(text, start)
        lines = line_of(ends, start), line_of(ends, end)
        phases.append(make_phase(phase.id, phase.title, _write(value), lines))
        kept += [text[at:start], "null"]
        at = end
    whole = "".join([*kept, text[at:]]).lstrip("\ufeff")
    rest = _write(_without_holes(decoder.decode(whole)))
    return Canonical(rest, hash_text(rest), tuple(phases))


def _members(pairs: "Sequence[tuple[str, object]]") -> object:
    """An object as its members: no reader of ours keeps both of two with one name, but a person sees both."""
    kept = [(key, value) for key, value in pairs if not (key in _STATUS_KEYS and _is_status(value))]
    return {"members": sorted(kept, key=_order if _has_twins(kept) else _name)}


def _name(pair: "tuple[str, object]") -> str:
    return pair[0]


def _order(pair: "tuple[str, object]") -> tuple[str, str]:
    return pair[0], _write(pair[1])


def _has_twins(pairs: "Sequence[tuple[str, object]]") -> bool:
    return len({key for key, _ in pairs}) < len(pairs)


def _is_status(value: object) -> bool:
    return isinstance(value, bool) or (isinstance(value, str) and (not value or read_state(value) is not None))


def _without_holes(value: object) -> object:
    """The value without the tasks that were taken out of its lists: how many there are is no part of the rest."""
    if isinstance(value, list):
        return [_without_holes(part) for part in value if part is not None]
    if isinstance(value, dict):
        return {"members": [(key, _without_holes(part)) for key, part in value["members"]]}
    return value


def _write(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)
