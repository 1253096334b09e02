"""What is said when the ledger fails: what happened, what is safe, and what to do."""

from planrail.base.errors import ToolFailed


class DatabaseGone(ToolFailed):
    """The shared database does not answer, or went away in the middle: what was asked may or may not have happened."""


def not_written(path: str, why: str) -> ToolFailed:
    """Nothing could be added; what was there before is as it was."""
    return not_done(f"{path} cannot be written", OSError(why), "what it held before is safe, and nothing was recorded")


def not_done(what: str, error: OSError, besides: str = "") -> ToolFailed:
    """The disk refused something; `besides` says what is so all the same."""
    text = f"{what}: {error.strerror or error}{besides and '; '}{besides}"
    return ToolFailed(text, remedy="make room on that disk or check the folder's permissions, then try again")


def unreadable(path: str, why: str, waiting: int) -> ToolFailed:
    """The database is damaged. It is left as it is: a person who repairs it may still get its facts back."""
    kept = f" {waiting} facts that wait beside it are safe, and are taken in by the next one." if waiting else ""
    return ToolFailed(
        f"the ledger {path} cannot be read: {why}. Nothing was written to it.{kept}",
        remedy=f"restore it from a backup, or move it aside and approve again: mv {path} {path}.damaged",
    )


def closed(path: str, why: str) -> ToolFailed:
    """What planrail keeps is there, and this user may not look at it."""
    text = f"{path} cannot be looked at: {why}; nothing was changed"
    return ToolFailed(text, remedy="check who owns that folder and its permissions, then try again")


def too_new(path: str, version: int, known: int) -> ToolFailed:
    """A later planrail has written there, and means more by it than this one understands."""
    text = f"the ledger {path} has version {version}; this planrail knows {known}. Nothing was written to it."
    return ToolFailed(text, remedy="upgrade planrail, or use the one that wrote it")


def gone(place: str, why: str) -> DatabaseGone:
    """A shared database does not answer."""
    text = f"the database {place} does not answer: {why}"
    return DatabaseGone(text, remedy="planrail doctor --database")


def refused(place: str, why: str) -> ToolFailed:
    """A shared database answers, and says no."""
    text = f"the database {place} refuses: {why}. Nothing was recorded by this step."
    return ToolFailed(text, remedy="planrail doctor --database")
