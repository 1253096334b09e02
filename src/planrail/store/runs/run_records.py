"""What a team knows of a run: its order, its text, where it is at home and how it ended. Alone, its folder says so."""

from planrail.base.run_model import Ending, Order
from planrail.store.owners import host_identity
from planrail.store.team import find_team


def record_run(order: Order, text: str) -> None:
    """Tell the team that a run is carried out here, as it was ordered; once more does no harm."""
    team = find_team(order.root)
    if team is not None:
        from planrail.store.postgres.run_rows import save_run

        save_run(team, order, text, host_identity(), order.root)


def record_ending(order: Order, ending: Ending | None) -> None:
    """Tell the team how a run ended, why it rests, or, with None, that it goes on."""
    team = find_team(order.root)
    if team is not None:
        from planrail.store.postgres.run_rows import save_run_ending

        save_run_ending(team, order.run, ending)
