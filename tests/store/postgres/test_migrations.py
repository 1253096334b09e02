"""Migrations, of a team's database and of the embedded ledger: forwards, whole, once, and with all that was there."""

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from planrail.base.errors import ToolFailed
from planrail.store.fact_rows import open_folder
from planrail.store.ledger import open_team_tables
from planrail.store.places import LEDGER as NAME
from planrail.store.postgres.connections import borrow, close_idle
from planrail.store.postgres.migrations import MIGRATIONS, VERSION, prepare, read_version
from planrail.store.postgres.tables import PgLedger
from planrail.store.tables import MIGRATIONS as EMBEDDED
from planrail.store.tables import VERSION as EMBEDDED_VERSION
from planrail.store.team import Team
from tests.support.postgres_server import PostgresServer

_OLD_ROWS = """
INSERT INTO facts (repository, id, kind, plan, at, value)
    SELECT 'one', 'fact-' || n, 'note', 'plan', n, '{"number": ' || n || '}' FROM generate_series(1, 500) n;
INSERT INTO texts VALUES ('2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae', 'foo');
INSERT INTO claims VALUES ('one', 'plan', 'plan', nextval('fences'), '{}', 1.5);
INSERT INTO runs (repository, run, plan, began, ordered, text) VALUES ('one', 'r1', 'plan', 1.25, '{}', 'plan text');
INSERT INTO steps (repository, run, key, began, ended, value)
    SELECT 'one', 'r1', 'step/' || n, n, n + 0.5, '{}' FROM generate_series(1, 50) n;
"""
_FIRST_TABLES = {  # what a later version adds to a row is not looked at
    "facts": "seq, repository, id, kind, plan, at, value",
    "texts": "hash, text",
    "claims": "repository, kind, name, fence, value, until",
    "runs": "repository, run, plan, began, ordered, text, ending, host, root, current, current_at",
    "steps": "repository, run, number, key, began, ended, value",
}


def _everything(url: str) -> dict[str, list[tuple[object, ...]]]:
    with psycopg.connect(url) as connection:
        return {
            name: connection.execute(f"SELECT {columns} FROM planrail.{name} ORDER BY 1, 2".encode()).fetchall()
            for name, columns in _FIRST_TABLES.items()
        }


def _old_database(server: PostgresServer) -> str:
    """A database as the first version left it, with rows in every table; its name."""
    name = server.create_database()
    with server.admin(name) as connection:
        prepare(connection, upto=1)
        connection.execute("SET search_path = planrail")
        connection.execute(_OLD_ROWS.encode())
    return name


def test_a_copy_of_an_old_database_comes_to_the_newest_version_with_all_its_rows(postgres: PostgresServer) -> None:
    old = _old_database(postgres)
    copy = postgres.create_database(template=old)
    before = _everything(postgres.url(old))
    with borrow(postgres.url(copy)) as connection:
        assert read_version(connection) == VERSION
    assert _everything(postgres.url(copy)) == before == _everything(postgres.url(old))
    ledger = PgLedger(Team(postgres.url(copy), "one"))
    assert [fact.value["number"] for fact in ledger.facts()] == list(range(1, 501))
    assert ledger.add("note", "plan", {}, at=1).seq > 500
    assert ledger.text("2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae") == "foo"
    assert open_team_tables(postgres.url(copy)).rows("SELECT * FROM submissions") == []
    with postgres.admin(old) as connection:
        assert read_version(connection) == 1
    close_idle()
    for name in (copy, old):
        postgres.drop_database(name)


@pytest.mark.full
def test_every_version_that_there_was_comes_to_the_newest(postgres: PostgresServer) -> None:
    for version in range(len(MIGRATIONS) + 1):
        with postgres.fresh_database() as url, psycopg.connect(url, autocommit=True) as connection:
            prepare(connection, upto=version)
            assert read_version(connection) == version
            prepare(connection)
            assert read_version(connection) == VERSION


def test_a_migration_that_fails_leaves_nothing_of_itself(postgres: PostgresServer) -> None:
    """The tables of the second version cannot be made where one of that name is in the way."""
    name = _old_database(postgres)
    with postgres.admin(name) as connection:
        connection.execute("CREATE TABLE planrail.workers (id TEXT)")
        with pytest.raises(psycopg.Error):
            prepare(connection)
        assert read_version(connection) == 1
        assert connection.execute("SELECT to_regclass('planrail.submissions')").fetchall() == [(None,)]
        connection.execute("DROP TABLE planrail.workers")
        prepare(connection)
        assert read_version(connection) == VERSION
    postgres.drop_database(name)


_PREPARE = """
import sys
from planrail.store.postgres.connections import borrow
print("ready", flush=True)
sys.stdin.readline()
with borrow(sys.argv[1]) as connection:
    print(connection.execute("SELECT count(*) FROM migrations").fetchone()[0])
"""


@pytest.mark.full
def test_of_several_who_prepare_a_database_at_once_one_does_it(own_database: str) -> None:
    command = [sys.executable, "-c", _PREPARE, own_database]
    comers = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    for comer in comers:
        assert comer.stdout is not None
        assert comer.stdout.readline() == "ready\n"
    for comer in comers:
        assert comer.stdin is not None
        comer.stdin.write("go\n")
        comer.stdin.flush()
    assert [comer.communicate()[0].strip() for comer in comers] == [str(VERSION)] * 4
    assert [comer.returncode for comer in comers] == [0] * 4


def test_a_newer_database_is_refused_and_left_alone(own_database: str) -> None:
    with borrow(own_database) as connection:
        connection.execute("INSERT INTO migrations VALUES (%s, 1)", (VERSION + 1,))
    close_idle()
    with pytest.raises(ToolFailed, match=f"has version {VERSION + 1}") as failure, borrow(own_database):
        pass
    assert "upgrade planrail" in failure.value.remedy


def test_a_schema_that_somebody_made_beforehand_is_used(own_database: str) -> None:
    with psycopg.connect(own_database, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA planrail")
    with borrow(own_database) as link:
        assert read_version(link) == VERSION


def test_a_role_that_may_not_create_the_schema_is_told(postgres: PostgresServer, own_database: str) -> None:
    with postgres.admin() as admin:
        admin.execute("DROP ROLE IF EXISTS onlooker")
        admin.execute("CREATE ROLE onlooker LOGIN")
    url = own_database.replace("postgres@", "onlooker@")
    with pytest.raises(ToolFailed, match="permission denied") as failure, borrow(url):
        pass
    assert failure.value.remedy == "planrail doctor --database"


# ---- embedded ----


def _old_ledger(folder: Path) -> None:
    folder.mkdir()
    connection = sqlite3.connect(folder / NAME)
    connection.executescript(f"BEGIN; {EMBEDDED[0]} PRAGMA user_version = 1; COMMIT;")
    row = "INSERT INTO facts (id, kind, plan, at, value) VALUES (?, 'note', 'plan', ?, '{\"a\": 1}')"
    connection.executemany(row, [(f"fact-{number}", number) for number in range(500)])
    connection.execute(
        "INSERT INTO texts VALUES ('2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae', 'foo')"
    )
    connection.commit()
    connection.close()


def test_a_copy_of_an_old_ledger_comes_to_the_newest_version_with_all_its_facts(tmp_path: Path) -> None:
    _old_ledger(tmp_path / "old")
    shutil.copytree(tmp_path / "old", tmp_path / "copy")
    with open_folder(str(tmp_path / "copy")) as ledger:
        facts = ledger.facts()
        assert [(fact.seq, fact.id, fact.at, fact.value) for fact in facts] == [
            (number + 1, f"fact-{number}", number, {"a": 1}) for number in range(500)
        ]
        assert ledger.text("2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae") == "foo"
        assert ledger.add("note", "plan", {}, at=1).seq == 501
    connection = sqlite3.connect(tmp_path / "copy" / NAME)
    assert connection.execute("PRAGMA user_version").fetchone() == (EMBEDDED_VERSION,)
    assert connection.execute("SELECT count(*) FROM submissions").fetchone() == (0,)
    connection.close()
