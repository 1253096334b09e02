"""The tables of a shared database, as numbered migrations: forwards only, all that are missing in one transaction."""

from typing import TYPE_CHECKING, Any

from planrail.store.failures import too_new
from planrail.store.postgres.names import MIGRATIONS as LOCK
from planrail.store.row_schema import QUEUE_TABLES, TASK_TABLES

if TYPE_CHECKING:
    from psycopg import Connection


SCHEMA = "planrail"

# Facts are never changed or removed, as in the embedded ledger. `add_fact` is one round trip: the lock of the
# repository is taken before the number is drawn, so that the order of the numbers is the order of being added.
_FIRST = """
CREATE TABLE facts (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    repository TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    plan TEXT NOT NULL,
    at BIGINT NOT NULL,
    value TEXT NOT NULL,
    UNIQUE (repository, id)
);
CREATE INDEX facts_by_plan ON facts (repository, plan, kind);
CREATE INDEX facts_by_kind ON facts (repository, kind);
CREATE TABLE texts (hash TEXT PRIMARY KEY, text BYTEA NOT NULL);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION '% are never changed or removed', TG_TABLE_NAME; END $$;
CREATE TRIGGER facts_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON facts EXECUTE FUNCTION refuse_change();
CREATE TRIGGER texts_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON texts EXECUTE FUNCTION refuse_change();

CREATE FUNCTION add_fact(
    door BIGINT, a_repository TEXT, an_id TEXT, a_kind TEXT, a_plan TEXT, a_time BIGINT, a_value TEXT
) RETURNS SETOF facts LANGUAGE plpgsql SET search_path = planrail AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(door);
    IF NOT EXISTS (SELECT 1 FROM facts WHERE facts.repository = a_repository AND facts.id = an_id) THEN
        INSERT INTO facts (repository, id, kind, plan, at, value)
        VALUES (a_repository, an_id, a_kind, a_plan, a_time, a_value);
    END IF;
    RETURN QUERY SELECT * FROM facts WHERE facts.repository = a_repository AND facts.id = an_id;
END $$;

CREATE SEQUENCE fences;
CREATE TABLE claims (
    repository TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    fence BIGINT NOT NULL,
    value TEXT NOT NULL,
    until DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (repository, kind, name)
) WITH (fillfactor = 50); -- renewed every few seconds: room beside each row keeps that off the index
CREATE TABLE runs (
    repository TEXT NOT NULL,
    run TEXT NOT NULL,
    plan TEXT NOT NULL,
    began DOUBLE PRECISION NOT NULL,
    ordered TEXT NOT NULL,
    text BYTEA NOT NULL,
    ending TEXT,
    host TEXT NOT NULL DEFAULT '',
    root TEXT NOT NULL DEFAULT '',
    current TEXT NOT NULL DEFAULT '',
    current_at DOUBLE PRECISION NOT NULL DEFAULT 0,
    PRIMARY KEY (repository, run)
);
CREATE INDEX runs_by_plan ON runs (repository, plan);
CREATE TABLE steps (
    repository TEXT NOT NULL,
    run TEXT NOT NULL,
    number BIGINT GENERATED ALWAYS AS IDENTITY,
    key TEXT NOT NULL,
    began DOUBLE PRECISION NOT NULL,
    ended DOUBLE PRECISION NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (repository, run, key)
);
"""
# Leases are renewed all the time: with room on its page a row is changed in place, and no index has to be written.
_ROOM = "ALTER TABLE submissions SET (fillfactor = 70); ALTER TABLE claims SET (fillfactor = 70);"
_CONTACT = """
CREATE TABLE contact (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    last DOUBLE PRECISION NOT NULL,
    since DOUBLE PRECISION NOT NULL
) WITH (fillfactor = 10);
ALTER TABLE claims ADD signer TEXT NOT NULL DEFAULT '';
"""
# A transaction that prunes says so by its own number: no other one that removes facts is heard.
_PRUNING = """
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('planrail.prunes', true) = txid_current()::text THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION '% are never changed or removed', TG_TABLE_NAME;
END $$;
"""
# What the database runs on, for all machines alike, and what is offered there: see `team.engines`.
_ENGINE = """
CREATE TABLE engine (one INTEGER PRIMARY KEY CHECK (one = 1), name TEXT NOT NULL);
CREATE TABLE turns (workflow TEXT PRIMARY KEY, submission TEXT NOT NULL UNIQUE, queue TEXT NOT NULL);
"""
# A database that runs on DBOS has the turns beside the tables of DBOS, and others have none of it.
_ASIDE = """
DO $$ BEGIN
    IF EXISTS (SELECT 1 FROM engine WHERE name = 'dbos') THEN ALTER TABLE turns SET SCHEMA planrail_dbos; END IF;
END $$;
DROP TABLE IF EXISTS engine, turns;
"""
MIGRATIONS: tuple[str, ...] = (_FIRST, QUEUE_TABLES, _ROOM, TASK_TABLES, _CONTACT, _PRUNING, _ENGINE, _ASIDE)
VERSION = len(MIGRATIONS)
# The catalogue is read as a table: `to_regclass` answers from a cache filled before the wait for the lock.
_HAS_SCHEMA = "SELECT count(*) FROM pg_namespace WHERE nspname = 'planrail'"
_IS_THERE = """
SELECT count(*) FROM pg_class JOIN pg_namespace ON relnamespace = pg_namespace.oid
WHERE nspname = 'planrail' AND relname = 'migrations'
"""
_NUMBERS = "CREATE TABLE migrations (number INTEGER PRIMARY KEY, at DOUBLE PRECISION NOT NULL)"


def read_version(connection: "Connection[Any]") -> int:
    """The version that a database has; 0 where planrail was never there."""
    if not _ask(connection, _IS_THERE):
        return 0
    return int(_ask(connection, "SELECT coalesce(max(number), 0) FROM planrail.migrations"))


def prepare(connection: "Connection[Any]", place: str = "", upto: int = VERSION) -> None:
    """Bring a database to this version, whole or not at all; of several processes that come at once one does it."""
    version = read_version(connection)
    if version > VERSION:
        raise too_new(place, version, VERSION)
    if version >= upto:
        return
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
        connection.execute("SET LOCAL client_min_messages = warning")
        version = read_version(connection)
        if not version and not _ask(connection, _HAS_SCHEMA):
            connection.execute("CREATE SCHEMA planrail")
        connection.execute("SET LOCAL search_path = planrail")
        if not version:
            connection.execute(_NUMBERS)
        for number in range(version, upto):
            connection.execute(MIGRATIONS[number].encode())
            row = "INSERT INTO migrations VALUES (%s, extract(epoch FROM now()))"
            connection.execute(row, (number + 1,))


def _ask(connection: "Connection[Any]", query: str) -> "Any":
    row = connection.execute(query.encode()).fetchone()
    return row[0] if row is not None else None
