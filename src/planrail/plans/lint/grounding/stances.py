"""What a plan can say about a thing that it cites. Apart from `stance`, which has many expressions to find it out."""

from enum import IntEnum


class Stance(IntEnum):
    """What a plan says about the thing it cites, the most telling first."""

    CREATED = 0  # this plan makes it
    EXISTS = 1  # it is there: the plan changes it, or says so
    RELIED_ON = 2  # it is there, or so the sentence sounds
    PLANNED = 3  # it may be there or be made by this plan: left open
    EXCUSED = 4  # it is gone, or elsewhere, or only an example, and the sentence knows it
    NEUTRAL = 5  # nothing is said
