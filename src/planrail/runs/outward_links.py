"""Links that lead out of the work: what a check finds behind one is not in the tree, and would not land. Pure."""

import posixpath

from planrail.runs.model import Finding


def judge_link(path: str, target: str) -> Finding | None:
    """What speaks against a link at this path of a tree; None where it stays inside."""
    reached = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    if not posixpath.isabs(target) and reached != ".." and not reached.startswith("../"):
        return None
    return Finding("link_leads_out", f"{path} is a link to {target}, which is not part of the work", path)
