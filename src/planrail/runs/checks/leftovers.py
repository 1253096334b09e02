"""What a check leaves: processes of its session, those that went away and still carry its mark, temporary files.

A check that was begun by a planrail that died is found by the same mark, because the mark is made of its name.
"""

import contextlib
import hashlib
import os
import signal
import tempfile
import threading
import time
from collections.abc import Iterator

from planrail.base.records import record
from planrail.git.tree_removal import remove_tree

MARK = "CHECK_ID"
_GRACE = 1.0  # seconds between asking and killing
_PAUSE = 0.02
_ROUNDS = 50  # a process that forks faster than we look is killed again, this often
_DOUBTS = 3  # looks at processes that begin or end, before they are let be
_SOON = 1.0  # seconds in which process numbers cannot come round

_BECOME_REAPER = 36  # PR_SET_CHILD_SUBREAPER
_adopts: list[bool] = []  # whether this process is the parent of orphans; empty where it was not tried yet


@record
class Started:
    """A check that runs. `leader` leads its session; `at` is the monotonic time of its start."""

    leader: int
    mark: str
    at: float


def make_mark(name: str) -> str:
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
    is_young = time.monotonic() - started.at < _SOON
    return _sweep(_Wanted(started.mark, started.leader, _start_of(started.leader)), since=is_young)


def end_forgotten(name: str, temporary: str = "") -> int:
    """End what an earlier planrail left running of the check with this output; how many processes that were."""
    count = _sweep(_Wanted(make_mark(name), 0, 0), since=False)
    _remove_own(_private(name, temporary))
    return count


def make_private(name: str, temporary: str = "") -> str:
    """A new folder for the temporary files of the check with this output. After a crash it is found by its name."""
    place = _private(name, temporary)
    _remove_own(place)
    try:
        os.mkdir(place, 0o700)
    except FileExistsError:  # somebody else has taken the name
        return tempfile.mkdtemp(prefix="t-", dir=temporary or None)
    return place


def _private(name: str, temporary: str) -> str:
    if temporary:  # a folder of the run's own: a short name leaves more for the paths below it
        return os.path.join(temporary, f"t-{make_mark(name)[:8]}")
    return os.path.join(tempfile.gettempdir(), f"check-{make_mark(name)}")


def _remove_own(place: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        if os.lstat(place).st_uid == os.geteuid():
            remove_tree(place)


@record
class _Wanted:
    """What is looked for: a mark, a session, nothing that began before a time in ticks of the system's clock."""

    mark: str
    session: int
    start: int


def _sweep(wanted: _Wanted, *, since: bool) -> int:
    ended: set[int] = set()
    doubts = 0
    for _ in range(_ROUNDS):
        looks = {pid: _belongs(pid, wanted) for pid in _pids(wanted.session if since else 0)}
        found = {pid for pid, is_one in looks.items() if is_one}
        doubts += 1 if not found and None in looks.values() else 0
        if not found and (None not in looks.values() or doubts > _DOUBTS):
            break
        ended |= found
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_PAUSE if found else _PAUSE / 10)
    return len(ended)


def _pids(leader: int) -> list[int]:
    """The processes of this machine; with a leader only those that got their numbers after it, round the end too."""
    try:
        numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
        with open("/proc/loadavg", "rb", 0) as file:
            newest = int(file.read().split()[-1])
    except (OSError, ValueError, IndexError):
        return []  # without /proc the group is all that is known: `ps` would cost more than most checks
    if not leader:
        return numbers
    if newest >= leader:
        return [pid for pid in numbers if leader < pid <= newest]
    return [pid for pid in numbers if pid > leader or pid <= newest]


def _belongs(pid: int, wanted: _Wanted) -> bool | None:
    """Whether a process is one of the check's; None where it is just beginning or ending: it may have left a child that
    the list does not have yet."""
    if pid == os.getpid():
        return False
    try:
        fields = _read_stat(pid)
        if int(fields[19]) < wanted.start:
            return False
        if fields[0] in (b"Z", b"X"):
            return None
        if wanted.session and int(fields[3]) == wanted.session:
            return True
        with open(f"/proc/{pid}/environ", "rb", 0) as file:
            variables = file.read()
        return f"{MARK}={wanted.mark}".encode() in variables.split(b"\0") if variables else None
    except PermissionError:
        return False  # another user's
    except (OSError, IndexError):
        return None


def _read_stat(pid: int) -> list[bytes]:
    """What the system says of a process, from its state on."""
    with open(f"/proc/{pid}/stat", "rb", 0) as file:
        return file.read(4096).rpartition(b")")[2].split()


def _start_of(pid: int) -> int:
    """When a process began; it may have ended, if nobody has collected it yet. 0 where that is not known."""
    try:
        return int(_read_stat(pid)[19])
    except (OSError, IndexError, ValueError):
        return 0


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


# Orphans: processes that left whoever started them and forgot their marks. On Linux this process becomes their parent.
# So nothing that a check or an agent started lives while the next check looks. It is done where one phase runs at a
# time: side by side, nobody could tell an orphan from what another phase has just started.


@contextlib.contextmanager
def without_orphans() -> Iterator[None]:
    """What is begun here and ends well leaves no orphan. On an error nobody is ended: an agent outlives planrail."""
    if threading.current_thread() is not threading.main_thread() or not _adopt():
        yield
        return
    before = _children()
    yield
    _end(before)


def _adopt() -> bool:
    if not _adopts:
        try:
            import _ctypes  # `ctypes` costs 6 ms, its C half 1

            prctl = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")  # type: ignore[arg-type] # None: the program itself
            _adopts.append(_ctypes.call_function(prctl, (_BECOME_REAPER, 1, 0, 0, 0)) == 0)
        except (ImportError, AttributeError, OSError):
            _adopts.append(False)
    return _adopts[0]


def _end(before: set[int]) -> None:
    for _ in range(_ROUNDS):
        found = {pid for pid in _children() - before if _is_elsewhere(pid)}
        if not found:
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, os.WNOHANG)
        time.sleep(_PAUSE)


def _children() -> set[int]:
    """The children of this process, of all its threads; none where the system does not tell."""
    found: set[int] = set()
    with contextlib.suppress(OSError, ValueError):
        for thread in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{thread}/children", "rb", 0) as file:
                found.update(int(number) for number in file.read().split())
    return found


def _is_elsewhere(pid: int) -> bool:
    """Whether a process is of another session than ours: what we start ourselves by the way, such as git, is not."""
    with contextlib.suppress(OSError):
        return os.getsid(pid) != os.getsid(0)
    return False
