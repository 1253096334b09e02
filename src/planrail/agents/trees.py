"""All processes that an agent has started, however far they have gone: children, other groups, daemons.

A child is known by its parent. A daemon has lost its parent, but has inherited the environment, and with it a mark.
"""

import contextlib
import os
import signal
import subprocess
import time

from planrail.records import record

MARK = "PLANRAIL_AGENT_PROCESS"
_GRACE = 2.0  # seconds between asking and killing
_PAUSE = 0.02
_ROUNDS = 50  # a process that forks faster than we look is killed again, this often


@record
class Process:
    """A process with the time of its start, so that a number used again is not taken for it."""

    pid: int
    parent: int
    started: str
    marked: bool


def end_tree(root: int, mark: str, *, grace: float = _GRACE) -> None:
    """End the process, its descendants and all that carry the mark: politely, then surely. None is left afterwards."""
    known = {(process.pid, process.started) for process in tree(root, mark)}
    _signal({pid for pid, _ in known}, signal.SIGTERM)
    deadline = time.monotonic() + grace
    while time.monotonic() < deadline and _alive(root, mark, known):
        time.sleep(_PAUSE)
    for _ in range(_ROUNDS):
        left = _alive(root, mark, known)
        if not left:
            return
        _signal(left, signal.SIGKILL)
        time.sleep(_PAUSE)


def tree(root: int, mark: str) -> list[Process]:
    """The processes that belong to the root, itself included, as they are now."""
    everybody = _processes(mark)
    found = {process.pid for process in everybody if process.pid == root or process.marked}
    grown = True
    while grown:
        more = {process.pid for process in everybody if process.parent in found} - found
        found |= more
        grown = bool(more)
    found.discard(os.getpid())
    return [process for process in everybody if process.pid in found]


def _alive(root: int, mark: str, known: set[tuple[int, str]]) -> set[int]:
    """Those that were known before and still live, and those that are new. `known` learns of the new ones."""
    known.update((process.pid, process.started) for process in tree(root, mark))
    return {process.pid for process in _processes(mark) if (process.pid, process.started) in known}


def _signal(pids: set[int], number: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _processes(mark: str) -> list[Process]:
    """The living processes of this machine; those that are dead and not yet collected are none."""
    if not os.path.isdir("/proc/self"):
        return _listed_by_ps(mark)
    read = [_read(int(name), mark) for name in os.listdir("/proc") if name.isdigit()]
    return [process for process in read if process is not None]


def _read(pid: int, mark: str) -> Process | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    if fields[0] in (b"Z", b"X"):
        return None
    return Process(pid, int(fields[1]), fields[19].decode(), _is_marked(pid, mark))


def _is_marked(pid: int, mark: str) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return f"{MARK}={mark}".encode() in file.read().split(b"\0")
    except OSError:
        return False


def _listed_by_ps(mark: str) -> list[Process]:
    """Where there is no /proc: `ps`, which shows the environment of one's own processes with `-E`."""
    command = ["ps", "-A", "-E", "-ww", "-o", "pid=,ppid=,state=,lstart=,command="]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    rows = [line.split(None, 8) for line in done.stdout.splitlines()]
    return [
        Process(int(row[0]), int(row[1]), " ".join(row[3:8]), len(row) > 8 and f"{MARK}={mark}" in row[8])
        for row in rows
        if len(row) >= 8 and not row[2].startswith("Z")
    ]
