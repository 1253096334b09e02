"""Which database a repository has is asked here, once: its own ledger, or that which a team shares.

The driver of PostgreSQL is imported only where a database is named.
"""

import os

from planrail.store.embedded import Store
from planrail.store.team import HEARD, read_team

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from planrail.store.fact_rows import Ledger
    from planrail.store.tables import Tables

_stores: dict[tuple[str | None, ...], Store] = {}


def open_store(root: str | None, environment: "Mapping[str, str] | None" = None) -> Store:
    """The store of a repository. The answer is kept: a process stays with the database that it began with."""
    values = os.environ if environment is None else environment
    key = (root, *(values.get(name) for name in HEARD))
    if key not in _stores:
        team = read_team(root, values)
        if team is None:
            _stores[key] = Store(root)
        else:
            from planrail.store.postgres.store import TeamStore

            _stores[key] = TeamStore(team, root)
    return _stores[key]


def open_ledger(root: str | None) -> "Ledger":
    """The facts of a repository, with what waited in the spool taken in."""
    return open_store(root).open_ledger()


def has_ledger(root: str | None) -> bool:
    """Whether anything was ever recorded there: a command that only looks makes no ledger."""
    return open_store(root).has_ledger()


def open_tables(root: str | None) -> "Tables":
    return open_store(root).open_tables()


def open_team_tables(url: str, repository: str = "", patience: float | None = None) -> "Tables":
    """The rows of a shared database; without a repository all of them, as workers see it.

    `patience` says for how many seconds a database that is away is waited for.
    """
    from planrail.store.postgres.tables import PgTables

    return PgTables(url, repository, patience)
