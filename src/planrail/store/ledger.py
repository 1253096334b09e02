"""The store of a repository: facts, claims, rows and runs behind one port. Which database it is, is asked here, once.

Alone, a repository has its own ledger in one folder (`embedded`); a team shares a PostgreSQL (`postgres`), whose driver
is imported only where one is named.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Protocol

from planrail.base.run_model import Ending, Order
from planrail.store.claims import Claims
from planrail.store.embedded.facts import Ledger as Ledger
from planrail.store.embedded.journal import Journal
from planrail.store.embedded.store import EmbeddedStore
from planrail.store.journal_lines import Line
from planrail.store.tables import Tables
from planrail.store.team import HEARD, read_team


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


_stores: dict[tuple[str | None, ...], Store] = {}


def open_store(root: str | None, environment: Mapping[str, str] | None = None) -> Store:
    """The store of a repository. The answer is kept: a process stays with the database that it began with."""
    values = os.environ if environment is None else environment
    key = (root, *(values.get(name) for name in HEARD))
    if key not in _stores:
        _stores[key] = _choose(root, values)
    return _stores[key]


def _choose(root: str | None, environment: Mapping[str, str]) -> Store:
    team = read_team(root, environment)
    if team is None:
        return EmbeddedStore(root)
    from planrail.store.postgres.store import TeamStore

    return TeamStore(team, root)


def open_ledger(root: str | None) -> Ledger:
    """The facts of a repository, with what waited in the spool taken in."""
    return open_store(root).open_ledger()


def has_ledger(root: str | None) -> bool:
    """Whether anything was ever recorded there: who only looks makes no ledger."""
    return open_store(root).has_ledger()


def open_tables(root: str | None) -> Tables:
    """The rows of a repository."""
    return open_store(root).open_tables()


def open_team_tables(url: str, repository: str = "", patience: float | None = None) -> Tables:
    """The rows of a shared database; without a repository all of them, as workers see it.

    `patience` says for how many seconds a database that is away is waited for.
    """
    from planrail.store.postgres.tables import PgTables

    return PgTables(url, repository) if patience is None else PgTables(url, repository, patience)
