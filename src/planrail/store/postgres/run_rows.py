"""Runs as rows that a team shares: what was ordered, of which text, where the run is at home, how it ended."""

import json
from collections.abc import Mapping

from planrail.base.errors import Fenced
from planrail.base.records import record, replace
from planrail.base.run_model import Ending, Order
from planrail.base.values import pack, unpack
from planrail.store.claim_rules import Claim, from_json
from planrail.store.journal_lines import Line
from planrail.store.owners import is_alive_leased, is_this_process
from planrail.store.postgres.connections import Link, attempt
from planrail.store.postgres.names import from_column, to_column
from planrail.store.postgres.steps import load_steps, to_lines
from planrail.store.team import Team

Row = tuple[str, str | None, str, str, str, float]


_COLUMNS = "ordered, ending, host, root, current, current_at"
_WHERE = "WHERE repository = %s AND run = %s"
_SAVE = """INSERT INTO runs (repository, run, plan, began, ordered, text, host, root)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (repository, run)
    DO UPDATE SET host = excluded.host, root = excluded.root"""
_CLAIM = """SELECT c.value, c.until <= extract(epoch FROM clock_timestamp()) FROM runs r
    JOIN claims c ON c.repository = r.repository AND c.kind = 'plan' AND c.name = r.plan
    WHERE r.repository = %s AND r.run = %s FOR SHARE OF c"""


@record
class RunRow:
    """A run as the team knows it, at home on a host in the root of its order; `current` are the steps under way."""

    team: Team
    order: Order
    ending: Ending | None
    host: str
    current: Mapping[str, float]

    def load_lines(self) -> list[Line]:
        """The journal."""
        return to_lines(load_steps(self.team, self.order.run), self.current)

    def load_text(self) -> str | None:
        """The plan as it was when the run began."""
        return load_run_text(self.team, self.order.run)


def save_run(team: Team, order: Order, text: str, host: str, root: str) -> None:
    """Put a run on record, with its home. One that is there keeps its order and its text, and is at home here now."""
    frozen = (json.dumps(pack(order)), text.encode("utf-8", "surrogateescape"))
    values = (team.repository, order.run, to_column(order.plan), float(order.began), *frozen, host, to_column(root))
    attempt(team.url, lambda link: link.execute(_SAVE, values))


def move_home(team: Team, order: Order, host: str) -> None:
    """The run is carried out elsewhere from now on, by the folders of this order."""
    values = (host, to_column(order.root), json.dumps(pack(order)), team.repository, order.run)
    query = f"UPDATE runs SET host = %s, root = %s, ordered = %s {_WHERE}"
    attempt(team.url, lambda link: link.execute(query, values))


def save_run_ending(team: Team, run: str, ending: Ending | None) -> None:
    """Write down how a run ended, or, with None, that it goes on.

    Raises `Fenced` where another process that lives holds the plan.
    """
    packed = json.dumps(pack(ending)) if ending is not None else None

    def once(link: Link) -> None:
        with link.transaction():
            row = link.execute(_CLAIM, (team.repository, run)).fetchone()
            if row is not None and _is_anothers(row[0], is_lapsed=bool(row[1])):
                raise fenced_out(run)
            link.execute(f"UPDATE runs SET ending = %s {_WHERE}", (packed, team.repository, run))

    attempt(team.url, once)


def load_run_row(team: Team, run: str) -> RunRow | None:
    """A run; None where there is none, or none that can be read."""
    query = f"SELECT {_COLUMNS} FROM runs {_WHERE}"
    row = attempt(team.url, lambda link: link.execute(query, (team.repository, run)).fetchone())
    return _read(team, row) if row is not None else None


def list_run_rows(team: Team, plan: str | None = None) -> list[RunRow]:
    """The runs of the repository, or of one plan, the newest first. What cannot be read is left out."""
    query, values = f"SELECT {_COLUMNS} FROM runs WHERE repository = %s", [team.repository]
    if plan is not None:
        query, values = f"{query} AND plan = %s", [*values, to_column(plan)]
    rows = attempt(team.url, lambda link: link.execute(f"{query} ORDER BY began DESC, run DESC", values).fetchall())
    return [found for row in rows if (found := _read(team, row)) is not None]


def load_run_text(team: Team, run: str) -> str | None:
    """The plan as it was when the run began; None where there is no such run."""
    query = f"SELECT text FROM runs {_WHERE}"
    row = attempt(team.url, lambda link: link.execute(query, (team.repository, run)).fetchone())
    return bytes(row[0]).decode("utf-8", "surrogateescape") if row is not None else None


def _is_anothers(value: str, *, is_lapsed: bool) -> bool:
    try:
        claim = from_json(json.loads(value))
    except (ValueError, RecursionError):
        return False
    return (
        isinstance(claim, Claim)
        and not is_this_process(claim.owner)
        and is_alive_leased(claim.owner, is_lapsed=is_lapsed)
    )


def fenced_out(run: str) -> Fenced:
    """The error of a planrail whose run is in other hands by now."""
    text = f"the run {run} was taken over by another planrail; this one does nothing more"
    return Fenced(text, remedy="planrail status")


def _read(team: Team, row: Row) -> RunRow | None:
    ordered, ending, host, root, current, current_at = row

    order, place = _unpack(ordered), from_column(root)
    if not isinstance(order, Order):
        return None
    found = _unpack(ending) if ending is not None else None
    own = replace(order, root=place) if place else order
    ended = found if isinstance(found, Ending) else None
    return RunRow(team, own, ended, host, _read_current(current, current_at))


def _unpack(text: str) -> object:
    try:
        return unpack(json.loads(text))
    except (ValueError, RecursionError):
        return None


def _read_current(text: str, at: float) -> dict[str, float]:
    """The steps under way with their times."""
    if not text:
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {text: at}
    if not isinstance(found, dict):
        return {}
    return {str(key): float(since) for key, since in found.items() if isinstance(since, int | float)}
