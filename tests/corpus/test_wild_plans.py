"""Thirty plans of other people, judged by readers who had not seen the code, and the bars that planrail has to clear."""

import json
from pathlib import Path

import pytest
from judged_plans import Score, measure

from planrail.plans.reading import read
from planrail.plans.text.source import load


@pytest.fixture(scope="module")
def scores(shared: Path) -> dict[str, Score]:
    folder = shared / "wild_plans"
    entries = [json.loads(line) for line in (folder / "manifest.jsonl").read_text("utf-8").splitlines()]
    return measure([(entry, read(load(str(folder / entry["file"])))) for entry in entries])


@pytest.mark.parametrize(("what", "asked", "most_wrong"), [("status", 30, 1), ("next", 30, 2), ("unit states", 226, 6)])
def test_nearly_all_answers_are_right(scores: dict[str, Score], what: str, asked: int, most_wrong: int) -> None:
    assert scores[what].asked == asked
    assert len(scores[what].wrong) <= most_wrong, scores[what].wrong


def test_no_unit_is_found_that_is_none(scores: dict[str, Score]) -> None:
    assert scores["no surplus"].wrong == []
