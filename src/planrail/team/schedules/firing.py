"""What follows when a schedule's time has come, or has not. Late means once, now; then the next time after now."""

from planrail.base.records import record
from planrail.team.schedules.times import Schedule, next_time

_LATER = 60.0  # seconds


@record
class Fire:
    """Run the plan, for the time that was planned. `then` is the next one; None: the schedule ends with this."""

    __match_args__ = ("planned", "then")
    planned: float
    then: float | None


@record
class Absorb:
    """The plan is being run already: this time is let go. `then` as in `Fire`."""

    __match_args__ = ("then", "why")
    then: float | None
    why: str


@record
class Sleep:
    """Nothing is due before then."""

    __match_args__ = ("until",)
    until: float


@record
class Over:
    """The schedule has no time any more."""

    __match_args__ = ("why",)
    why: str


Firing = Fire | Absorb | Sleep | Over


def decide_firing(next: float, now: float, schedule: Schedule, *, is_busy: bool) -> Firing:
    """What to do with a schedule whose row says `next`, 0 for none.

    Whoever keeps the row writes `then` where `next` was, in the transaction that fires. It is later than both, so a
    clock that is set back cannot fire a time again, and one that is set forward fires once for all that it passed.
    """
    if next <= 0:
        return Over("its time has come and gone" if schedule.kind == "once" else "no time is left")
    if now < next:
        return Sleep(next)
    then = next_time(schedule, now)
    if is_busy:  # a time that is the only one is not let go: it comes when the plan is free
        return Absorb(now + _LATER if then is None else then, "the plan was being run at that time")
    return Fire(next, then)
