"""The ledger: nothing that was added is lost or changed, whoever writes at once, dies or finds the disk full."""

import contextlib
import json
import multiprocessing
import os
import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from planrail.base.errors import ToolFailed
from planrail.store.fact_rows import open_folder
from planrail.store.facts import hash_text
from planrail.store.ledger import open_ledger, open_store
from planrail.store.places import LEDGER as NAME
from planrail.store.places import common_directory, ledger_folder
from planrail.store.spool import DAMAGED, append_spool, spool_text
from planrail.store.spool import NAME as SPOOL
from planrail.store.tables import VERSION

_WRITERS = 64
_FACTS = 5


@pytest.fixture
def root(tmp_path: Path) -> str:
    (tmp_path / "project").mkdir()
    return str(tmp_path / "project")


def _write(folder: str, writer: int) -> None:
    for number in range(_FACTS):
        with open_folder(folder) as ledger:
            ledger.add("note", "plan", {"writer": writer, "number": number}, id=f"{writer}-{number}", at=number)


@pytest.mark.soak
def test_of_64_processes_that_write_at_once_nobody_loses_anything(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(str(tmp_path), writer)) for writer in range(_WRITERS)]
    for process in writers:
        process.start()
    for process in writers:
        process.join()
    assert [process.exitcode for process in writers] == [0] * _WRITERS
    with open_folder(str(tmp_path)) as ledger:
        ids = [fact.id for fact in ledger.facts()]
    assert sorted(ids) == sorted(f"{writer}-{number}" for writer in range(_WRITERS) for number in range(_FACTS))


def test_a_spooled_fact_is_taken_in_once(root: str) -> None:
    value = {"text": "a\nb\r\u2028\x00é\ud800"}
    append_spool(root, "approval", "plan", value, id="one", at=5)
    spool_text(root, "é\n", at=1)
    line = Path(ledger_folder(root), SPOOL).read_bytes()
    with open_ledger(root) as ledger:
        assert [(fact.id, fact.at) for fact in ledger.facts()] == [("one", 5)]
        assert json.dumps(ledger.facts()[0].value) == json.dumps(value)
        assert ledger.text(hash_text("é\n")) == "é\n"
    Path(ledger_folder(root), SPOOL).write_bytes(line)  # as after a crash between keeping and emptying
    with open_ledger(root) as ledger:
        assert len(ledger.facts()) == 1
    assert Path(ledger_folder(root), SPOOL).read_bytes() == b""


@pytest.mark.parametrize("torn", [b'{"id": "torn", "ki', b"\xff\xfe\n", b'{"id": 1}\n', b"\n\n"])
def test_a_torn_line_harms_no_other_and_is_put_aside(root: str, torn: bytes) -> None:
    append_spool(root, "note", "plan", {}, id="before", at=1)
    folder = Path(ledger_folder(root))
    with (folder / SPOOL).open("ab") as file:
        file.write(torn)
    append_spool(root, "note", "plan", {}, id="after", at=2)
    with open_ledger(root) as ledger:
        assert [fact.id for fact in ledger.facts()] == ["before", "after"]
    assert (folder / DAMAGED).exists() == bool(torn.strip())


def test_a_writer_that_is_killed_leaves_whole_facts_only(root: str, tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from planrail.store.spool import append_spool\n"
        "from planrail.store.ledger import open_ledger\n"
        "number = 0\n"
        "while True:\n"
        "    append_spool(sys.argv[1], 'note', 'plan', {'number': number}, id=f's{number}', at=number)\n"
        "    with open_ledger(sys.argv[1]) as ledger:\n"
        "        ledger.add('note', 'plan', {'number': number}, id=f'd{number}', at=number)\n"
        "    print(number, flush=True)\n"
        "    number += 1\n"
    )
    for _ in range(2):
        with subprocess.Popen([sys.executable, "-c", code, root], stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            last = [writer.stdout.readline() for _ in range(4)][-1]
            writer.send_signal(signal.SIGKILL)
        with open_ledger(root) as ledger:
            ids = {fact.id for fact in ledger.facts()}
        assert {f"{kind}{number}" for kind in "sd" for number in range(int(last) + 1)} <= ids


@contextlib.contextmanager
def _no_file_beyond(size: int) -> Iterator[None]:
    """A disk on which no file may grow further than this."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_said_and_loses_nothing_of_ledger_and_spool(root: str) -> None:
    much = {"much": "x" * 100_000}
    append_spool(root, "note", "plan", {}, id="spooled", at=1)
    with _no_file_beyond(500), pytest.raises(ToolFailed, match="cannot be written"):
        append_spool(root, "note", "plan", much, id="lost", at=2)
    with open_ledger(root) as ledger:
        ledger.add("note", "plan", {}, id="before", at=1)
        with _no_file_beyond(4096), pytest.raises(ToolFailed, match="cannot be written") as failure:
            ledger.add("note", "plan", much, id="after", at=2)
        assert "make room" in failure.value.remedy
    append_spool(root, "note", "plan", much, id="waiting", at=1)
    with _no_file_beyond(4096), pytest.raises(ToolFailed, match="cannot be written"):
        open_ledger(root)
    with open_ledger(root) as ledger:
        assert [fact.id for fact in ledger.facts()] == ["spooled", "before", "waiting"]


@pytest.mark.parametrize(
    "data", [b"not a database, but long enough to look at" * 50, b"SQLite format 3\x00" + b"\xff" * 4096]
)
def test_a_damaged_database_is_left_as_it_is_and_the_way_out_is_said(root: str, data: bytes) -> None:
    append_spool(root, "note", "plan", {}, id="waiting", at=1)
    path = Path(ledger_folder(root), NAME)
    path.write_bytes(data)
    with pytest.raises(ToolFailed) as failure:
        open_ledger(root)
    assert "1 facts that wait beside it are safe" in failure.value.message
    assert f"mv {path}" in failure.value.remedy
    assert path.read_bytes() == data
    path.rename(f"{path}.damaged")
    with open_ledger(root) as ledger:
        assert [fact.id for fact in ledger.facts()] == ["waiting"]


def test_a_ledger_of_a_later_version_is_left_alone(root: str) -> None:
    with open_ledger(root) as ledger:
        path = ledger.path
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()
    with pytest.raises(ToolFailed, match="has version"):
        open_ledger(root)


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PLANRAIL_STATE_DIR", str(tmp_path / "file"))
    with pytest.raises(ToolFailed, match="cannot be written"):
        open_ledger(str(tmp_path))


def test_the_ledger_is_for_its_owner_alone(root: str) -> None:
    with open_ledger(root) as ledger:
        ledger.add("note", "a", {}, at=1)
        folder = os.path.dirname(ledger.path)
        assert os.stat(folder).st_mode & 0o077 == 0
        assert all(os.stat(os.path.join(folder, name)).st_mode & 0o077 == 0 for name in os.listdir(folder))


def _git(folder: Path, *arguments: str) -> None:
    names = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *names, *arguments], cwd=folder, check=True, capture_output=True)


def test_all_worktrees_share_one_ledger_in_the_git_directory(tmp_path: Path) -> None:
    main, other = tmp_path / "main", tmp_path / "other"
    main.mkdir()
    _git(main, "init", "-q")
    _git(main, "commit", "-q", "--allow-empty", "-m", "first")
    _git(main, "worktree", "add", "-q", str(other))
    assert common_directory(str(other)) == str(main / ".git")
    assert ledger_folder(str(other), {"HOME": "/h"}) == ledger_folder(str(main), {"HOME": "/h"})
    assert ledger_folder(str(main), {"HOME": "/h"}) == str(main / ".git" / "planrail")
    assert open_store(str(other)).identity == open_store(str(main)).identity != open_store(str(tmp_path)).identity


def test_outside_git_the_ledger_lies_in_the_state_folder(tmp_path: Path) -> None:
    moved = {"PLANRAIL_STATE_DIR": "/state", "HOME": "/h"}
    assert ledger_folder(str(tmp_path), {"HOME": "/h"}).startswith("/h/.local/state/planrail/ledgers/")
    assert ledger_folder(str(tmp_path), moved).startswith("/state/ledgers/")
    assert ledger_folder(None, moved) != ledger_folder(str(tmp_path), moved)
