"""The port behind which it is decided who works when: what people ask for, and what the turns of a worker may ask.

An adapter need not inherit from these; a type checker compares their shapes. `planrail.team.dispatch.Dispatch` is the
embedded one and, with rows in PostgreSQL, that of a team. The promises are in `dispatch_conformance`.
"""

from collections.abc import Callable, Collection
from typing import Protocol, Self

from planrail.team.queueing import Limit, Rest, ScheduleRow, Submission, WorkerRow


class DispatchPort(Protocol):
    """What people need of the queue of a repository; a context manager that lets go of the store."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def submit(self, submission: Submission) -> Submission:
        """Put a plan into the queue, and wake a worker. The same request again returns what is there; another raises
        `Held`."""

    def wake(self, plan: str, *, is_answered: bool = False) -> Submission | None:
        """Let a plan go on that rests or is parked; None where there is none of that kind."""

    def ask_stop(self, plan: str | None) -> list[Submission]:
        """Stop a plan, or all of this repository, and end the schedules: the last word from when it answers."""

    def remove(self, plan: str) -> Submission | None:
        """Take a plan out of the queue; its schedule stays. Raises `Held` where it runs."""

    def set_priority(self, plan: str, priority: int) -> Submission | None:
        """Give a plan that is not ended another priority: the greater ones are served first."""

    def list_submissions(self) -> list[Submission]:
        """The submissions that are not ended, in the order of the line."""

    def find_submission(self, plan: str) -> Submission | None:
        """The submission of a plan: the one that is not ended, else the last."""

    def prune(self, before: float, kept: Collection[str] = ()) -> int:
        """Forget what ended before then, but for the last submission of plans that are kept; how much that was."""

    def put_schedule(self, row: ScheduleRow) -> ScheduleRow:
        """Write the schedule of a plan, in the place of the one that it had."""

    def end_schedules(self, plan: str | None, why: str) -> list[ScheduleRow]:
        """End the schedule of a plan, or all of this repository."""

    def list_schedules(self, plan: str | None = None) -> list[ScheduleRow]:
        """The schedules that are not ended."""

    def set_limit(self, kind: str, name: str, most: int | None) -> None:
        """At most so many of a repository or an account run at once; None takes the limit away."""

    def list_limits(self) -> list[Limit]:
        """The limits that people have set."""

    def hold_account(self, name: str, until: float) -> None:
        """Nothing of an account starts before then."""

    def list_holds(self) -> dict[str, float]:
        """Until when which accounts rest."""

    def list_workers(self) -> list[WorkerRow]:
        """The workers that did not say goodbye."""


class Hold(Protocol):
    """What a turn may ask about its submission while it works."""

    def beat(self) -> str:
        """Whether it is `taken` still, `stopping`, or `lost` to another process: then nothing of it may land."""

    def wants_turn(self) -> bool:
        """Whether another submission could start now if this one made room."""


Turn = Callable[[Submission, Hold], Rest]  # one turn, in a process of its own
Serve = Callable[[int, Turn], int]  # a worker with so many slots, until it is told to leave; its exit code
