"""Another time of day for a Python program: a `sitecustomize` that shifts what the clock says."""

from pathlib import Path

_TEXT = """
import time

_seconds, _nanoseconds = time.time, time.time_ns
_local, _utc = time.localtime, time.gmtime
time.time = lambda: _seconds() + {shift}
time.time_ns = lambda: _nanoseconds() + {shift} * 10**9
time.localtime = lambda at=None: _local(time.time() if at is None else at)
time.gmtime = lambda at=None: _utc(time.time() if at is None else at)
"""


def make_clock(folder: Path, shift: int) -> str:
    """A folder for the front of PYTHONPATH: whoever has it lives so many seconds later, or earlier."""
    folder.mkdir(parents=True)
    (folder / "sitecustomize.py").write_text(_TEXT.format(shift=shift))
    return str(folder)
