"""Rows of a queue that count how often they are asked, and what a step on them costs."""

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from servers import PostgresServer
from worker_stage import cpu_of_server

from planrail.store.tables import Tables


class Counted(Tables):
    """Rows of a queue that count how often they are asked, and how often of that under the lock."""

    def __init__(self, tables: "Tables") -> None:
        self._tables, self.repository, self.is_shared = tables, tables.repository, tables.is_shared
        self.asked = self.locked = 0
        self._depth = 0

    def close(self) -> None:
        self._tables.close()

    def now(self) -> float:
        self._count()
        return self._tables.now()

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        self._count()
        return self._tables.rows(sql, *values)

    def change(self, sql: str, *values: object) -> int:
        self._count()
        return self._tables.change(sql, *values)

    def nudge(self, sql: str, *values: object) -> int:
        self._count()
        return self._tables.nudge(sql, *values)

    def refuse_newer(self) -> None:
        self._count()
        self._tables.refuse_newer()

    def judge_at(self) -> float:
        self._count()
        return self._tables.judge_at()

    def note_contact(self) -> None:
        self._count()
        self._tables.note_contact()

    def wake(self, worker: str) -> None:
        self._count()
        self._tables.wake(worker)

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        self.asked += 0 if self._depth else 2  # the beginning, and the lock
        with self._tables.exclusive():
            self._depth += 1
            try:
                yield
                self.asked, self.locked = self.asked + (self._depth == 1), self.locked + (self._depth == 1)  # the end
            finally:
                self._depth -= 1

    def _count(self) -> None:
        self.asked += 1
        self.locked += self._depth > 0


@dataclass(frozen=True)
class Rate:
    """What one kind of step costs: seconds, the server's CPU seconds, times asked, of that under the lock."""

    title: str
    seconds: float
    server: float
    asked: float
    locked: float


@dataclass(frozen=True)
class Bench:
    """A queue that is measured."""

    tables: Counted
    server: PostgresServer | None

    def measure(self, title: str, times: int, work: Callable[[], object]) -> Rate:
        """Do something so often; the cost of one time."""
        tables = self.tables
        cpu, asked, locked = self._cpu(), tables.asked, tables.locked
        began = time.perf_counter()
        for _ in range(times):
            work()
        seconds = time.perf_counter() - began
        told = (tables.asked - asked) / times, (tables.locked - locked) / times
        return Rate(title, seconds / times, (self._cpu() - cpu) / times, *told)

    def _cpu(self) -> float:
        return cpu_of_server(self.server) if self.server is not None else time.process_time()
