"""The machinery of a simulation: a clock, processes that wait, stations that serve them, locks that one holds.

Pure: time is a number, and what happens at the same time happens in the order in which it was asked for.
"""

import heapq
from collections import deque
from collections.abc import Generator
from dataclasses import dataclass


class Station:
    """Servers with one line before them; whoever comes is told when he will be done."""

    def __init__(self, servers: int) -> None:
        self._free = [0.0] * servers
        self.busy = 0.0

    def visit(self, now: float, seconds: float) -> float:
        """When this will be done. To be called in the order of time."""
        start = max(now, self._free[0])
        heapq.heapreplace(self._free, start + seconds)
        self.busy += seconds
        return start + seconds


class Lock:
    """One holder, and those who wait in the order of their coming."""

    def __init__(self) -> None:
        self.waiting: deque[Process] = deque()
        self.is_held = False
        self.busy = self.since = 0.0


@dataclass(frozen=True)
class Serve:
    """A process asks a station for so much work."""

    station: Station
    seconds: float


Process = Generator["float | Serve | Lock", None, None]


class Clock:
    """The line of events. A process yields how long it waits, what it asks of a station, or which lock it wants."""

    def __init__(self) -> None:
        self.now = 0.0
        self._events: list[tuple[float, int, Process]] = []
        self._count = 0

    def start(self, process: Process, at: float | None = None) -> None:
        """Let a process begin, now or then."""
        self._count += 1
        heapq.heappush(self._events, (self.now if at is None else at, self._count, process))

    def release(self, lock: Lock) -> None:
        """Give a lock to the next one."""
        lock.busy += self.now - lock.since
        lock.is_held = bool(lock.waiting)
        if lock.waiting:
            lock.since = self.now
            self.start(lock.waiting.popleft())

    def run(self, until: float) -> None:
        """Let time go by."""
        events = self._events
        while events and events[0][0] <= until:
            self.now, _, process = heapq.heappop(events)
            self._advance(process)

    def _advance(self, process: Process) -> None:
        try:
            wanted = next(process)
            while isinstance(wanted, Lock) and not wanted.is_held:
                wanted.is_held, wanted.since = True, self.now
                wanted = next(process)
        except StopIteration:
            return
        match wanted:
            case Lock():
                wanted.waiting.append(process)
            case Serve():
                self.start(process, wanted.station.visit(self.now, wanted.seconds))
            case _:
                self.start(process, self.now + wanted)
