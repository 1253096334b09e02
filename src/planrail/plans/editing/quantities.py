"""The numbers of drift: how far a measured value is from what a plan states, and how the plan should state it then.

A value inside a stated range or bound has not drifted. Forms that nothing certain can be said about have no drift.
"""

import re

from planrail.base.records import record

BAND = 5  # per cent to each side of a measured value, where a plan states a range
NEVER = 999  # the drift of a value that had to be exact and is not

_RANGE = re.compile(r"(?P<low>-?[0-9]+)(?P<dash>[-–])(?P<high>-?[0-9]+)")
_BOUND = re.compile(r"(?P<sign>≤|<=|at most |≥|>=|at least |~|approximately |expected |exactly |)\s*(?P<number>[0-9]+)")
_AT_MOST, _AT_LEAST = ("≤", "<=", "at most "), ("≥", ">=", "at least ")
_LEADING = re.compile(r"\s*(?P<number>[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+))")
_SUM = re.compile(r"\s*(?:[+-]\s*)*[0-9]+(?:\s*(?:[+-]\s*)+[0-9]+)*\s*")
_TERM = re.compile(r"(?P<signs>(?:[+-]\s*)*)(?P<number>[0-9]+)")
_LONGEST = 4000  # characters; Python refuses integers of more digits


@record
class Stated:
    """What a plan states: all values from `low` to `high`, of which `middle` was expected. None: no bound."""

    low: int | None
    high: int | None
    middle: int
    form: str  # range, bound, about, exactly


def read_stated(text: str) -> Stated | None:
    """What a plan states by `340-380`, `≤50`, `at least 3`, `~357`, `exactly 5`, `12`; None for all else."""
    plain = text.strip()
    found = _RANGE.fullmatch(plain) if len(plain) < _LONGEST else None
    if found:
        low, high = int(found["low"]), int(found["high"])
        middle = (low + high) // 2
        return Stated(low, high, middle, "range") if low <= high and middle > 0 else None
    bound = _BOUND.fullmatch(plain) if len(plain) < _LONGEST else None
    sign, number = (bound["sign"], int(bound["number"])) if bound else ("", 0)
    if sign == "exactly ":
        return Stated(number, number, number, "exactly")
    if number <= 0:
        return None  # nothing is a percentage of nothing
    if sign in _AT_MOST:
        return Stated(None, number, number, "bound")
    return Stated(number, None, number, "bound") if sign in _AT_LEAST else Stated(number, number, number, "about")


def read_actual(text: str) -> int | None:
    """A measured value: the whole number that a text begins with; None where it begins with none."""
    found = _LEADING.match(text) if len(text) < _LONGEST else None
    return int(found["number"].replace(",", "")) if found else None


def measure(stated: str, actual: str) -> int | None:
    """By how many per cent, rounded up, a measured value has drifted; None where that cannot be said."""
    expected, value = read_stated(stated), read_actual(actual)
    if expected is None or value is None:
        return None
    is_low = expected.low is not None and value < expected.low
    is_high = expected.high is not None and value > expected.high
    if not is_low and not is_high:
        return 0
    return NEVER if expected.form == "exactly" else -(-100 * abs(value - expected.middle) // expected.middle)


def restate(stated: str, actual: str) -> str:
    """What the plan should state, in its own form: a range becomes the measured value, 5 % to each side.

    Raises `ValueError` for what `measure` cannot judge.
    """
    expected, value = read_stated(stated), read_actual(actual)
    if expected is None or value is None:
        raise ValueError(f"no number can be derived from {stated!r} and {actual!r}")
    plain = stated.strip()
    found = _RANGE.fullmatch(plain)
    if found:
        low, high = value * (100 - BAND) // 100, -(-value * (100 + BAND) // 100)
        return f"{low}{found['dash']}{high}"
    return re.sub(r"[0-9]+$", str(value), plain)


def evaluate(expression: str) -> int | None:
    """The value of a sum or difference of whole numbers; None for everything else. Nothing is executed.

    Any number of signs may stand before a number, as in arithmetic: two minus signs are a plus.
    """
    if len(expression) > _LONGEST or not _SUM.fullmatch(expression):
        return None
    terms = _TERM.finditer(expression)
    return sum(-int(term["number"]) if term["signs"].count("-") % 2 else int(term["number"]) for term in terms)
