"""Whom a worker takes next, said without SQL: `team.dispatch.take` is held against it."""

from collections.abc import Iterable, Mapping

from planrail.team.queueing import QUEUED, Limit, Submission, explain_wait, rank


def choose_next(
    rows: Iterable[Submission], limits: Iterable[Limit], held: Mapping[str, float], now: float, host: str
) -> Submission | None:
    """The first in the line that nothing makes wait. `held`: until when nothing of an account starts."""
    everything, known = list(rows), tuple(limits)
    waiting = sorted((row for row in everything if row.state == QUEUED), key=rank)
    near = (row for row in waiting if _is_near(row, now, host))
    return next((row for row in near if not explain_wait(row, everything, known, held, now)), None)


def _is_near(row: Submission, now: float, host: str) -> bool:
    """In place only where the folder is; in a clone anywhere, unless its last machine has it for a while yet."""
    if not row.remote:
        return row.host in ("", host)
    return row.until <= now or row.taken_on in ("", host)
