"""Where a run waits: for a person's word, for a usage limit to pass. For a sign-off: see `viewing`."""

import time

from planrail.base.run_model import Work
from planrail.runs.pauses import ASKED_AGAIN, decide_pause
from planrail.runs.steps.site import Site
from planrail.runs.workshop import At, Paused

_LONGEST_SLEEP = 30.0  # seconds; a machine that slept wakes up late
_UNKNOWN_LIMIT = 3600  # seconds, where the agent does not say when its limit ends


class Gates:
    """The places at which a run does not go on by itself."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._is_resumed = site.is_answered

    def confirm(self, at: At, place: str, question: str) -> bool:
        """See `Workshop.confirm`. That somebody resumed the run answers the first question, not all of them.

        It is no yes to what may have been answered with "not now": a person at a terminal is asked that again.
        """
        options, resumed = self._site.order.options, self._is_resumed
        self._is_resumed = False
        asks = not options.auto and (not resumed or place in ASKED_AGAIN)
        answer = self._site.ask(question) if asks else None
        decided = decide_pause(place, auto=options.auto, is_resumed=resumed, has_person=answer is not None)
        if decided == "wait" or (answer is False and place in ASKED_AGAIN):
            raise Paused("paused", question, self._resume)
        return decided == "go" or answer is True

    def wait_for_limit(self, at: At, work: Work) -> int:
        """See `Workshop.wait_for_limit`. The time is on record, so a run that was killed does not wait anew."""
        until = work.resets_at or int(self._site.now()) + _UNKNOWN_LIMIT
        if work.resets_at and self._site.now() >= until:
            return until
        if self._is_resumed and not self._site.order.options.waits_for_limit:
            self._is_resumed = False
            return until
        if not self._site.order.options.waits_for_limit:
            said = "" if work.resets_at else ", it does not say until when: perhaps"
            raise Paused("parked", f"the agent is at its usage limit{said} until {_clock(until)}", self._resume, until)
        self._site.watcher.note(f"the agent is at its usage limit; the run goes on at {_clock(until)}")
        while self._site.now() < until:
            time.sleep(max(0.05, min(_LONGEST_SLEEP, until - self._site.now())))
        return until

    @property
    def _resume(self) -> str:
        return f"planrail resume {self._site.order.path}"


def _clock(at: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
