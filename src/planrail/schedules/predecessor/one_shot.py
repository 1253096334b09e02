"""The predecessor's one-shot jobs: minute, hour, day and month pinned, as two digits each.

Missed by a second, such a job waits for a year; planrail keeps an instant instead, and late means now.
"""

from datetime import datetime, timedelta

from planrail.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_DEFAULT_OFFSET = 5  # minutes; one would be missed too easily
_BUSY = (0, 30)  # minutes at which everybody's jobs start
_USAGE = "[--offset MINUTES] [--allow-marks]"


def pin_time(now: datetime, offset: int = _DEFAULT_OFFSET, *, allows_marks: bool = False) -> str:
    """So many minutes from now, as `MM HH DD MM *`; a minute later where that is a full or half hour."""
    if offset < 1:
        raise UsageError(f"--offset {offset} does not lie ahead", remedy="a whole number of minutes from 1 on")
    at = now + timedelta(minutes=offset)
    if at.minute in _BUSY and not allows_marks:
        at += timedelta(minutes=1)
    return at.strftime("%M %H %d %m *")


def parse_pin(words: "Sequence[str]") -> tuple[int, bool]:
    """The offset, and whether full and half hours are allowed, from the words of a call. Raises `UsageError`."""
    offset, allows_marks, rest = _DEFAULT_OFFSET, False, list(words)
    while rest:
        match rest.pop(0):
            case "--allow-marks":
                allows_marks = True
            case "--offset":
                offset = _parse_offset(rest.pop(0) if rest else "")
            case word:
                raise UsageError(f"{word!r} is no option", remedy=_USAGE)
    return offset, allows_marks


def _parse_offset(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text[:9]) < 1 or len(text) > 9:
        raise UsageError(f"--offset needs a whole number of minutes from 1 on, not {text[:40]!r}", remedy=_USAGE)
    return int(text)
