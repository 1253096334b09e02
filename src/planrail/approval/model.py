"""Approvals, requests and rejections: who said what to which text of a plan, when, and through which channel."""

from planrail.base.records import record

DIALOG = "dialog"  # the agent's own dialog, as its hooks saw it answered
TERMINAL = "terminal"  # a terminal, and no agent among the ancestors of the process
KEY = "key"  # a signature by a hardware key that was touched
STRENGTHS = (DIALOG, TERMINAL, KEY)  # the weakest first
NOBODY = "unattended"  # the channel of a rejection behind which no person was seen


@record
class Approval:
    """A yes to a text. The hashes of its phases are in the plan's order; `rest` is that of all text outside them."""

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
