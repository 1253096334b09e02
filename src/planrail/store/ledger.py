"""The store of a repository: facts, claims, rows and runs behind one port. Which database it is, is asked here, once.

Alone, a repository has its own ledger in one folder (`embedded`); a team shares a PostgreSQL (`postgres`), whose driver
is imported only where one is named.
"""

import os

from planrail.store.team import HEARD, read_team

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from planrail.store.embedded.facts import Ledger
    from planrail.store.port import Store
    from planrail.store.tables import Tables

_stores: "dict[tuple[str | None, ...], Store]" = {}


def open_store(root: str | None, environment: "Mapping[str, str] | None" = None) -> "Store":
    """The store of a repository. The answer is kept: a process stays with the database that it began with."""
    values = os.environ if environment is None else environment
    key = (root, *(values.get(name) for name in HEARD))
    if key not in _stores:
        _stores[key] = _choose(root, values)
    return _stores[key]


def _choose(root: str | None, environment: "Mapping[str, str]") -> "Store":
    team = read_team(root, environment)
    if team is None:
        from planrail.store.embedded.store import EmbeddedStore

        return EmbeddedStore(root)
    from planrail.store.postgres.store import TeamStore

    return TeamStore(team, root)


def open_ledger(root: str | None) -> "Ledger":
    """The facts of a repository, with what waited in the spool taken in."""
    return open_store(root).open_ledger()


def has_ledger(root: str | None) -> bool:
    """Whether anything was ever recorded there: who only looks makes no ledger."""
    return open_store(root).has_ledger()


def open_tables(root: str | None) -> "Tables":
    """The rows of a repository."""
    return open_store(root).open_tables()


def open_team_tables(url: str, repository: str = "", patience: float | None = None) -> "Tables":
    """The rows of a shared database; without a repository all of them, as workers see it.

    `patience` says for how many seconds a database that is away is waited for.
    """
    from planrail.store.postgres.tables import PgTables

    return PgTables(url, repository) if patience is None else PgTables(url, repository, patience)
