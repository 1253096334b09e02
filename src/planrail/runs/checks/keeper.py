"""A keeper: a small process that stands between planrail and a program which must not outlive it.

It is started as a script of its own, with nothing of planrail. When its standard input ends, because planrail is done
or was killed, it ends the program with all that this has started. On Linux it is the parent of every orphan below it,
so a daemon cannot get away.

    keeper.py STREAMS PROGRAM [ARGUMENT…]      STREAMS: "-", or two descriptors that become the program's 3 and 4
"""

import os
import select
import shutil
import signal
import sys
import tempfile
import time

_GRACE = 2.0  # seconds between asking and killing
_PAUSE = 0.02
_LOOK = 0.2  # seconds between two looks at the children
_ROUNDS = 100  # a process that forks faster than we look is killed again, this often
_BECOME_REAPER = 36  # PR_SET_CHILD_SUBREAPER
_NOT_STARTED = 126


def main(arguments: list[str]) -> int:
    """Start the program, wait for its end or for planrail's, leave nothing behind; the program's exit code."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _leave)
    _adopt_orphans()
    private = tempfile.mkdtemp(prefix=f"planrail-{os.environ['CHECK_ID']}-")
    children = Children()
    try:
        children.start(arguments[0], arguments[1:], {**os.environ, "TMPDIR": private})
        children.attend()
    except OSError as error:
        print(error, file=sys.stderr)
        return _NOT_STARTED
    finally:
        children.end()
        shutil.rmtree(private, ignore_errors=True)
    return children.code


class Children:
    """All that runs below the keeper."""

    def __init__(self) -> None:
        self.code = 0
        self._first = 0

    def start(self, streams: str, command: list[str], environment: dict[str, str]) -> None:
        """Start the program in a session of its own, without a standard input."""
        given = [int(number) for number in streams.split(",")] if streams != "-" else []
        actions = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)]
        actions += [(os.POSIX_SPAWN_DUP2, descriptor, at) for at, descriptor in enumerate(given, 3)]  # type: ignore[misc]
        actions += [(os.POSIX_SPAWN_CLOSE, descriptor) for descriptor in given]  # type: ignore[misc]
        defaults = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE)
        self._first = os.posix_spawnp(
            command[0], command, environment, file_actions=actions, setsid=True, setsigdef=defaults
        )
        for descriptor in given:
            os.close(descriptor)  # the program alone holds them: planrail sees when it is gone

    def attend(self) -> None:
        """Come back when nobody is left, or when the standard input has ended."""
        while self.are_there():
            if select.select([0], [], [], _LOOK)[0] and not os.read(0, 4096):
                return

    def are_there(self) -> bool:
        """Whether anything runs. The dead are collected; the first one's code is kept."""
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return True
                if pid == self._first:
                    self.code = os.waitstatus_to_exitcode(status) % 256
        except ChildProcessError:
            return False

    def end(self) -> None:
        """End all of them: politely, then surely."""
        if not self._first:
            return
        deadline = time.monotonic() + _GRACE
        self._signal(signal.SIGTERM)
        while self.are_there() and time.monotonic() < deadline:
            time.sleep(_PAUSE)
        for _ in range(_ROUNDS):
            self._signal(signal.SIGKILL)
            if not self.are_there():
                return
            time.sleep(_PAUSE)

    def _signal(self, number: int) -> None:
        for pid in (-self._first, *_descendants(os.getpid())):  # its group, which may be empty, and everybody
            try:
                os.kill(pid, number)
            except OSError:
                continue


def _descendants(root: int) -> list[int]:
    """The processes below one, as `/proc` shows them; none where there is no such thing."""
    below: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
            if fields[0] not in (b"Z", b"X"):
                below.setdefault(int(fields[1]), []).append(int(name))
        except (OSError, ValueError, IndexError):
            continue
    found = [root]
    for pid in found:
        found += below.get(pid, [])
    return found[1:]


def _adopt_orphans() -> None:
    try:
        import ctypes

        ctypes.CDLL(None).prctl(_BECOME_REAPER, 1, 0, 0, 0)
    except (ImportError, AttributeError, OSError):
        return


def _leave(number: int, frame: object) -> None:
    sys.exit(128 + number)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
