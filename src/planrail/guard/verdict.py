"""What the guard answers to a tool call."""


class Verdict:
    """`allow`, `deny`, or `unsure`: the construct is beyond the tokeniser and shfmt's tree has to be asked.

    The reason of a refusal names the construct or the argument, and what to use instead.
    """

    # Not a @record: making one costs a fifth of a millisecond, and every tool call while planning pays for it.
    __slots__ = ("decision", "reason")

    def __init__(self, decision: str, reason: str = ""):
        self.decision = decision
        self.reason = reason


def allow() -> Verdict:
    """The call changes nothing."""
    return Verdict("allow", "")


def deny(reason: str) -> Verdict:
    """The call may change something, or is not understood."""
    return Verdict("deny", reason)
