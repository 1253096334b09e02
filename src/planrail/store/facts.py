"""Facts: what the ledger holds, one for each thing that happened."""

import os
from collections.abc import Mapping, Sequence

from planrail.base.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_END_OF_TIME = 1 << 53  # seconds


@record
class Fact:
    """Something that happened to a plan. `seq` is its place in the order in which the ledger learned of things."""

    seq: int
    id: str
    kind: str
    plan: str
    at: int  # seconds
    value: Mapping[str, object]


def new_id() -> str:
    return os.urandom(16).hex()


def read_line(line: str) -> Fact | None:
    """The fact of a line of the spool; None where the line is torn or is none."""
    import json

    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not isinstance(found.get("value"), dict):
        return None
    names, at = [found.get(name) for name in ("id", "kind", "plan")], found.get("at", -1)
    texts = [name for name in names if isinstance(name, str)]
    if len(texts) < 3 or not texts[0] or any("\ud800" <= char <= "\udfff" for char in "".join(texts)):
        return None  # half a character has no bytes
    if type(at) is not int or not 0 <= at < _END_OF_TIME:  # what is beyond was not written by planrail
        return None
    return Fact(0, texts[0], texts[1], texts[2], at, found["value"])


def restore_fact(row: "Sequence[Any]") -> Fact:
    """The fact of a row: its number, id, kind, plan, time and value. A value that planrail cannot read says nothing."""
    import json

    try:
        value = json.loads(row[5])
    except (ValueError, RecursionError):
        value = {}
    return Fact(row[0], row[1], row[2], row[3], row[4], value if isinstance(value, dict) else {})


def hash_text(text: str) -> str:
    """The name that a text is kept under."""
    import hashlib

    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
