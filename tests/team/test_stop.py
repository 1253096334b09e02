"""A stop is heard wherever the plan runs, and a plan that was stopped does not come back by itself."""

import random
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from planrail.base.records import replace
from planrail.runs.request.requests import RunRequest
from planrail.store.ledger import open_team_tables
from planrail.team.dispatch import Dispatch
from planrail.team.queueing import ScheduleRow, SubmissionRequest
from tests.support.worker_stage import Size
from tests.team.conftest import MakeStage
from tests.team.promises import strangers

FOREVER = "while :; do sleep 0.1; done"
DUE = ScheduleRow(
    "",
    "host/team/shop",
    "p",
    "p.md",
    "1m",
    "* * * * *",
    "UTC",
    "interval",
    SubmissionRequest(RunRequest("p.md")),
    next=1.0,
)


@pytest.mark.full
def test_a_stop_from_another_laptop_ends_the_run_and_its_agent(make_stage: MakeStage, database: str) -> None:
    stage = make_stage(Size(plans=1, phases=2, work=FOREVER), database, has_remotes=True)
    plan = stage.plans[0]
    told = stage.laptop.call("run", plan.path, "every", "4h", "now", folder=plan.root)
    assert told.returncode == 0, told.stderr
    stage.machine("worker").start_worker()
    stage.wait_for(stage.count_starts)
    told = stage.machine("other laptop").call("stop", plan.path, folder=stage.clone(plan, "other"))
    assert told.returncode == 0, told.stderr
    stage.wait_until_done()
    stage.wait_for(lambda: not strangers(stage))
    assert stage.rows("SELECT state, outcome FROM submissions") == [("ended", "stopped")]
    assert stage.rows("SELECT state FROM schedules") == [("ended",)]
    assert stage.rows("SELECT 1 FROM runs WHERE ending IS NULL") == []
    assert stage.landed(plan) == []


@pytest.mark.parametrize("round_", range(12))
def test_a_stop_that_races_with_firings_is_the_last_word(database: str, round_: int) -> None:
    """Firings, takings and changes of the cadence begin before the stop; whatever came in between, nothing is left."""
    dice, url = random.Random(round_), database
    with open_team_tables(url, DUE.repository) as tables:
        Dispatch(tables).put_schedule(DUE)
    works: list[Callable[[], None]] = [lambda: _fire(url), lambda: _fire(url), lambda: _take(url), lambda: _change(url)]
    threads = [threading.Thread(target=work) for work in works]
    dice.shuffle(threads)
    for at, thread in enumerate(threads):
        if at == 2:
            _stop(url)
        thread.start()
    for thread in threads:
        thread.join()
    _is_consistent(url)
    _stop(url)
    _fire(url)
    with open_team_tables(url, DUE.repository) as tables:
        rows = Dispatch(tables).list_submissions()
        assert {row.state for row in rows} <= {"stopping"}
        assert Dispatch(tables).list_schedules() == []


def _is_consistent(url: str) -> None:
    """What waits was put there by a schedule that stands: no firing outlived the stop of its schedule."""
    with open_team_tables(url, DUE.repository) as tables:
        standing = {row.id for row in Dispatch(tables).list_schedules()}
        waiting = [row for row in Dispatch(tables).list_submissions() if row.state == "queued"]
        for row in waiting:
            assert row.id.split("-")[1] in standing or any(row.id.startswith(f"fire-{id}-") for id in standing)


def _fire(url: str) -> None:
    with open_team_tables(url, DUE.repository) as tables:
        Dispatch(tables).fire_due()


def _take(url: str) -> None:
    with open_team_tables(url, DUE.repository) as tables:
        Dispatch(tables).take("w", "{}", "host#1")


def _change(url: str) -> None:
    with open_team_tables(url, DUE.repository) as tables:
        Dispatch(tables).put_schedule(replace(DUE, expression="2m", cron="*/2 * * * *"))


def _stop(url: str) -> None:
    with open_team_tables(url, DUE.repository) as tables:
        Dispatch(tables).ask_stop(DUE.plan)


def test_a_stop_and_a_schedule_written_by_commands_end_in_one_of_both_states(
    make_stage: MakeStage, database: str
) -> None:
    stage = make_stage(Size(plans=1, phases=1), database)
    plan = stage.plans[0]
    commands = [("run", plan.path, "every", "4h"), ("stop", plan.path), ("run", plan.path, "every", "1h")]
    threads = [threading.Thread(target=_call, args=(stage.laptop, words, plan.root)) for words in commands]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    active = stage.rows("SELECT expression FROM schedules WHERE state <> 'ended'")
    assert active in ([], [("4h",)], [("1h",)])
    assert stage.laptop.call("stop", plan.path, folder=plan.root).returncode == 0
    assert stage.rows("SELECT 1 FROM schedules WHERE state <> 'ended'") == []


def _call(laptop: object, words: tuple[str, ...], folder: Path) -> None:
    from tests.support.worker_stage import Machine

    assert isinstance(laptop, Machine)
    laptop.call(*words, folder=folder)
