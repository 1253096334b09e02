"""The processes in which a worker carries out runs: one for each, forked, so that nothing has to be imported again.

Each has a session of its own, so that it outlives its worker: a worker that comes after it finds it at work, and
adopts it.
"""

import contextlib
import gc
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterable

from planrail.base.records import record
from planrail.team.queueing import Submission
from planrail.team.worker.sources import Source

GIVE_WAY, REST = signal.SIGUSR1, signal.SIGINT
_RESET = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD, signal.SIGUSR1)


@record
class Child:
    """A process that carries out a submission. `is_own`: this very worker has started it."""

    pid: int
    submission: Submission
    source: Source
    is_own: bool = True


def start(source: Source, submission: Submission, log: str, work: Callable[[], None], doors: Iterable[int]) -> Child:
    """Carry out a submission in a process of its own. `doors` are the worker's sockets: none of its business."""
    return Child(start_aside(log, work, doors), submission, source)


def start_aside(log: str, work: Callable[[], None], doors: Iterable[int]) -> int:
    """Do something in a process of its own; its number."""
    sys.stdout.flush()
    sys.stderr.flush()
    gc.freeze()
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        _become_child(log, doors)
        work()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def tell(child: Child, number: int) -> None:
    """A signal to a child, if it is still there."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(child.pid, number)


def reap() -> list[int]:
    """The numbers of the children that have ended."""
    ended: list[int] = []
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if not pid:
            return ended
        ended.append(pid)


def _become_child(log: str, doors: Iterable[int]) -> None:
    os.setsid()
    signal.set_wakeup_fd(-1)
    for number in _RESET:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(REST, signal.default_int_handler)
    for door in doors:
        with contextlib.suppress(OSError):
            os.close(door)
    nothing = os.open(os.devnull, os.O_RDONLY)
    told = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for source, target in ((nothing, 0), (told, 1), (told, 2)):
        os.dup2(source, target)
    os.close(nothing)
    os.close(told)
