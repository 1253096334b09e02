"""Approvals, requests and rejections: who said what to which text of a plan, when, and through which channel."""

import json
from collections.abc import Mapping
from typing import TypeVar

from planrail.base.records import record, replace

DIALOG = "dialog"  # the agent's own dialog, as its hooks saw it answered
TERMINAL = "terminal"  # a terminal, and no agent among the ancestors of the process
KEY = "key"  # a signature by a hardware key that was touched
STRENGTHS = (DIALOG, TERMINAL, KEY)  # the weakest first
NOBODY = "unattended"  # the channel of a rejection behind which no person was seen


@record
class Approval:
    """Approves a text. The hashes of its phases are in the plan's order; `rest` is that of all text outside them."""

    id: str
    plan: str
    path: str
    title: str
    repository: str
    phases: tuple[tuple[str, str], ...]  # key and hash
    rest: str
    text: str  # the hash of the whole text, marks of progress included
    who: str
    at: int
    channel: str
    strength: str
    edited: bool = False  # by a person, since the author proposed it
    request: str = ""
    agent: str = ""
    session: str = ""
    statement: str = ""  # what was signed
    signature: str = ""


@record
class Request:
    """A proposal that waits for a person's word. `canonical` tells texts apart: a ticked box makes no new one."""

    id: str
    plan: str
    path: str
    title: str
    text: str
    canonical: str
    member: str  # whose plan it is
    at: int
    lead: str = ""
    strength: str = DIALOG
    agent: str = ""
    session: str = ""


@record
class Comment:
    """What a person says to some lines of a plan, with the lines themselves: they may be elsewhere by then."""

    line: int
    quote: str
    text: str


@record
class Rejection:
    """A no to a text, with what the author should hear."""

    id: str
    plan: str
    text: str
    canonical: str
    who: str
    at: int
    channel: str
    request: str = ""
    feedback: str = ""
    comments: tuple[Comment, ...] = ()
    path: str = ""


def is_enough(strength: str, needed: str) -> bool:
    """Whether a strength is at least the one that is needed; what is not known is never enough."""
    return strength in STRENGTHS and needed in STRENGTHS and STRENGTHS.index(strength) >= STRENGTHS.index(needed)


_VERSION = 1
_NONCE = "nonce"


def make_statement(approval: Approval, nonce: str) -> str:
    """The statement of an approval. `nonce` is random: no two signatures are the same."""
    signed = ("repository", "plan", "rest", "text", "who", "at", "request", "strength")
    content = {name: getattr(approval, name) for name in signed}
    content |= {"planrail": _VERSION, "phases": [list(pair) for pair in approval.phases], _NONCE: nonce}
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def with_signature(approval: Approval, statement: str, signature: str) -> Approval:
    return replace(approval, statement=statement, signature=signature)


def says_the_same(approval: Approval) -> bool:
    """Whether the signed statement says exactly what the approval says: else one of them was changed."""
    try:
        said = json.loads(approval.statement)
    except (ValueError, RecursionError):
        return False
    nonce = said.get(_NONCE) if isinstance(said, dict) else None
    return isinstance(nonce, str) and make_statement(approval, nonce) == approval.statement


T = TypeVar("T", Approval, Request, Rejection)


# Any process of the same user can write the ledger: what is not exactly of the right form says nothing at all.
_END_OF_TIME = 1 << 53  # seconds


def to_json(value: Approval | Request | Rejection) -> dict[str, object]:
    written = {name: getattr(value, name) for name in _names(type(value))}
    if isinstance(value, Approval):
        written["phases"] = [list(pair) for pair in value.phases]
    if isinstance(value, Rejection):
        written["comments"] = [{name: getattr(one, name) for name in _names(Comment)} for one in value.comments]
    return written


def read_approval(value: Mapping[str, object]) -> Approval | None:
    phases = value.get("phases")
    if not isinstance(phases, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in phases):
        return None
    if not all(isinstance(part, str) for pair in phases for part in pair):
        return None
    return _read(Approval, value, {"phases": tuple((pair[0], pair[1]) for pair in phases)})


def read_request(value: Mapping[str, object]) -> Request | None:
    return _read(Request, value, {})


def read_rejection(value: Mapping[str, object]) -> Rejection | None:
    comments, types = value.get("comments", []), {"line": int, "quote": str, "text": str}
    if not isinstance(comments, list) or not all(isinstance(one, dict) for one in comments):
        return None
    if any({name: type(part) for name, part in one.items()} != types for one in comments):
        return None
    return _read(Rejection, value, {"comments": tuple(Comment(**one) for one in comments)})


def _read(kind: type[T], value: Mapping[str, object], special: dict[str, object]) -> T | None:
    fields = {name: value[name] for name in _names(kind) if name in value} | special
    types = {"at": int, "edited": bool}
    if any(type(fields[name]) is not types.get(name, str) for name in fields if name not in special):
        return None
    if not 0 <= int(str(fields.get("at", -1))) < _END_OF_TIME:
        return None
    try:
        return kind(**fields)  # type: ignore[arg-type] # the types were compared above
    except TypeError:  # something is missing
        return None


def _names(kind: type) -> tuple[str, ...]:
    names: tuple[str, ...] = kind.__slots__  # type: ignore[attr-defined] # a record has them
    return names
