"""The port between those who write SQL for queue and schedules, and the two databases that it runs on.

SQL is written once, in the dialect that both know, with `?` for values.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from types import TracebackType
    from typing import Any, Protocol, Self
else:
    Protocol = object

QUEUE, STOP = "queue", "stop"  # what has changed


class Tables(Protocol):
    """Rows of a queue; a context manager that closes them."""

    @property
    def repository(self) -> str:
        """The repository whose rows are meant; "" embedded, and for all of them."""

    @property
    def is_shared(self) -> bool:
        """Whether other machines have the same rows."""

    def __enter__(self) -> "Self": ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: "TracebackType | None"
    ) -> None: ...

    def now(self) -> float:
        """The time by the database's clock."""

    def rows(self, sql: str, *values: object) -> "list[tuple[Any, ...]]":
        """The rows that a question finds."""

    def change(self, sql: str, *values: object) -> int:
        """Change rows, and say how many were."""

    def refuse_newer(self) -> None:
        """Raise `ToolFailed` where a newer planrail has changed the tables since they were opened."""

    def nudge(self, sql: str, *values: object) -> int:
        """The same for a sign of life, which may be lost in a crash: the next one makes it good."""

    def exclusive(self) -> "AbstractContextManager[None]":
        """One writer at a time; one inside another is part of it, and an error undoes all of it."""

    def notify(self, word: str = QUEUE) -> None:
        """Wake the workers once this is committed: with `STOP` also those that have no room."""
