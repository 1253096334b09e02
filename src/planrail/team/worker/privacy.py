"""What a worker knows, such as the password of a database, is not for the agents that it starts to read."""

import contextlib
import ctypes

_SET_DUMPABLE = 4  # PR_SET_DUMPABLE, of Linux


def keep_private() -> None:
    """Hide the environment and the memory of this process from others of the same user, where the kernel can.

    What it starts by another program is not hidden. Root reads everything.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0)
