"""The status line: one line about the plan, cheap, and never an error."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.records import replace
from planrail.hook.sessions.state import PROPOSED, Session, Summary
from planrail.hook.sessions.statusline import read_window, remember_window, render
from planrail.hook.sessions.store import load, update
from tests.house.hot_modules import DEAR_TO_HOOKS, loaded_by
from tests.support.patience import PATIENCE

DATA: dict[str, object] = {
    "session_id": "s1",
    "model": {"display_name": "Opus"},
    "context_window": {"context_window_size": 1_000_000, "used_percentage": 20},
}
HELD: dict[str, object] = {"phase": "2", "missing": ["a test", "a file"], "holds": 1}
HALFWAY = Summary(status="in_progress", phases=5, phases_done=1, item="2.3 Write the tests")


def line(session: Session | None, data: Mapping[str, object] = DATA) -> str:
    """The line without colours."""
    return render(data, session, {"NO_COLOR": "1"})


@pytest.mark.parametrize(
    ("session", "shown"),
    [
        (None, "Opus · 20 %"),
        (Session("claude", "s1", mode="default"), "Opus · 20 %"),
        (Session("claude", "s1", planning=True), "planning · 20 %"),
        (Session("claude", "s1", plan="a.md", stage=PROPOSED), "a · waits for approval · 20 %"),
        (
            Session("claude", "s1", plan="/p/brave-fox.md", stage="approved", summary=HALFWAY),
            "brave-fox · phase 2/5 · 2.3 Write the tests · 0 of 1 proven · 20 %",
        ),
        (
            Session("claude", "s1", plan="a.md", summary=Summary(status="complete", phases=2, phases_done=2)),
            "a · complete · 0 of 2 proven · 20 %",
        ),
        (
            Session("claude", "s1", plan="a.md", summary=replace(HALFWAY, proven=1)),
            "a · phase 2/5 · 2.3 Write the tests · 1 proven · 20 %",
        ),
        (
            Session("claude", "s1", plan="a.md", summary=replace(HALFWAY, phases_done=0)),
            "a · phase 1/5 · 2.3 Write the tests · nothing proven yet · 20 %",
        ),
        (
            Session("claude", "s1", plan="a.md", summary=replace(HALFWAY, phase_id="2"), execution=HELD),
            "a · phase 2/5 · 2.3 Write the tests · not proven: 2 missing · 20 %",
        ),
        (
            Session("claude", "s1", plan="a.md", summary=replace(HALFWAY, phase_id="3", proven=1), execution=HELD),
            "a · phase 2/5 · 2.3 Write the tests · 1 proven · 20 %",
        ),
    ],
)
def test_one_line_says_how_a_session_stands(session: Session | None, shown: str) -> None:
    assert line(session) == shown


def test_before_the_first_answer_there_is_no_percentage() -> None:
    assert line(None, {**DATA, "context_window": {"used_percentage": None}}) == "Opus"


@pytest.mark.parametrize(("percent", "code"), [(49, "32"), (50, "33"), (59, "33"), (60, "31"), (100, "31")])
def test_the_colour_tells_how_full_the_window_is(percent: int, code: str) -> None:
    data = {**DATA, "context_window": {"used_percentage": percent}}
    assert render(data, None, {}).endswith(f"\033[{code}m{percent} %\033[0m")


def test_the_users_own_percentages_and_taste_are_respected() -> None:
    session = Session("claude", "s1", plan="a.md", settings={"warn": 10, "hold": 20})
    assert "\033[31m20 %" in render(DATA, session, {})
    assert "\033[33m20 %" in render(DATA, session, {"PLAN_CONTEXT_CRITICAL_PCT": "30"})
    assert "\033" not in render(DATA, session, {"NO_COLOR": "1"})


def test_text_from_a_plan_cannot_steer_the_terminal() -> None:
    evil = Summary(status="in_progress", phases=1, item="\033]0;x\007a\nb\u202e" + "y" * 500)
    shown = line(Session("claude", "s1", plan="/p/\033[31m.md", summary=evil))
    assert "\n" not in shown
    assert all(character.isprintable() for character in shown)
    assert len(shown) < 150


def test_a_session_without_a_file_gets_none(tmp_path: Path) -> None:
    remember_window(str(tmp_path), None, DATA)
    assert list(tmp_path.iterdir()) == []


def test_the_recorded_samples_are_understood(shared: Path) -> None:
    samples = [json.loads(path.read_text()) for path in sorted(shared.glob("hook_samples/statusline.*.json"))]
    assert samples
    for sample in samples:
        assert line(None, sample).startswith(sample["model"]["display_name"])
        assert read_window(sample) == sample["context_window"]["context_window_size"]


KEYS = ["display_name", "used_percentage", "context_window_size", "x"]
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["model", "context_window", "session_id"]), ANYTHING))
def test_whatever_the_agent_tells_it_is_one_line(data: dict[str, object]) -> None:
    assert "\n" not in line(None, data)
    assert read_window(data) >= 0


def run_command(data: bytes) -> subprocess.CompletedProcess[bytes]:
    """The command, as Claude Code would run it."""
    return subprocess.run(
        [sys.executable, "-m", "planrail", "statusline"], input=data, capture_output=True, timeout=PATIENCE
    )


def test_it_imports_nothing_dear() -> None:
    assert not DEAR_TO_HOOKS & loaded_by("import planrail.hook.sessions.statusline")


def test_the_command_shows_the_session_keeps_its_window_and_never_fails() -> None:
    folder = os.environ["PLANRAIL_STATE_DIR"]
    update(folder, "claude", "s1", lambda _: Session("claude", "s1", plan="/p/brave-fox.md", summary=HALFWAY))
    assert run_command(json.dumps(DATA).encode()).stdout.decode().startswith("brave-fox · phase 2/5")
    kept = load(folder, "claude", "s1")
    assert kept is not None
    assert kept.window == 1_000_000
    (Path(folder) / "sessions/claude/s1.json").write_text("{")
    done = run_command(json.dumps(DATA).encode())
    assert (done.returncode, b"planrail doctor" in done.stdout) == (0, True)
    for data in (b"", b"junk", b"[]", b"\xff", b'{"session_id": 3}'):
        done = run_command(data)
        assert (done.returncode, done.stderr, done.stdout.count(b"\n")) == (0, b"", 1), data
