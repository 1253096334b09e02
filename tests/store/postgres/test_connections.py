"""Connections to a shared database: replaced when they break, waited for when there is none, never shared by a fork."""

import os
import signal
import socket
import subprocess
import sys
import threading

import psycopg
import pytest

from planrail.base.errors import ToolFailed
from planrail.store.failures import DatabaseGone
from planrail.store.postgres.connections import attempt, borrow, close_idle, connect, listen, translate
from tests.support.patience import PATIENCE
from tests.support.postgres_server import PostgresServer


def _backend(url: str) -> int:
    with borrow(url) as connection:
        row = connection.execute("SELECT pg_backend_pid()").fetchone()
    assert row is not None
    return int(row[0])


def test_a_connection_that_was_given_back_is_lent_again_and_one_that_is_in_use_is_not(database: str) -> None:
    assert _backend(database) == _backend(database)
    with borrow(database) as one, connect(database) as mine, borrow(database) as two:
        assert len({one.info.backend_pid, mine.info.backend_pid, two.info.backend_pid}) == 3
        one.execute("INSERT INTO accounts VALUES ('a', 1)")  # each statement is committed at once
        assert two.execute("SELECT name FROM accounts").fetchall() == [("a",)]


def test_a_transaction_that_was_left_open_is_not_lent_to_the_next(database: str) -> None:
    with borrow(database) as connection:
        connection.execute("BEGIN")
        connection.execute("INSERT INTO accounts VALUES ('a', 1)")
    with borrow(database) as connection:
        assert connection.execute("SELECT count(*) FROM accounts").fetchall() == [(0,)]


def test_an_idle_connection_that_the_server_ended_is_replaced_silently(database: str, postgres: PostgresServer) -> None:
    first = _backend(database)
    with postgres.admin() as admin:
        admin.execute("SELECT pg_terminate_backend(%s, 5000)", (first,))
    assert _backend(database) != first


def test_who_comes_while_the_server_is_down_waits_until_it_is_up(postgres: PostgresServer, prepared: str) -> None:
    postgres.stop()
    waiting, answers = _ask(postgres.url(prepared, tcp=True))
    assert answers == []
    postgres.start()
    waiting.join(PATIENCE)
    assert len(answers) == 1


def test_who_finds_no_connection_free_waits_for_one(postgres: PostgresServer, prepared: str) -> None:
    with postgres.admin(prepared) as admin:
        admin.execute("CREATE ROLE busy LOGIN CONNECTION LIMIT 1")
        admin.execute("GRANT USAGE ON SCHEMA planrail TO busy")
        admin.execute("GRANT SELECT ON ALL TABLES IN SCHEMA planrail TO busy")
    url = postgres.url(prepared, user="busy")
    with psycopg.connect(url):
        waiting, answers = _ask(url)
        assert answers == []
    waiting.join(PATIENCE)
    assert len(answers) == 1


def _ask(url: str) -> tuple[threading.Thread, list[int]]:
    """Somebody who has begun to wait for an answer, and the answers so far."""
    answers: list[int] = []
    waiting = threading.Thread(target=lambda: answers.append(_backend(url)))
    waiting.start()
    waiting.join(0.3)
    return waiting, answers


def test_a_server_that_does_not_come_back_is_said_with_what_to_do() -> None:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        url = f"postgresql://me:sesame@127.0.0.1:{door.getsockname()[1]}/x"
        with pytest.raises(DatabaseGone, match="does not answer") as failure, borrow(url, patience=0.3):
            pass
    assert "sesame" not in failure.value.message
    assert (failure.value.exit_code, failure.value.remedy) == (11, "planrail doctor --database")


@pytest.mark.parametrize(
    ("user", "database", "words"),
    [
        ("nobody_here", "postgres", "nobody_here"),
        ("postgres", "no_such_place", "no_such_place"),
        ("asked", "postgres", "asked"),
    ],
)
def test_what_waiting_does_not_mend_is_said_at_once(
    postgres: PostgresServer, user: str, database: str, words: str
) -> None:
    _make_asked(postgres)
    url = postgres.url(database, user=user, password="wrong sesame", tcp=True)
    with pytest.raises(ToolFailed, match=words) as failure, borrow(url, patience=3600):
        pass
    assert not isinstance(failure.value, DatabaseGone)
    assert "sesame" not in failure.value.message


def _make_asked(server: PostgresServer) -> None:
    with server.admin() as admin:
        if not admin.execute("SELECT 1 FROM pg_roles WHERE rolname = 'asked'").fetchone():
            admin.execute("CREATE ROLE asked_for_password")
            admin.execute("CREATE ROLE asked LOGIN PASSWORD 'right' IN ROLE asked_for_password")


def test_an_error_of_a_statement_is_said_without_the_password(postgres: PostgresServer) -> None:
    name = postgres.create_database()
    url = postgres.url(name, password="sesame", tcp=True)
    with pytest.raises(ToolFailed, match="nonsense") as failure, borrow(url) as connection:
        connection.execute("SELECT nonsense")
    assert "sesame" not in failure.value.message
    assert not isinstance(failure.value, DatabaseGone)
    close_idle()
    postgres.drop_database(name)


def test_work_is_done_again_where_the_connection_is_lost(database: str, postgres: PostgresServer) -> None:
    tries: list[int] = []

    def work(connection: "psycopg.Connection[tuple[object, ...]]") -> int:
        tries.append(connection.info.backend_pid)
        if len(tries) == 1:
            with postgres.admin() as admin:
                admin.execute("SELECT pg_terminate_backend(%s, 5000)", (tries[0],))
        connection.execute("SELECT 1")
        return len(tries)

    assert attempt(database, work) == 2
    assert len(set(tries)) == 2


# ---- forks ----


def _in_child(work: "object") -> str:
    """What a forked child answers, before it ends without any goodbye to Python."""
    assert callable(work)
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(writing, str(work()).encode())
        except BaseException as error:
            os.write(writing, repr(error).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read().decode()
    os.waitpid(pid, 0)
    return answer


def test_a_child_never_uses_the_connection_of_its_parent(database: str) -> None:
    mine = _backend(database)
    theirs = _in_child(lambda: _backend(database))
    assert int(theirs) != mine
    assert _backend(database) == mine


def test_a_child_of_a_parent_in_the_middle_of_a_step_leaves_it_alone(database: str) -> None:
    with borrow(database) as connection, connection.transaction():
        connection.execute("INSERT INTO accounts VALUES ('a', 1)")
        count = _in_child(
            lambda: attempt(database, lambda link: link.execute("SELECT count(*) FROM accounts").fetchall())
        )
        assert count == "[(0,)]"
        connection.execute("INSERT INTO accounts VALUES ('b', 1)")
    with borrow(database) as connection:
        assert connection.execute("SELECT count(*) FROM accounts").fetchall() == [(2,)]


_PARENT = """
import os, sys, time
from planrail.store.postgres.connections import borrow
url = sys.argv[1]
with borrow(url) as connection:
    connection.execute("SELECT pg_advisory_lock(4711)")
    if os.fork() == 0:
        sys.stdin.read()
        os._exit(0)
    print("forked", flush=True)
    os.kill(os.getpid(), 9)
"""


def test_what_a_dead_parent_held_is_free_while_its_child_lives(database: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _PARENT, database], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"forked\n"
        with borrow(database) as connection:
            row = connection.execute("SELECT pg_advisory_lock(4711), 'mine'").fetchone()
        assert row is not None
        assert row[1] == "mine"


def test_who_listens_goes_on_listening_after_a_fork(database: str) -> None:
    listener = listen(database, "planrail")
    _in_child(lambda: _backend(database))
    with borrow(database) as connection:
        connection.execute("NOTIFY planrail, 'heard'")
    assert [notice.payload for notice in listener.notifies(timeout=10, stop_after=1)] == ["heard"]
    listener.close()


_STOPPED = """
import os, sys
from planrail.store.ledger import open_team_tables
tables = open_team_tables(sys.argv[1])
with tables.exclusive():
    tables.change("INSERT INTO accounts (name, until) VALUES ('frozen', 1)")
    print("inside", flush=True)
    sys.stdin.read()
"""


@pytest.mark.soak
def test_a_machine_that_freezes_in_the_middle_of_a_step_holds_the_others_up_for_seconds_only(database: str) -> None:
    from planrail.store.ledger import open_team_tables

    command = [sys.executable, "-c", _STOPPED, database]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as frozen:
        assert frozen.stdout is not None
        assert frozen.stdout.readline() == b"inside\n"
        frozen.send_signal(signal.SIGSTOP)
        with open_team_tables(database) as tables, tables.exclusive():
            assert tables.rows("SELECT name FROM accounts") == []
        frozen.send_signal(signal.SIGCONT)
        _, said = frozen.communicate(timeout=PATIENCE)
    assert frozen.returncode != 0
    assert b"DatabaseGone" in said


# ---- listening ----


def test_who_listens_is_told_once_it_is_committed(database: str) -> None:
    from planrail.store.ledger import open_team_tables
    from planrail.store.postgres.names import channel_of

    listener, tables = listen(database, channel_of("w1")), open_team_tables(database)
    with tables.exclusive():
        tables.wake("w2")
        tables.wake("w1")
        assert list(listener.notifies(timeout=0.1)) == []
    assert [notice.channel for notice in listener.notifies(timeout=10, stop_after=1)] == [channel_of("w1")]
    listener.close()


# ---- the dialect ----


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT ?", b"SELECT %s"),
        ("SELECT '?', ?", b"SELECT '?', %s"),
        ("SELECT 'it''s ?' || ?", b"SELECT 'it''s ?' || %s"),
        ("SELECT 7 % 3, ?", b"SELECT 7 %% 3, %s"),
        ("SELECT x FROM y WHERE x LIKE 'a%'", b"SELECT x FROM y WHERE x LIKE 'a%%'"),
    ],
)
def test_the_common_dialect_becomes_psycopgs(sql: str, expected: bytes) -> None:
    assert translate(sql) == expected
