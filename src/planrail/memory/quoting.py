"""The words of an agent as a quotation: one line, no controls, no tags, of bounded length.

A lesson is written by an agent and read by another. It must not be able to end its own quotation, to steer a terminal,
to look like a tag that planrail obeys, or to fill the window.
"""

import re
import unicodedata

from planrail.base.masking import mask

_TAG = re.compile(r"<(?=[/!?A-Za-z])")
_ANY_TAG_END = re.compile(r"(?<=[\w/\"'-])>")
_JOINERS = "\u200c\u200d"  # some scripts cannot be written without them
_DROPPED = frozenset(("Cc", "Cf", "Cs", "Co", "Cn"))
_LONGEST_INPUT = 20_000  # what is cut off anyway need not be searched for secrets; a whole private key fits


def quote_line(text: str, longest: int) -> str:
    """The text on one line: secrets masked, controls dropped, tags defused, at most `longest` characters."""
    # Invisible characters go first: a token that they hold apart would be whole again afterwards.
    shown = "".join(character for character in text[:_LONGEST_INPUT] if character in "\n\t" or _is_visible(character))
    return flatten(mask(shown), longest)


def flatten(text: str, longest: int) -> str:
    """The same without a search for secrets, for what was searched when it was kept."""
    line = " ".join(text.split())
    if not (line.isascii() and line.isprintable()):
        line = " ".join("".join(filter(_is_visible, line)).split())
    return cut(_ANY_TAG_END.sub("›", _TAG.sub("‹", line)) if "<" in line else line, longest)


def cut(text: str, longest: int) -> str:
    """At most `longest` characters, cut between words where there is a gap near the end."""
    if len(text) <= longest:
        return text
    short = text[: longest - 1]
    head, _, tail = short.rpartition(" ")
    return (head if head and len(tail) < 40 else short).rstrip() + "…"


def _is_visible(character: str) -> bool:
    return character in _JOINERS or unicodedata.category(character) not in _DROPPED
