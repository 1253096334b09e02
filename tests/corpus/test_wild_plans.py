"""Thirty plans of other people, judged by readers who had not seen the code, and the bars that planrail has to clear."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planrail.plans.model import Plan
from planrail.plans.reading import read
from planrail.plans.source import load
from planrail.plans.units import id_key

# What a judged state may be called by planrail.
_STATES = {
    "done": {"done"},
    "pending": {"todo"},
    "in_progress": {"in_progress", "partial"},
    "deferred": {"skipped", "blocked", "todo"},
    "skipped": {"skipped"},
}


@pytest.fixture(scope="module")
def judged(shared: Path) -> list[tuple[dict[str, Any], Plan]]:
    entries = [json.loads(line) for line in (shared / "wild_plans/manifest.jsonl").read_text("utf-8").splitlines()]
    return [(entry, read(load(str(shared / "wild_plans" / entry["file"])))) for entry in entries]


def test_the_status_of_the_plan_is_right_in_29_of_30(judged: list[tuple[dict[str, Any], Plan]]) -> None:
    wrong = [entry["file"] for entry, plan in judged if plan.status != entry["plan_status"]]
    assert len(judged) - len(wrong) >= 29, wrong


def test_the_next_unit_is_right_in_28_of_30(judged: list[tuple[dict[str, Any], Plan]]) -> None:
    wrong = [(entry["file"], plan.next) for entry, plan in judged if not _is_next(entry, plan)]
    assert len(judged) - len(wrong) >= 28, wrong


def _is_next(entry: dict[str, Any], plan: Plan) -> bool:
    right = {*entry["acceptable_next_units"], *entry.get("ready_set", ()), entry["next"]["unit"]} - {None}
    if plan.next is None:
        return entry["next"]["unit"] is None
    return id_key(plan.next.phase) in {id_key(name) for name in right}


def test_97_percent_of_the_states_are_right(judged: list[tuple[dict[str, Any], Plan]]) -> None:
    verdicts = [verdict for entry, plan in judged for verdict in _verdicts(entry, plan)]
    wrong = [name for name, is_right in verdicts if not is_right]
    assert len(verdicts) == 226
    assert len(wrong) <= len(verdicts) * 0.03, wrong


def _verdicts(entry: dict[str, Any], plan: Plan) -> Iterator[tuple[str, bool]]:
    found = {id_key(phase.id): str(phase.status) for phase in plan.phases}
    for unit in entry["units"]:
        state = found.get(id_key(unit["id"]))
        yield f"{entry['file']} {unit['id']}: {state}, not {unit['status']}", state in _STATES[unit["status"]]


def test_no_unit_is_found_that_is_none(judged: list[tuple[dict[str, Any], Plan]]) -> None:
    surplus = [
        (entry["file"], phase.id)
        for entry, plan in judged
        for phase in plan.phases
        if id_key(phase.id) not in {id_key(unit["id"]) for unit in entry["units"]}
    ]
    assert surplus == []
