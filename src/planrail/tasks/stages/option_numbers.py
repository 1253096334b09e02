"""Numbers behind options: a wrong one is answered in a sentence, with what to type."""

import math

from planrail.base.errors import UsageError


def read_minutes(given: str | None) -> float:
    """The minutes of `--timeout`; 0.0 where it was not said."""
    if given is None:
        return 0.0
    try:
        minutes = float(given)
    except ValueError:
        minutes = math.nan
    if not 0 < minutes < math.inf:
        raise UsageError(f"--timeout {given}: that is no time; say how many minutes", remedy="--timeout 30")
    return minutes


def read_count(option: str, given: str | None, default: int, most: int) -> int:
    """A whole number from 1 on; `default` where it was not said."""
    if given is None:
        return default
    number = int(given) if given.isascii() and given.isdigit() and len(given) < 10 else 0
    if not 1 <= number <= most:
        raise UsageError(f"{option} {given}: choose a whole number from 1 to {most}", remedy=f"{option} {default}")
    return number
