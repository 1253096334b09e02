"""A clear is told twice, and either can be lost: the right plan comes back or the agent is told to ask, never another's."""

import itertools
import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planrail.base.records import record, replace
from planrail.cli.main import main
from planrail.hook.idle import field_of
from planrail.hook.process import answer
from planrail.hook.sessions.events import DENY
from planrail.hook.sessions.state import PLAN_PENDING, PROPOSED, Session
from tests.hook.crowds import Crowd, context_of, finish
from tests.hook.driving import Host

_CLEAR = ("end", "start", "prompt")
_ASKED = "Ask the user which plan"


@pytest.fixture(scope="module")
def agents() -> Iterator[list[str]]:
    """The numbers of two processes that live."""
    sleeping = [subprocess.Popen(["sleep", "600"]) for _ in range(2)]
    yield [str(process.pid) for process in sleeping]
    for process in sleeping:
        process.kill()
        process.wait()


@pytest.fixture(autouse=True)
def _own_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whatever a test sets is taken back after it."""
    monkeypatch.setenv("PLANRAIL_STATE_DIR", str(tmp_path / "state"))


@record
class Window:
    """An agent with a session that has a plan, in a project that others work in as well."""

    host: Host
    project: Path
    name: str
    pid: str

    @property
    def plan(self) -> str:
        return str(self.project / "plans" / f"{self.name}.md")

    def attach(self) -> None:
        Path(self.plan).parent.mkdir(parents=True, exist_ok=True)
        Path(self.plan).write_text(f"# {self.name}\n\n- [ ] Step of {self.name} alone\n", "utf-8")
        has_plan = {"project": str(self.project), "plan": self.plan, "intent": PLAN_PENDING}
        self.host.change(self.name, lambda session: replace(session, **has_plan))
        self.hear("PostToolUse", self.name, tool_name="Read", tool_input={})

    def hear(self, name: str, session: str, **fields: object) -> str:
        return self.host.send(name, session, self.project, pid=self.pid, **fields).context

    def happen(self, what: str) -> str:
        """One step of a clear, as the hook is told of it; what the agent hears."""
        after = f"after-{self.name}"
        if what == "end":
            return self.hear("SessionEnd", self.name, reason="clear")
        if what == "start":
            return self.hear("SessionStart", after, source="clear")
        if what == "tool":
            return self.hear("PreToolUse", after, tool_name="Read", tool_input={"file_path": "a"})
        return self.hear("UserPromptSubmit", after, prompt="reload" if what == "reload" else "go on")

    @property
    def found(self) -> Session | None:
        return self.host.session(f"after-{self.name}")


def _windows(place: Path, pids: list[str]) -> list[Window]:
    project = place / "project"
    (project / ".git").mkdir(parents=True)
    (project / "planrail.toml").write_text('[plans]\ndirectory = "plans"\n', "utf-8")
    os.environ["PLANRAIL_STATE_DIR"] = str(place / "state")  # for what is handed on to the full package
    old = project / "plans" / "finished.md"  # of nobody, and the newest that is free
    windows = [Window(Host(place / "state"), project, f"w{number}", pid) for number, pid in enumerate(pids)]
    for window in windows:
        window.attach()
    old.write_text("# Finished\n\n- [x] Long ago\n", "utf-8")
    return windows


def _orders() -> list[tuple[str, ...]]:
    """Every loss and every order of what is told of a clear."""
    kept = [chosen for size in range(4) for chosen in itertools.combinations(_CLEAR, size)]
    return [order for chosen in kept for order in itertools.permutations(chosen)]


@pytest.mark.parametrize("order", _orders(), ids=lambda order: "-".join(order) or "nothing")
def test_whatever_is_lost_of_a_clear_the_plan_is_there_when_it_is_asked_for(
    tmp_path: Path, agents: list[str], order: tuple[str, ...]
) -> None:
    [window] = _windows(tmp_path, agents[:1])
    heard = "".join(window.happen(what) for what in (*order, "reload"))
    assert window.found is not None
    assert window.found.plan == window.plan
    assert "Step of w0 alone" in heard
    assert window.host.session("w0") is None


@pytest.mark.parametrize("first", ["start", "prompt", "tool"])
@pytest.mark.parametrize("is_end_told", [True, False])
def test_the_first_event_of_a_session_brings_its_plan_back(
    tmp_path: Path, agents: list[str], first: str, is_end_told: bool
) -> None:
    [window] = _windows(tmp_path, agents[:1])
    if is_end_told:
        window.happen("end")
    assert "Step of w0 alone" in window.happen(first)
    assert "Step of w0 alone" not in window.happen("prompt")  # and once


def test_a_session_that_planned_is_still_held_where_nobody_told_of_the_clear(tmp_path: Path, agents: list[str]) -> None:
    [window] = _windows(tmp_path, agents[:1])
    window.host.change("w0", lambda session: replace(session, planning=True, own_mode=True))
    tool = {"tool_name": "Write", "tool_input": {"file_path": str(tmp_path / "project" / "a"), "content": ""}}
    answer = window.host.send("PreToolUse", "after-w0", window.project, pid=window.pid, **tool)
    assert answer.decision == DENY


def test_a_session_that_is_resumed_in_the_same_process_is_no_successor(tmp_path: Path, agents: list[str]) -> None:
    """The end of the one before was not told. It is over all the same, and can be resumed in its turn."""
    [window] = _windows(tmp_path, agents[:1])
    assert window.hear("SessionStart", "another", source="resume") == ""
    assert window.hear("UserPromptSubmit", "another", prompt="go on") == ""
    assert window.host.session("w0") is None
    window.hear("SessionStart", "w0", source="resume")
    back = window.host.session("w0")
    assert back is not None
    assert back.plan == window.plan


def test_a_plan_on_its_way_through_a_clear_is_nobody_elses(tmp_path: Path, agents: list[str]) -> None:
    one, other = _windows(tmp_path, agents)
    one.happen("end")
    said = other.hear("UserPromptSubmit", "w1", prompt="!load-plan w0")
    assert "belongs to another session" in said
    one.happen("prompt")
    assert one.found is not None
    assert one.found.plan == one.plan


def test_a_session_that_went_on_in_another_process_keeps_its_plan(tmp_path: Path, agents: list[str]) -> None:
    """Resumed, it has a new process: that of its first life is dead, and says nothing about it any more."""
    one, other = _windows(tmp_path, ["4194304999", agents[1]])
    again = replace(one, pid=agents[0])
    again.hear("UserPromptSubmit", "w0", prompt="go on")
    assert "belongs to another session" in other.hear("UserPromptSubmit", "w1", prompt="!load-plan w0")


_steps = st.permutations([*_CLEAR, "tool"]).flatmap(
    lambda order: st.lists(st.booleans(), min_size=4, max_size=4).map(
        lambda kept: [what for what, is_told in zip(order, kept, strict=True) if is_told]
    )
)


@pytest.mark.full
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=_steps, second=_steps, seed=st.randoms(use_true_random=False), is_told=st.booleans())
def test_two_sessions_in_one_project_never_take_each_others_plan(
    tmp_path_factory: pytest.TempPathFactory,
    agents: list[str],
    first: list[str],
    second: list[str],
    seed: random.Random,
    is_told: bool,
) -> None:
    """In every order and with every loss; with and without a process that the agent tells."""
    windows = _windows(tmp_path_factory.mktemp("two"), agents if is_told else ["", ""])
    waiting = [(window, [*steps, "reload"]) for window, steps in zip(windows, (first, second), strict=True)]
    heard = {window.name: "" for window in windows}
    while waiting:
        window, steps = seed.choice(waiting)
        heard[window.name] += window.happen(steps.pop(0))
        waiting = [(other, left) for other, left in waiting if left]
        for one in windows:
            assert one.found is None or one.found.plan in ("", one.plan)
    for window in windows:
        has_plan = window.found is not None and window.found.plan == window.plan
        assert has_plan or (_ASKED in heard[window.name] and not is_told)


@pytest.mark.full
def test_an_end_that_is_killed_in_the_middle_loses_nothing(crowd: Crowd, agents: list[str]) -> None:
    """Claude Code ends a hook of SessionEnd after 1.5 seconds, wherever it is."""
    chance = random.Random(11)
    for number in range(12):
        window = Window(Host(crowd.state), crowd.project, f"k{number}", agents[0])
        window.attach()
        end = crowd.start(crowd.event("SessionEnd", window.name, reason="clear"), CLAUDE_PID=agents[0])
        time.sleep(chance.uniform(0, 0.08))
        end.send_signal(signal.SIGKILL)
        end.communicate()
        start = crowd.event("SessionStart", f"after-{window.name}", source="clear")
        assert f"Step of {window.name} alone" in context_of(finish(crowd.start(start, CLAUDE_PID=agents[0])))
        assert window.host.session(window.name) is None
        names = os.listdir(crowd.state / "sessions" / "claude")
        assert not [name for name in names if name.endswith(".ticket")]
        finish(crowd.start(crowd.event("SessionEnd", f"after-{window.name}", reason="other"), CLAUDE_PID=agents[0]))


@pytest.fixture
def crowd(tmp_path: Path) -> Crowd:
    return Crowd(tmp_path)


def test_a_plan_that_waits_for_the_next_session_is_shown_and_let_go(
    tmp_path: Path, agents: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = _windows(tmp_path, agents)
    one.happen("end")
    assert main(["list", "sessions"]) == 0
    assert "claude w0 · cleared · w0.md" in capsys.readouterr().out
    assert main(["detach", "--session", "w0"]) == 0
    assert "Step of w0 alone" in other.hear("UserPromptSubmit", "w1", prompt="!load-plan w0")
    assert one.happen("prompt") == ""


def _old_transcript(place: Path) -> str:
    path = place / "old.jsonl"
    path.write_text('{"type":"user","timestamp":"2020-01-01T00:00:00.000Z","message":{}}\n', "utf-8")
    return str(path)


@pytest.mark.parametrize("is_end_told", [True, False])
def test_a_conversation_that_was_there_before_the_clear_is_no_successor(
    tmp_path: Path, agents: list[str], is_end_told: bool
) -> None:
    """It was resumed in the same process, and its start was lost as well."""
    [window] = _windows(tmp_path, agents[:1])
    if is_end_told:
        window.happen("end")
    assert window.hear("UserPromptSubmit", "old", prompt="go on", transcript_path=_old_transcript(tmp_path)) == ""
    assert window.host.session("old") is None


def test_going_to_work_is_no_approval_where_the_start_was_lost(tmp_path: Path, agents: list[str]) -> None:
    """Nobody knows whether somebody has typed something else since the proposal."""
    [window] = _windows(tmp_path, agents[:1])
    window.host.change("w0", lambda session: replace(session, stage=PROPOSED, proposing=True))
    window.happen("end")
    window.happen("tool")
    assert window.found is not None
    assert window.found.stage == PROPOSED


def test_an_agents_own_shell_moves_no_plan(tmp_path: Path, agents: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that an agent starts can name any session, and the agent's process."""
    [window] = _windows(tmp_path, agents[:1])
    event = {"session_id": "made-up", "cwd": str(window.project), "hook_event_name": "PreToolUse", "tool_name": "Read"}
    monkeypatch.setenv("CLAUDE_PID", agents[0])
    monkeypatch.setenv("AI_AGENT", "claude-code_2-1-325_agent")
    assert answer("claude", "PreToolUse", json.dumps(event).encode(), window.host.folder, field_of) == 0
    kept = window.host.session("w0")
    assert kept is not None
    assert kept.plan == window.plan
    assert window.host.session("made-up") is None
