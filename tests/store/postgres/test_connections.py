"""Connections to a shared database: replaced when they break, waited for when there is none, never shared by a fork."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

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


@pytest.fixture(scope="module")
def small(postgres: PostgresServer) -> Iterator[PostgresServer]:
    with PostgresServer(listen="127.0.0.1", max_connections=8) as server:
        yield server


@pytest.fixture
def own(small: PostgresServer) -> Iterator[PostgresServer]:
    """A server that may be killed, if it is started again, and has few connections to give."""
    yield small
    close_idle()


def test_a_connection_that_was_given_back_is_lent_again(database: str) -> None:
    assert _backend(database) == _backend(database)


def test_two_steps_at_once_have_a_connection_each(database: str) -> None:
    with borrow(database) as one, borrow(database) as two:
        assert one is not two


def test_each_statement_is_committed_at_once(database: str) -> None:
    with borrow(database) as connection:
        connection.execute("INSERT INTO accounts VALUES ('a', 1)")
        with borrow(database) as other:
            assert other.execute("SELECT name FROM accounts").fetchall() == [("a",)]


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


@pytest.mark.full
def test_an_idle_connection_to_a_server_that_was_started_again_is_replaced(own: PostgresServer) -> None:
    _backend(own.url())
    own.kill()
    own.start()
    assert _backend(own.url()) > 0


def test_who_comes_while_the_server_is_down_waits_until_it_is_up(own: PostgresServer) -> None:
    own.stop()
    answers: list[int] = []
    waiting = threading.Thread(target=lambda: answers.append(_backend(own.url(tcp=True))))
    waiting.start()
    waiting.join(0.5)
    assert answers == []
    own.start()
    waiting.join(30)
    assert len(answers) == 1


def test_who_finds_no_connection_free_waits_for_one(own: PostgresServer) -> None:
    held = [psycopg.connect(own.url()) for _ in range(8)]
    answers: list[int] = []
    waiting = threading.Thread(target=lambda: answers.append(_backend(own.url())))
    waiting.start()
    waiting.join(0.5)
    assert answers == []
    for connection in held:
        connection.close()
    waiting.join(30)
    assert len(answers) == 1


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
    listener = listen(database)
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

    listener, tables = listen(database), open_team_tables(database)
    with tables.exclusive():
        tables.notify()
        assert list(listener.notifies(timeout=0.1)) == []
    assert [notice.payload for notice in listener.notifies(timeout=10, stop_after=1)] == ["queue"]
    listener.close()


def test_a_connection_of_ones_own_is_not_lent_to_others(database: str) -> None:
    with connect(database) as mine:
        assert _backend(database) != mine.info.backend_pid


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


# ---- the server of the tests ----


@pytest.mark.full
def test_a_server_is_gone_when_the_process_that_started_it_is_killed(tmp_path: Path) -> None:
    code = (
        "import os\n"
        "from tests.support.postgres_server import PostgresServer\n"
        "server = PostgresServer()\n"
        "server.start()\n"
        "print(server.folder, (server.folder / 'data/postmaster.pid').read_text().split()[0], flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    here = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", code], cwd=here, capture_output=True, text=True, check=False)
    folder, pid = done.stdout.split()
    end = time.monotonic() + PATIENCE
    while os.path.exists(folder) and time.monotonic() < end:
        time.sleep(0.02)
    assert not os.path.exists(folder)
    assert not os.path.exists(f"/proc/{pid}")
