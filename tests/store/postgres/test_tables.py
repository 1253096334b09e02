"""The port of those who write SQL for queue and schedules: one suite over both databases."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from planrail.base.errors import ToolFailed
from planrail.store.ledger import open_ledger, open_tables, open_team_tables
from tests.support.postgres_server import PostgresServer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.store.tables import Tables

    Open = Callable[[], Tables]


@pytest.fixture(params=["embedded", "team"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> "Iterator[Open]":
    """Opens the same tables each time."""
    if request.param == "embedded":
        yield lambda: open_tables(str(tmp_path))
    else:
        url = request.getfixturevalue("database")
        yield lambda: open_team_tables(url, "example.org/team/shop")


def _names(tables: "Tables") -> list[str]:
    return [str(row[0]) for row in tables.rows("SELECT name FROM accounts ORDER BY name")]


def test_rows_that_were_changed_are_counted_and_found(opened: "Open") -> None:
    with opened() as tables:
        assert tables.change("INSERT INTO accounts (name, until) VALUES (?, ?), (?, ?)", "a", 1.5, "b", 2) == 2
        assert tables.change("UPDATE accounts SET until = ? WHERE name = ?", 3.25, "c") == 0
        assert tables.change("UPDATE accounts SET until = until + ?", 1) == 2
    with opened() as tables:
        assert tables.rows("SELECT name, until FROM accounts ORDER BY name") == [("a", 2.5), ("b", 3.0)]
        assert tables.rows("SELECT name FROM accounts WHERE until > ?", 100) == []


def test_values_are_values_and_never_part_of_the_statement(opened: "Open") -> None:
    strange = "it's 100% ? %s \\ \" $1 --"
    with opened() as tables:
        tables.change("INSERT INTO accounts (name, until) VALUES (?, ?)", strange, -1)
        assert tables.rows("SELECT name, '?', '50%' FROM accounts WHERE name = ?", strange) == [(strange, "?", "50%")]
        assert tables.rows("SELECT 7 % 3, name FROM accounts WHERE name LIKE 'it%'") == [(1, strange)]


def test_numbers_keep_their_kind_and_their_size(opened: "Open") -> None:
    now = 1_794_756_169.353603
    with opened() as tables:
        tables.change("INSERT INTO accounts (name, until) VALUES (?, ?)", "a", now)
        tables.change("INSERT INTO queue_limits (kind, name, most) VALUES (?, ?, ?)", "account", "a", 3)
        assert tables.rows("SELECT until FROM accounts") == [(now,)]
        assert tables.rows("SELECT most, count(*) FROM queue_limits GROUP BY most") == [(3, 1)]


def test_an_error_undoes_all_of_an_exclusive_step(opened: "Open") -> None:
    def fail(tables: "Tables") -> None:
        with tables.exclusive():
            tables.change("INSERT INTO accounts (name, until) VALUES ('a', 1)")
            with tables.exclusive():
                tables.change("INSERT INTO accounts (name, until) VALUES ('b', 1)")
            raise KeyError

    with opened() as tables:
        with pytest.raises(KeyError):
            fail(tables)
        assert _names(tables) == []
        with tables.exclusive():
            tables.change("INSERT INTO accounts (name, until) VALUES ('c', 1)")
        assert _names(tables) == ["c"]


def test_a_statement_that_fails_is_said_and_undoes_the_step_around_it(opened: "Open") -> None:
    def fail(tables: "Tables") -> None:
        with tables.exclusive():
            tables.change("INSERT INTO accounts (name, until) VALUES ('a', 1)")
            tables.change("INSERT INTO accounts (name, until) VALUES ('a', 1)")

    with opened() as tables:
        with pytest.raises(ToolFailed):
            fail(tables)
        assert _names(tables) == []


def test_one_writer_at_a_time(opened: "Open") -> None:
    """Eight who read, wait and write what they read plus one: none of them overwrites another."""

    def count_up() -> None:
        with opened() as tables:
            for _ in range(5):
                with tables.exclusive():
                    number = int(tables.rows("SELECT until FROM accounts")[0][0])
                    time.sleep(0.001)
                    tables.change("UPDATE accounts SET until = ?", number + 1)

    with opened() as tables:
        tables.change("INSERT INTO accounts (name, until) VALUES ('a', 0)")
    writers = [threading.Thread(target=count_up) for _ in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    with opened() as tables:
        assert tables.rows("SELECT until FROM accounts") == [(40.0,)]


def test_the_clock_goes_on_and_is_about_right(opened: "Open") -> None:
    with opened() as tables:
        first, second = tables.now(), tables.now()
        assert first <= second
        assert abs(first - time.time()) < 60  # the same machine
        with tables.exclusive():
            inside = tables.now()
            time.sleep(0.01)
            assert tables.now() > inside


def test_waking_the_workers_is_no_error(opened: "Open") -> None:
    with opened() as tables:
        tables.notify()
        with tables.exclusive():
            tables.notify()


def test_the_embedded_tables_lie_in_the_ledger_of_the_repository(tmp_path: Path) -> None:
    with open_ledger(str(tmp_path)) as ledger, open_tables(str(tmp_path)) as tables:
        ledger.add("note", "plan", {}, at=1)
        assert tables.rows("SELECT kind FROM facts") == [("note",)]
        assert (tables.is_shared, tables.repository) == (False, "")


def test_the_tables_of_a_repository_with_a_team_are_the_teams(
    tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANRAIL_DATABASE", database)
    monkeypatch.setenv("PLANRAIL_REPOSITORY", "example.org/team/shop")
    with open_tables(str(tmp_path)) as tables:
        assert (tables.is_shared, tables.repository) == (True, "example.org/team/shop")
        assert tables.rows("SELECT * FROM workers") == []


@pytest.mark.full
def test_a_question_is_asked_again_where_the_server_was_started_anew(postgres: PostgresServer) -> None:
    with PostgresServer() as own, open_team_tables(own.url()) as tables:
        tables.change("INSERT INTO accounts (name, until) VALUES ('a', 1)")
        own.kill()
        own.start()
        assert _names(tables) == ["a"]
