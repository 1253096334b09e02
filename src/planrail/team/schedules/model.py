"""A schedule: which times are meant, in which zone. What a row keeps, and all that the next time depends on."""

from typing import Literal

from planrail.base.records import record

Kind = Literal["interval", "clock", "cron", "once"]


KINDS: tuple[Kind, ...] = ("interval", "clock", "cron", "once")


@record
class Schedule:
    """The times that are meant.

    `cron` has five fields, read in `zone`. For `once` it is the instant instead, ISO with an offset: what `in 20m`
    means must not move with the moment at which it is read again.
    """

    kind: Kind
    expression: str  # as it was typed, without `every`
    cron: str
    zone: str  # the name of a time zone, such as Europe/Berlin
