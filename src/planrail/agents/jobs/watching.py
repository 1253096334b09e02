"""Waiting for a runner without burning CPU, and reading what it writes meanwhile."""

import os
import select
import time
from collections.abc import Iterator

from planrail.agents.jobs.job_files import is_held, load_runner
from planrail.agents.jobs.telling import read_event
from planrail.agents.model import Event
from planrail.agents.processes.spawning import watch
from planrail.agents.processes.trees import started_at

_FIRST, _LONGEST = 0.005, 0.1  # seconds between two looks at the events
_LOOK = 0.05  # the longest pause where the system cannot tell us of the end


class Watch:
    """The end of a runner. `child` is its number where it is our own child: such a number is not used again."""

    def __init__(self, place: str, child: int) -> None:
        self._place = place
        self._descriptor = watch(child) if child else _watch_stranger(place)
        self._pause = _FIRST

    @property
    def is_told(self) -> bool:
        """Whether the system tells us of the end, so that nobody has to look for it."""
        return self._descriptor >= 0

    def is_over(self) -> bool:
        """Whether the runner has ended, after a pause that gets longer each time."""
        seconds, self._pause = self._pause, min(self._pause * 1.3, _LONGEST)
        return self._wait(seconds)

    def wait(self) -> None:
        """Come back when the runner has ended."""
        while not self.is_over():
            if self.is_told:
                self._pause = 60.0

    def _wait(self, seconds: float) -> bool:
        if self._descriptor < 0:
            time.sleep(min(seconds, _LOOK))
            return not is_held(self._place)
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        if not poll.poll(seconds * 1000):
            return False
        os.close(self._descriptor)
        self._descriptor = -1
        return True

    def __del__(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)


class Tail:
    """Reads a file of events as it grows. A line without its end is left for the next time."""

    def __init__(self, path: str, position: int) -> None:
        self._path, self.position = path, position

    def read(self) -> Iterator[Event]:
        """The events that are new."""
        try:
            with open(self._path, "rb") as file:
                file.seek(self.position)
                data = file.read()
        except FileNotFoundError:
            return
        for line in data[: data.rfind(b"\n") + 1].splitlines(keepends=True):
            self.position += len(line)
            event = read_event(line.decode("utf-8", "replace"))
            if event is not None:
                yield event


def _watch_stranger(place: str) -> int:
    """A descriptor for a runner that another planrail has started; -1 where it cannot be had, or has ended."""
    pid, started = load_runner(place) or (0, "")
    descriptor = watch(pid) if pid and started else -1
    if descriptor >= 0 and started_at(pid) != started:  # looked at only now: before, it could still become another's
        os.close(descriptor)
        return -1
    return descriptor
