"""`planrail run … every`, `run now`, `--submit` and `stop`, as a person types them, without a team."""

import json
from pathlib import Path

import pytest

from tests.cli.test_run_command import PHASE, Project, two_phases

FAILS = """
## Phase 1 — Part 1

- [ ] write 1.txt

```sh run
echo nothing > 1.txt
```

```sh check
grep -q something 1.txt
```
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


def upcoming(project: Project) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(project.type("upcoming", "--json").stdout)["upcoming"]
    return found


def states(project: Project) -> list[object]:
    return [one["state"] for one in upcoming(project)]


def test_every_schedules_and_runs_nothing_yet(project: Project) -> None:
    project.plan(two_phases())
    told = project.type("run", "PLAN.md", "every", "4h")
    assert told.returncode == 0
    assert "next: planrail list upcoming" in told.stdout
    assert "no worker is there" in told.stderr
    assert [one["expression"] for one in upcoming(project)] == ["4h"]
    assert project.landed() == []


@pytest.mark.full
def test_every_with_now_runs_one_phase_and_keeps_the_schedule(project: Project) -> None:
    project.plan(two_phases())
    assert project.type("run", "PLAN.md", "every", "day", "at", "9am", "now").returncode == 0
    assert project.landed() == ["1"]
    assert states(project) == ["active"]


@pytest.mark.full
def test_run_now_fires_the_next_one_early_and_keeps_the_schedule(project: Project) -> None:
    project.plan(two_phases())
    project.type("run", "PLAN.md", "every", "4h")
    before = upcoming(project)[0]["next"]
    assert project.type("run", "now").returncode == 0
    assert project.landed() == ["1"]
    assert [one["next"] for one in upcoming(project)] == [before]


@pytest.mark.full
def test_a_scheduled_phase_that_ends_says_when_the_next_one_fires(project: Project) -> None:
    project.plan(two_phases() + PHASE.format(3))
    first = project.type("run", "PLAN.md", "every", "4h", "now")
    assert "phase 1 is done" in first.stdout
    assert "it goes on every 4h" in first.stdout
    assert "next in " in first.stdout
    project.type("run", "PLAN.md", "auto", "--submit")
    by_worker = project.type("worker", "--once")
    assert "phase 2 is done" in by_worker.stderr
    assert "it goes on every 4h" in by_worker.stderr
    last = project.type("run", "PLAN.md", "auto")
    assert "goes on every" not in last.stdout


def test_run_now_where_nothing_is_scheduled_says_how_to(project: Project) -> None:
    project.plan(two_phases())
    told = project.type("run", "now")
    assert told.returncode == 1
    assert "planrail run PLAN every" in told.stderr


@pytest.mark.full
def test_a_schedule_for_one_time_is_spent_when_it_is_fired_early(project: Project) -> None:
    project.plan(two_phases())
    project.type("run", "PLAN.md", "every", "in 20m")
    project.type("run", "now")
    assert project.landed() == ["1"]
    assert upcoming(project) == []


def test_a_second_schedule_takes_the_place_of_the_first(project: Project) -> None:
    project.plan(two_phases())
    project.type("run", "PLAN.md", "every", "4h")
    project.type("run", "PLAN.md", "--every", "weekday at 14:00")
    assert [one["expression"] for one in upcoming(project)] == ["weekday at 14:00"]


@pytest.mark.full
def test_a_plan_that_is_complete_needs_no_schedule(project: Project) -> None:
    project.plan(PHASE.format(1))
    project.type("run", "PLAN.md", "every", "4h", "now")
    assert project.landed() == ["1"]
    assert upcoming(project) == []


@pytest.mark.full
def test_a_run_that_fails_holds_the_schedule_until_a_person_starts_it_anew(project: Project) -> None:
    project.plan(FAILS)
    assert project.type("run", "PLAN.md", "every", "4h", "now").returncode == 1
    assert states(project) == ["held"]
    project.type("run", "PLAN.md", "every", "4h")
    assert states(project) == ["active"]


def test_stop_ends_a_schedule_that_has_no_run(project: Project) -> None:
    project.plan(two_phases())
    project.type("run", "PLAN.md", "every", "4h")
    told = project.type("stop", "PLAN.md")
    assert "ended the schedule of PLAN.md (every 4h" in told.stdout
    assert upcoming(project) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("PLAN.md", "every", "5h"), "4h"),
        (("PLAN.md", "every"), "planrail run PLAN every 4h"),
        (("PLAN.md", "finish", "every", "4h"), "mutually exclusive"),
        (("PLAN.md", "2", "every", "4h"), "the next phase each time"),
    ],
)
def test_what_cannot_be_scheduled_is_a_mistake_with_advice(project: Project, words: tuple[str, ...], said: str) -> None:
    project.plan(two_phases())
    told = project.type("run", *words)
    assert told.returncode == 2
    assert said in told.stderr
    assert upcoming(project) == []


@pytest.mark.full
def test_what_is_submitted_is_done_by_the_next_worker(project: Project) -> None:
    project.plan(two_phases())
    assert project.type("run", "PLAN.md", "finish", "auto", "--submit").returncode == 0
    assert project.landed() == []
    assert json.loads(project.type("status", "PLAN.md", "--json").stdout)["submission"]["state"] == "queued"
    assert project.type("worker", "--once").returncode == 0
    assert project.landed() == ["2", "1"]
    assert json.loads(project.type("status", "PLAN.md", "--json").stdout)["submission"] is None


@pytest.mark.full
def test_the_same_is_submitted_once_and_another_wish_is_refused(project: Project) -> None:
    project.plan(two_phases())
    project.type("run", "PLAN.md", "finish", "auto", "--submit")
    assert project.type("run", "PLAN.md", "finish", "auto", "--submit").returncode == 0
    assert project.type("run", "PLAN.md", "1", "auto", "--submit").returncode == 10
    assert len(json.loads(project.type("queue", "--json").stdout)["waiting"]) == 1


@pytest.mark.full
def test_a_run_that_a_crash_cut_off_is_taken_up_by_a_worker(project: Project) -> None:
    project.plan(two_phases())
    died = project.type("run", "PLAN.md", "finish", "auto", PLANRAIL_CRASH_AT="land.1.recorded")
    assert died.returncode < 0
    assert "recovered" in project.type("worker", "--once").stderr
    assert project.landed() == ["2", "1"]


@pytest.mark.full
def test_a_run_in_the_foreground_takes_what_waited_for_it_out_of_the_queue(project: Project) -> None:
    project.plan(PHASE.format(1))
    project.type("run", "PLAN.md", "finish", "auto", "--submit")
    project.type("run", "PLAN.md", "finish", "auto")
    assert project.landed() == ["1"]
    assert json.loads(project.type("queue", "--json").stdout)["waiting"] == []
