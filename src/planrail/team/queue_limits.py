"""What may start now: how many may run at once, and which accounts rest, for each repository and each account."""

from planrail.base.errors import UsageError
from planrail.team.queue_rows import Dispatching, read
from planrail.team.queueing import ACCOUNT, EVERY, LIMIT_KINDS, REPOSITORY, Limit, Submission

# The names that have as many at work as they may. An account without a name is nobody's, and has no limit. It goes from
# the limits to the rows: where nobody has set one, nothing is counted, however many are at work.
_FULL = """
    SELECT l.name FROM queue_limits l WHERE l.kind = '{kind}' AND l.name <> '*' AND l.most <= (
        SELECT COUNT(*) FROM submissions s WHERE s.state IN ('taken', 'stopping') AND s.id <> ? AND s.{kind} = l.name)
    UNION ALL SELECT b.name FROM (
        SELECT {kind} AS name, COUNT(*) AS busy FROM submissions
        WHERE state IN ('taken', 'stopping') AND id <> ?{named}
        AND EXISTS (SELECT 1 FROM queue_limits WHERE kind = '{kind}' AND name = '*')
        AND {kind} NOT IN (SELECT name FROM queue_limits WHERE kind = '{kind}') GROUP BY {kind}
    ) b WHERE b.busy >= (SELECT most FROM queue_limits WHERE kind = '{kind}' AND name = '*')
"""
FULL_REPOSITORIES = _FULL.format(kind=REPOSITORY, named="")
FULL_ACCOUNTS = _FULL.format(kind=ACCOUNT, named=" AND account <> ''")
IN_LINE = "ORDER BY priority DESC, served, submitted, id"
# `+due` keeps SQLite from sorting all that are due by an index on it: the line has an index of its own.
CAN_START = f"""
    WHERE state = 'queued' AND +due <= ?
    AND repository NOT IN ({FULL_REPOSITORIES})
    AND account NOT IN ({FULL_ACCOUNTS})
    AND account NOT IN (SELECT name FROM accounts WHERE until > ?)
"""
# In place only where the folder is; in a clone anywhere, unless the machine that had it last has it for a while yet.
NEAR = " AND ((remote = '' AND host IN ('', ?)) OR (remote <> '' AND (until <= ? OR taken_on IN ('', ?))))"
_SET = """
    INSERT INTO queue_limits (kind, name, most) VALUES (?, ?, ?)
    ON CONFLICT (kind, name) DO UPDATE SET most = excluded.most
"""
_HOLD = """
    INSERT INTO accounts (name, until) VALUES (?, ?)
    ON CONFLICT (name) DO UPDATE SET until = CASE
        WHEN excluded.until > accounts.until OR accounts.until < ? OR excluded.until < ? THEN excluded.until
        ELSE accounts.until END
"""


class QueueLimits(Dispatching):
    """How many may run at once, and which accounts rest."""

    def set_limit(self, kind: str, name: str, most: int | None) -> None:
        """At most so many of a repository or an account run at once; 0: none at all; None takes the limit away."""
        if kind not in LIMIT_KINDS:
            raise UsageError(f"{kind!r} has no limit", remedy="planrail queue limit repository|account NAME N|none")
        least = 1 if name == EVERY else 0
        if most is not None and most < least:
            raise UsageError(f"a limit is a number from {least}", remedy=f"planrail queue limit {kind} NAME none")
        if kind == ACCOUNT and not name:
            raise UsageError("a limit needs the name of an account", remedy="planrail queue limit account NAME N")
        with self.tables.exclusive():
            if most is None:
                self.tables.change("DELETE FROM queue_limits WHERE kind = ? AND name = ?", kind, name)
            else:
                self.tables.change(_SET, kind, name, most)
            self.announce()

    def list_startable(
        self, now: float, where: str, *values: object, host: str | None = None, but: str = "", most: int | None = None
    ) -> list[Submission]:
        """What may start now, the next one first; with a host, there. `but` is not counted among those at work."""
        near: tuple[object, ...] = (host, now, host) if host is not None else ()
        rest = f"{CAN_START}{NEAR if near else ''}{where} {IN_LINE}{f' LIMIT {most}' if most is not None else ''}"
        return read(self.tables, Submission, rest, now, but, but, but, but, now, *near, *values)

    def list_limits(self) -> list[Limit]:
        return [
            Limit(*row)
            for row in self.tables.rows("SELECT kind, name, most FROM queue_limits ORDER BY kind DESC, name")
        ]

    def hold_account(self, name: str, until: float) -> None:
        """Nothing of this account starts before then: it came to its usage limit. A time that has passed frees it."""
        with self.tables.exclusive():
            self.tables.change(_HOLD, name, until, self.tables.now(), self.tables.now())
            self.announce()  # a worker that slept until another time has to reckon anew

    def list_holds(self) -> dict[str, float]:
        """Until when which accounts rest; those that have gone by are left out."""
        rows = self.tables.rows("SELECT name, until FROM accounts WHERE until > ? ORDER BY name", self.tables.now())
        return {str(name): float(until) for name, until in rows}
