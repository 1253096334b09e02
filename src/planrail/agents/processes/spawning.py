"""Starting a process without `subprocess`, whose import costs more than a whole job of the runbook agent.

The process gets a session of its own, so that what is typed at our terminal does not reach it, and the signals as every
program expects to find them: Python ignores some, and an ignored signal stays ignored in a child.
"""

import os
from collections.abc import Mapping

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
    """Start a program by its path, in the folder that we stand in."""
    return os.posix_spawn(
        words[0], words, environment, file_actions=actions, setsid=True, setsigmask=(), setsigdef=_DEFAULTED
    )


class Child:
    """A process that we started and have to collect."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._code: int | None = None

    def poll(self) -> int | None:
        """Its exit code, negative for a signal; None as long as it runs."""
        return self._collect(os.WNOHANG)

    def wait(self) -> int:
        """Its exit code, once there is one."""
        code = self._collect(0)
        assert code is not None
        return code

    def _collect(self, options: int) -> int | None:
        if self._code is None:
            try:
                pid, status = os.waitpid(self.pid, options)
            except ChildProcessError:  # somebody else has collected it, and its code is gone
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
