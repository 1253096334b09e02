"""A keeper: a small process that stands between planrail and a program which must not outlive it.

When its standard input ends, because planrail is done or was killed, it ends the program with all that this has
started. On Linux it is the parent of every orphan below it, so a daemon cannot get away. Its arguments are STREAMS
PROGRAM [ARGUMENT…]; STREAMS is "-", or two descriptors that become the program's 3 and 4.
"""

import os
import select
import shutil
import signal
import sys
import tempfile

from planrail.agents.processes.trees import adopt_orphans, end_tree, spawn_plainly

_LOOK = 0.2  # seconds between two looks at the children
_NOT_STARTED = 126


def main(arguments: list[str]) -> int:
    """Start the program, wait for its end or for planrail's, leave nothing behind; the program's exit code."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, frame: sys.exit(128 + number))
    adopt_orphans()
    private = tempfile.mkdtemp(prefix=f"planrail-{os.environ['CHECK_ID']}-")
    children = Children()
    try:
        children.start(arguments[0], arguments[1:], {**os.environ, "TMPDIR": private})
        while children.are_there():  # until nobody is left, or the standard input has ended
            if select.select([0], [], [], _LOOK)[0] and not os.read(0, 4096):
                break
    except OSError as error:
        print(error, file=sys.stderr)
        return _NOT_STARTED
    finally:
        if children.first:  # all of them are ended: politely, then surely
            children.are_there()
            end_tree(children.first, os.environ["CHECK_ID"])
            children.are_there()
        shutil.rmtree(private, ignore_errors=True)
    return children.code


class Children:
    """All that runs below the keeper. `first` is the program itself."""

    first = code = 0

    def start(self, streams: str, command: list[str], environment: dict[str, str]) -> None:
        """Start the program in a session of its own, without a standard input."""
        given = [int(number) for number in streams.split(",")] if streams != "-" else []
        actions: list[tuple[object, ...]] = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)]
        actions += [(os.POSIX_SPAWN_DUP2, descriptor, at) for at, descriptor in enumerate(given, 3)]
        actions += [(os.POSIX_SPAWN_CLOSE, descriptor) for descriptor in given]
        self.first = spawn_plainly(command, environment, actions)
        for descriptor in given:
            os.close(descriptor)  # the program alone holds them: planrail sees when it is gone

    def are_there(self) -> bool:
        """Whether anything runs. The dead are collected; the first one's code is kept."""
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return True
                if pid == self.first:
                    self.code = os.waitstatus_to_exitcode(status) % 256
        except ChildProcessError:
            return False
