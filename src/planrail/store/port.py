"""The port of a repository's store: what the embedded one and a team's both offer. `ledger.open_store` chooses."""

from collections.abc import Sequence
from typing import Protocol

from planrail.base.run_model import Ending, Order
from planrail.store.claims import Claims
from planrail.store.embedded.facts import Ledger
from planrail.store.embedded.journal import Journal
from planrail.store.journal_lines import Line
from planrail.store.tables import Tables


class SharedRun(Protocol):
    """A run as other machines know it too."""

    @property
    def order(self) -> Order:
        """What was ordered, with the root of the machine that carries it out."""

    @property
    def ending(self) -> Ending | None: ...
    @property
    def host(self) -> str:
        """The machine that carries it out."""

    def load_lines(self) -> list[Line]: ...
    def load_text(self) -> str | None:
        """The plan as it was when the run began."""


class Store(Protocol):
    """What happened in a repository (None: to plans that lie in none), and who is at what now."""

    @property
    def is_shared(self) -> bool:
        """Whether other machines have the same."""

    @property
    def url(self) -> str:
        """The address of the shared database; "" where there is none."""

    @property
    def repository(self) -> str:
        """What rows call the repository; "" where there is no other."""

    @property
    def identity(self) -> str:
        """What an approval calls the repository: the same for all its worktrees, another for every other one.

        With a team it is the same for all who have it from the same remote.
        """

    @property
    def claims(self) -> Claims: ...

    def open_ledger(self) -> Ledger:
        """The facts, with what waited in the spool taken in."""

    def has_ledger(self) -> bool:
        """Whether anything was ever recorded: who only looks makes no ledger."""

    def has_rows(self, patience: float | None = None) -> bool:
        """Whether there may be rows. With a patience (seconds) a database that is away is not waited for any longer."""

    def look(self) -> Ledger | None:
        """The facts for who only looks and does not wait for long; None where there are none, and none is made."""

    def open_tables(self) -> Tables:
        """The rows of queue, schedules and tasks."""

    def open_journal(self, run: str, folder: str, fence: int) -> Journal:
        """The journal of a run, for the planrail that holds the plan with this fence.

        What was written into the folder before the repository had a team is taken along.
        """

    def save_run(self, order: Order, text: str) -> None:
        """Tell the others that a run is carried out here, as it was ordered; once more does no harm."""

    def save_ending(self, run: str, ending: Ending | None) -> None:
        """Tell the others how a run ended, why it rests, or, with None, that it goes on.

        Raises `Fenced` where the run is another's by now.
        """

    def move_run(self, order: Order) -> None:
        """The run is carried out here from now on, by this order; attempts that have not ended are lost."""

    def list_runs(self, plan: str | None = None) -> Sequence[SharedRun]:
        """The runs that the others know of, or those of one plan."""

    def find_run(self, run: str) -> SharedRun | None: ...
