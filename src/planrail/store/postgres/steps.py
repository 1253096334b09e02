"""The steps of a run as rows: each is written once, when it has ended, by whoever holds the plan at that moment."""

import json
from collections.abc import Iterable, Mapping, Sequence

from planrail.base.records import record
from planrail.base.run_model import Work
from planrail.base.values import pack
from planrail.store.journal_lines import BEGUN, ENDED, Line, split_key
from planrail.store.postgres.connections import Link, attempt
from planrail.store.postgres.names import from_column, to_column
from planrail.store.team import Team

ADDED, KNOWN, FENCED = "added", "known", "fenced"
_READY = "/workspace"  # the step after which an agent begins
_BEFORE = ("start", "confirm", "baseline", "fresh", "ask_stale", "workspace")

# The claim is locked against a takeover until the step is there: whoever follows reads all that was written before.
_GUARD = """SELECT r.repository, r.run FROM runs r
    JOIN claims c ON c.repository = r.repository AND c.kind = 'plan' AND c.name = r.plan
    WHERE r.repository = %s AND r.run = %s AND c.fence = %s FOR SHARE OF c"""
_ADD = f"""WITH guard AS MATERIALIZED ({_GUARD}), made AS (
    INSERT INTO steps (repository, run, key, began, ended, value)
    SELECT repository, run, %s, %s, %s, %s FROM guard ON CONFLICT DO NOTHING RETURNING 1)
    SELECT (SELECT count(*) FROM guard), (SELECT count(*) FROM made)"""
_LOST = """
    INSERT INTO steps (repository, run, key, began, ended, value)
    SELECT %s, %s, %s, extract(epoch FROM clock_timestamp()), extract(epoch FROM clock_timestamp()), %s
"""
_LOST_WORK = json.dumps(pack(Work(ok=False, reason="lost", error="the machine that it was done on was lost")))
_ALL = "SELECT key, began, ended, value FROM steps WHERE repository = %s AND run = %s ORDER BY number"
_ONE = "SELECT key, began, ended, value FROM steps WHERE repository = %s AND run = %s AND key = %s"
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


def add_step(link: Link, team: Team, run: str, fence: int, step: StepRow) -> str:
    """Write a step down: `added`, `known` where it was there before, `fenced` where the plan is somebody else's.

    A step that this very planrail has written is known to it, even if the answer was lost and the plan is gone since.
    """
    given = (to_column(step.key), step.began, step.ended, step.value)
    row = link.execute(_ADD, (team.repository, run, fence, *given)).fetchone()
    assert row is not None
    if row[0]:
        return ADDED if row[1] else KNOWN
    found = link.execute(_ONE, (team.repository, run, given[0])).fetchone()
    return KNOWN if found is not None and tuple(found) == given else FENCED


def set_current(link: Link, team: Team, run: str, fence: int, current: Mapping[str, float]) -> bool:
    """Say which steps are under way, and since when. False where the plan is somebody else's."""
    newest = max(current.values(), default=0.0)
    cursor = link.execute(_BEGIN, (json.dumps(dict(current)), newest, team.repository, run, fence))
    cursor.nextset()
    return cursor.rowcount == 1


def load_steps(team: Team, run: str) -> list[StepRow]:
    """The steps of a run that have ended, in their order."""
    rows = attempt(team.url, lambda link: link.execute(_ALL, (team.repository, run)).fetchall())
    return [StepRow(from_column(key), began, ended, value) for key, began, ended, value in rows]


def drop_unfinished(team: Team, run: str) -> list[str]:
    """Forget what was found out in attempts that have not ended, and at the finish; the keys that were forgotten.

    For a run that goes on on another machine: the working trees and commits that those steps speak of are not there.
    An attempt that had come to its agent is written down as lost: it counts, and the next one follows.
    """

    def once(link: Link) -> list[str]:
        with link.transaction():
            rows = link.execute(_ALL, (team.repository, run)).fetchall()
            known = [from_column(row[0]) for row in rows]
            keys = find_unfinished(known)
            gone = (team.repository, run, [to_column(key) for key in keys])
            link.execute("DELETE FROM steps WHERE repository = %s AND run = %s AND key = ANY(%s::text[])", gone)
            for key in find_lost(known):
                link.execute(_LOST, (team.repository, run, to_column(key), _LOST_WORK))
            idle = "UPDATE runs SET current = '', current_at = 0 WHERE repository = %s AND run = %s"
            link.execute(idle, (team.repository, run))
        return keys

    return attempt(team.url, once)


def find_lost(keys: Sequence[str]) -> list[str]:
    """The steps, of attempts without an end, in which an agent was at work or had worked. Pure."""
    ended = {split_key(key)[:2] for key in keys if key.endswith("/end")}
    ready = [key for key in keys if key.endswith(_READY) and split_key(key)[:2] not in ended]
    return [f"{key.removesuffix(_READY)}/implement.1" for key in ready]


def find_unfinished(keys: Sequence[str]) -> list[str]:
    """The steps of attempts without an end, and those of the finish, which looks at a tree. Pure.

    What people answered between phases (attempt 0) and which phases were chosen stays.
    """
    ended = {split_key(key)[:2] for key in keys if key.endswith("/end")}
    open_ones = [key for key in keys if split_key(key)[1] > 0 and split_key(key)[:2] not in ended]
    kept = find_before(open_ones)
    return [key for key in keys if key.startswith("finish/") or (key in open_ones and key not in kept)]


def find_before(keys: Sequence[str]) -> list[str]:
    """Of attempts that had come to their agent: the steps up to there, which no working tree is needed for. Pure."""
    begun = [split_key(key)[:2] for key in keys if key.endswith(_READY)]
    return [key for key in keys if split_key(key)[:2] in begun and split_key(key)[2] in _BEFORE]


def to_lines(steps: Iterable[StepRow], current: Mapping[str, float]) -> list[Line]:
    """The journal as a file would have it: beginnings and ends in the order of their times. Pure."""
    lines: list[Line] = []
    ended: dict[str, float] = {}
    for step in steps:
        ended[step.key] = max(step.began, step.ended)  # a clock may be set back
        lines.append(Line(step.began, step.key, BEGUN))
        lines.append(Line(ended[step.key], step.key, ENDED, _load(step.value)))
    lines += [Line(at, key, BEGUN) for key, at in current.items() if at > ended.get(key, float("-inf"))]
    return sorted(lines, key=lambda line: line.at)


def _load(value: str) -> object:
    try:
        found: object = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return found
