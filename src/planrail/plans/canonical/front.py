"""The lines of a front matter that planrail owns: who made the plan and when, its id, its status.

Only values of a known form: a sentence behind one of these keys is the author's word, and part of what is approved.
"""

import re
from collections.abc import Iterator

from planrail.base.patterns import pattern
from planrail.plans.canonical.marks import is_mark
from planrail.plans.text.blocks import FrontMatter

OWNED = ("id", "created", "author", "critic", "rounds", "status", "completed")
_LINE = pattern(
    r"(?P<key>[a-z]+)[ \t]*+:[ \t]*+(?P<quote>[\"']?)(?P<value>[^\"'\r\n]*?)(?P=quote)[ \t]*(?:\r\n|\r|\n|$)"
)
_AGENT = pattern(r"\w{1,20}(?:-\w{1,20})?")  # the name of a program, too short for an order
_TIME = pattern(r"[\d:TZ+. -]{1,40}")
_FORMS = {
    "id": re.compile(r"[\w.-]{1,80}"),
    "created": _TIME,
    "completed": _TIME,
    "author": _AGENT,
    "critic": _AGENT,
    "rounds": re.compile(r"\d{1,3}"),
}
_BLANKS = pattern(r"(?:[ \t]*(?:\r\n|\r|\n))*")


def front_cuts(text: str, front_matter: FrontMatter | None) -> Iterator[tuple[int, int]]:
    """The spans of those lines; all of a front matter that has no others, its rules included."""
    if front_matter is None:
        return
    lines = list(_lines(text, front_matter))
    owned = [(start, end) for start, end in lines if is_owned(text[start:end])]
    if len(owned) == len(lines):
        rule = text.find("\n", front_matter.end)
        blanks = _BLANKS.match(text, rule + 1) if rule >= 0 else None
        yield (1 if text.startswith("\ufeff") else 0), blanks.end() if blanks else len(text)
    else:
        yield from owned


def read_id(text: str, front_matter: FrontMatter | None) -> str:
    """The id that a plan has in its front matter; "" where it has none of the form that planrail gives."""
    for start, end in _lines(text, front_matter) if front_matter is not None else ():
        match = _LINE.fullmatch(text[start:end])
        if match and match["key"] == "id" and _FORMS["id"].fullmatch(match["value"]):
            return match["value"]
    return ""


def is_owned(line: str) -> bool:
    """Whether a line of a front matter is planrail's own."""
    match = _LINE.fullmatch(line)
    if match is None or match["key"] not in OWNED:
        return not line.strip()
    if match["key"] == "status":
        return is_mark(match["value"].strip())
    return _FORMS[match["key"]].fullmatch(match["value"]) is not None


def _lines(text: str, front_matter: FrontMatter) -> Iterator[tuple[int, int]]:
    start = front_matter.start
    while start < front_matter.end:
        end = text.find("\n", start, front_matter.end) + 1 or front_matter.end
        yield start, end
        start = end
