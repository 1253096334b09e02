"""From where a critic looks in each round: they rotate, so that no round repeats the one before."""

from planrail.base.records import record


@record
class Perspective:
    """A name, and what somebody looks for who stands there."""

    name: str
    looks_for: str


PERSPECTIVES = (
    Perspective(
        "TECHNICAL",
        "Would this work? Order, contracts, data that already exists, error paths, concurrency, performance, security.",
    ),
    Perspective(
        "USER / MAINTAINABILITY",
        "Would people be glad of it? Those who use it, those who are paged for it, those who read it in a year.",
    ),
    Perspective(
        "DEVIL'S ADVOCATE",
        "Why is this plan wrong? The false assumption, the simpler way that was missed, the reason to do nothing.",
    ),
)


def perspective_of(round_: int) -> Perspective:
    """The perspective of a round, from 1. From the third on it is the devil's advocate, and then they come round."""
    return PERSPECTIVES[(round_ - 1) % len(PERSPECTIVES)]
