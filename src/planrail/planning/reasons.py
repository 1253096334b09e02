"""Why a plan was refined: what its author said before the plan, else what a person had asked for."""

import re

from planrail.base.masking import mask

_WHY = re.compile(r"^[ \t>*_-]*why[*_]*\s*:[*_]*[ \t]*(?P<why>\S.*)$|(?<=[.!?]) why: (?P<inline>\S.*)$", re.I | re.M)
_NEXT = re.compile(r"\n\s*\n|\n\s*(?:#|---)")
_QUOTED = re.compile(r"^[ \t]*>.*\n?", re.M)
_PARAGRAPH = re.compile(r"(?<![:：\s])[ \t]*\n\s*\n")  # what ends in a colon goes on in the next one
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?![a-z])|(?<=[。！？])")
LONGEST = 300


def read_reason(answer: str, feedback: str = "") -> str:
    """The sentence that begins with "Why:", above the plan; else the first one of the feedback, where there is any."""
    head = _head(answer)
    found = _WHY.search(head)
    if found:
        rest = head[found.start("why") if found["why"] else found.start("inline") :]
        return _short(_NEXT.split(rest, maxsplit=1)[0])
    return _first_sentence(feedback) or "the plan was brought up to date"


def _first_sentence(feedback: str) -> str:
    """The first sentence of what people said; the lines of the plan that they quoted are none of it."""
    paragraph = _PARAGRAPH.split(_QUOTED.sub("", mask(feedback)).strip(), maxsplit=1)[0]
    return _short(_SENTENCE.split(paragraph, maxsplit=1)[0])


def _head(answer: str) -> str:
    """What stands above the first heading; a fence around the plan begins it as well."""
    at = re.search(r"^(?:#|```|~~~)", answer, re.M)
    return answer[: at.start()] if at else answer[:2_000]


def _short(text: str) -> str:
    plain = " ".join(mask(text).split())
    return plain if len(plain) <= LONGEST else plain[: LONGEST - 1] + "…"
