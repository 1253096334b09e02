"""Comments to lines of a plan: `42:text` or `42-45:text`, with the lines as they are now."""

import re

from planrail.approval.model import Comment
from planrail.base.errors import UsageError

_FORM = re.compile(r"\s*(?P<first>\d{1,7})(?:\s*[-–]\s*(?P<last>\d{1,7}))?\s*[:：](?P<text>.*)", re.DOTALL)
_REMEDY = '--comment 42:"what is wrong with that line", or 42-45:"…" for several'


def read_comment(value: str, text: str) -> Comment:
    """The comment that somebody typed, with the lines that it speaks of; a `UsageError` where there are none such."""
    match = _FORM.fullmatch(value)
    if match is None or not match["text"].strip():
        raise UsageError(f"{value!r} is no comment to a line", remedy=_REMEDY)
    first, last = int(match["first"]), int(match["last"] or match["first"])
    lines = text.splitlines()
    if not 1 <= first <= last <= len(lines):
        raise UsageError(f"the plan has lines 1 to {len(lines)}; {value!r} speaks of others", remedy=_REMEDY)
    return Comment(first, "\n".join(lines[first - 1 : last]), match["text"].strip())
