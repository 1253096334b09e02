"""Checks that cannot fail, as planrail runs them: with `sh -e`, where an earlier line that fails is heard."""

from planrail.plans.lint.shell import why_it_cannot_fail

_HEARD = "what stands before the last ;"  # the shell stops there: planrail runs checks with -e


def why_hollow(command: str) -> str:
    """Why a check says yes whatever the work is; "" where it can fail, or where that is not certain."""
    reason = why_it_cannot_fail(command)
    return "" if reason.startswith(_HEARD) else reason
