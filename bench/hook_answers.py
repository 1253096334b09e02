"""What the hook must have answered for its time to count: a fast wrong answer stops the measurement."""

import json
from collections.abc import Callable

from hook_events import Speaker
from hook_world import HookWorld

_SHOWN = 300  # characters of an answer that is not the right one


def expect_silence(output: str) -> str:
    """The check of an event that nothing is to be said about, not even on the side."""
    return f"not silent: {output.strip()[:_SHOWN]}" if output else ""


def expect_denial(output: str) -> str:
    """The check of a tool that must not be used."""
    said = _specific(output)
    reason = str(said.get("permissionDecisionReason"))
    # "could not be judged" is a denial as well, and not the one that is to be measured.
    is_denied = said.get("permissionDecision") == "deny" and reason.startswith("Plan mode is on: ")
    return "" if is_denied else f"no denial: {output.strip()[:_SHOWN]}"


def expect_words(words: str, world: HookWorld, speaker: Speaker, *, snapshot: bool = False) -> Callable[[str], str]:
    """The check of an event that tells the agent something, and leaves a session that has a plan or plans."""

    def check(output: str) -> str:
        if words.lower() not in str(_specific(output).get("additionalContext")).lower():
            return f"an answer without {words!r}: {output.strip()[:_SHOWN]}"
        session = world.session(speaker.session)
        if snapshot and not session.get("snapshot"):
            return f"no snapshot was taken: {output.strip()[:_SHOWN]}"
        return "" if session.get("plan") or session.get("planning") else "the session is not kept"

    return check


def expect_told(words: str) -> Callable[[str], str]:
    """The check of an event that tells the agent something, whatever becomes of the session."""

    def check(output: str) -> str:
        is_told = words in str(_specific(output).get("additionalContext"))
        return "" if is_told else f"an answer without {words!r}: {output.strip()[:_SHOWN]}"

    return check


def _specific(output: str) -> dict[str, object]:
    try:
        said = json.loads(output).get("hookSpecificOutput")
    except (ValueError, AttributeError):
        return {}
    return said if isinstance(said, dict) else {}
