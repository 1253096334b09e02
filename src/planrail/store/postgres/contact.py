"""Whether leases may be judged: only after unbroken contact of any process with the database, for a lease and a beat.

While the database is away nobody can renew, and when it is back all leases have lapsed at once, of processes that live.
A process that reaches it notes that here, at most once a second for all of them together.
"""

from planrail.store.claim_rules import BEAT, LEASE

NOW = "extract(epoch FROM clock_timestamp())"
_GAP = 2 * BEAT  # seconds without any contact after which it counts as broken
UNBROKEN = LEASE + BEAT
JUDGE_AT = f"""coalesce((SELECT {NOW} FROM contact WHERE last >= {NOW} - {_GAP} AND since <= {NOW} - {UNBROKEN}), 0)"""
NOTE_CONTACT = f"""INSERT INTO contact AS c VALUES (1, {NOW}, {NOW}) ON CONFLICT (one) DO UPDATE
    SET since = CASE WHEN c.last < {NOW} - {_GAP} THEN {NOW} ELSE c.since END, last = {NOW} WHERE c.last < {NOW} - 1"""
# A claim is leased by itself for a moment, and by the signs of the process that it names: see `store.signs`.
_LEASED = f"greatest(c.until, coalesce((SELECT w.seen FROM workers w WHERE w.id = c.signer), 0) + {LEASE})"
SILENT = f"{_LEASED} <= {NOW}"  # for callers that only look
LAPSED = f"{_LEASED} <= {JUDGE_AT}"  # for those that take it over
