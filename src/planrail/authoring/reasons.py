"""Why a plan was refined, in the author's own words: what it said before the plan."""

import re

from planrail.memory.masking import mask

_WHY = re.compile(r"^[ \t>*_-]*why[*_]*\s*:[*_]*[ \t]*(?P<why>\S.*)$|(?<=[.!?]) why: (?P<inline>\S.*)$", re.I | re.M)
_NEXT = re.compile(r"\n\s*\n|\n\s*(?:#|---)")
LONGEST = 300


def read_reason(answer: str, feedback: str = "") -> str:
    """The sentence that begins with "Why:", above the plan; where there is none, that a person asked for it, or no."""
    head = _head(answer)
    found = _WHY.search(head)
    if found:
        rest = head[found.start("why") if found["why"] else found.start("inline") :]
        return _short(_NEXT.split(rest, maxsplit=1)[0])
    return "a person asked for changes" if feedback.strip() else "the plan was brought up to date"


def _head(answer: str) -> str:
    """What stands above the first heading; a fence around the plan begins it as well."""
    at = re.search(r"^(?:#|```|~~~)", answer, re.M)
    return answer[: at.start()] if at else answer[:2_000]


def _short(text: str) -> str:
    plain = " ".join(mask(text).split())
    return plain if len(plain) <= LONGEST else plain[: LONGEST - 1] + "…"
