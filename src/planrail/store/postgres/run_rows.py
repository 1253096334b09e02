"""Runs as rows that a team shares: what was ordered, of which text, where the run is at home, its steps, its ending.

A step is written once, when it has ended, by the process that holds the plan at that moment.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from planrail.base.errors import Fenced
from planrail.base.records import record, replace
from planrail.base.run_model import Ending, Order, Work
from planrail.base.values import pack, unpack
from planrail.store.claim_rules import Claim, from_json
from planrail.store.journal_lines import BEGUN, ENDED, JournalLine, split_key
from planrail.store.owners import is_alive_leased, is_this_process
from planrail.store.postgres.connections import Link, ask, attempt
from planrail.store.postgres.contact import NOW, SILENT
from planrail.store.postgres.names import from_column, to_column
from planrail.store.team import Team

ADDED, KNOWN, FENCED = "added", "known", "fenced"
_READY = "/workspace"  # the step after which an agent begins
_BEFORE = ("start", "confirm", "baseline", "fresh", "ask_stale", "workspace")
_WHERE = "WHERE repository = %s AND run = %s"
_RUNS = "SELECT ordered, ending, host, root, current, current_at FROM runs WHERE repository = %s"
_SAVE = """INSERT INTO runs (repository, run, plan, began, ordered, text, host, root)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (repository, run)
    DO UPDATE SET host = excluded.host, root = excluded.root RETURNING run"""
_HELD = """FROM runs r JOIN claims c ON c.repository = r.repository AND c.kind = 'plan' AND c.name = r.plan
    WHERE r.repository = %s AND r.run = %s"""
_CLAIM = f"SELECT c.value, {SILENT} {_HELD} FOR SHARE OF c"
# The claim is locked against a takeover until the step is there: the next owner reads all that was written before.
_ADD = f"""WITH guard AS MATERIALIZED (SELECT r.repository, r.run {_HELD} AND c.fence = %s FOR SHARE OF c), made AS (
    INSERT INTO steps (repository, run, key, began, ended, value)
    SELECT repository, run, %s, %s, %s, %s FROM guard ON CONFLICT DO NOTHING RETURNING 1)
    SELECT (SELECT count(*) FROM guard), (SELECT count(*) FROM made)"""
_LOST = f"""INSERT INTO steps (repository, run, key, began, ended, value)
    SELECT %s, %s, %s, {NOW}, {NOW}, %s"""
_LOST_WORK = json.dumps(pack(Work(ok=False, reason="lost", error="the machine that it was done on was lost")))
_STEPS = f"SELECT key, began, ended, value FROM steps {_WHERE}"
_BEGIN = """SET LOCAL synchronous_commit TO off; UPDATE runs SET current = %s, current_at = %s
    WHERE repository = %s AND run = %s AND EXISTS (SELECT 1 FROM claims c
    WHERE c.repository = runs.repository AND c.kind = 'plan' AND c.name = runs.plan AND c.fence = %s)"""


@record
class StepRow:
    """A step that has ended; `value` is its packed result as JSON."""

    key: str
    began: float
    ended: float
    value: str


@record
class RunRow:
    """A run as the team knows it, at home on a host in the root of its order; `current` are the steps under way."""

    team: Team
    order: Order
    ending: Ending | None
    host: str
    current: Mapping[str, float]

    def load_lines(self) -> list[JournalLine]:
        return to_lines(load_steps(self.team, self.order.run), self.current)

    def load_text(self) -> str | None:
        rows = ask(self.team.url, f"SELECT text FROM runs {_WHERE}", self.team.repository, self.order.run)
        return bytes(rows[0][0]).decode("utf-8", "surrogateescape") if rows else None


# ---- runs ----


def save_run(team: Team, order: Order, text: str, host: str, root: str) -> None:
    """Put a run on record, with its home. One that is there keeps its order and its text, and is at home here now."""
    frozen = (json.dumps(pack(order)), text.encode("utf-8", "surrogateescape"))
    known = (team.repository, order.run, to_column(order.plan), float(order.began))
    ask(team.url, _SAVE, *known, *frozen, host, to_column(root))


def move_home(team: Team, order: Order, host: str) -> None:
    """The run is carried out elsewhere from now on, by the folders of this order."""
    query = f"UPDATE runs SET host = %s, root = %s, ordered = %s {_WHERE} RETURNING run"
    ask(team.url, query, host, to_column(order.root), json.dumps(pack(order)), team.repository, order.run)


def save_run_ending(team: Team, run: str, ending: Ending | None) -> None:
    """Write down how a run ended, or, with None, that it goes on.

    Raises `Fenced` where another process that lives holds the plan.
    """
    packed = json.dumps(pack(ending)) if ending is not None else None

    def once(link: Link) -> None:
        with link.transaction():
            row = link.execute(_CLAIM, (team.repository, run)).fetchone()
            value, is_lapsed = row if row is not None else ("", True)
            claim = _load(value, from_json)
            owner = claim.owner if isinstance(claim, Claim) else None
            if owner is not None and not is_this_process(owner) and is_alive_leased(owner, is_lapsed=is_lapsed):
                raise fenced_out(run)
            link.execute(f"UPDATE runs SET ending = %s {_WHERE}", (packed, team.repository, run))

    attempt(team.url, once)


def load_run_row(team: Team, run: str) -> RunRow | None:
    """A run; None where there is none, or none that can be read."""
    return next(iter(_read(team, f"{_RUNS} AND run = %s", run)), None)


def list_run_rows(team: Team, plan: str | None = None) -> list[RunRow]:
    """The runs of the repository, or of one plan, the newest first. What cannot be read is left out."""
    query, values = (f"{_RUNS} AND plan = %s", [to_column(plan)]) if plan is not None else (_RUNS, [])
    return _read(team, f"{query} ORDER BY began DESC, run DESC", *values)


def fenced_out(run: str) -> Fenced:
    """The error of a planrail whose run is another's by now."""
    text = f"the run {run} was taken over by another planrail; this one does nothing more"
    return Fenced(text, remedy="planrail status")


def _read(team: Team, query: str, *values: str) -> list[RunRow]:
    found = []
    for ordered, ended, host, root, current, current_at in ask(team.url, query, team.repository, *values):
        order, ending, place = _load(ordered, unpack), _load(ended or "", unpack), from_column(root)
        steps = _load(current or "{}")
        if steps is None:  # an older planrail wrote one key
            steps = {current: current_at}
        known = steps.items() if isinstance(steps, dict) else ()
        under_way = {str(key): float(since) for key, since in known if isinstance(since, int | float)}
        if isinstance(order, Order):
            own, last = replace(order, root=place or order.root), ending if isinstance(ending, Ending) else None
            found.append(RunRow(team, own, last, host, under_way))
    return found


def _load(text: str, read: Callable[[Any], object] = lambda found: found) -> object:
    """What a text says as JSON; None where it cannot be read."""
    try:
        return read(json.loads(text))
    except (ValueError, RecursionError):
        return None


# ---- steps ----


def add_step(link: Link, team: Team, run: str, fence: int, step: StepRow) -> str:
    """Write a step down: `added`, `known` where it was there before, `fenced` where the plan is another's.

    A step that this very planrail has written is known to it, even if the answer was lost and the plan is gone since.
    """
    given = (to_column(step.key), step.began, step.ended, step.value)
    row = link.execute(_ADD, (team.repository, run, fence, *given)).fetchone()
    assert row is not None
    if row[0]:
        return ADDED if row[1] else KNOWN
    found = link.execute(f"{_STEPS} AND key = %s", (team.repository, run, given[0])).fetchone()
    return KNOWN if found is not None and tuple(found) == given else FENCED


def set_current(link: Link, team: Team, run: str, fence: int, current: Mapping[str, float]) -> bool:
    """Say which steps are under way, and since when. False where the plan is another's."""
    newest = max(current.values(), default=0.0)
    cursor = link.execute(_BEGIN, (json.dumps(dict(current)), newest, team.repository, run, fence))
    cursor.nextset()
    return cursor.rowcount == 1


def load_steps(team: Team, run: str) -> list[StepRow]:
    rows = ask(team.url, f"{_STEPS} ORDER BY number", team.repository, run)
    return [StepRow(from_column(key), began, ended, value) for key, began, ended, value in rows]


def drop_unfinished(team: Team, run: str) -> list[str]:
    """Forget what was found out in attempts that have not ended, and at the finish; the keys that were forgotten.

    For a run that goes on on another machine: the working trees and commits that those steps speak of are not there.
    An attempt that had come to its agent is written down as lost: it counts, and the next one follows.
    """

    def once(link: Link) -> list[str]:
        with link.transaction():
            rows = link.execute(f"{_STEPS} ORDER BY number", (team.repository, run)).fetchall()
            keys, lost = judge_unfinished([from_column(row[0]) for row in rows])
            gone = (team.repository, run, [to_column(key) for key in keys])
            link.execute(f"DELETE FROM steps {_WHERE} AND key = ANY(%s::text[])", gone)
            for key in lost:
                link.execute(_LOST, (team.repository, run, to_column(key), _LOST_WORK))
            link.execute(f"UPDATE runs SET current = '', current_at = 0 {_WHERE}", (team.repository, run))
        return keys

    return attempt(team.url, once)


def judge_unfinished(keys: Sequence[str]) -> tuple[list[str], list[str]]:
    """The steps to forget, and those to note as lost: in which an agent was at work or had worked. Pure.

    Forgotten are the steps of attempts without an end, and those of the finish, which looks at a tree. Up to the
    beginning of its agent an attempt needs no working tree: those steps stay, and so does what people answered between
    phases (attempt 0), and which phases were chosen.
    """
    ended = {split_key(key)[:2] for key in keys if key.endswith("/end")}
    unended = [key for key in keys if split_key(key)[1] > 0 and split_key(key)[:2] not in ended]
    ready = [key for key in unended if key.endswith(_READY)]
    begun = {split_key(key)[:2] for key in ready}
    kept = {key for key in unended if split_key(key)[:2] in begun and split_key(key)[2] in _BEFORE}
    gone = [key for key in keys if key.startswith("finish/") or (key in unended and key not in kept)]
    return gone, [f"{key.removesuffix(_READY)}/implement.1" for key in ready]


def to_lines(steps: Iterable[StepRow], current: Mapping[str, float]) -> list[JournalLine]:
    """The journal as a file would have it: beginnings and ends in the order of their times. Pure."""
    lines: list[JournalLine] = []
    ended: dict[str, float] = {}
    for step in steps:
        ended[step.key] = max(step.began, step.ended)  # a clock may be set back
        lines.append(JournalLine(step.began, step.key, BEGUN))
        lines.append(JournalLine(ended[step.key], step.key, ENDED, _load(step.value)))
    lines += [JournalLine(at, key, BEGUN) for key, at in current.items() if at > ended.get(key, float("-inf"))]
    return sorted(lines, key=lambda line: line.at)
