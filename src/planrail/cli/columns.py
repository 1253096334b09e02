"""How wide a column of a table may be: as its longest text, and as the terminal has room for."""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_LEAST = 12  # characters, below which a title says nothing any more


def fit_column(texts: "Iterable[str]", most: int, beside: int) -> int:
    """The width of a column in characters, with this many taken by what stands beside it. A pipe has all the room."""
    longest = min(most, max(map(len, texts), default=0))
    try:
        room = os.get_terminal_size(sys.stdout.fileno()).columns - beside
    except (OSError, ValueError):
        return longest
    return min(longest, max(_LEAST, room)) if room > -beside else longest
