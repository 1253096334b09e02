"""The rows of `cases/execution.jsonl` about retrieving notes, ranked by the ranker that lessons use.

Its predecessor took the first ten words by the alphabet, of four letters and more. planrail takes all of them.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from planrail.memory.ranking import Rankable, RankedTask, rank_notes

_CASES = Path(__file__).parents[3] / "shared" / "cases" / "execution.jsonl"


def _rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in _CASES.read_text("utf-8").splitlines()] if _CASES.is_file() else []


def _cases() -> list[Any]:
    return [pytest.param(row, id=row["id"]) for row in _rows() if row["kind"] == "memory_retrieve"]


def _notes(index: str) -> list[Rankable]:
    (entries,) = (row["in"][index]["entries"] for row in _rows() if row["kind"] == "memory_index_def")
    return [
        Rankable(one["id"], one["title"], " ".join(one["keywords"]), topic=one["topic"], tokens=one["token_count"])
        for one in entries
        if one.get("status", "active") == "active"
    ]


@pytest.mark.parametrize("case", _cases())
def test_the_notes_that_matter_are_retrieved(case: dict[str, Any]) -> None:
    asked = case["in"]
    task = RankedTask(f"{asked['description']} {asked['focus']}", topic=asked["task_type"])
    chosen = rank_notes(_notes(asked["index"]), task, budget=2_000, most=5)
    expected = case["out"]["bumped"]
    long_request = len(asked["description"].split()) > 10
    assert [note.id for note in chosen][: len(expected)] == expected
    assert len(chosen) == len(expected) or long_request
