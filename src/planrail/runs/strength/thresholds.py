"""Numbers that a test or its settings demand, before and after: which of them demand less now."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from planrail.base.patterns import pattern

_NUMBER = pattern(r"(?<![\w.])-?\d+(?:_\d+)*(?:\.\d+)?(?:[eE]-?\d+)?(?![\w.])")
# Where more is weaker; else less is, where the line demands something at all.
_TOLERANCE = pattern(
    r"<=|<(?![\w=]*>)|\btoBeLess\w*|assertLess|\bLess\w*\(|\bmax\w*|at most|toleran|delta|epsilon|"
    r"\beps\b|\babs=|\brel=|\batol|"
    r"\brtol|timeout|retries|reruns|max-warnings|allowed|flak|within|(?<!Be)closeTo\(|AlmostEqual\(.*delta",
    re.IGNORECASE,
)
_DEMAND = pattern(
    r">=|>(?![\w]*>)|\btoBeGreater\w*|assertGreater|\bGreater\w*\(|\bmin\w*|at least|fail[-_]under|threshold|coverage|"
    r"\b(?:branches|functions|lines|statements)\b|toBeCloseTo|places=|precision|toHaveLength|num_?(?:runs|examples)|"
    r"max_examples|iterations|repeat",
    re.IGNORECASE,
)
_ARROW = pattern(r"->|=>|<-|<[/\w]+>")


def find_lowered(old: Iterable[str], new: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Pairs of lines, without their indentation, that differ in numbers alone and demand less in the new text."""
    removed, added = Counter(old), Counter(new)
    came: dict[str, list[str]] = {}
    for line in (added - removed).elements():
        came.setdefault(_NUMBER.sub("N", line), []).append(line)
    for line in (removed - added).elements():
        waiting = came.get(_NUMBER.sub("N", line))
        if waiting:
            match = waiting.pop(0)
            if _demands_less(line, match):
                yield line, match


def _demands_less(old: str, new: str) -> bool:
    plain = _ARROW.sub(" ", old)
    before, after = _numbers(old), _numbers(new)
    if re.search(r"max_examples", plain) or (_DEMAND.search(plain) and not _TOLERANCE.search(plain)):
        return any(now < was for was, now in zip(before, after, strict=True))
    if _TOLERANCE.search(plain) and not _DEMAND.search(plain):
        return any(now > was for was, now in zip(before, after, strict=True))
    return False


def _numbers(line: str) -> list[float]:
    return [float(number.replace("_", "")) for number in _NUMBER.findall(line)]
