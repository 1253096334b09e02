"""The journal: what has ended stays, what was torn is done again, what cannot be written is said."""

import os
import resource
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.errors import ToolFailed
from planrail.base.run_model import Snapshot
from planrail.store.journal import Journal
from planrail.store.ledger import open_store
from tests.runs.journal_promises import JournalPromises


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "journal.jsonl")


@pytest.fixture
def reopen(path: str) -> Callable[[], Journal]:
    return lambda: Journal(path)


class TestJournalFile(JournalPromises):
    """The promises of all journals, of those on the disk."""


@pytest.mark.full
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


def test_a_line_that_the_disk_took_half_of_is_taken_back(path: str) -> None:
    journal = Journal(path)
    journal.end("a", 1)
    size, (soft, hard) = os.path.getsize(path), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, hard))  # the next write is a short one
    try:
        with pytest.raises(ToolFailed, match="what had ended before is kept"):
            journal.end("b", 2)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert os.path.getsize(path) == size
    journal.end("c", 3)
    assert Journal(path).keys() == ["a", "c"]


def test_a_step_has_not_ended_before_its_line_is_on_the_disk(path: str) -> None:
    journal = Journal(path)
    ends = os.pipe()
    os.dup2(ends[1], journal._file)  # it takes what is written, and cannot be told to keep it
    journal.begin("a")
    with pytest.raises(ToolFailed):
        journal.end("a", 1)
    assert not journal.has("a")


def test_without_a_team_the_journal_is_the_file_in_the_folder_of_the_run(tmp_path: Path) -> None:
    journal = open_store(str(tmp_path)).open_journal("run-1", str(tmp_path), 1)
    journal.end("a", 1)
    journal.close()
    assert Journal(str(tmp_path / "journal.jsonl")).keys() == ["a"]
