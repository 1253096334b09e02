"""The runs that a team shares, as everybody sees them: from rows, with what only the machine at home can know."""

import os

from planrail.base.errors import ToolFailed
from planrail.base.records import record
from planrail.base.run_model import Ending
from planrail.store.claim_rules import PLAN, Claim
from planrail.store.owners import host_identity, is_alive_leased
from planrail.store.postgres.claims import list_leases
from planrail.store.postgres.run_rows import RunRow, list_run_rows, load_lines, load_run_row, load_run_text
from planrail.store.runs.journal_lines import Line
from planrail.store.runs.run_folders import RunState, is_live, load_ending, load_text, run_folder
from planrail.store.team import Team

Leases = dict[str, tuple[Claim, bool]]


@record
class SharedRun:
    """A run of the team, and how to read the rest of it."""

    team: Team
    row: RunRow
    is_home: bool  # whether it is carried out on this machine

    @property
    def host(self) -> str:
        """The machine on which it is carried out."""
        return self.row.host

    def load_lines(self) -> list[Line]:
        """The journal."""
        return load_lines(self.team, self.row)

    def load_text(self, folder: str) -> str:
        """The plan as it was when the run began: from the folder, else from the team."""
        try:
            return load_text(folder)
        except ToolFailed:
            text = load_run_text(self.team, self.row.order.run)
            if text is None:
                raise
            return text


def list_shared(team: Team, root: str | None, plan: str | None) -> list[RunState]:
    """The runs that the team has of a repository, or of one plan."""
    rows, here = list_run_rows(team, plan), host_identity()
    leases = _leases(team, plan) if rows else {}
    return [_state(SharedRun(team, row, row.host == here), root, leases) for row in rows]


def find_shared(team: Team, root: str | None, folder: str) -> RunState | None:
    """The run with a folder, if the team has it. Names of runs are names of folders."""
    row = load_run_row(team, os.path.basename(folder))
    if row is None:
        return None
    return _state(SharedRun(team, row, row.host == host_identity()), root, _leases(team, row.order.plan))


def _leases(team: Team, plan: str | None) -> Leases:
    """The claims of plans, by the runs that hold them."""
    return {claim.owner.run: (claim, is_lapsed) for claim, is_lapsed in list_leases(team, PLAN, plan)}


def _state(shared: SharedRun, root: str | None, leases: Leases) -> RunState:
    row, folder = shared.row, run_folder(root, shared.row.order.run)
    claim, is_lapsed = leases.get(row.order.run, (None, True))
    if claim is not None and claim.name != row.order.plan:
        claim = None
    lives = claim is not None and is_alive_leased(claim.owner, is_lapsed=is_lapsed)
    is_at_work = lives or (shared.is_home and is_live(folder))
    return RunState(folder, row.order, _ending(shared, folder), claim, is_at_work, shared=shared)


def _ending(shared: SharedRun, folder: str) -> Ending | None:
    """How it ended. Killed between its folder and the team, the machine at home is the one that knows."""
    return shared.row.ending or (load_ending(folder) if shared.is_home else None)
