"""What changed between two texts, line by line. Pure, and the same on every machine, whatever git is installed.

Lines that both texts have just once, in the same order, cut them into pieces; inside a piece the smallest set of
changes is looked for by Myers' method, which is quadratic in what changed, and so is given up where too much did.
"""

from bisect import bisect_left
from collections.abc import Sequence

from planrail.base.records import record

Lines = Sequence[bytes]


_MOST_EDITS = 1500


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
    """The changes that lead from one text to the other."""
    found: list[Hunk] = []
    for (start, other), (end, other_end) in cut([old, new]):
        for hunk in diff_exactly(old[start:end], new[other:other_end]):
            found.append(Hunk(start + hunk.start, hunk.removed, hunk.added))
    return _join(found)


def _join(hunks: list[Hunk]) -> list[Hunk]:
    """The same with neighbours as one: a cut may go between two lines that were both changed."""
    found: list[Hunk] = []
    for hunk in hunks:
        last = found[-1] if found else None
        if last is not None and last.start + len(last.removed) == hunk.start:
            found[-1] = Hunk(last.start, last.removed + hunk.removed, last.added + hunk.added)
        else:
            found.append(hunk)
    return found


def cut(texts: Sequence[Lines]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The pieces between the lines that all texts have once and in the same order: where each begins and ends."""
    places = [_once(lines) for lines in texts]
    shared = [line for line in places[0] if all(line in other for other in places[1:])]
    for other in places[1:]:
        shared = [shared[number] for number in _rising([other[line] for line in shared])]
    pieces = []
    before = tuple(0 for _ in texts)
    for anchor in shared:
        pieces.append((before, tuple(place[anchor] for place in places)))
        before = tuple(place[anchor] + 1 for place in places)
    return [*pieces, (before, tuple(len(lines) for lines in texts))]


def _once(lines: Lines) -> dict[bytes, int]:
    """The lines that are there once, in order, with their place."""
    seen: dict[bytes, int] = {}
    for number, line in enumerate(lines):
        seen[line] = -1 if line in seen else number
    return {line: number for line, number in seen.items() if number >= 0}


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
    pairs = _walk(inner_old, inner_new) if inner_old and inner_new else []
    return _between(inner_old, inner_new, pairs, start)


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


def _between(old: Lines, new: Lines, pairs: list[tuple[int, int]], offset: int) -> list[Hunk]:
    """The changes between the lines that stay."""
    found: list[Hunk] = []
    x, y = 0, 0
    for stay_x, stay_y in [*pairs, (len(old), len(new))]:
        if stay_x > x or stay_y > y:
            found.append(Hunk(offset + x, tuple(old[x:stay_x]), tuple(new[y:stay_y])))
        x, y = stay_x + 1, stay_y + 1
    return found


def edit_distance(old: Lines, new: Lines) -> int | None:
    """The least number of lines to remove and to add; None where that is too much to find out."""
    trail = _explore(old, new)
    return None if trail is None else len(trail) - 1


def _walk(old: Lines, new: Lines) -> list[tuple[int, int]]:
    """The pairs of places of the lines that stay; none of them where too much changed."""
    trail = _explore(old, new)
    if trail is None:
        return []
    pairs: list[tuple[int, int]] = []
    x, y = len(old), len(new)
    for cost in range(len(trail) - 1, -1, -1):
        before = _came_from(trail[cost], x - y, cost)
        start = trail[cost][before]
        while x > start and y > start - before:
            x, y = x - 1, y - 1
            pairs.append((x, y))
        x, y = start, start - before
    return pairs[::-1]


def _explore(old: Lines, new: Lines) -> list[dict[int, int]] | None:
    """How far each diagonal was, before each further edit, until both ends are reached."""
    trail: list[dict[int, int]] = []
    furthest = {1: 0}
    for cost in range(min(len(old) + len(new), _MOST_EDITS) + 1):
        trail.append(furthest)
        furthest = dict(furthest)
        for diagonal in range(-cost, cost + 1, 2):
            x = _reach(old, new, trail[cost], diagonal, cost)
            furthest[diagonal] = x
            if x >= len(old) and x - diagonal >= len(new):
                return trail
    return None


def _reach(old: Lines, new: Lines, furthest: dict[int, int], diagonal: int, cost: int) -> int:
    before = _came_from(furthest, diagonal, cost)
    x = furthest[before] + (before < diagonal)
    while x < len(old) and x - diagonal < len(new) and old[x] == new[x - diagonal]:
        x += 1
    return x


def _came_from(furthest: dict[int, int], diagonal: int, cost: int) -> int:
    if diagonal == -cost or (diagonal != cost and furthest[diagonal - 1] < furthest[diagonal + 1]):
        return diagonal + 1
    return diagonal - 1
