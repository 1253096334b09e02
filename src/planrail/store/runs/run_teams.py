"""From the folder of a run to the team that shares it. Where there is none, nothing of a database is imported."""

import os

from planrail.base.errors import PlanrailError
from planrail.base.run_model import Ending, Order
from planrail.store.runs.journal_lines import Line
from planrail.store.runs.run_folders import load_order, run_folder
from planrail.store.team import Team, find_team


def read_shared_journal(folder: str) -> list[Line]:
    """The journal that a team keeps of the run of a folder; none where there is no team."""
    found = find_team_of(folder)
    if found is None:
        return []
    from planrail.store.runs.shared_runs import find_shared

    shared = find_shared(found[0], found[1].root, folder)
    return shared.lines if shared is not None else []


def tell_team(folder: str, ending: Ending) -> None:
    """Tell the team how the run of a folder ended, where there is one."""
    found = find_team_of(folder)
    if found is not None:
        from planrail.store.postgres.run_rows import save_run_ending

        save_run_ending(found[0], found[1].run, ending)


def find_team_of(folder: str) -> tuple[Team, Order] | None:
    """The team that shares the run of a folder, and its order; nobody's where the folder is a copy of another one."""
    try:
        order = load_order(folder)
    except PlanrailError:
        return None
    is_own = os.path.isdir(order.root) and os.path.realpath(run_folder(order.root, order.run)) == os.path.realpath(
        folder
    )
    team = find_team(order.root) if is_own else None
    return (team, order) if team is not None else None
