"""Where a run waits for a person, and what it does where nobody is there. Pure.

`auto` is a person's word that it need not wait. Without it somebody is asked; where nobody can be, because there is no
terminal, a call for one phase is that phase's go, and only what goes beyond it waits.
"""

from typing import Literal

from planrail.base.run_model import YIELDED

Answer = Literal["go", "ask", "wait"]


_UNATTENDED: dict[str, Answer] = {"start": "go", "fix": "go", "go_on": "wait", "drift": "wait"}

ASKED_AGAIN = ("start", "go_on", "stale")  # a no means "not now": whoever resumes is asked once more

_ASKS_NOTHING = (YIELDED, "waiting")


def is_question(rested: str) -> bool:
    """Whether a run that rests in this state asked something, which is answered by resuming it."""
    return rested not in _ASKS_NOTHING


def decide_pause(place: str, *, auto: bool, is_resumed: bool, has_person: bool) -> Answer:
    """Whether to go on, to ask, or to wait until somebody resumes the run: that is a yes where nobody can be asked."""
    if auto or (is_resumed and not (has_person and place in ASKED_AGAIN)):
        return "go"
    return "ask" if has_person else _UNATTENDED.get(place, "wait")
