"""`planrail doctor --database` says what is wrong with a connection, what to do, and never the password."""

import json
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from planrail.install.database import (
    judge_connections,
    judge_encryption,
    judge_schema,
    judge_version,
    judge_workers,
    judge_writing,
)
from planrail.install.database_probe import explain_failure
from planrail.install.findings import BAD, NOTE, WELL
from planrail.store.postgres.connections import borrow, close_idle
from planrail.store.postgres.migrations import VERSION, prepare
from tests.cli.processes import call, planrail
from tests.postgres import database as database
from tests.postgres import postgres as postgres
from tests.support.postgres_server import PostgresServer

_QUESTIONS = {
    *("settings", "server", "login", "encryption", "version", "writing", "schema"),
    *("connections", "notices", "workers"),
}


class Machine:
    """A project and a home of their own."""

    def __init__(self, folder: Path) -> None:
        self.root, self.home = folder / "project", folder / "home"
        (self.home / "config/planrail").mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)

    def run(self, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        places = {"HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home / "config")}
        return call("doctor", *arguments, cwd=self.root, **places, **environment)

    def examine(self, *arguments: str, **environment: str) -> "tuple[int, dict[str, dict[str, str]]]":
        """The exit code, and the findings by their names."""
        done = self.run("--json", "--database", *arguments, **environment)
        assert "sesame" not in done.stdout + done.stderr
        report = json.loads(done.stdout)
        assert report["ok"] == (done.returncode == 0)
        assert all(check["remedy"] for check in report["checks"] if check["state"] != WELL)
        return done.returncode, {check["name"]: check for check in report["checks"]}


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.delenv("PLANRAIL_DATABASE", raising=False)
    return Machine(tmp_path)


def test_a_database_that_is_fit_for_work_is_well_and_looking_creates_nothing_in_it(
    machine: Machine, database: str
) -> None:
    code, found = machine.examine(database)
    assert (code, "not there yet" in found["schema"]["text"]) == (0, True)
    with psycopg.connect(database, autocommit=True) as connection:
        assert connection.execute("SELECT to_regnamespace('planrail')").fetchall() == [(None,)]
        prepare(connection, upto=1)
        assert machine.examine(database)[1]["schema"]["state"] == WELL, "older tables are well"
    with borrow(database) as connection:
        connection.execute(
            "INSERT INTO workers VALUES ('w', 'host#1', 77, '{}', 4, 0, 0, extract(epoch FROM now()), '1')"
        )
    code, found = machine.examine(database)
    assert (code, set(found)) == (0, _QUESTIONS)
    assert all(check["state"] == WELL for check in found.values()), found
    assert f"version {VERSION}" in found["schema"]["text"]
    assert "host 77" in found["workers"]["text"]
    done = planrail("doctor", "--database", database, cwd=machine.root, HOME=str(machine.home))
    assert (done.returncode, "PostgreSQL" in done.stdout, "next:" in done.stdout.lower()) == (0, True, True)


def test_a_worker_that_is_gone_and_newer_tables_are_told(machine: Machine, database: str) -> None:
    with borrow(database) as connection:
        connection.execute(
            "INSERT INTO workers VALUES ('w', 'far#1', 7, '{}', 4, 0, 0, extract(epoch FROM now()) - 999, '1')"
        )
    code, found = machine.examine(database)
    assert (code, found["workers"]["state"]) == (0, NOTE)
    assert "none of them is alive" in found["workers"]["text"]
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("INSERT INTO planrail.migrations VALUES (%s, 1)", (VERSION + 1,))
    code, found = machine.examine(database)
    assert (code, found["schema"]["state"], "upgrade" in found["schema"]["remedy"]) == (1, BAD, True)


def test_where_the_database_is_named_is_told(machine: Machine) -> None:
    code, found = machine.examine()
    assert (code, found["settings"]["state"]) == (1, BAD)
    assert "postgresql://" in found["settings"]["remedy"]
    url = "postgresql://me:sesame@127.0.0.1:1/x"
    assert "PLANRAIL_DATABASE" in machine.examine(PLANRAIL_DATABASE=url)[1]["settings"]["text"]
    own = machine.home / "config/planrail/planrail.toml"
    own.write_text(f'database = "{url}"\n')
    assert str(own) in machine.examine()[1]["settings"]["text"]
    own.unlink()
    (machine.root / "planrail.toml").write_text(f'database = "{url}"\n')
    names = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for command in (["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run(["git", "-C", str(machine.root), *names, *command], check=True)
    found = machine.examine()[1]
    assert (found["settings"]["state"], "for all who can read" in found["settings"]["text"]) == (NOTE, True)


def test_an_address_that_leads_to_no_server_is_told(machine: Machine) -> None:
    for url in ("mysql://me:sesame@x/y", "ledger.db"):
        code, found = machine.examine(url)
        assert (code, found["settings"]["state"]) == (1, BAD), url
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        code, found = machine.examine(f"postgresql://me:sesame@127.0.0.1:{door.getsockname()[1]}/x")
    assert (code, found["server"]["state"], "firewall" in found["server"]["remedy"]) == (1, BAD, True)
    code, found = machine.examine("postgresql://me:sesame@no-such-host.invalid/x")
    assert (code, found["server"]["state"]) == (1, BAD)


def test_a_wrong_password_role_or_database_is_told(machine: Machine, postgres: PostgresServer) -> None:
    with postgres.admin() as admin:
        if not admin.execute("SELECT 1 FROM pg_roles WHERE rolname = 'asked'").fetchone():
            admin.execute("CREATE ROLE asked_for_password")
            admin.execute("CREATE ROLE asked LOGIN PASSWORD 'right' IN ROLE asked_for_password")
    for user, name, question in (
        ("asked", "postgres", "login"),
        ("nobody_here", "postgres", "login"),
        ("postgres", "no_such_place", "database"),
    ):
        code, found = machine.examine(postgres.url(name, user=user, password="sesame", tcp=True))
        assert (code, found[question]["state"]) == (1, BAD), user


@pytest.mark.full
def test_a_server_without_a_free_connection_is_told(machine: Machine, postgres: PostgresServer) -> None:
    with PostgresServer(max_connections=6) as small:
        held = [psycopg.connect(small.url()) for _ in range(6)]
        code, found = machine.examine(small.url())
        for connection in held:
            connection.close()
    assert (code, found["connections"]["state"]) == (1, BAD)
    assert "max_connections" in found["connections"]["remedy"]


def test_a_role_that_may_not_create_the_tables_is_told(
    machine: Machine, postgres: PostgresServer, database: str
) -> None:
    with postgres.admin() as admin:
        admin.execute("DROP ROLE IF EXISTS watcher")
        admin.execute("CREATE ROLE watcher LOGIN")
    url = database.replace("postgres@", "watcher@")
    code, found = machine.examine(url)
    assert (code, found["schema"]["state"]) == (1, BAD)
    assert "GRANT CREATE" in found["schema"]["remedy"]
    with borrow(database):
        pass
    code, found = machine.examine(url)
    assert (code, found["schema"]["state"]) == (1, BAD)
    assert "may not use" in found["schema"]["text"]


def test_a_database_that_only_reads_is_told(machine: Machine, postgres: PostgresServer) -> None:
    name = postgres.create_database()
    with postgres.admin() as admin:
        admin.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on".encode())
    code, found = machine.examine(postgres.url(name))
    postgres.drop_database(name)
    assert (code, found["writing"]["state"]) == (1, BAD)


# ---- a pooler ----


class Pooler:
    """Between client and server; like a pooler by transaction it delivers no notices, which have the letter A."""

    def __init__(self, server: PostgresServer) -> None:
        self._behind = (server.listen, server.port)
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._door.accept()
            except OSError:
                return
            server = socket.create_connection(self._behind)
            threading.Thread(target=self._forward, args=(client, server), daemon=True).start()
            threading.Thread(target=self._filter, args=(server, client), daemon=True).start()

    def _forward(self, source: socket.socket, sink: socket.socket) -> None:
        with source, sink:
            while data := _receive(source):
                sink.sendall(data)

    def _filter(self, source: socket.socket, sink: socket.socket) -> None:
        waiting = b""
        while data := _receive(source):
            waiting += data
            while len(waiting) >= 5 and len(waiting) > (size := int.from_bytes(waiting[1:5], "big")):
                message, waiting = waiting[: size + 1], waiting[size + 1 :]
                if message[:1] != b"A":
                    sink.sendall(message)


def _receive(source: socket.socket) -> bytes:
    try:
        return source.recv(65536)
    except OSError:
        return b""


@pytest.fixture
def pooler(postgres: PostgresServer) -> Iterator[Pooler]:
    between = Pooler(postgres)
    yield between
    between.close()


@pytest.mark.full
def test_a_pooler_that_loses_notices_is_found(machine: Machine, database: str, pooler: Pooler) -> None:
    name = database.partition("@/")[2].partition("?")[0]
    options = "sslmode=disable&gssencmode=disable"
    code, found = machine.examine(f"postgresql://postgres@127.0.0.1:{pooler.port}/{name}?{options}")
    assert (code, found["notices"]["state"]) == (1, BAD)
    assert "session" in found["notices"]["remedy"]
    close_idle()


# ---- what follows from an answer ----


def test_what_follows_from_an_answer() -> None:
    assert [judge_version(number).state for number in (120_022, 130_000, 180_004)] == [BAD, WELL, WELL]
    assert [judge_schema(version, may_change=True).state for version in range(VERSION + 2)] == [WELL] * (
        VERSION + 1
    ) + [BAD]
    assert [judge_schema(version, may_change=False).state for version in (0, 1, VERSION)] == [BAD, BAD, WELL]
    assert [judge_connections(100, used, 1).state for used in (10, 85, 99)] == [WELL, NOTE, BAD]
    assert judge_workers([]).state == NOTE
    assert judge_writing(is_copy=True, is_closed=True).state == BAD
    hosts = ("db.example.org", "localhost", "127.0.0.1", "/run/postgresql", "")
    assert [judge_encryption(host, is_encrypted=False).state for host in hosts] == [NOTE, WELL, WELL, WELL, WELL]
    assert judge_encryption("db.example.org", is_encrypted=True).state == WELL


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("FATAL: the database system is starting up", "server"),
        ("FATAL: sorry, too many clients already", "connections"),
        ("connection timeout expired", "server"),
        ("server does not support SSL, but SSL was required", "encryption"),
        ('FATAL: no pg_hba.conf entry for host "10.0.0.1", user "me", database "x", no encryption', "login"),
    ],
)
def test_every_failure_has_its_name_and_a_way_out(words: str, name: str) -> None:
    finding = explain_failure("db.example.org:5432", words)
    assert (finding.name, finding.state, bool(finding.remedy)) == (name, BAD, True)
