"""All processes that an agent has started, however far they have gone: children, other groups, daemons.

A child is known by its parent. A daemon has lost its parent, but has inherited the environment, and with it a mark.
A process that does nothing but run one agent (the runner) can do better, on Linux: it becomes the parent of every
orphan below it. Then none can hide, and "nobody is left" costs one system call instead of a look at all processes.
"""

import os
import time
from collections.abc import Mapping

from planrail.base.records import record

SIGTERM, SIGKILL = 15, 9  # the same everywhere; `signal` costs 6 ms for their names
_DEFAULTED = (1, 2, 3, 13, 15, 25)  # HUP, INT, QUIT, PIPE, TERM, XFSZ (where that is another one, it does no harm)
_IN_FOLDER = 'cd -- "$1" || exit 126; shift; exec "$@"'  # there is no way to say it to posix_spawn


def spawn(command: list[str], folder: str, environment: Mapping[str, str], streams: tuple[int, int, int]) -> int:
    """Start a command in a folder with these three streams; its number. No other descriptor is passed on."""
    words = ["/bin/sh", "-c", _IN_FOLDER, "sh", folder, *command]
    return spawn_plainly(words, environment, [(os.POSIX_SPAWN_DUP2, stream, at) for at, stream in enumerate(streams)])


def spawn_plainly(
    words: list[str], environment: Mapping[str, str], actions: list[tuple[int, int, int]] | list[tuple[object, ...]]
) -> int:
    """Start a program by its path, in the folder that we stand in; without `subprocess`, which costs more than a job.

    It gets a session of its own, so that what is typed at our terminal does not reach it, and the signals as every
    program expects to find them: Python ignores some, and an ignored signal stays ignored in a child.
    """
    return os.posix_spawn(
        words[0], words, environment, file_actions=actions, setsid=True, setsigmask=(), setsigdef=_DEFAULTED
    )


class ChildProcess:
    """A process that we started and have to collect."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._code: int | None = None

    def poll(self) -> int | None:
        """Its exit code, negative for a signal; None as long as it runs."""
        return self._collect(os.WNOHANG)

    def wait(self) -> int:
        code = self._collect(0)
        assert code is not None
        return code

    def _collect(self, options: int) -> int | None:
        if self._code is None:
            try:
                pid, status = os.waitpid(self.pid, options)
            except ChildProcessError:  # another caller has collected it, and its exit code is gone
                pid, status = self.pid, 0
            if pid == self.pid:
                self._code = os.waitstatus_to_exitcode(status)
        return self._code


def watch(pid: int) -> int:
    """A descriptor that can be read as soon as the process has ended; -1 where the system has none."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return -1


MARK = "PLANRAIL_AGENT_PROCESS"
_GRACE = 2.0  # seconds between asking and killing
_PAUSE, _LONGEST_PAUSE = 0.01, 0.1
_ROUNDS = 50  # a process that forks faster than we look is killed again, this often
_DOUBTS = 3  # looks at processes that begin or end, before they are let be
_MOMENT, _GLANCE = 0.1, 0.002  # seconds in which what is ending may end, and between two looks whether it has
_OF_KERNEL = 0x200000  # PF_KTHREAD
_BECOME_REAPER = 36  # PR_SET_CHILD_SUBREAPER
_reaps: list[bool] = []  # not empty: all children and orphans here are of one agent


@record
class Process:
    """A process with the time of its start, so that a number used again is not taken for it.

    `is_settled`: it neither begins nor ends just now, so that what is said of it can be believed.
    """

    pid: int
    parent: int
    session: int
    started: str
    marked: bool
    is_settled: bool = True


def become_reaper() -> bool:
    """Become the parent of all orphans below; whether the system can."""
    try:
        import _ctypes  # `ctypes` costs 6 ms, its C half 1

        prctl = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")  # type: ignore[arg-type] # None is the program itself
        return bool(_ctypes.call_function(prctl, (_BECOME_REAPER, 1, 0, 0, 0)) == 0)
    except (ImportError, AttributeError, OSError):
        return False


def adopt_orphans() -> None:
    """Become the parent of all orphans, if the system can. Only for a process whose children are one agent's."""
    if become_reaper():
        _reaps.append(True)


def is_anybody_left(root: int, mark: str) -> bool:
    """Whether something of the tree still lives, once its root has ended and was collected.

    A moment is waited first: the namespace of a confined agent ends just after the agent.
    """
    if not _reaps:
        return bool(tree(root, mark))
    deadline = time.monotonic() + _MOMENT
    try:
        while os.waitpid(-1, os.WNOHANG)[0] or time.monotonic() < deadline:
            time.sleep(_GLANCE)
    except ChildProcessError:
        return False
    return True


def end_tree(root: int, mark: str, *, grace: float = _GRACE, since: int = 0) -> int:
    """End the process, its session, its descendants and all that carry the mark: politely, then surely.

    None is left afterwards; how many there were. `since` is a process: only those that got their numbers after it are
    looked at. Where there is no grace, the group of the root is ended first: mostly nobody is left to be looked for.
    """
    if root and not grace:
        _signal({-root}, SIGKILL)
    known: set[tuple[int, str]] = set()
    asked: set[int] = set()
    dead: set[int] = set()  # at the look before: whatever they have left is seen by now
    deadline, pause, rounds, doubts = time.monotonic() + grace, _PAUSE, 0, 0
    while rounds < _ROUNDS and doubts <= _DOUBTS:
        everybody = _processes(mark, since)
        known.update((process.pid, process.started) for process in _belonging(everybody, root))
        left = {process.pid for process in everybody if (process.pid, process.started) in known}
        if not left and all(process.is_settled or process.pid in dead for process in everybody):
            break
        dead = {process.pid for process in everybody if not process.started}
        doubts += not left
        is_polite = time.monotonic() < deadline
        _signal(left - asked, SIGTERM) if is_polite else _signal(left, SIGKILL)
        asked |= left
        rounds += not is_polite
        time.sleep(pause if left else _PAUSE / 10)
        pause = min(pause * 1.5, _LONGEST_PAUSE) if is_polite else _PAUSE
    return len(known)


def tree(root: int, mark: str) -> list[Process]:
    """The processes that belong to the root, itself included, as they are now."""
    return _belonging(_processes(mark), root)


def _belonging(everybody: list[Process], root: int) -> list[Process]:
    roots = {root, os.getpid()} if _reaps else {root}
    found = {one.pid for one in everybody if one.pid in roots or one.marked or (root and one.session == root)}
    grown = True
    while grown:
        more = {process.pid for process in everybody if process.parent in found} - found
        found |= more
        grown = bool(more)
    found.discard(os.getpid())
    return [process for process in everybody if process.pid in found]


def started_at(pid: int) -> str:
    """When a process was started, as its system tells; with its number, its identity. "" where it does not live."""
    if os.path.isdir("/proc/self"):
        return _read(pid, "").started
    return next((found.started for found in _listed_by_ps("") if found.pid == pid), "")


def _signal(pids: set[int], number: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            continue


def _processes(mark: str, since: int = 0) -> list[Process]:
    """The processes of this machine, or those that got their numbers after one."""
    if not os.path.isdir("/proc/self"):
        return _listed_by_ps(mark)
    numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    if since:
        with open("/proc/loadavg", "rb", 0) as file:
            newest = int(file.read().split()[-1])
        is_round = newest < since  # the numbers have come to their end, and begun anew
        numbers = [pid for pid in numbers if (pid > since or pid <= newest if is_round else since < pid <= newest)]
    return [_read(pid, mark) for pid in numbers]


def _read(pid: int, mark: str) -> Process:
    """A process; one that is dead, and may have left a child that nobody has seen yet, has no start."""
    try:
        with open(f"/proc/{pid}/stat", "rb", 0) as file:
            fields = file.read(4096).rpartition(b")")[2].split()
        if fields[0] not in (b"Z", b"X"):
            is_ours = mark and not int(fields[6]) & _OF_KERNEL
            marked, is_settled = _is_marked(pid, mark) if is_ours else (False, True)
            return Process(pid, int(fields[1]), int(fields[3]), fields[19].decode(), marked, is_settled)
    except (OSError, IndexError):
        pass
    return Process(pid, 0, 0, "", marked=False, is_settled=False)


def _is_marked(pid: int, mark: str) -> tuple[bool, bool]:
    """Whether a variable of a process is the mark, and whether that is certain."""
    try:
        with open(f"/proc/{pid}/environ", "rb", 0) as file:
            variables = file.read()
    except PermissionError:
        return False, True  # another user's
    except OSError:
        return False, False
    return f"={mark}\0".encode() in variables + b"\0", bool(variables)


def _listed_by_ps(mark: str) -> list[Process]:
    """Where there is no /proc: `ps`, which shows the environment of one's own processes with `-E`."""
    import subprocess

    command = ["ps", "-A", "-E", "-ww", "-o", "pid=,ppid=,state=,lstart=,command="]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    rows = [line.split(None, 8) for line in done.stdout.splitlines()]
    return [
        Process(int(row[0]), int(row[1]), 0, " ".join(row[3:8]), bool(mark) and len(row) > 8 and f"={mark}" in row[8])
        for row in rows
        if len(row) >= 8 and not row[2].startswith("Z")
    ]
