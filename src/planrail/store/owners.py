"""Processes as owners: which one is this, and does it still live? By what the kernel knows of it, never by a clock.

A number of a process is used again after it ended; with the time of its start and the boot of its machine it is not.
"""

import errno
import os

from planrail.base.errors import UsageError
from planrail.base.whole_files import read_whole
from planrail.store.claim_rules import Owner, judge_lease, judge_life

_BOOT, _MACHINE = "/proc/sys/kernel/random/boot_id", ("/etc/machine-id", "/var/lib/dbus/machine-id")
_SECONDS = 20
_DEAD = ("Z", "X", "x")  # it has ended, and only its parent has not asked for its exit code yet


def describe_process(pid: int, id: str = "", run: str = "") -> Owner:
    """The process with a number as an owner. Raises `UsageError` where there is none."""
    start = find_start(pid) if pid > 0 else None
    if start is None:
        raise UsageError(f"there is no process {pid}", remedy="name one that lives, such as: --pid $$")
    return Owner(id, pid, start, boot_identity(), host_identity(), space_identity(), run)


def is_alive(owner: Owner) -> bool:
    """Whether an owner lives. True also where that cannot be known: on another machine, in another container."""
    return judge_life(owner, _here(), find_start(owner.pid))


def is_alive_leased(owner: Owner, *, is_lapsed: bool) -> bool:
    """Whether an owner lives whose claim is leased: by its process where it is here, by its lease where it is not."""
    return judge_lease(owner, _here(), find_start(owner.pid), is_lapsed=is_lapsed)


def is_this_process(owner: Owner) -> bool:
    me = (os.getpid(), find_start(os.getpid()), boot_identity(), space_identity())
    return (owner.pid, owner.process_start, owner.boot, owner.space) == me


def is_surely_here(owner: Owner) -> bool:
    """Whether an owner is a living process of this machine and this space of numbers: only then may it get a signal."""
    is_near = (owner.boot, owner.space) == (boot_identity(), space_identity())
    return is_near and bool(owner.process_start) and find_start(owner.pid) == owner.process_start


def find_start(pid: int) -> str | None:
    """When the process was started, in the words of the kernel; None where there is none, "" where it is not told."""
    if os.path.exists("/proc/self/stat"):
        fields = _read(f"/proc/{pid}/stat").rpartition(") ")[2].split()
        state, start = (fields[0], fields[19]) if len(fields) > 19 else ("", "")
    else:
        state, _, start = _ask("/bin/ps", "-o", "state=,lstart=", "-p", str(pid)).strip().partition(" ")
    if state.startswith(_DEAD):
        return None
    return " ".join(start.split()) or ("" if _is_there(pid) else None)  # /proc may hide the processes of others


def boot_identity() -> str:
    """The same until the machine is started anew."""
    return _read(_BOOT).strip() or _ask("/usr/sbin/sysctl", "-n", "kern.boottime").partition("}")[0]


def host_identity() -> str:
    """The machine's name, and something that tells it from others of that name."""
    import hashlib

    machine = next((text for path in _MACHINE if (text := _read(path).strip())), "")
    mark = hashlib.sha256(f"planrail {machine}".encode()).hexdigest()[:8] if machine else ""
    return f"{os.uname().nodename}#{mark}"


def space_identity() -> str:
    """The space of process numbers: in a container, process 7 is another one than outside."""
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def _here() -> Owner:
    return Owner("", 0, "", boot_identity(), host_identity(), space_identity())


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError as error:
        return error.errno == errno.EPERM
    except OverflowError:
        return False
    return True


def _ask(*command: str) -> str:
    import subprocess

    environment = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False, env=environment
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return os.fsdecode(done.stdout)


def _read(path: str) -> str:
    return (read_whole(path, 4096) or b"").decode("utf-8", "replace")
