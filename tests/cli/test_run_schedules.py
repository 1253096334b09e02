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
    found: list[dict[str, object]] = json.loads(project.ask("list", "upcoming", "--json").stdout)["upcoming"]
    return found


def states(project: Project) -> list[object]:
    return [one["state"] for one in upcoming(project)]


def test_every_schedules_and_runs_nothing_until_stop_ends_it(project: Project) -> None:
    project.plan(two_phases())
    told = project.ask("run", "now")
    assert (told.returncode, "planrail run PLAN every" in told.stderr) == (1, True)
    for words, said in (
        (("PLAN.md", "every", "5h"), "4h"),
        (("PLAN.md", "every"), "planrail run PLAN every 4h"),
        (("PLAN.md", "finish", "every", "4h"), "mutually exclusive"),
        (("PLAN.md", "2", "every", "4h"), "the next phase each time"),
    ):
        told = project.ask("run", *words)
        assert (told.returncode, said in told.stderr, upcoming(project)) == (2, True, []), words
    told = project.ask("run", "PLAN.md", "every", "4h")
    assert (told.returncode, "next: planrail list upcoming" in told.stdout) == (0, True)
    assert "no worker is there" in told.stderr
    project.ask("run", "PLAN.md", "--every", "weekday at 14:00")
    assert [one["expression"] for one in upcoming(project)] == ["weekday at 14:00"]
    told = project.ask("stop", "PLAN.md")
    assert "ended the schedule of PLAN.md (every weekday at 14:00" in told.stdout
    assert (upcoming(project), project.landed()) == ([], [])


@pytest.mark.full
def test_a_schedule_is_kept_phase_by_phase_until_the_plan_is_complete(project: Project) -> None:
    project.plan(two_phases() + PHASE.format(3) + PHASE.format(4))
    first = project.type("run", "PLAN.md", "every", "4h", "now")
    assert "phase 1 is done" in first.stdout
    assert "it goes on every 4h" in first.stdout
    assert "next in " in first.stdout
    before = upcoming(project)[0]["next"]
    assert project.type("run", "now").returncode == 0
    assert project.landed() == ["2", "1"]
    assert [(one["next"], one["state"]) for one in upcoming(project)] == [(before, "active")]
    project.type("run", "PLAN.md", "auto", "--submit")
    by_worker = project.type("worker", "--once")
    assert "phase 3 is done" in by_worker.stderr
    assert "it goes on every 4h" in by_worker.stderr
    last = project.type("run", "PLAN.md", "auto")
    assert "goes on every" not in last.stdout
    assert upcoming(project) == []


@pytest.mark.full
def test_a_schedule_for_one_time_is_spent_when_it_is_fired_early(project: Project) -> None:
    project.plan(two_phases())
    project.type("run", "PLAN.md", "every", "in 20m")
    project.type("run", "now")
    assert project.landed() == ["1"]
    assert upcoming(project) == []


@pytest.mark.full
def test_a_run_that_fails_holds_the_schedule_until_a_person_starts_it_anew(project: Project) -> None:
    project.plan(FAILS)
    assert project.type("run", "PLAN.md", "every", "4h", "now").returncode == 1
    assert states(project) == ["held"]
    project.type("run", "PLAN.md", "every", "4h")
    assert states(project) == ["active"]


@pytest.mark.full
def test_a_run_that_a_crash_cut_off_is_taken_up_by_a_worker(project: Project) -> None:
    project.plan(two_phases())
    died = project.type("run", "PLAN.md", "finish", "auto", PLANRAIL_CRASH_AT="land.1.recorded")
    assert died.returncode < 0
    assert "recovered" in project.type("worker", "--once").stderr
    assert project.landed() == ["2", "1"]


@pytest.mark.soak
def test_what_is_submitted_once_is_done_by_the_next_worker_or_by_a_run_in_the_foreground(project: Project) -> None:
    project.plan(two_phases())
    for _ in range(2):
        assert project.type("run", "PLAN.md", "finish", "auto", "--submit").returncode == 0
    assert project.type("run", "PLAN.md", "1", "auto", "--submit").returncode == 10, "another request is refused"
    assert len(json.loads(project.ask("queue", "--json").stdout)["waiting"]) == 1
    assert project.landed() == []
    assert json.loads(project.ask("status", "PLAN.md", "--json").stdout)["submission"]["state"] == "queued"
    assert project.type("worker", "--once").returncode == 0
    assert project.landed() == ["2", "1"]
    assert json.loads(project.ask("status", "PLAN.md", "--json").stdout)["submission"] is None
    project.plan(PHASE.format(1).replace("1.txt", "one.txt"), "OTHER.md")
    project.type("run", "OTHER.md", "finish", "auto", "--submit")
    project.type("run", "OTHER.md", "finish", "auto")
    assert project.landed() == ["1", "2", "1"]
    assert json.loads(project.ask("queue", "--json").stdout)["waiting"] == []
