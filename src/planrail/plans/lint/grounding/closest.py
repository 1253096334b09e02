"""Which of many names comes closest to one that is not among them."""

import re
from collections.abc import Iterable
from heapq import nlargest
from itertools import pairwise

_CLOSE = 0.72  # the similarity of two names from which one is worth suggesting for the other
_MAX_SEARCHES = 500  # a document with more unknown names was not written for this repository
_MAX_COMPARED = 40  # names that are compared letter by letter, the likeliest first


class Names:
    """Names, each with its letter pairs as bits: two that share few cannot be alike, and are not compared."""

    def __init__(self, names: Iterable[str]) -> None:
        self._masks = [(name, _pairs(name), len(name)) for name in names]
        self._found: dict[str, str] = {}

    def closest(self, name: str) -> str:
        """The name that is most alike, "" where none comes near."""
        if name not in self._found:
            if len(self._found) >= _MAX_SEARCHES:
                return ""
            self._found[name] = self._search(name)
        return self._found[name]

    def _search(self, name: str) -> str:
        if len(self._masks) <= _MAX_COMPARED:
            return _most_alike(name, [other for other, _, _ in self._masks])
        mask, length = _pairs(name), len(name)
        enough = mask.bit_count() / 2
        likely: list[tuple[int, str]] = []
        for other, other_mask, other_length in self._masks:
            shared = (mask & other_mask).bit_count()
            if shared >= enough and abs(length - other_length) * 3 <= length:
                likely.append((shared * 2 - other_length, other))
        return _most_alike(name, [other for _, other in nlargest(_MAX_COMPARED, likely)])


def _most_alike(name: str, others: list[str]) -> str:
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, "", name.lower(), autojunk=False)
    best, score = "", _CLOSE
    for other in others:
        matcher.set_seq1(other.lower())
        if matcher.quick_ratio() > score and (ratio := matcher.ratio()) > score:
            best, score = other, ratio
    return best


def _pairs(name: str) -> int:
    mask = 0
    for first, second in pairwise(name.lower().encode("utf-8", "surrogatepass")):
        mask |= 1 << (first * 31 + second) % 127
    return mask


def is_slip_of(name: str, other: str) -> bool:
    """Whether two names differ as a slip of the fingers does: one letter more, less or other, or two exchanged.

    A digit more is the next of a series, an s more its plural: both are names of their own.
    """
    if re.sub(r"\d+", "", name) == re.sub(r"\d+", "", other) or name.rstrip("s") == other.rstrip("s"):
        return False
    if len(name) < 4 or abs(len(name) - len(other)) > 1:
        return False
    at = 0
    while at < min(len(name), len(other)) and name[at] == other[at]:
        at += 1
    rest, there = name[at:], other[at:]
    is_exchanged = rest[:2] == there[:2][::-1] and rest[2:] == there[2:]
    return is_exchanged or there == rest[1:] or rest == there[1:] or rest[1:] == there[1:]
