"""Where a worker finds work: the ledgers of the repositories that it serves, and the databases of teams."""

import os
from collections.abc import Iterable, Mapping

from planrail.base.records import record
from planrail.store.addresses import hide_password
from planrail.store.ledger import open_store, open_tables, open_team_tables
from planrail.store.tables import Tables
from planrail.store.team import NAME_VARIABLE, VARIABLE


@record
class Source:
    """A queue: of a repository (`root`), or of a team (`url`)."""

    root: str = ""
    url: str = ""

    def __hash__(self) -> int:
        return hash((self.root, self.url))

    @property
    def name(self) -> str:
        """What logs call it; without a password."""
        return self.root or hide_password(self.url)

    def variables(self, repository: str) -> dict[str, str]:
        """By what a process that works for it knows the database and what rows call its repository: not from files."""
        return {VARIABLE: self.url, NAME_VARIABLE: repository} if self.url else {}

    def open(self, patience: float | None = None) -> Tables:
        """Its tables; `patience` is for a database that is away (seconds)."""
        return open_team_tables(self.url, patience=patience) if self.url else open_tables(self.root)


def find_sources(roots: Iterable[str], environment: Mapping[str, str] | None = None) -> list[Source]:
    """The queues behind some repositories, each once; one of a team that is named from outside comes first."""
    values = os.environ if environment is None else environment
    outside = open_store(None, values)
    found = [Source(url=outside.url)] if outside.is_shared else []
    for root in roots:
        if not os.path.isdir(root):
            continue
        store = open_store(root, values)
        source = Source(url=store.url) if store.is_shared else Source(root=os.path.realpath(root))
        if source not in found:
            found.append(source)
    return found
