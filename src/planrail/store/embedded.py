"""The store of a repository: facts, claims, rows and runs behind one port. Here the one of a single machine.

SQLite for facts and rows, files for claims and journals, all in one folder. A team's is `postgres.store`, which
overrides it; `ledger.open_store` chooses.
"""

import os

from planrail.store.places import LEDGER, common_directory, count_waiting, hash_place, is_there, ledger_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from planrail.base.run_model import Ending, Order
    from planrail.store.claims import Claims
    from planrail.store.fact_rows import Ledger
    from planrail.store.journal import Journal
    from planrail.store.journal_lines import JournalLine
    from planrail.store.tables import Tables

    class SharedRun(Protocol):
        """A run as other machines know it too: see `postgres.run_rows`."""

        @property
        def order(self) -> Order: ...
        @property
        def ending(self) -> Ending | None: ...
        @property
        def host(self) -> str: ...
        def load_lines(self) -> list[JournalLine]: ...
        def load_text(self) -> str | None: ...


class Store:
    """What happened in a repository (None: to plans that lie in none), and what owners are at now. For one machine."""

    is_shared = False  # whether other machines have the same
    url = ""  # the address of the shared database
    repository = ""  # what rows call the repository; "" where there is no other

    def __init__(self, root: str | None) -> None:
        self._root = root
        self._claims: Claims | None = None

    @property
    def claims(self) -> "Claims":
        if self._claims is None:
            from planrail.store.claims import Claims

            self._claims = Claims(self._root)
        return self._claims

    @property
    def identity(self) -> str:
        """What an approval calls the repository: the same for all its worktrees, another for every other one.

        With a team it is the same for all machines that have it from the same remote.
        """
        place = (common_directory(self._root) or os.path.realpath(self._root)) if self._root is not None else ""
        return hash_place(place)

    def open_ledger(self) -> "Ledger":
        """The facts, with what waited in the spool taken in."""
        from planrail.store.fact_rows import open_folder

        return open_folder(ledger_folder(self._root))

    def has_ledger(self) -> bool:
        """Whether anything was ever recorded: a command that only looks makes no ledger."""
        return count_waiting(ledger_folder(self._root)) > 0 or is_there(self._path())

    def has_rows(self, patience: float | None = None) -> bool:
        """Whether there may be rows. With a patience (seconds) a database that is away is not waited for any longer."""
        return self.has_ledger()

    def look(self) -> "Ledger | None":
        """The facts for a caller that only looks and does not wait long; None where there are none: none is made."""
        import sqlite3

        from planrail.store.fact_rows import Ledger

        path = self._path()
        if not os.path.exists(path):
            return None
        name = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        return Ledger(path, sqlite3.connect(f"file:{name}?mode=ro", uri=True, isolation_level=None))

    def open_tables(self) -> "Tables":
        """The rows of queue, schedules and tasks."""
        from planrail.store.tables import open_file

        return open_file(ledger_folder(self._root))

    def open_journal(self, run: str, folder: str, fence: int) -> "Journal":
        """The journal of a run, for the planrail that holds the plan with this fence.

        What was written into the folder before the repository had a team is taken along.
        """
        from planrail.store.journal import Journal
        from planrail.store.journal_lines import NAME

        return Journal(os.path.join(folder, NAME))

    # Of runs on one machine there is nothing but their folders, which say what others would be told.

    def save_run(self, order: "Order", text: str) -> None:
        """Tell the others that a run is carried out here, as it was ordered; once more does no harm."""

    def save_ending(self, run: str, ending: "Ending | None") -> None:
        """Tell the others how a run ended, why it rests, or, with None, that it goes on.

        Raises `Fenced` where the run is another's by now.
        """

    def move_run(self, order: "Order") -> None:
        """The run is carried out here from now on, by this order; attempts that have not ended are lost."""

    def list_runs(self, plan: str | None = None) -> "Sequence[SharedRun]":
        """The runs that the others know of, or those of one plan."""
        return ()

    def find_run(self, run: str) -> "SharedRun | None":
        return None

    def _path(self) -> str:
        return os.path.join(ledger_folder(self._root), LEDGER)
