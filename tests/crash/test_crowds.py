"""Many runs at once: of one plan, of plans with one name, of many plans in one repository."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from planrail.base.crash_points import VARIABLE
from tests.crash.promises import Promise
from tests.support.run_stage import PLAN, RunStage, finish, pace_until, write_plan
from tests.support.run_traces import find_leftovers


def _add_plans(stage: RunStage, places: list[str], phases: int) -> None:
    """Plans whose phases write files of their own."""
    for number, place in enumerate(places):
        text = write_plan(phases, stage.starts)
        stage.write(
            place, text.replace("phase-", f"out-{number}/phase-").replace('echo "', f'mkdir -p out-{number}\necho "')
        )
    stage.git("add", "plans")
    stage.git("commit", "-q", "-m", "More plans")


def _run_all(stage: RunStage, places: list[str]) -> list[int]:
    processes = [stage.start("run", place, "finish", "auto") for place in places]
    return [finish(process).code for process in processes]


def _landed(stage: RunStage) -> Counter[tuple[str, str]]:
    told = stage.git(
        "log",
        "--format=%(trailers:key=Planrail-Plan,valueonly,separator=%x2C)|%(trailers:key=Planrail-Phase,valueonly)",
    )
    pairs = [tuple(line.strip().split("|")) for line in told.splitlines() if "|" in line]
    return Counter((pair[0], pair[1]) for pair in pairs if pair[0] and pair[1])


@pytest.mark.full
def test_sixteen_runs_of_one_plan_at_once_are_one_run(make_stage: Callable[..., RunStage], tmp_path: Path) -> None:
    stage = make_stage(3, pace_until(tmp_path / "gate"))
    promise = Promise(stage)
    processes = [stage.start_run() for _ in range(16)]
    stage.wait_for(lambda: sum(process.poll() is not None for process in processes) == 15)
    (tmp_path / "gate").touch()
    answers = [finish(process) for process in processes]
    assert sorted(answer.code for answer in answers) == [0] + [10] * 15, answers
    promise.is_kept()


@pytest.mark.soak
def test_two_plans_with_one_base_name_do_not_get_into_each_others_way(make_stage: Callable[..., RunStage]) -> None:
    stage = make_stage(2)
    places = ["plans/one/same.md", "plans/two/same.md"]
    _add_plans(stage, places, 2)
    assert _run_all(stage, places) == [0, 0]
    assert _landed(stage) == {(place, number): 1 for place in places for number in ("1", "2")}
    assert find_leftovers(stage) == []
    assert len(list(stage.root.parent.rglob("reports/plan-same*.md"))) == 2


@pytest.mark.full
@pytest.mark.parametrize("point", ["land.ref_moved", pytest.param("land.checkout_half", marks=pytest.mark.soak)])
def test_a_landing_that_was_cut_off_is_brought_to_its_end_by_whoever_lands_next(
    make_stage: Callable[..., RunStage], point: str
) -> None:
    stage = make_stage(1)
    places = ["plans/one.md", "plans/two.md"]
    _add_plans(stage, places, 2)
    promise = Promise(stage)
    assert stage.call("run", places[0], "finish", "auto", **{VARIABLE: point}).was_killed
    assert stage.call("run", places[1], "finish", "auto").code == 0
    promise.work_is_unchanged()
    assert stage.call("resume", places[0]).code == 0
    assert _landed(stage) == {(place, number): 1 for place in places for number in ("1", "2")}
    promise.work_is_unchanged()
    assert find_leftovers(stage) == []


@pytest.mark.full
@pytest.mark.parametrize("count", [4, pytest.param(20, marks=pytest.mark.soak)])
def test_many_plans_in_one_repository_at_once_all_land(make_stage: Callable[..., RunStage], count: int) -> None:
    stage = make_stage(1)
    places = [f"plans/plan-{number}.md" for number in range(count)]
    _add_plans(stage, places, 2)
    promise = Promise(stage)
    assert _run_all(stage, places) == [0] * count
    assert _landed(stage) == {(place, number): 1 for place in places for number in ("1", "2")}
    promise.work_is_unchanged()
    assert find_leftovers(stage) == []
    journals = [place.read_text() for place in stage.place.rglob("journal.jsonl")]
    assert len(journals) == count
    assert [journal for journal in journals if "prove.1" not in journal or "prove.2" in journal] == []  # proven once


@pytest.mark.soak
def test_two_hundred_plans_of_five_phases_in_one_go_end_without_an_error(tmp_path: Path) -> None:
    """Twenty repositories with ten plans each; two runs at a time, as many as there are cores."""
    from concurrent.futures import ThreadPoolExecutor

    stages = [RunStage(tmp_path / f"stage-{number}", 1) for number in range(20)]
    places = [f"plans/plan-{number}.md" for number in range(10)]
    for stage in stages:
        _add_plans(stage, places, 5)
    orders = [(stage, place) for place in places for stage in stages]
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda order: order[0].call("run", order[1], "finish", "auto"), orders))
    assert [answer for answer in answers if answer.code] == []
    for stage in stages:
        assert sum(_landed(stage).values()) == 50
        assert find_leftovers(stage) == []


@pytest.mark.soak
def test_a_crowd_that_is_killed_and_resumed_lands_all(make_stage: Callable[..., RunStage]) -> None:
    import time

    stage = make_stage(1)
    places = [f"plans/plan-{number}.md" for number in range(8)]
    _add_plans(stage, places, 3)
    processes = [stage.start("run", place, "finish", "auto") for place in places]
    time.sleep(4)
    for process in processes:
        process.kill()
    for process in processes:
        finish(process)
    resumed = [stage.start("resume", place) for place in places]
    answers = [finish(process) for process in resumed]
    again = [
        stage.call("run", place, "finish", "auto") for place, answer in zip(places, answers, strict=True) if answer.code
    ]
    assert [answer.code for answer in again] == [0] * len(again), again
    assert _landed(stage) == {(place, number): 1 for place in places for number in ("1", "2", "3")}
    assert find_leftovers(stage) == []


@pytest.mark.full
def test_whoever_asks_while_a_run_works_is_told_who_has_it(make_stage: Callable[..., RunStage], tmp_path: Path) -> None:
    stage = make_stage(1, pace_until(tmp_path / "gate"))
    process = stage.start_run()
    stage.wait_for(stage.count_starts, process)
    for words in (("run", PLAN, "finish", "auto"), ("resume", PLAN)):
        answer = stage.call(*words)
        assert answer.code == 10, answer
        assert str(process.pid) in answer.err
    (tmp_path / "gate").touch()
    assert finish(process).code == 0
