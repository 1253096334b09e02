"""Seals: what an approval holds of the text outside the phases, and whether that still stands.

A seal says the text, where each phase stood in it and in which order, and how long the drift log was. It is kept whole
rather than as one hash, because what is compared later depends on which phases are still the same: one that was added,
removed or edited since says nothing about the order of the others.
"""

import hashlib
import json
from collections.abc import Collection, Sequence

from planrail.base.records import record

Places = Sequence[tuple[str, int]]

LOG_KEY = "\x00log"  # the drift log among the places; no phase has this key
_NONE: tuple[str, Places, int, str] = ("", (), 0, "")

HELD = ""
TEXT_CHANGED = "the text outside the phases has changed"
ORDER_CHANGED = "the order of the phases has changed, or text has moved past one"
LOG_REWRITTEN = "the drift log was rewritten"
LOG_GROWN = "the drift log has grown since"  # rows were added, and nothing else: no phase is another for it


@record
class Outside:
    """What stands outside all phases.

    `places` are the parts of phases as they follow each other, each with the number of lines of `text` before it;
    `log` are the lines of the drift log.
    """

    text: str
    places: tuple[tuple[str, int], ...] = ()
    log: tuple[str, ...] = ()


def hash_text(text: str) -> str:
    """The hash of a text, as approvals hold it."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def write_seal(outside: Outside) -> str:
    """The seal of a text, as approvals hold it."""
    parts = [hash_text(outside.text), outside.places, len(outside.log), _hash_lines(outside.log)]
    return json.dumps(parts, separators=(",", ":"))


def compare_seal(seal: str, outside: Outside, unchanged: Collection[str]) -> str:
    """What no longer stands of what was sealed; `HELD` where all of it does.

    `unchanged` are the phases whose text is the sealed one: only they have to stand where they stood.
    """
    text, places, lines, log = _read(seal)
    if text != hash_text(outside.text):
        return TEXT_CHANGED
    if len(outside.log) < lines or _hash_lines(outside.log[:lines]) != log:
        return LOG_REWRITTEN
    known = {*unchanged, LOG_KEY} if lines else set(unchanged)
    if _among(places, known) != _among(outside.places, known):
        return ORDER_CHANGED
    return LOG_GROWN if len(outside.log) > lines else HELD


def _hash_lines(lines: "Sequence[str]") -> str:
    return hash_text("\n".join(lines))


def _among(places: Places, known: Collection[str]) -> "list[tuple[str, int]]":
    """The places of some phases; one that follows itself stands there once, since only others stood between."""
    found: list[tuple[str, int]] = []
    for place in places:
        if place[0] in known and found[-1:] != [place]:
            found.append(place)
    return found


def _read(seal: str) -> tuple[str, Places, int, str]:
    """The seal that was written. What is none holds no text: any process of the user can write to the ledger."""
    try:
        text, places, lines, log = json.loads(seal)
    except (ValueError, TypeError, RecursionError):
        return _NONE
    is_list = isinstance(places, list) and all(isinstance(place, list) and len(place) == 2 for place in places)
    if type(lines) is not int or lines < 0 or not is_list:
        return _NONE
    pairs = [(key, at) for key, at in places if isinstance(key, str) and type(at) is int]
    return (text, pairs, lines, log) if len(pairs) == len(places) else _NONE
