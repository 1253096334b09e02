"""The processes of a check: those of its session, and those that went away and still carry its mark.

A check that was begun by a planrail that died is found by the same mark, because the mark is made of its name.
"""

import contextlib
import hashlib
import os
import signal
import time

from planrail.records import record

MARK = "CHECK_ID"
_GRACE = 1.0  # seconds between asking and killing
_PAUSE = 0.02
_ROUNDS = 50  # a process that forks faster than we look is killed again, this often
_SOON = 1.0  # seconds in which process numbers cannot come round


@record
class Started:
    """A check that runs. `leader` leads its session; `at` is the monotonic time of its start."""

    leader: int
    mark: str
    at: float


def make_mark(name: str) -> str:
    """The mark of the check whose output has this name."""
    return hashlib.sha256(os.path.abspath(name).encode(errors="surrogateescape")).hexdigest()[:24]


def end_politely(started: Started) -> None:
    """Ask the processes of a check to end, and end those that do not."""
    _signal_group(started.leader, signal.SIGTERM)
    deadline = time.monotonic() + _GRACE
    while time.monotonic() < deadline and _is_alive(started.leader):
        time.sleep(_PAUSE)
    end_leftovers(started)


def end_leftovers(started: Started) -> int:
    """End whatever is left of a check, its leader too; how many processes there were outside of its group."""
    _signal_group(started.leader, signal.SIGKILL)
    lowest = started.leader if time.monotonic() - started.at < _SOON else 0
    return _sweep(started.mark, started.leader, lowest)


def end_forgotten(name: str) -> int:
    """End what an earlier planrail left running of the check with this output; how many processes that were."""
    return _sweep(make_mark(name), 0, 0)


def _sweep(mark: str, session: int, lowest: int) -> int:
    ended: set[int] = set()
    for _ in range(_ROUNDS):
        found = {pid for pid in _pids(lowest) if _belongs(pid, mark, session)}
        if not found:
            break
        ended |= found
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_PAUSE)
    return len(ended)


def _pids(lowest: int) -> list[int]:
    """The processes that may be meant: in its first second only those with a higher number than the leader's."""
    try:
        return [pid for name in os.listdir("/proc") if name.isdigit() and (pid := int(name)) > lowest]
    except OSError:
        return _listed_by_ps()


def _belongs(pid: int, mark: str, session: int) -> bool:
    if pid == os.getpid():
        return False
    try:
        with open(f"/proc/{pid}/stat", "rb", 0) as file:
            fields = file.read(4096).rpartition(b")")[2].split()
        if fields[0] in (b"Z", b"X"):
            return False
        if session and int(fields[3]) == session:
            return True
        with open(f"/proc/{pid}/environ", "rb", 0) as file:
            return f"{MARK}={mark}".encode() in file.read().split(b"\0")
    except (OSError, IndexError):
        return False


def _listed_by_ps() -> list[int]:
    """Where there is no /proc the group is all that is known: `ps` would cost more than most checks."""
    return []


def _signal_group(leader: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)


def _is_alive(leader: int) -> bool:
    """Whether the group has a process that has not ended; the leader is collected by whoever waits for it."""
    try:
        os.killpg(leader, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
