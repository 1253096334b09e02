"""What the guard answers to a tool call."""

from planrail.records import record


@record
class Verdict:
    """`allow`, `deny`, or `unsure`: the construct is beyond the tokeniser and shfmt's tree has to be asked.

    The reason of a refusal names the construct or the argument, and what to use instead.
    """

    decision: str
    reason: str = ""


def allow() -> Verdict:
    """The call changes nothing."""
    return Verdict("allow", "")


def deny(reason: str) -> Verdict:
    """The call may change something, or is not understood."""
    return Verdict("deny", reason)
