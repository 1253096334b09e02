"""Numbers that a test or its settings demand, before and after: which of them demand less now."""

import re
from collections import Counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:_\d+)*(?:\.\d+)?(?:[eE]-?\d+)?(?![\w.])")
# Where more is weaker; else less is, where the line demands something at all.
_TOLERANCE = re.compile(
    r"<=|<(?![\w=]*>)|\btoBeLess\w*|assertLess|\bLess\w*\(|\bmax\w*|at most|toleran|delta|epsilon|"
    r"\beps\b|\babs=|\brel=|\batol|"
    r"\brtol|timeout|retries|reruns|max-warnings|allowed|flak|within|closeTo\(|AlmostEqual\(.*delta",
    re.IGNORECASE,
)
_DEMAND = re.compile(
    r">=|>(?![\w]*>)|\btoBeGreater\w*|assertGreater|\bGreater\w*\(|\bmin\w*|at least|fail[-_]under|threshold|coverage|"
    r"\b(?:branches|functions|lines|statements)\b|toBeCloseTo|places=|precision|toHaveLength|num_?(?:runs|examples)|"
    r"max_examples|iterations|repeat",
    re.IGNORECASE,
)
_ARROW = re.compile(r"->|=>|<-|<[/\w]+>")


def find_lowered(old: "Iterable[str]", new: "Iterable[str]") -> "Iterator[tuple[str, str]]":
    """Pairs of lines, without their indentation, that differ in numbers alone and demand less in the new text."""
    removed, added = Counter(old), Counter(new)
    gone, came = list((removed - added).elements()), list((added - removed).elements())
    for line in gone:
        pattern = _NUMBER.sub("N", line)
        match = next((one for one in came if _NUMBER.sub("N", one) == pattern), None)
        if match is not None and pattern != line:
            came.remove(match)
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
