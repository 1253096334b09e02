"""Named instants at which a run can be made to die, for tests: what survives a crash is known only from crashes.

`PLANRAIL_CRASH_AT=land.ref_moved:2` kills the process the second time that it gets there. Otherwise nothing happens.
"""

import os

VARIABLE = "PLANRAIL_CRASH_AT"
_reached: dict[str, int] = {}


def reach(name: str) -> None:
    """Say that the run is at this point now."""
    wanted = os.environ.get(VARIABLE)
    if not wanted:
        return
    point, _, count = wanted.partition(":")
    if point == name:
        _reached[name] = _reached.get(name, 0) + 1
        if _reached[name] == int(count or 1):
            os.kill(os.getpid(), 9)
