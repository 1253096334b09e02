"""The statement that a key signs: all that an approval says, as JSON of one form only."""

import json

from planrail.approval.model import Approval
from planrail.base.records import replace

_VERSION = 1
_NONCE = "nonce"


def make_statement(approval: Approval, nonce: str) -> str:
    """The statement of an approval. `nonce` is random: no two signatures are the same."""
    return json.dumps({**_content(approval), _NONCE: nonce}, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def with_signature(approval: Approval, statement: str, signature: str) -> Approval:
    """The approval with what was signed and the signature of it."""
    return replace(approval, statement=statement, signature=signature)


def says_the_same(approval: Approval) -> bool:
    """Whether the signed statement says exactly what the approval says: else one of them was changed."""
    try:
        said = json.loads(approval.statement)
    except (ValueError, RecursionError):
        return False
    nonce = said.get(_NONCE) if isinstance(said, dict) else None
    return isinstance(nonce, str) and make_statement(approval, nonce) == approval.statement


def _content(approval: Approval) -> dict[str, object]:
    return {
        "planrail": _VERSION,
        "repository": approval.repository,
        "plan": approval.plan,
        "phases": [list(pair) for pair in approval.phases],
        "rest": approval.rest,
        "text": approval.text,
        "who": approval.who,
        "at": approval.at,
        "request": approval.request,
        "strength": approval.strength,
    }
