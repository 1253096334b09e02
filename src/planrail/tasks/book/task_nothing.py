"""The rows of a project that has no ledger: none. Who only looks makes none."""

import time
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, NoReturn


class NoTables:
    """No row is found, and none can be added."""

    is_shared = False
    repository = ""

    def __enter__(self) -> "NoTables":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """There is nothing to close."""

    def now(self) -> float:
        """The time of this machine."""
        return time.time()

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """None."""
        return []

    def change(self, sql: str, *values: object) -> NoReturn:
        """A mistake of the caller: who wants to write opens the book."""
        raise AssertionError("a book that was opened for reading is written to")

    def nudge(self, sql: str, *values: object) -> NoReturn:
        """The same."""
        self.change(sql)

    def exclusive(self) -> AbstractContextManager[None]:
        """The same."""
        self.change("")

    def refuse_newer(self) -> None:
        """Nobody has changed what is not there."""

    def notify(self, word: str = "") -> None:
        """Nobody waits for it."""
