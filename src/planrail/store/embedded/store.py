"""The store of a repository that has its ledger to itself. Of its runs there is nothing but their folders."""

import os

from planrail.store.embedded.database import NAME, SqliteTables, open_database
from planrail.store.places import common_directory, count_waiting, hash_place, ledger_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Never

    from planrail.base.run_model import Ending, Order
    from planrail.store.embedded.claims import FileClaims
    from planrail.store.embedded.facts import Ledger
    from planrail.store.embedded.journal import Journal


class EmbeddedStore:
    """See `store.ledger.Store`."""

    is_shared = False
    url = repository = ""

    def __init__(self, root: str | None) -> None:
        self._root = root
        self._claims: FileClaims | None = None

    @property
    def claims(self) -> "FileClaims":
        if self._claims is None:
            from planrail.store.embedded.claims import FileClaims

            self._claims = FileClaims(self._root)
        return self._claims

    @property
    def identity(self) -> str:
        place = (common_directory(self._root) or os.path.realpath(self._root)) if self._root is not None else ""
        return hash_place(place)

    def open_ledger(self) -> "Ledger":
        from planrail.store.embedded.facts import open_folder

        return open_folder(ledger_folder(self._root))

    def has_ledger(self) -> bool:
        return count_waiting(ledger_folder(self._root)) > 0 or os.path.exists(self._path())

    def has_rows(self, patience: float | None = None) -> bool:
        return self.has_ledger()

    def look(self) -> "Ledger | None":
        import sqlite3

        from planrail.store.embedded.facts import Ledger

        path = self._path()
        if not os.path.exists(path):
            return None
        name = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        return Ledger(path, sqlite3.connect(f"file:{name}?mode=ro", uri=True, isolation_level=None))

    def open_tables(self) -> SqliteTables:
        return SqliteTables(*open_database(ledger_folder(self._root)))

    def open_journal(self, run: str, folder: str, fence: int) -> "Journal":
        from planrail.store.embedded.journal import Journal
        from planrail.store.journal_lines import NAME as JOURNAL

        return Journal(os.path.join(folder, JOURNAL))

    def save_run(self, order: "Order", text: str) -> None:
        """Its folder says it."""

    def save_ending(self, run: str, ending: "Ending | None") -> None:
        """Its folder says it."""

    def move_run(self, order: "Order") -> None:
        """It stays in the repository that it was begun in."""

    def list_runs(self, plan: str | None = None) -> "list[Never]":
        return []

    def find_run(self, run: str) -> None:
        return None

    def _path(self) -> str:
        return os.path.join(ledger_folder(self._root), NAME)
