"""Twenty-two real plans, judged by hand: phases, states, what is next, and the route. All of them, or it is a bug."""

import json
from pathlib import Path
from typing import Any

import pytest

from planrail.plans.reading import read
from planrail.plans.text.source import load

_CASES = Path(__file__).parents[3] / "shared" / "cases" / "plan_parse.jsonl"
_ROUTES = {"stop: plan complete": "complete", "stop: no executable phase": "none"}


def _cases() -> list[dict[str, Any]]:
    if not _CASES.is_file():
        return []
    return [json.loads(line) for line in _CASES.read_text("utf-8").splitlines()]


def _route(judged: str) -> str:
    """The route that the judge meant: "defer (phase 3 in progress)", "finalise: all done", "stop: plan complete"."""
    return _ROUTES.get(judged) or judged.split(" (")[0].split(":")[0]


@pytest.mark.parametrize("case", _cases(), ids=lambda case: case["in"]["file"])
def test_a_plan_is_read_as_it_was_judged(case: dict[str, Any], shared: Path) -> None:
    plan = read(load(str(shared / "plans" / case["in"]["file"])))
    judged = case["out"]
    assert [[phase.id, phase.status] for phase in plan.phases] == judged["phases"]
    assert (plan.next.phase if plan.next else None) == judged["next"]
    assert plan.route == _route(judged["route"])


def test_all_the_judged_plans_are_here(shared: Path) -> None:
    assert len(_cases()) == 22
