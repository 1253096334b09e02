"""Nothing is lost and nothing happens twice: planrail, its agent or both are killed, interrupted, stopped."""

import os
import signal
from collections.abc import Iterator

import pytest

from planrail.testing.model_server import say
from tests.e2e.projects import Project
from tests.e2e.runs import PATH, Yard, open_yard, wait_for
from tests.e2e.runs_casting import (
    ALL_SAID,
    CLAUDE_ACTOR,
    CODEX_ACTOR,
    GOOD,
    HELLO,
    PAIRS,
    Cast,
    Gate,
    greeting_plan,
    phase,
    verdict,
)
from tests.support.lanes import sampled


@pytest.fixture
def yard(project: Project) -> Iterator[Yard]:
    with open_yard(project) as made:
        made.plan(greeting_plan(phase(1)))
        yield made


def _assert_landed_once(cast: Cast) -> None:
    yard = cast.yard
    assert cast.rest == ALL_SAID
    assert yard.landed() == ["1"]
    assert yard.text("hello.txt") == "hello world\n"
    assert yard.processes() == []
    assert yard.project.git("worktree", "list").count("\n") == 1
    assert [place.name for place in (yard.project.state / "workspaces").iterdir()] == []


@pytest.mark.parametrize("pair", sampled(PAIRS, "claude works"))
def test_an_agent_whose_planrail_was_killed_works_on_and_is_adopted(yard: Yard, pair: str) -> None:
    cast, gate = Cast(yard, *PAIRS[pair]), Gate()
    cast.play([gate.hold(cast.worker.shell(HELLO)), say("Done.")], cast.verifier.answer(verdict(**GOOD)))
    planrail = yard.start("run", PATH, "finish", "auto", *cast.agents)
    gate.wait(planrail)
    planrail.kill()
    planrail.wait()
    assert yard.processes(), "the agent ended with planrail"
    status = yard.status()
    assert (status["step"], dict(status["run"])["state"]) == ("implement.1", "interrupted")  # type: ignore[call-overload]
    gate.open()
    told = yard.call("resume")
    assert (told.code, told.state) == (0, "complete"), told
    _assert_landed_once(cast)
    assert len(cast.worked) == 2
    assert [place.name for place in yard.jobs()] == ["1-1-implement.1", "1-1-verify.1"]
    assert len(yard.attempts()) == 1


@pytest.mark.parametrize("pair", sampled(PAIRS, "codex works"))
def test_when_everything_was_killed_a_new_attempt_is_made(yard: Yard, pair: str) -> None:
    cast, gate = Cast(yard, *PAIRS[pair]), Gate()
    lost = [cast.worker.shell("echo half > hello.txt; echo x > left.txt"), gate.hold(cast.worker.shell("true"))]
    cast.play([*lost, cast.worker.shell(HELLO), say("Done.")], cast.verifier.answer(verdict(**GOOD)))
    planrail = yard.start("run", PATH, "finish", "auto", *cast.agents)
    gate.wait(planrail)
    yard.kill_everything()
    gate.open()
    told = yard.call("resume")
    assert (told.code, told.state) == (0, "complete"), told
    _assert_landed_once(cast)
    assert [attempt["attempt"] for attempt in yard.attempts()] == [2, 1]
    assert yard.project.git("ls-tree", "--name-only", "main").split().count("left.txt") == 0


def test_an_interrupt_leaves_the_agent_at_work_and_a_stop_ends_both(yard: Yard) -> None:
    cast, gate = Cast(yard, CLAUDE_ACTOR, CODEX_ACTOR), Gate()
    cast.play([gate.hold(cast.worker.shell(HELLO)), say("Done.")], [])
    planrail = yard.start("run", PATH, "finish", "auto", *cast.agents)
    gate.wait(planrail)
    os.kill(planrail.pid, signal.SIGINT)
    _, said = planrail.communicate(timeout=30)
    assert planrail.returncode == 130
    assert f"planrail resume {PATH}" in said
    agents = set(yard.processes())
    assert agents
    again = yard.start("resume")
    wait_for(lambda: _is_live(yard), "planrail has taken the run up again")
    assert agents <= set(yard.processes())
    told = yard.call("stop", PATH)
    again.communicate(timeout=30)
    assert (told.code, again.returncode) == (0, 130)
    assert yard.processes() == []
    assert yard.landed() == []
    assert len(cast.worked) == 1


def _is_live(yard: Yard) -> bool:
    run = yard.status()["run"]
    return isinstance(run, dict) and bool(run["live"])
