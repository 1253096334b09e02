"""Has a file everything that two sides made of it? Changes of lines, compared exactly. Pure.

A merged file is proven when there are two sets of changes, one that leads from the base to the phase's version and one
to the target's, that do not get in each other's way and together give the merged file, line for line. Lines that all
four versions have just once cut the files into short pieces, and most pieces were changed by one side alone.
"""

import heapq
from collections.abc import Iterable, Sequence

from planrail.runs.landing.line_diffs import (
    Hunk,
    count_same_ends,
    cut,
    diff_exactly,
    diff_lines,
    edit_distance,
    split_lines,
)

Lines = Sequence[bytes]
Place = tuple[int, int, int, int]


_MOST_PLACES = 200_000  # beyond that a piece is called unproven
_LONGEST_SHOWN = 100


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
    return f"{what}: {_show(hunk)}"


def _show(hunk: Hunk) -> str:
    sign, line = ("+", hunk.added[0]) if hunk.added else ("-", hunk.removed[0])
    text = line.decode("utf-8", "replace").strip()[:_LONGEST_SHOWN]
    return f"`{sign}{text}` at line {hunk.start + 1}"
