"""Many processes at one queue: each submission is taken by exactly one, and no limit is ever exceeded."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from planrail.store.ledger import open_team_tables
from planrail.team.dispatch import Dispatch
from tests.conftest import ROOT
from tests.store.queue_stage import EMBEDDED, TEAM, make, open_embedded
from tests.support.patience import PATIENCE

PROCESSES, SUBMISSIONS, REPOSITORIES, ACCOUNTS = 6, 80, 5, 3
LIMITS = {"repository": {"r0": 1, "r1": 2, "*": 3}, "account": {"a0": 2, "a1": 4}}


@pytest.mark.full
@pytest.mark.parametrize("kind", [EMBEDDED, TEAM])
def test_each_submission_is_taken_once_and_limits_hold(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    place = str(tmp_path / "ledger") if kind == EMBEDDED else str(request.getfixturevalue("database"))
    ids = fill(kind, place)
    command = [sys.executable, "-m", "tests.store.queue_taker", kind, place]
    takers = [subprocess.Popen([*command, f"w{n}"], cwd=ROOT, stdout=subprocess.PIPE) for n in range(PROCESSES)]
    said = [json.loads(taker.communicate(timeout=PATIENCE)[0]) for taker in takers]
    assert Counter(id for answer in said for id in answer["taken"]) == Counter(ids)
    assert sum(1 for answer in said if answer["taken"]) > 1, "they did work beside each other"
    most = {kind: Counter[str]() for kind in LIMITS}
    for answer in said:
        for limited, seen in answer["most"].items():
            most[limited] |= Counter(seen)
    reached = {(kind, name): most[kind][name] - allowed(kind, name) for kind in LIMITS for name in most[kind]}
    assert {name: excess for name, excess in reached.items() if excess > 0} == {}
    assert 0 in reached.values(), "a limit was come to"


def fill(kind: str, place: str) -> list[str]:
    with open_embedded(Path(place)) if kind == EMBEDDED else open_team_tables(place) as tables:
        for limited, limits in LIMITS.items():
            for name, most in limits.items():
                Dispatch(tables).set_limit(limited, name, most)
        rows = [
            make(f"p{n}", repository=f"r{n % REPOSITORIES}", account=f"a{n % ACCOUNTS}", priority=n % 2)
            for n in range(SUBMISSIONS)
        ]
        with tables.exclusive():
            return [Dispatch(tables).submit(row).id for row in rows]


def allowed(kind: str, name: str) -> float:
    return LIMITS[kind].get(name, LIMITS[kind].get("*", float("inf")))
