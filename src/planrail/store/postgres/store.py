"""The store of a repository whose team shares a database: rows are the truth, and folders are of this machine alone."""

import os

from planrail.base.errors import PlanrailError
from planrail.base.run_model import Ending, Order
from planrail.store.embedded import Store
from planrail.store.journal import read_results
from planrail.store.journal_lines import NAME
from planrail.store.owners import host_identity
from planrail.store.places import count_waiting, hash_place, ledger_folder
from planrail.store.postgres import run_rows
from planrail.store.postgres.claims import RowClaims
from planrail.store.postgres.connections import borrow
from planrail.store.postgres.journal import RowJournal
from planrail.store.postgres.tables import PgLedger, PgTables, open_team_ledger
from planrail.store.team import Team

_GLANCE = 3.0  # seconds that a caller that only looks waits for the database


class TeamStore(Store):
    """See `Store`."""

    is_shared = True

    def __init__(self, team: Team, root: str | None) -> None:
        super().__init__(root)
        self.team, self._claims = team, RowClaims(team, root)
        self.url, self.repository = team.url, team.repository
        self._away: PlanrailError | None = None
        self._has_answered = False

    @property
    def identity(self) -> str:
        return hash_place(self.repository)

    def open_ledger(self) -> PgLedger:
        return open_team_ledger(self.team, self._root)

    def has_ledger(self) -> bool:
        return count_waiting(ledger_folder(self._root)) > 0 or PgLedger(self.team).has_facts()

    def has_rows(self, patience: float | None = None) -> bool:
        if patience is not None:
            with borrow(self.url, patience=patience):
                pass
        return True

    def look(self) -> PgLedger:
        ledger = PgLedger(self.team, patience=_GLANCE)
        if self._away is not None:  # it was waited for once, and that is enough for all plans that are looked at
            raise self._away
        if not self._has_answered:
            try:
                ledger.has_facts()
            except PlanrailError as error:
                self._away = error
                raise
            self._has_answered = True
        return ledger

    def open_tables(self) -> PgTables:
        return PgTables(self.url, self.repository)

    def open_journal(self, run: str, folder: str, fence: int) -> RowJournal:
        path, journal = os.path.join(folder, NAME), RowJournal(self.team, run, fence)
        if os.path.exists(path):  # from before there was a team
            journal.take_in(read_results(path)[0])
            os.replace(path, f"{path}.taken")
        return journal

    def save_run(self, order: Order, text: str) -> None:
        run_rows.save_run(self.team, order, text, host_identity(), order.root)

    def save_ending(self, run: str, ending: Ending | None) -> None:
        run_rows.save_run_ending(self.team, run, ending)

    def move_run(self, order: Order) -> None:
        run_rows.drop_unfinished(self.team, order.run)
        run_rows.move_home(self.team, order, host_identity())

    def list_runs(self, plan: str | None = None) -> list[run_rows.RunRow]:
        return run_rows.list_run_rows(self.team, plan)

    def find_run(self, run: str) -> run_rows.RunRow | None:
        return run_rows.load_run_row(self.team, run)
