"""Has a file everything that two sides made of it? Changes of lines, compared exactly. Pure.

A merged file is proven when there are two sets of changes, one that leads from the base to the phase's version and one
to the target's, that do not get in each other's way and together give the merged file, line for line. Lines that all
four versions have just once cut the files into short pieces, and most pieces were changed by one side alone.
"""

import heapq
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Any

from planrail.base.records import record

_MOST_EDITS = 1500

Lines = Sequence[bytes]
Place = tuple[int, int, int, int]
_MOST_PLACES = 200_000  # beyond that a piece is called unproven
_LONGEST_SHOWN = 100


# What changed between two texts, line by line. Pure, and the same on every machine, whatever git is installed. Lines
# that both texts have just once, in the same order, cut them into pieces; inside a piece the smallest set of changes
# is looked for by Myers' method, which is quadratic in what changed, and so is given up where too much did.


@record
class Hunk:
    """Lines that were taken out, and those that took their place. `start` is where, in the old lines, from 0."""

    start: int
    removed: tuple[bytes, ...]
    added: tuple[bytes, ...]


def split_lines(content: bytes) -> list[bytes]:
    """Lines with their ends; nothing but a line feed ends one."""
    lines = content.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def diff_lines(old: Lines, new: Lines) -> list[Hunk]:
    found: list[Hunk] = []
    for (start, other), (end, other_end) in cut([old, new]):
        for hunk in diff_exactly(old[start:end], new[other:other_end]):
            last = found[-1] if found else None
            if last is not None and last.start + len(last.removed) == start + hunk.start:
                # a cut may go between two lines that were both changed
                found[-1] = Hunk(last.start, last.removed + hunk.removed, last.added + hunk.added)
            else:
                found.append(Hunk(start + hunk.start, hunk.removed, hunk.added))
    return found


def cut(texts: Sequence[Lines]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The pieces between the lines that all texts have once and in the same order: where each begins and ends."""
    places = []  # of the lines that are there once
    for lines in texts:
        seen: dict[bytes, int] = {}
        for number, line in enumerate(lines):
            seen[line] = -1 if line in seen else number
        places.append({line: number for line, number in seen.items() if number >= 0})
    shared = [line for line in places[0] if all(line in other for other in places[1:])]
    for other in places[1:]:
        shared = [shared[number] for number in _rising([other[line] for line in shared])]
    pieces = []
    before = tuple(0 for _ in texts)
    for anchor in shared:
        pieces.append((before, tuple(place[anchor] for place in places)))
        before = tuple(place[anchor] + 1 for place in places)
    return [*pieces, (before, tuple(len(lines) for lines in texts))]


def _rising(numbers: list[int]) -> list[int]:
    """The places of a longest rising sequence."""
    tops: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for place, number in enumerate(numbers):
        at = bisect_left(tops, number)
        before.append(ends[at - 1] if at else -1)
        tops[at : at + 1] = [number]
        ends[at : at + 1] = [place]
    found: list[int] = []
    place = ends[-1] if ends else -1
    while place >= 0:
        found.append(place)
        place = before[place]
    return found[::-1]


def diff_exactly(old: Lines, new: Lines) -> list[Hunk]:
    """The same without cutting: as few changed lines as can be."""
    start, end = count_same_ends([old, new])
    inner_old, inner_new = old[start : len(old) - end], new[start : len(new) - end]
    if not inner_old and not inner_new:
        return []
    found_pairs = _walk(inner_old, inner_new) if inner_old and inner_new else None
    pairs = found_pairs[1] if found_pairs is not None else []
    found: list[Hunk] = []
    x, y = 0, 0
    for stay_x, stay_y in [*pairs, (len(inner_old), len(inner_new))]:  # the changes between the lines that stay
        if stay_x > x or stay_y > y:
            found.append(Hunk(start + x, tuple(inner_old[x:stay_x]), tuple(inner_new[y:stay_y])))
        x, y = stay_x + 1, stay_y + 1
    return found


def count_same_ends(texts: Sequence[Lines]) -> tuple[int, int]:
    """How many lines all texts begin with, and how many others they end with."""
    shortest = min(len(lines) for lines in texts)
    start = 0
    while start < shortest and all(lines[start] == texts[0][start] for lines in texts):
        start += 1
    end = 0
    while end < shortest - start and all(lines[-1 - end] == texts[0][-1 - end] for lines in texts):
        end += 1
    return start, end


def edit_distance(old: Lines, new: Lines) -> int | None:
    """The least number of lines to remove and to add; None where that is too much to find out."""
    found = _walk(old, new)
    return None if found is None else found[0]


def _walk(old: Lines, new: Lines) -> tuple[int, list[tuple[int, int]]] | None:
    """How many lines have to change, and the pairs of places of those that stay; None where too much changed."""
    furthest: dict[int, tuple[int, tuple[Any, ...]]] = {1: (0, ())}  # on each diagonal, and which lines stayed
    for cost in range(min(len(old) + len(new), _MOST_EDITS) + 1):
        for diagonal in range(-cost, cost + 1, 2):
            is_down = diagonal == -cost or (diagonal != cost and furthest[diagonal - 1][0] < furthest[diagonal + 1][0])
            start, stayed = furthest[diagonal + 1 if is_down else diagonal - 1]
            start = x = start + (not is_down)
            while x < len(old) and x - diagonal < len(new) and old[x] == new[x - diagonal]:
                x += 1
            furthest[diagonal] = (x, (start, x, diagonal, stayed) if x > start else stayed)
            if x >= len(old) and x - diagonal >= len(new):
                return cost, _unwind(furthest[diagonal][1])
    return None


def _unwind(stayed: tuple[Any, ...]) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    while stayed:
        start, end, diagonal, stayed = stayed
        pairs += [(x, x - diagonal) for x in range(end - 1, start - 1, -1)]
    return pairs[::-1]


def find_problem(base: bytes, phase: bytes, target: bytes, merged: bytes) -> str:
    """What a merged file lost or gained that it must not have; "" where it has both sides' changes and nothing else."""
    texts = [split_lines(content) for content in (base, phase, target, merged)]
    pieces = (
        [lines[start:end] for lines, start, end in zip(texts, starts, ends, strict=True)] for starts, ends in cut(texts)
    )
    if all(_is_proven(*piece) for piece in pieces) or _is_proven(*texts):  # a cut is wrong at a line that was moved
        return ""
    return _describe(*texts)


def _is_proven(base: Lines, phase: Lines, target: Lines, merged: Lines) -> bool:
    if phase in (base, target):
        return merged == target
    if target == base:
        return merged == phase
    start, end = count_same_ends([base, phase, target, merged])
    base, phase, target, merged = (lines[start : len(lines) - end] for lines in (base, phase, target, merged))
    if weave(base, diff_exactly(base, phase), diff_exactly(base, target)) == list(merged):
        return True
    one, other = edit_distance(base, phase), edit_distance(base, target)
    return one is not None and other is not None and _is_sum(base, phase, target, merged, one + other)


def weave(base: Lines, one: Sequence[Hunk], other: Sequence[Hunk]) -> list[bytes] | None:
    """The base with both sets of changes; None where they get in each other's way. The same change counts once."""
    found: list[bytes] = []
    place = 0
    merged = sorted([*one, *(hunk for hunk in other if hunk not in one)], key=lambda hunk: hunk.start)
    last: Hunk | None = None
    for hunk in merged:
        if hunk.start < place or (last is not None and hunk.start == last.start):
            return None
        found += [*base[place : hunk.start], *hunk.added]
        place = hunk.start + len(hunk.removed)
        last = hunk
    return [*found, *base[place:]]


def _is_sum(base: Lines, phase: Lines, target: Lines, merged: Lines, most: int) -> bool:
    """Whether changes of the phase and of the target, each as few as can be, give the merged lines.

    Equal lines can be told apart in more than one way, and git need not have chosen ours. So this is a walk through
    all four at once: each step takes a line that all have, or that one side or both removed or added. The limit on
    their number matters: with one more, "took a line out and put it in again" would explain away a loss.
    """
    goal = (len(base), len(phase), len(target), len(merged))
    queue: list[tuple[int, int, Place]] = [(0, 0, (0, 0, 0, 0))]
    known: dict[Place, int] = {(0, 0, 0, 0): 0}
    while queue and len(known) <= _MOST_PLACES:
        cost, _, place = heapq.heappop(queue)
        if place == goal:
            return True
        if cost > known[place]:
            continue
        for price, step in _steps(base, phase, target, merged, place):
            after = cost + price
            if after <= most and after < known.get(step, most + 1):
                known[step] = after
                heapq.heappush(queue, (after, -sum(step), step))
    return False


def _steps(base: Lines, phase: Lines, target: Lines, merged: Lines, place: Place) -> Iterable[tuple[int, Place]]:
    b, p, t, m = place
    old = base[b] if b < len(base) else None
    ours = phase[p] if p < len(phase) else None
    theirs = target[t] if t < len(target) else None
    now = merged[m] if m < len(merged) else None
    if old is not None:
        if old == ours == theirs == now:
            yield 0, (b + 1, p + 1, t + 1, m + 1)
        yield 2, (b + 1, p, t, m)  # both removed it
        if old == theirs:
            yield 1, (b + 1, p, t + 1, m)  # the phase removed it
        if old == ours:
            yield 1, (b + 1, p + 1, t, m)  # the target removed it
    if now is not None:
        if now == ours:
            yield 1, (b, p + 1, t, m + 1)  # the phase added it
        if now == theirs:
            yield 1, (b, p, t + 1, m + 1)  # the target added it
        if now == ours == theirs:
            yield 2, (b, p + 1, t + 1, m + 1)  # both added it


def missing_hunks(wanted: Iterable[Hunk], there: Iterable[Hunk]) -> list[Hunk]:
    """The hunks, by their lines, that are not there as often as they are wanted."""
    left = [(hunk.removed, hunk.added) for hunk in there]
    missing: list[Hunk] = []
    for hunk in wanted:
        lines = (hunk.removed, hunk.added)
        if lines in left:
            left.remove(lines)
        else:
            missing.append(hunk)
    return missing


def _describe(base: Lines, phase: Lines, target: Lines, merged: Lines) -> str:
    """The first thing that is wrong, for people."""
    verified, landed = diff_lines(base, phase), diff_lines(target, merged)
    theirs, kept = diff_lines(base, target), diff_lines(phase, merged)
    suspects = [("a verified change is missing", hunk) for hunk in missing_hunks(verified, [*landed, *theirs])]
    suspects += [("a change of the target is lost", hunk) for hunk in missing_hunks(theirs, [*kept, *verified])]
    suspects += [("a change that nobody verified", hunk) for hunk in missing_hunks(landed, verified)]
    suspects.sort(key=lambda suspect: set(merged).issuperset(suspect[1].added))  # what is nowhere comes first
    if not suspects:
        return "both sides' changes cannot be told apart in it"
    what, hunk = suspects[0]
    sign, line = ("+", hunk.added[0]) if hunk.added else ("-", hunk.removed[0])
    return f"{what}: `{sign}{line.decode('utf-8', 'replace').strip()[:_LONGEST_SHOWN]}` at line {hunk.start + 1}"
