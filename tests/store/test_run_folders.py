"""The folders of runs: they appear whole, are read by anybody, and say whether somebody is at work."""

import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from planrail.base.errors import ToolFailed
from planrail.base.records import replace
from planrail.base.run_model import Ending, Order
from planrail.runs.reporting.gathering import elapsed
from planrail.store.ledger import has_ledger, open_store
from planrail.store.owners import describe_process
from planrail.store.places import ledger_folder
from planrail.store.runs.run_folders import (
    clear_ending,
    find_agent_folder,
    is_live,
    list_runs,
    load_order,
    load_run,
    load_text,
    new_folder,
    read_journal,
    run_folder,
    runs_folder,
    save_ending,
)
from tests.runs.run_records import make_order, make_phase


@pytest.fixture
def order(tmp_path: Path) -> Order:
    (tmp_path / "project").mkdir()
    return make_order(make_phase("1"), make_phase("a/b"), root=str(tmp_path / "project"))


def test_a_folder_has_the_order_and_the_text_as_they_were_given(order: Order) -> None:
    text = "# Plan\r\n\r\n- [ ] ünï \udcff\n"
    folder = new_folder(order.root, order, text)
    assert load_order(folder) == order
    assert load_text(folder) == text
    assert new_folder(order.root, replace(order, title="another"), "other") == folder
    assert load_order(folder) == order  # what is there stays
    assert os.path.dirname(run_folder(order.root, "../../etc")) == runs_folder(order.root)


def test_a_folder_that_was_left_half_made_is_no_run(order: Order) -> None:
    os.makedirs(os.path.join(runs_folder(order.root), "run-1.77.tmp"))
    os.makedirs(os.path.join(runs_folder(order.root), "broken"))
    assert list_runs(order.root) == []
    with pytest.raises(ToolFailed):
        load_order(os.path.join(runs_folder(order.root), "broken"))


def test_a_torn_line_of_the_journal_is_none(order: Order) -> None:
    folder = new_folder(order.root, order, "")
    lines = [
        {"at": 1.5, "key": "phase/a/b/1/start", "state": "begun"},
        {"at": 2.5, "key": "phase/a/b/1/start", "state": "ended", "value": 7},
        {"at": 3.5, "key": "phase/a/b/1/implement.1", "state": "begun"},
    ]
    whole = "".join(json.dumps(line) + "\n" for line in lines)
    Path(folder, "journal.jsonl").write_text(whole + '[]\n{"at": "x"}\n{"at": 4.5, "key": "pha')
    run = load_run(order.root, folder)
    assert [line.at for line in run.lines] == [1.5, 2.5, 3.5]
    assert run.lines[1].result() == 7
    assert run.current == "phase/a/b/1/implement.1"
    assert read_journal(os.path.join(folder, "missing")) == []


def test_a_run_is_running_interrupted_or_has_ended(order: Order) -> None:
    folder = new_folder(order.root, order, "")
    assert load_run(order.root, folder).state == "interrupted"
    with open(os.path.join(folder, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert is_live(folder)
        assert load_run(order.root, folder).state == "running"
    assert not is_live(folder)
    save_ending(folder, Ending("paused", "a person is asked", "planrail resume PLAN.md"))
    paused = load_run(order.root, folder)
    assert (paused.state, paused.is_over) == ("paused", False)
    save_ending(folder, Ending("failed", "it broke", ""))
    assert load_run(order.root, folder).is_over
    clear_ending(folder)
    clear_ending(folder)
    assert load_run(order.root, folder).state == "interrupted"


def test_a_run_lives_while_the_owner_of_its_claim_lives(order: Order) -> None:
    folder = new_folder(order.root, order, "")
    open_store(order.root).claims.acquire("plan", order.plan, describe_process(os.getpid(), "x", "another"), 1)
    assert (load_run(order.root, folder).is_live, load_run(order.root, folder).claim) == (False, None)
    open_store(order.root).claims.release("plan", order.plan, "x")
    process = subprocess.Popen(["sleep", "600"])
    open_store(order.root).claims.acquire("plan", order.plan, describe_process(process.pid, "x", order.run), 1)
    assert load_run(order.root, folder).is_live
    process.kill()
    process.wait()
    assert not load_run(order.root, folder).is_live


def test_the_time_of_a_run_that_is_over_stands_still(order: Order) -> None:
    folder = new_folder(order.root, order, "")
    Path(folder, "journal.jsonl").write_text('{"at": 1060.0, "key": "turn/1/choose", "state": "begun"}\n')
    assert elapsed(load_run(order.root, folder), 9999) == 60


@pytest.mark.parametrize("ending", [None, Ending("failed", "it broke", "", at=1060.0)], ids=["interrupted", "failed"])
def test_a_copy_of_a_repository_says_how_long_its_runs_took(
    order: Order, tmp_path: Path, ending: Ending | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files are all as old as the copy."""
    monkeypatch.delenv("PLANRAIL_STATE_DIR", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    subprocess.run(["git", "init", "-q", order.root], check=True)
    folder = new_folder(order.root, order, "")
    Path(folder, "journal.jsonl").write_text('{"at": 1060.0, "key": "phase/1/1/implement.1", "state": "begun"}\n')
    Path(folder, "agents", "1-1-implement.1").mkdir(parents=True)
    Path(folder, "agents", "1-1-implement.1", "log").touch()
    if ending is not None:
        save_ending(folder, ending)
    copy = str(tmp_path / "copy")
    shutil.copytree(order.root, copy, copy_function=shutil.copyfile)
    [run] = list_runs(copy)
    assert elapsed(run, 9999) == 60
    shutil.rmtree(order.root)
    assert elapsed(run, 9999) == 60


def test_the_folder_of_the_agent_at_work_is_found(order: Order) -> None:
    folder = new_folder(order.root, order, "")
    assert find_agent_folder(folder, "phase/1/1/implement.1") == ""
    place = os.path.join(folder, "agents", "1-1-implement.1")
    os.makedirs(place)
    assert find_agent_folder(folder, "phase/1/1/implement.1") == place
    assert find_agent_folder(folder, "phase/1/2/implement.1") == ""
    assert find_agent_folder(folder, "turn/1/choose") == ""


@pytest.mark.parametrize("look", [list_runs, has_ledger])
def test_what_may_not_be_looked_at_is_not_taken_for_nothing(tmp_path: Path, look: Callable[[str], object]) -> None:
    """A link to itself stands for a folder of another user, which root could open."""
    place = Path(ledger_folder(str(tmp_path)))
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(place)
    with pytest.raises(ToolFailed, match="cannot be looked at"):
        look(str(tmp_path))
