"""The port of those who write SQL for queue and schedules: one suite over both databases."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from planrail.base.errors import ToolFailed
from planrail.store.ledger import open_ledger, open_tables, open_team_tables

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
        tables.change("UPDATE accounts SET until = ? WHERE name = 'a'", 1_794_756_169.353603)
        assert tables.rows("SELECT count(*), max(until) FROM accounts") == [(2, 1_794_756_169.353603)]


def test_values_are_values_and_never_part_of_the_statement(opened: "Open") -> None:
    strange = "it's 100% ? %s \\ \" $1 --"
    with opened() as tables:
        tables.change("INSERT INTO accounts (name, until) VALUES (?, ?)", strange, -1)
        assert tables.rows("SELECT name, '?', '50%' FROM accounts WHERE name = ?", strange) == [(strange, "?", "50%")]
        assert tables.rows("SELECT 7 % 3, name FROM accounts WHERE name LIKE 'it%'") == [(1, strange)]


def test_a_statement_that_fails_is_said_and_undoes_the_step_around_it(opened: "Open") -> None:
    def fail(tables: "Tables") -> None:
        with tables.exclusive():
            tables.change("INSERT INTO accounts (name, until) VALUES ('a', 1)")
            tables.change("INSERT INTO accounts (name, until) VALUES ('a', 1)")

    with opened() as tables:
        with pytest.raises(ToolFailed):
            fail(tables)
        assert _names(tables) == []


def test_the_clock_goes_on_and_is_about_right(opened: "Open") -> None:
    with opened() as tables:
        first, second = tables.now(), tables.now()
        assert first <= second
        assert abs(first - time.time()) < 60  # the same machine
        with tables.exclusive():
            inside = tables.now()
            time.sleep(0.01)
            assert tables.now() > inside


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
