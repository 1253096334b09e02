"""Does a commit say what a row of the ledger says of it: that it landed this phase, on this evidence?"""

from collections.abc import Sequence

from planrail.git.object_store import read_objects
from planrail.git.trailers import EVIDENCE, PHASE, PLAN, encode_value, read_trailers


def says_landed(root: str, plan: str, landings: Sequence[tuple[str, str, str]]) -> list[bool]:
    """For each (commit, phase, evidence), in their order, whether that commit is there and names them."""
    known = [landing for landing in landings if landing[0].isalnum()]
    found = dict(zip(known, read_objects(root, [commit for commit, _, _ in known]), strict=True))
    return [_names(found.get(landing), plan, *landing[1:]) for landing in landings]


def _names(stored: object, plan: str, phase: str, evidence: str) -> bool:
    if getattr(stored, "kind", "") != "commit":
        return False
    message = getattr(stored, "content", b"").partition(b"\n\n")[2].decode("utf-8", "surrogateescape")
    wanted = {(PLAN, encode_value(plan)), (PHASE, encode_value(phase)), (EVIDENCE, encode_value(evidence))}
    return wanted <= set(read_trailers(message))
