"""Canonical texts of JSON task files: the values of each task but its statuses, however the file is laid out."""

import json
from collections.abc import Sequence
from operator import itemgetter

from planrail.base.patterns import pattern
from planrail.plans.canonical.owned import Outside
from planrail.plans.formats.entries import read_state
from planrail.plans.formats.json_tasks import STATUS_KEYS
from planrail.plans.model import Plan

Pairs = Sequence[tuple[str, object]]

_NUL = pattern(r"(?:\\u0000|\x00)+")


class _Members:
    """An object as its members: no reader of ours keeps both of two with one name, but a person sees both."""

    def __init__(self, pairs: Pairs) -> None:
        self.pairs = list(pairs)


def take_apart(plan: Plan, text: str) -> "tuple[Outside, list[tuple[tuple[str, str, str], int, int]]]":
    """What stands outside the tasks, and each task: its key, title and text, and where it begins and ends.

    A task is its members in the order of their names, twice given ones included; the rest is the file without.
    """
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=_Members)
    tasks = []
    # What stands, with its key, where a task was taken out: no string of the file begins like it.
    hole = "\x00" * (max(map(len, _NUL.findall(text)), default=0) + 1)
    kept, at = [], 0
    for phase in plan.phases:
        start = phase.claim.start if phase.claim is not None else -1
        if start < at:
            continue
        value, end = decoder.raw_decode(text, start)
        tasks.append(((phase.id, phase.title, _write(_without_statuses(value))), start, end))
        kept += [text[at:start], json.dumps(hole + phase.id)]
        at = end
    rest = _Rest(hole)
    remains = "".join([*kept, text[at:]]).lstrip("\ufeff")
    if plan.dialect == "beads":  # a value on each line
        remains = f"[{','.join(filter(str.strip, remains.split(chr(10))))}]"
    value = rest.take(decoder.decode(remains))
    return Outside(_write(value), tuple(rest.places)), tasks


class _Rest:
    """A walk through the values outside the tasks, which notes where each task stood among them."""

    def __init__(self, hole: str) -> None:
        self._hole = hole
        self.places: list[tuple[str, int]] = []
        self._seen = 0  # values before this one

    def take(self, value: object) -> object:
        self._seen += 1
        if isinstance(value, list):
            return [self.take(part) for part in value if not self._is_hole(part)]
        if isinstance(value, _Members):
            return _Members([(key, self.take(part)) for key, part in sorted(value.pairs, key=itemgetter(0))])
        return value

    def _is_hole(self, value: object) -> bool:
        is_hole = isinstance(value, str) and value.startswith(self._hole)
        if is_hole:
            self.places.append((str(value)[len(self._hole) :], self._seen))
        return is_hole


def _without_statuses(value: object) -> object:
    if not isinstance(value, _Members):
        return value
    members = []
    for key, part in _drop(value.pairs, STATUS_KEYS):
        if key == "subtasks" and isinstance(part, list):
            part = [_Members(_drop(one.pairs, ("status",))) if isinstance(one, _Members) else one for one in part]
        members.append((key, part))
    return _Members(members)


def _drop(pairs: Pairs, names: "Sequence[str]") -> Pairs:
    """The members without the status that the reader takes; one that is given twice is text."""
    known = dict(pairs)
    key = next((name for name in names if isinstance(known.get(name), str | bool)), "")
    value = known.get(key)
    is_status = not isinstance(value, str) or not value or read_state(value) is not None
    if not key or sum(1 for name, _ in pairs if name == key) > 1 or not is_status:
        return pairs
    return [pair for pair in pairs if pair[0] != key]


def _sorted(value: object) -> object:
    """An object as JSON writes it here: its members in the order of their names."""
    if not isinstance(value, _Members):
        raise TypeError(f"no value of JSON: {value!r}")
    if len(dict(value.pairs)) < len(value.pairs):  # twins are told apart by what they say
        return {"members": sorted(value.pairs, key=lambda pair: (pair[0], _write(pair[1])))}
    return {"members": sorted(value.pairs, key=itemgetter(0))}


def _write(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, default=_sorted)
