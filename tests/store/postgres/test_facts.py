"""The ledger, embedded and of a team: one suite for both, and what a server can do to those who add."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from planrail.base.errors import ToolFailed
from planrail.store.fact_rows import Ledger, open_folder
from planrail.store.facts import Fact, hash_text
from planrail.store.ledger import has_ledger, open_ledger
from planrail.store.places import ledger_folder
from planrail.store.postgres.tables import PgLedger
from planrail.store.spool import NAME as SPOOL
from planrail.store.spool import append_spool, spool_text
from planrail.store.team import Team
from tests.support.postgres_server import PostgresServer

STRANGE = "a\nb\r\u2028\x00é\ud800😀'\"\\%s ? $1"

Open = Callable[[], Ledger]


@pytest.fixture(params=["embedded", "team"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens the same ledger each time."""
    if request.param == "embedded":
        yield lambda: open_folder(str(tmp_path / "ledger"))
    else:
        url = request.getfixturevalue("database")
        yield lambda: PgLedger(Team(url, "example.org/team/shop"))


# ---- both ----


def test_facts_come_back_in_the_order_in_which_they_were_added(opened: Open) -> None:
    with opened() as ledger:
        for number in range(3):
            ledger.add("note", "plan.md", {"number": number}, at=100 - number)
        ledger.add("note", "other.md", {}, at=1)
        ledger.add("approval", "plan.md", {}, at=1)
    with opened() as ledger:
        assert [fact.value["number"] for fact in ledger.facts("note", "plan.md")] == [0, 1, 2]
        assert (len(ledger.facts("note")), len(ledger.facts(plan="plan.md")), len(ledger.facts())) == (4, 4, 5)
        numbers = [fact.seq for fact in ledger.facts()]
        assert numbers == sorted(set(numbers))


def test_a_fact_with_an_id_that_is_there_is_not_added_again(opened: Open) -> None:
    with opened() as ledger:
        first = ledger.add("note", "a", {"who": "one"}, id="x", at=1)
        second = ledger.add("note", "a", {"who": "two"}, id="x", at=2)
        assert (second, len(ledger.facts())) == (first, 1)


def test_a_value_and_a_text_come_back_whatever_they_hold(opened: Open) -> None:
    with opened() as ledger:
        ledger.add("note", "plan é😀'", {"text": STRANGE, "deep": [{"a": None}, 1.5, True]}, at=(1 << 53) - 1)
        name = ledger.keep_text(STRANGE)
        assert ledger.keep_text(STRANGE) == name
    with opened() as ledger:
        assert json.dumps(ledger.facts(plan="plan é😀'")[0].value["text"]) == json.dumps(STRANGE)
        assert ledger.text(name) == STRANGE
        assert ledger.text("0" * 64) is None
        assert ledger.text(ledger.keep_text("")) == ""


def test_an_error_inside_an_exclusive_step_undoes_all_of_it(opened: Open) -> None:
    def fail(ledger: Ledger) -> None:
        with ledger.exclusive(), ledger.exclusive():
            ledger.add("note", "a", {}, at=1)
            name.append(ledger.keep_text("text"))
            raise KeyError

    name: list[str] = []
    with opened() as ledger:
        with pytest.raises(KeyError):
            fail(ledger)
        assert ledger.facts() == []
        assert ledger.text(name[0]) is None
        ledger.add("note", "a", {}, at=1)
        assert len(ledger.facts()) == 1


def test_an_exclusive_step_sees_what_it_added_and_others_do_not(opened: Open) -> None:
    with opened() as ledger, opened() as other:
        with ledger.exclusive():
            ledger.add("note", "a", {}, at=1)
            assert len(ledger.facts()) == 1
            assert other.facts() == []
        assert len(other.facts()) == 1


def test_of_two_who_claim_at_once_one_is_the_first(opened: Open) -> None:
    def claim(who: int) -> None:
        with opened() as ledger:
            ready.wait()
            with ledger.exclusive():
                if not ledger.facts("claim"):
                    ledger.add("claim", "plan", {"who": who}, at=1)

    ready = threading.Barrier(8)
    writers = [threading.Thread(target=claim, args=(who,)) for who in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    with opened() as ledger:
        assert len(ledger.facts("claim")) == 1


@pytest.mark.parametrize("sql", ["UPDATE facts SET at = 2", "DELETE FROM facts", "UPDATE texts SET text = 'other'"])
def test_facts_and_texts_can_be_neither_changed_nor_removed(opened: Open, sql: str) -> None:
    with opened() as ledger:
        ledger.add("note", "plan", {}, at=1)
        ledger.keep_text("text")
        with pytest.raises(ToolFailed, match="are never"):
            ledger.change(sql)
        assert len(ledger.facts()) == 1


def test_a_text_that_is_another_one_by_now_and_a_value_that_is_no_json_say_nothing(opened: Open) -> None:
    name, whose = hash_text("good"), "example.org/team/shop"
    with opened() as ledger:
        ledger.change("INSERT INTO texts VALUES (?, 'evil')", name)
        if ledger.is_shared:
            row = "INSERT INTO facts (repository, id, kind, plan, at, value) VALUES (?, 'x', 'approval', 'p', 1, '{')"
            ledger.change(row, whose)
        else:
            ledger.change("INSERT INTO facts (id, kind, plan, at, value) VALUES ('x', 'approval', 'p', 1, '{')")
        assert ledger.text(name) is None
        assert [dict(fact.value) for fact in ledger.facts()] == [{}]


# ---- a team ----


def test_a_repository_sees_its_own_facts_and_ids_alone(database: str) -> None:
    one, two = PgLedger(Team(database, "one")), PgLedger(Team(database, "two"))
    one.add("note", "plan", {"of": 1}, id="same", at=1)
    two.add("note", "plan", {"of": 2}, id="same", at=1)
    assert [fact.value for ledger in (one, two) for fact in ledger.facts()] == [{"of": 1}, {"of": 2}]
    assert (one.has_facts(), PgLedger(Team(database, "three")).has_facts()) == (True, False)
    for sql in ("TRUNCATE facts", "DELETE FROM texts"):
        with pytest.raises(ToolFailed, match="never changed or removed"):
            one.change(sql)


def test_the_order_of_numbers_is_the_order_of_being_added(database: str) -> None:
    """While somebody is between drawing a number and committing it, nobody else can draw a later one."""
    slow, quick = PgLedger(Team(database, "one")), PgLedger(Team(database, "one"))
    with slow.exclusive():
        first = slow.add("note", "plan", {}, at=1)
        added: list[Fact] = []
        other = threading.Thread(target=lambda: added.append(quick.add("note", "plan", {}, at=1)))
        other.start()
        other.join(0.3)
        assert added == []
        assert PgLedger(Team(database, "another")).add("note", "plan", {}, at=1).seq > first.seq  # not held up
    other.join()
    assert added[0].seq > first.seq


def test_what_waits_in_the_local_spool_is_taken_in_once(root: str) -> None:
    append_spool(root, "approval", "plan", {"text": STRANGE}, id="one", at=5)
    spool_text(root, "é\n", at=1)
    assert has_ledger(root)
    line = Path(ledger_folder(root), SPOOL).read_bytes()
    with open_ledger(root) as ledger:
        assert [fact.id for fact in ledger.facts()] == ["one"]
    Path(ledger_folder(root), SPOOL).write_bytes(line)  # as after a crash between keeping and emptying
    with open_ledger(root) as ledger:
        assert [fact.id for fact in ledger.facts()] == ["one"]
        assert ledger.text(hash_text("é\n")) == "é\n"
    assert not Path(ledger_folder(root), "ledger.db").exists()


@pytest.mark.full
def test_a_hook_can_spool_while_somebody_waits_for_the_database(root: str, postgres: PostgresServer) -> None:
    append_spool(root, "note", "plan", {}, id="before", at=1)
    postgres.stop()
    opened: list[Ledger] = []
    waiting = threading.Thread(target=lambda: opened.append(open_ledger(root)))
    waiting.start()
    waiting.join(0.3)
    append_spool(root, "note", "plan", {}, id="meanwhile", at=2)
    assert opened == []
    postgres.start()
    waiting.join(30)
    assert [fact.id for fact in opened[0].facts()] == ["before", "meanwhile"]


# ---- a server that dies ----

_WRITER = """
import os, sys
from itertools import count
from planrail.store.postgres.tables import PgLedger
from planrail.store.team import Team
ledger = PgLedger(Team(sys.argv[1], "one"))
for number in count():
    if os.path.exists(sys.argv[3]):
        break
    ledger.add("note", "plan", {"writer": sys.argv[2], "number": number}, at=number)
    print(number, flush=True)
"""


def _kill_while_adding(url: str, postgres: PostgresServer, stop: Path, kills: int) -> None:
    """Two processes add all the time, and each says what was added; in between the server is killed and started."""
    command = [sys.executable, "-c", _WRITER, url]
    writers = [
        subprocess.Popen([*command, name, str(stop)], stdout=subprocess.PIPE, text=True) for name in ("one", "two")
    ]
    said: dict[str, list[str]] = {"one": [], "two": []}
    for _ in range(kills):
        for writer, lines in zip(writers, said.values(), strict=True):
            assert writer.stdout is not None
            lines += [writer.stdout.readline().strip() for _ in range(20)]
        postgres.kill()
        postgres.start()
    stop.touch()
    for writer, lines in zip(writers, said.values(), strict=True):
        assert writer.stdout is not None
        lines += writer.stdout.read().split()
        writer.stdout.close()
        assert writer.wait() == 0
    kept = PgLedger(Team(url, "one")).facts()
    for name, lines in said.items():
        assert [str(fact.at) for fact in kept if fact.value["writer"] == name] == lines


@pytest.mark.full
def test_a_server_that_is_killed_loses_nothing_that_was_added_and_doubles_nothing(
    database: str, postgres: PostgresServer, tmp_path: Path
) -> None:
    _kill_while_adding(database, postgres, tmp_path / "stop", kills=3)


@pytest.mark.soak
def test_a_server_that_is_killed_again_and_again_loses_nothing_and_doubles_nothing(
    database: str, postgres: PostgresServer, tmp_path: Path
) -> None:
    _kill_while_adding(database, postgres, tmp_path / "stop", kills=40)


def test_a_connection_that_is_lost_inside_an_exclusive_step_undoes_it_and_is_said(
    database: str, postgres: PostgresServer
) -> None:
    ledger = PgLedger(Team(database, "one"))

    def fail() -> None:
        with ledger.exclusive():
            ledger.add("note", "plan", {}, at=1)
            postgres.kill()
            postgres.start()
            ledger.add("note", "plan", {}, at=2)

    with pytest.raises(ToolFailed, match="does not answer") as failure:
        fail()
    assert "doctor --database" in failure.value.remedy
    assert ledger.facts() == []
    ledger.add("note", "plan", {}, at=3)
    assert [fact.at for fact in ledger.facts()] == [3]


def test_who_is_killed_inside_an_exclusive_step_holds_nobody_up(database: str) -> None:
    code = (
        "import os, sys\n"
        "from planrail.store.postgres.tables import PgLedger\n"
        "from planrail.store.team import Team\n"
        "ledger = PgLedger(Team(sys.argv[1], 'one'))\n"
        "with ledger.exclusive():\n"
        "    ledger.add('note', 'plan', {}, at=1)\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    assert subprocess.run([sys.executable, "-c", code, database], check=False).returncode == -9
    ledger = PgLedger(Team(database, "one"))
    ledger.add("note", "plan", {}, at=2)
    assert [fact.at for fact in ledger.facts()] == [2]
