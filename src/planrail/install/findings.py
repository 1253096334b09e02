"""What `planrail doctor` can say: one finding for each question, with what to do about it."""

from planrail.base.records import record

WELL, NOTE, BAD = "well", "note", "bad"


@record
class Checkup:
    """An answer: `state` is WELL, NOTE (nothing is broken) or BAD; `remedy` is what to do."""

    name: str
    state: str
    text: str
    remedy: str = ""
