"""A single change of a file or a ref; apart from the model, since where nothing has changed none is needed."""

from planrail.base.records import record

ADDED, MODIFIED, DELETED, MODE, TYPE = "added", "modified", "deleted", "mode", "type"


@record
class FileChange:
    """A path that is not as it was. `reason` says why it cannot be restored; "" where it can."""

    path: str
    kind: str
    reason: str = ""


@record
class RefChange:
    """A ref that was created (`was` is empty), deleted (`now` is empty) or moved."""

    name: str
    was: str
    now: str
