"""What every adapter of the dispatch port promises, as one suite: inherit it, and give it a stage.

    class TestMyEngine(DispatchConformance):
        @pytest.fixture
        def stage(self, tmp_path: Path) -> Iterator[DispatchStage]:
            with contextlib.closing(MyStage(tmp_path)) as stage:
                yield stage

Tests see what people see, and what turns wrote down; nothing of the adapter. The number in a name is that of the line
in docs/engines.md. What takes a lease or more is marked `full`, what takes minutes `soak`: name both in your settings.
"""

import contextlib
import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter

import pytest

from planrail.base.errors import Held, PlanrailError
from planrail.runs.request.requests import RunRequest
from planrail.team.queueing import STOPPING, SubmissionRequest
from planrail.testing.dispatch_failures import HERE, FailureConformance, name_machines
from planrail.testing.dispatch_stage import DispatchStage
from planrail.testing.dispatch_turn import BEGAN, LANDED, LEFT

_PLAN = "# Plan\n\n## Phase 1 — One\n\n- [ ] do it\n\n```sh run\ntrue\n```\n```sh check\ntrue\n```\n"


class QueueConformance:
    """What people ask for is what happens: lines 1, 5, 6, 7 and 11."""

    # ---- 1. one open submission for each plan; the same request twice is one ----

    def test_01_many_who_submit_a_plan_at_once_have_one_submission(self, stage: DispatchStage) -> None:
        ids: list[str] = []
        crowd = [threading.Thread(target=lambda: ids.append(stage.submit("a").id)) for _ in range(8)]
        for thread in crowd:
            thread.start()
        for thread in crowd:
            thread.join()
        assert (len(ids), len(set(ids)), stage.list_open()) == (8, 1, ["a"])

    def test_01_another_request_for_a_plan_that_waits_is_held(self, stage: DispatchStage) -> None:
        stage.submit("a")
        with pytest.raises(Held):
            stage.submit("a", wish=SubmissionRequest(RunRequest("a.md", finish=True)))

    def test_01_a_request_whose_answer_was_lost_is_there_once_when_it_is_made_again(self, stage: DispatchStage) -> None:
        with stage.lose_answer(), contextlib.suppress(PlanrailError):
            stage.submit("a")
        first = stage.submit("a")
        assert stage.submit("a").id == first.id
        stage.start_worker(HERE)
        stage.wait_until_done()
        assert len(stage.notes(LANDED)) == 1

    # ---- 5. a stop that has answered is the last word ----

    def test_05_what_is_stopped_while_it_waits_has_no_turn(self, stage: DispatchStage) -> None:
        for plan in ("a", "b"):
            stage.submit(plan)
        stage.stop("a")
        stage.start_worker(HERE)
        stage.wait_until_done()
        assert [note.plan for note in stage.notes(BEGAN)] == ["b"]

    def test_05_what_is_stopped_while_it_runs_hears_it_and_lands_nothing(self, stage: DispatchStage) -> None:
        stage.submit("a", waits=1)
        stage.start_worker(HERE)
        stage.wait_for(lambda: stage.notes(BEGAN))
        stage.stop("a")
        stage.wait_until_done()
        assert len(stage.notes(STOPPING)) == 1
        assert not stage.notes(LANDED)

    @pytest.mark.full
    def test_05_a_stop_that_races_a_firing_is_the_last_word(self, stage: DispatchStage) -> None:
        for machine in name_machines(stage, 3):
            stage.start_worker(machine)
        for number in range(6):
            plan = f"p{number}"
            stage.schedule(plan, time.time() - 1, waits=1)
            time.sleep(random.uniform(0.0, 0.5))  # anywhere between the firing and the turn
            stage.stop(plan)
            stage.say_go(plan)
        stage.submit("last")
        stage.wait_until_done()
        assert [note.plan for note in stage.notes(LANDED)] == ["last"]
        with stage.open() as dispatch:
            assert dispatch.list_schedules() == []

    # ---- 6. a firing happens once with N workers; a missed one fires once ----

    def test_06_a_schedule_fires_once_however_many_workers_there_are_also_one_that_was_missed_for_days(
        self, stage: DispatchStage
    ) -> None:
        for machine in name_machines(stage, 3):
            stage.start_worker(machine)
        for plan, ahead in (("on-time", 1.5), ("missed", -400_000.0)):
            stage.schedule(plan, time.time() + ahead, waits=1, ending="phase_done")
        stage.wait_for(lambda: len(stage.notes(BEGAN)) >= 2)
        stage.say_go("on-time", "missed")
        stage.submit("last")
        stage.wait_until_done()
        assert Counter(note.plan for note in stage.notes(BEGAN)) == {"on-time": 1, "missed": 1, "last": 1}
        with stage.open() as dispatch:
            assert [row.next > time.time() for row in dispatch.list_schedules()] == [True, True]

    # ---- 7. priorities, both limits together, turns ----

    def test_07_priority_comes_first_then_who_came_first(self, stage: DispatchStage) -> None:
        for plan, priority in (("a", 0), ("b", 0), ("c", 5), ("d", -1)):
            stage.submit(plan, priority=priority)
        with stage.open() as dispatch:
            dispatch.set_priority("d", 9)
        stage.start_worker(HERE)
        stage.wait_until_done()
        assert [note.plan for note in stage.notes(BEGAN)] == ["d", "c", "a", "b"]

    @pytest.mark.full
    def test_07_both_limits_hold_at_once(self, stage: DispatchStage) -> None:
        limits = {("repository", "r0"): 1, ("repository", "r1"): 3, ("account", "a0"): 2}
        with stage.open() as dispatch:
            for (kind, name), most in limits.items():
                dispatch.set_limit(kind, name, most)
        for number in range(12):
            where = {"repository": f"r{number % 2}", "account": f"a{number // 2 % 2}"}
            stage.submit(f"p{number}", **where, waits=1)
        for machine in name_machines(stage, 2):
            stage.start_worker(machine, slots=4)
        stage.wait_for(lambda: len(stage.notes(BEGAN)) >= 4)
        stage.say_go(*(f"p{number}" for number in range(12)))
        stage.wait_until_done()
        assert len(stage.notes(LANDED)) == 12
        self._never_more_than(stage, limits)

    def _never_more_than(self, stage: DispatchStage, limits: dict[tuple[str, str], int]) -> None:
        busy, most = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        for note in stage.notes(BEGAN, LEFT):
            for name in (("repository", note.repository), ("account", note.account)):
                busy[name] += 1 if note.what == BEGAN else -1
            most |= busy
        assert {name: most[name] for name in limits if most[name] > limits[name]} == {}
        assert most["repository", "r1"] == 3, "the limit was come to"

    @pytest.mark.full
    def test_07_an_account_that_rests_starts_nothing(self, stage: DispatchStage) -> None:
        with stage.open() as dispatch:
            dispatch.hold_account("tired", time.time() + 3600)
        stage.submit("a", account="tired")
        stage.submit("b", account="fresh")
        stage.start_worker(HERE)
        stage.wait_for(lambda: stage.list_open() == ["a"])
        with stage.open() as dispatch:
            dispatch.hold_account("tired", 0.0)
        stage.wait_until_done()
        assert [note.plan for note in stage.notes(LANDED)] == ["b", "a"]

    @pytest.mark.full
    def test_07_plans_take_turns_where_they_wait_for_each_other(self, stage: DispatchStage) -> None:
        for plan in ("a", "b"):
            stage.submit(plan, phases=3)
        stage.start_worker(HERE)
        stage.wait_until_done()
        assert [note.plan for note in stage.notes(LANDED)] == ["a", "b", "a", "b", "a", "b"]

    # ---- 11. no engine is imported by a command that reads or submits ----

    @pytest.mark.parametrize("words", ["queue", "list", "status plan.md", "run plan.md --submit"])
    def test_11_a_command_that_reads_or_submits_imports_no_engine(self, stage: DispatchStage, words: str) -> None:
        root = stage.folder / "project"
        root.mkdir()
        (root / "plan.md").write_text(_PLAN)
        (root / "planrail.toml").write_text("[approval]\nrequired = false\n")
        for words_of_git in ("init -q", "config user.name Ann", "config user.email a@b", "add .", "commit -qm One"):
            subprocess.run(["git", *words_of_git.split()], cwd=root, check=True)
        command = [sys.executable, "-X", "importtime", "-m", "planrail", *words.split()]
        environment = {**os.environ, **stage.describe_commands()}
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
        lines = done.stderr.splitlines()
        imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in lines if line.startswith("import ")}
        assert done.returncode == 0, [line for line in lines if not line.startswith("import ")]
        assert "planrail" in imported
        assert not imported & stage.engines


class DispatchConformance(QueueConformance, FailureConformance):
    """The whole suite."""
