"""Many hooks at once: nothing is torn, nothing is lost, nobody gets what is another's."""

import json
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from planrail.hook.sessions.endings import leave_ticket
from planrail.hook.sessions.state import DRAFT, PLAN_PENDING, Session
from planrail.hook.sessions.store import load, update
from planrail.hook.sessions.world import Ticket
from tests.hook.crowds import Crowd, context_of, finish, is_denied

_MANY = 24


@pytest.fixture
def crowd(tmp_path: Path) -> Crowd:
    """An empty project, and no sessions."""
    return Crowd(tmp_path)


@pytest.fixture
def agents() -> Iterator[list[str]]:
    """The numbers of processes that live as long as the test: agents, as far as a hook can tell."""
    sleeping = [subprocess.Popen(["sleep", "600"]) for _ in range(_MANY)]
    yield [str(process.pid) for process in sleeping]
    for process in sleeping:
        process.kill()
        process.wait()


def _attach(crowd: Crowd, name: str) -> Path:
    """A session with an open plan of its own, which is wanted back after a clear."""
    plan = crowd.project / f"plan-of-{name}.md"
    plan.write_text(f"# Plan\n\n- [ ] Step of {name} alone\n", "utf-8")
    session = Session("claude", name, project=str(crowd.project), plan=str(plan), stage=DRAFT, intent=PLAN_PENDING)
    update(str(crowd.state), "claude", name, lambda _: session)
    return plan


def test_no_turn_is_lost_none_is_reminded_in_full_twice_and_no_read_is_torn(crowd: Crowd) -> None:
    """Which of the turns is the first, the sixth, … is decided under the lock."""
    crowd.plan_natively("s")
    event = crowd.event("UserPromptSubmit", "s", prompt="go on", permission_mode="plan")
    running = [crowd.start(event) for _ in range(_MANY)]
    while any(process.poll() is None for process in running):
        assert json.loads(crowd.session_file("s").read_bytes())["planning"] is True
        time.sleep(0.001)
    said = [context_of(finish(process)) for process in running]
    session = load(str(crowd.state), "claude", "s")
    assert session is not None
    assert session.turns == 1 + _MANY
    assert all("lan mode is" in text for text in said)
    full = sum("You plan; you do not act" in text for text in said)
    assert full == sum(turn % 5 == 1 for turn in range(2, _MANY + 2))


def _end(crowd: Crowd, name: str, pid: str) -> None:
    finish(crowd.start(crowd.event("SessionEnd", name, reason="clear"), **_agent(pid)))


def _begin(crowd: Crowd, name: str, pid: str) -> str:
    """What the session after a clear is told."""
    event = crowd.event("SessionStart", f"after-{name}", source="clear")
    return context_of(finish(crowd.start(event, **_agent(pid))))


def _agent(pid: str) -> dict[str, str]:
    return {"CLAUDE_PID": pid} if pid else {}


def _clear_all(crowd: Crowd, names: list[str], pids: list[str]) -> dict[str, str]:
    """All sessions end, and only then the next ones begin; what each of those is told."""
    with ThreadPoolExecutor(_MANY) as pool:
        list(pool.map(lambda name, pid: _end(crowd, name, pid), names, pids))
        return dict(zip(names, pool.map(lambda name, pid: _begin(crowd, name, pid), names, pids), strict=True))


def _assert_nothing_foreign(name: str, said: str) -> None:
    assert said.count("Step of ") == said.count(f"Step of {name} alone")


@pytest.mark.full
@pytest.mark.parametrize("is_told", [True, False])
def test_many_sessions_in_one_folder_each_get_their_own_plan_back_or_are_told_to_ask(
    crowd: Crowd, agents: list[str], is_told: bool
) -> None:
    """Where agents do not tell their process, nothing tells the sessions apart: none is given a plan."""
    names = [f"s{number}" for number in range(_MANY)]
    plans = {name: _attach(crowd, name) for name in names}
    said = _clear_all(crowd, names, agents if is_told else [""] * _MANY)
    for name in names:
        _assert_nothing_foreign(name, said[name])
        after = load(str(crowd.state), "claude", f"after-{name}")
        if is_told:
            assert f"Step of {name} alone" in said[name]
            assert after is not None
            assert after.plan == str(plans[name])
        else:
            assert "Ask the user" in said[name]
            assert after is None


def test_one_session_without_a_process_number_gets_its_plan_back(crowd: Crowd) -> None:
    _attach(crowd, "s")
    assert "Step of s alone" in _clear_all(crowd, ["s"], [""])["s"]


def test_a_neighbour_without_a_plan_is_given_none(crowd: Crowd, agents: list[str]) -> None:
    _attach(crowd, "s")
    finish(crowd.start(crowd.event("SessionEnd", "s", reason="clear"), CLAUDE_PID=agents[0]))
    assert _clear_all(crowd, ["other"], [agents[1]]) == {"other": ""}
    assert "Step of s alone" in _clear_all(crowd, ["s"], [agents[0]])["s"]
    _attach(crowd, "t")
    for name in ("t", "third"):
        crowd.ask("SessionEnd", name, reason="clear")
    assert "Step of t" not in context_of(crowd.ask("SessionStart", "after-third", source="clear"))


def _race_for_a_ticket(crowd: Crowd, plan: Path, number: int) -> int:
    """How many of two sessions that begin at once get the plan."""
    ticket = Ticket("claude", f"old{number}", str(crowd.project), at=int(time.time()), plan=str(plan))
    leave_ticket(str(crowd.state), ticket)
    names = [f"one{number}", f"two{number}"]
    for process in [crowd.start(crowd.event("SessionStart", name, source="clear")) for name in names]:
        finish(process)
    found = [load(str(crowd.state), "claude", name) for name in names]
    for name in names:  # a session that lives on beside the next race could be meant by its ticket as well
        crowd.session_file(name).unlink(missing_ok=True)
    return sum(session is not None and session.plan == str(plan) for session in found)


@pytest.mark.full
def test_of_two_sessions_that_claim_one_ticket_exactly_one_gets_it(crowd: Crowd) -> None:
    plan = crowd.project / "plan.md"
    plan.write_text("# Plan\n\n- [ ] a\n", "utf-8")
    assert [_race_for_a_ticket(crowd, plan, number) for number in range(8)] == [1] * 8


@pytest.mark.soak
def test_a_hook_that_is_killed_leaves_a_state_that_can_be_read(crowd: Crowd) -> None:
    crowd.plan_natively("s")
    chance = random.Random(7)
    for _ in range(400):
        process = crowd.start(crowd.event("UserPromptSubmit", "s", prompt="go on", permission_mode="plan"))
        time.sleep(chance.uniform(0, 0.05))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        session = load(str(crowd.state), "claude", "s")
        assert session is not None
        assert session.planning
    denied = crowd.ask("PreToolUse", "s", permission_mode="plan", tool_name="Write", tool_input={"file_path": "a"})
    assert is_denied(denied)
