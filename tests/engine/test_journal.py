"""The journal: what has ended stays, what was torn is done again, what cannot be written is said."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.engine.durable import Durable
from planrail.engine.journal import Journal
from planrail.errors import ToolFailed
from planrail.runs.model import Ending, Snapshot


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "journal.jsonl")


def count_up(counts: dict[str, int], name: str, result: object) -> object:
    counts[name] = counts.get(name, 0) + 1
    return result


def test_a_step_that_has_ended_is_not_done_again(path: str) -> None:
    counts: dict[str, int] = {}
    for _ in range(3):
        journal = Journal(path)
        assert Durable(journal).do("phase/1/1/a", count_up, counts, "a", Ending("x", "y", "z")) == Ending("x", "y", "z")
        journal.close()
    assert counts == {"a": 1}


def test_a_step_that_fails_is_done_again(path: str) -> None:
    journal = Journal(path)
    with pytest.raises(ZeroDivisionError):
        Durable(journal).do("a", lambda: 1 // 0)
    journal.close()
    assert Durable(Journal(path)).do("a", lambda: 7) == 7


def test_whoever_watches_is_told_of_each_step_once(path: str) -> None:
    seen: list[tuple[str, str]] = []
    journal = Journal(path)
    for _ in range(2):
        Durable(journal, lambda key, state: seen.append((key, state))).do("a", lambda: 1)
    assert seen == [("a", "begun"), ("a", "ended")]


@given(cut=st.integers(min_value=0, max_value=400))
def test_a_journal_that_was_torn_anywhere_goes_on_from_its_last_whole_line(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    path = str(tmp_path_factory.mktemp("torn") / "journal.jsonl")
    journal = Journal(path)
    for number in range(4):
        journal.end(f"step/{number}", Snapshot("c", "t", "b", (f"{number}.txt",)))
    journal.close()
    whole = Path(path).read_bytes()
    Path(path).write_bytes(whole[:cut])
    torn = Journal(path)
    kept = whole[:cut].count(b"\n")
    assert torn.keys() == [f"step/{number}" for number in range(kept)]
    torn.end("step/next", 1)
    torn.close()
    again = Journal(path)
    assert again.keys() == [*(f"step/{number}" for number in range(kept)), "step/next"]
    assert [again.result(key) for key in again.keys()[:kept]] == [
        Snapshot("c", "t", "b", (f"{number}.txt",)) for number in range(kept)
    ]


def test_the_first_word_on_a_step_counts(path: str) -> None:
    journal = Journal(path)
    journal.end("a", 1)
    journal.close()
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps({"at": 1, "key": "a", "state": "ended", "value": 2}) + "\n")
        file.write("[]\nnull\n{}\n")
    assert Journal(path).result("a") == 1


def test_a_disk_that_is_full_is_said_and_leaves_a_whole_journal(path: str) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no device that is always full")
    journal = Journal(path)
    journal.end("a", 1)
    os.dup2(os.open("/dev/full", os.O_WRONLY), journal._file)
    with pytest.raises(ToolFailed, match="what had ended before is kept"):
        journal.end("b", 2)
    assert Journal(path).keys() == ["a"]


def test_what_is_no_value_is_refused_before_anything_is_written(path: str) -> None:
    journal = Journal(path)
    with pytest.raises(TypeError):
        journal.end("a", object())
    assert Journal(path).keys() == []
