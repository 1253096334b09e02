"""Permission modes around planning: which one is saved, what becomes of the automatic mode, which one comes back."""

from planrail.base.records import record
from planrail.hook.sessions.events import PLAN_MODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

AUTO = "auto"
DEFAULT = "default"  # the safe one: the person is asked
BYPASS = "bypassPermissions"

# What becomes of allow rules that are too dangerous for the automatic mode.
KEPT = "kept"
STRIPPED = "stripped"
RESTORED = "restored"


@record
class Entry:
    """What holds while planning."""

    before: str
    auto_active: bool
    rules: str


@record
class Exit:
    """What holds after planning. The notice is told once."""

    mode: str
    rules: str
    notice: str


def decide_entry(mode: str, *, auto_available: bool, auto_while_planning: bool) -> Entry | None:
    """What entering plan mode from a mode means; None where the session plans already, and nothing changes."""
    if mode == PLAN_MODE:
        return None
    before = mode or DEFAULT
    wants_auto = auto_available and auto_while_planning
    if before == AUTO:
        return Entry(before, auto_active=wants_auto, rules=STRIPPED if wants_auto else RESTORED)
    if wants_auto and before != BYPASS:
        return Entry(before, auto_active=True, rules=STRIPPED)
    return Entry(before, auto_active=False, rules=KEPT)


def decide_toggle(entry: Entry, *, auto_available: bool, auto_while_planning: bool) -> Entry:
    """What a change of the setting means in the middle of planning: it applies at once.

    A plan that was entered from `bypassPermissions` is left alone: its rules were never meant for a classifier.
    """
    if entry.before == BYPASS:
        return entry
    return decide_entry(entry.before, auto_available=auto_available, auto_while_planning=auto_while_planning) or entry


def decide_exit(before: str, *, auto_open: bool, permitted: "Collection[str] | None" = None) -> Exit:
    """The mode that comes back after planning: the saved one, or the safe default where it is no longer permitted."""
    wanted = before or DEFAULT
    if wanted == AUTO and not auto_open:
        return Exit(DEFAULT, RESTORED, f"plan exit → {DEFAULT} · auto mode unavailable")
    if permitted is not None and wanted not in permitted:
        return Exit(DEFAULT, RESTORED, f"plan exit → {DEFAULT} · {wanted} is no longer permitted")
    return Exit(wanted, STRIPPED if wanted == AUTO else RESTORED, "")


def describe_exit(before: str, mode: str) -> str:
    """What to tell the person about the mode that an agent is in after planning; "" where it is the one from before."""
    if not before or not mode or mode == before:
        return ""
    if mode == DEFAULT:
        return decide_exit(before, auto_open=False, permitted=(DEFAULT,)).notice
    return f"plan exit → {mode} · before planning it was {before}"
