"""Many processes at once make, move and record plans: none is overwritten, and no change is lost."""

import subprocess
import sys
from pathlib import Path

import pytest

from planrail.plans.files import lifecycle
from planrail.plans.files.lifecycle import PlanRecord
from tests.support.patience import PATIENCE

PROCESSES = 16

_CREATE = """
import random, sys
from planrail.plans.files.plan_files import create
folder, mine = sys.argv[1:]
sys.stdin.read()
made = create(folder, "Add dark mode", choose=random.Random("same").randrange, text=mine * 1000)
print(made if isinstance(made, str) else "refused: " + made.reason)
"""
_MOVE = """
import sys
from planrail.plans.files.plan_files import move
folder, mine = sys.argv[1:]
sys.stdin.read()
print(move(f"{folder}/{mine}/p.md", f"{folder}/archive"))
"""
_RECORD = """
import sys
from planrail.plans.files.lifecycle import save
from planrail.plans.files.lifecycle import PlanRecord, ReachedStage, advance
folder, mine = sys.argv[1:]
sys.stdin.read()
for turn in range(5):
    save(folder, "/p/plan.md", lambda known: advance(known or PlanRecord("/p/plan.md", "/p"), ReachedStage("draft", mine, turn)))
"""


def _together(program: str, folder: Path, count: int) -> list[str]:
    """Start so many processes, let them all go at once, and return what each has printed."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(folder), f"{number:02}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(count)
    ]
    for process in started:
        assert process.stdin is not None
        process.stdin.close()
        process.stdin = None
    answers = [process.communicate(timeout=PATIENCE)[0].strip() for process in started]
    assert [process.returncode for process in started] == [0] * len(started)
    return answers


def test_with_one_seed_for_all_each_gets_a_file_or_an_error(tmp_path: Path) -> None:
    answers = _together(_CREATE, tmp_path, PROCESSES)
    made = {answer: number for number, answer in enumerate(answers) if "all are taken" not in answer}
    assert len(made) == 10  # the tries that each has, all with the same ten names
    assert {str(path) for path in tmp_path.iterdir()} == set(made)
    assert all(Path(path).read_text() == f"{number:02}" * 1000 for path, number in made.items())


@pytest.mark.full
def test_plans_of_one_name_that_are_archived_at_once_are_all_kept(tmp_path: Path) -> None:
    for number in range(PROCESSES):
        (tmp_path / f"{number:02}").mkdir()
        (tmp_path / f"{number:02}" / "p.md").write_text(str(number))
    _together(_MOVE, tmp_path, PROCESSES)
    kept = sorted(int(path.read_text()) for path in (tmp_path / "archive").iterdir())
    assert kept == list(range(PROCESSES))


@pytest.mark.full
def test_no_step_of_a_record_is_lost(tmp_path: Path) -> None:
    _together(_RECORD, tmp_path, PROCESSES)
    known = lifecycle.load(str(tmp_path), "/p/plan.md")
    assert isinstance(known, PlanRecord)
    steps = [(step["hash"], step["at"]) for step in known.history]
    assert sorted(steps) == [(f"{number:02}", turn) for number in range(PROCESSES) for turn in range(5)]
