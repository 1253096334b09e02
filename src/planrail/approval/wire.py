"""Approvals, requests and rejections as JSON values: what the ledger keeps.

The ledger can be written by any process of the same user. What is not exactly of the right form says nothing at all.
"""

from collections.abc import Mapping
from typing import TypeVar

from planrail.approval.model import Approval, Comment, Rejection, Request

T = TypeVar("T", Approval, Request, Rejection)


_END_OF_TIME = 1 << 53  # seconds


def to_json(value: Approval | Request | Rejection) -> dict[str, object]:
    """The value as it is written."""
    written = {name: getattr(value, name) for name in _names(type(value))}
    if isinstance(value, Approval):
        written["phases"] = [list(pair) for pair in value.phases]
    if isinstance(value, Rejection):
        written["comments"] = [{name: getattr(one, name) for name in _names(Comment)} for one in value.comments]
    return written


def read_approval(value: Mapping[str, object]) -> Approval | None:
    """The approval that was written; None where this is none."""
    phases = value.get("phases")
    if not isinstance(phases, list) or not all(_is_pair(pair) for pair in phases):
        return None
    return _read(Approval, value, {"phases": tuple((pair[0], pair[1]) for pair in phases)})


def read_request(value: Mapping[str, object]) -> Request | None:
    """The request that was written; None where this is none."""
    return _read(Request, value, {})


def read_rejection(value: Mapping[str, object]) -> Rejection | None:
    """The rejection that was written; None where this is none."""
    comments = value.get("comments", [])
    if not isinstance(comments, list) or not all(_is_comment(one) for one in comments):
        return None
    return _read(Rejection, value, {"comments": tuple(Comment(**one) for one in comments)})


def _read(kind: type[T], value: Mapping[str, object], special: dict[str, object]) -> T | None:
    fields = {name: value[name] for name in _names(kind) if name in value} | special
    blank = {name: _blank(name) for name in fields if name not in special}
    if any(type(fields[name]) is not type(expected) for name, expected in blank.items()):
        return None
    if not 0 <= int(str(fields.get("at", -1))) < _END_OF_TIME:
        return None
    try:
        return kind(**fields)  # type: ignore[arg-type] # the types were compared above
    except TypeError:  # something is missing
        return None


def _blank(name: str) -> object:
    """A value of the type that a field has."""
    match name:
        case "at":
            return 0
        case "edited":
            return False
        case _:
            return ""


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(part, str) for part in value)


def _is_comment(value: object) -> bool:
    types = {"line": int, "quote": str, "text": str}
    return isinstance(value, dict) and {name: type(part) for name, part in value.items()} == types


def _names(kind: type) -> tuple[str, ...]:
    names: tuple[str, ...] = kind.__slots__  # type: ignore[attr-defined] # a record has them
    return names
