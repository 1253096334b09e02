"""The lines of `cases/in-session.jsonl` about plans that survive a clear, and about plan mode.

They were recorded from programs that keep everything in files named after a folder. Here the same situations are built
from planrail's own state: a session with its plan, an intent to have it back, a ticket. `OURS` lists the lines where
planrail does something else on purpose: those that are marked as quirks of the original, and a few more.
"""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from planrail.base.records import replace
from planrail.hook.sessions.events import HOLD, SILENCE, HookAnswer
from planrail.hook.sessions.state import DRAFT, PLAN_PENDING, Session
from tests.hook.driving import Host, write_transcript

_CASES = Path(__file__).parents[3] / "shared" / "cases" / "in-session.jsonl"
_FOLLOWING = "the-session-after"

# What a line's words about its own files are here.
_WORDS = {
    "file missing": "no longer there",
    "- Flag type: plan-completed": "- Type: plan-completed",
    "- Flag type: plan-pending": "- Signal: resume",
}

# Line: why planrail does otherwise, and what is expected of it instead, step by step.
OURS: dict[str, tuple[str, list[dict[str, Any]]]] = {
    # marked as quirks
    "smith-q-progressbar": ("a sentence that contains a phrase is no command", [{"silent": True}]),
    "smith-q-pingpong": (
        "nothing was cleared, so nothing is resumed; the intent stays",
        [
            {"contains": ["CONTEXT WARNING"], "flag_after": {"$CWD": {"plan": "$PLANS/p.md"}}},
            {
                "contains": ["CONTEXT WARNING"],
                "not_contains": ["ACTION REQUIRED"],
                "flag_after": {"$CWD": {"plan": "$PLANS/p.md"}},
            },
            {"contains": ["CONTEXT WARNING"], "not_contains": ["ACTION REQUIRED"]},
        ],
    ),
    "smith-q-foreign": (
        "a session that begins to plan adopts nobody's plan",
        [{"state_after": {"$CWD": {"plan": ""}}, "flag_after": {"$CWD": None}, "not_contains": ["other.md"]}],
    ),
    "smith-q-nocheckbox": (
        "a plan without boxes is not finished, and not this session's",
        [{"state_after": {"$CWD": {"plan": ""}}, "flag_after": {"$CWD": None}}],
    ),
    "smith-q-synthetic": ("a synthetic line says nothing about the window", [{"decision": "block"}]),
    "smith-q-bigtail": ("the window is as full as before a long line", [{"decision": "block"}]),
    "smith-q-backslash-c": ("the plan comes back whole", [{"contains": ["ACTION REQUIRED", "\\c escape", "REST"]}]),
    "smith-q-flag-no-state": (
        "the ticket itself names the plan",
        [{"contains": ["- Signal: resume", "Task 2: Pending"], "flag_after": {"$CWD": None}}],
    ),
    # on purpose
    "smith-t17": ("a session that never had a plan sees nothing of any", [{"silent": True}]),
    "smith-p-state-25h": (
        "as with smith-q-flag-no-state: the ticket counts, not the age of another file",
        [{"contains": ["- Signal: resume", "Task 2: Pending"]}],
    ),
}
# The original hears of a clear only with the first prompt after it; planrail when the new session begins.
_CLEARED_BEFORE = {"smith-p-flag-missing-plan", "smith-q-backslash-c"}


def _cases(system: str) -> list[Any]:
    if not _CASES.is_file():
        return []
    rows = [json.loads(line) for line in _CASES.read_text("utf-8").splitlines()]
    return [pytest.param(row, id=row["id"]) for row in rows if row["system"] == system]


class _Stage:
    """One case, built on the disk."""

    def __init__(self, case: dict[str, Any], place: Path) -> None:
        self.case = case
        self.setup: dict[str, Any] = case["setup"]
        self.host = Host(place / "state")
        self.folders = {"$CWD": place / "one", "$CWD2": place / "two"}
        self.plans = self.folders["$CWD"] / "plans"
        self.transcript = place / "transcript.jsonl"
        self.current = {name: f"session-of-{folder.name}" for name, folder in self.folders.items()}
        for folder in self.folders.values():
            (folder / ".claude").mkdir(parents=True)
        self.plans.mkdir()
        (self.folders["$CWD"] / "planrail.toml").write_text('[plans]\ndirectory = "plans"\n', "utf-8")

    def build(self) -> None:
        for age, (name, text) in enumerate(reversed(self.setup.get("plans", {}).items())):
            path = self.plans / name
            path.write_text(text, "utf-8")
            os.utime(path, (time.time() - 60 * age - 60,) * 2)
        write_transcript(self.transcript, self.setup.get("transcript", []))
        for name in self.folders:
            self._build_session(name)
            self._build_loop(name, "ralph", "ralph-loop.local.md")
            self._build_loop(name, "orch", "ralph-orchestrator.local.md")

    def _build_session(self, name: str) -> None:
        state, flag = (self.setup.get(key, {}).get(name) for key in ("state", "flag"))
        resume = self.setup.get("ralph_resume", {}).get(name)
        session = Session("claude", self.current[name], project=str(self.folders[name]))
        plan = self.text((flag or {}).get("plan") or (state or {}).get("plan") or "")
        if plan:
            session = replace(session, plan=plan, stage=DRAFT)
        if flag is not None:
            session = replace(session, intent=flag.get("type", PLAN_PENDING), intent_at=int(time.time()))
            session = replace(session, spared=name in self.setup.get("exit_marker", []))
        if resume:
            remaining = max(1, resume["max"] - resume["iteration"])
            session = replace(session, loop={**resume, "kind": "loop", "remaining": remaining})
        self.host.change(session.id, lambda _: session)
        if state and "age_min" in state:
            old = time.time() - 60 * state["age_min"]
            os.utime(self.host.file(session.id), (old, old))

    def _build_loop(self, name: str, key: str, file: str) -> None:
        loop = self.setup.get(key, {}).get(name)
        if loop:
            keys = {
                "active": "true" if loop["active"] else "false",
                "iteration": loop["iteration"],
                "max_iterations": loop["max"],
                "completion_promise": f'"{loop.get("promise", "null")}"',
                "current_task": f'"{loop.get("task", "")}"',
            }
            front = "".join(f"{key}: {value}\n" for key, value in keys.items())
            (self.folders[name] / ".claude" / file).write_text(
                f"---\n{front}---\n\n{loop.get('prompt', '')}\n", "utf-8"
            )

    def text(self, text: str) -> str:
        text = text.replace("$PLANS", str(self.plans))
        for name in reversed(self.folders):
            text = text.replace(name, str(self.folders[name]))
        return text

    def play(self, step: dict[str, Any]) -> HookAnswer:
        fields = dict(step["input"])
        where = fields.pop("cwd", "$CWD")
        name, _, about = step["event"].partition(":")
        if name == "SessionStart" and about == "clear":
            return self._clear(where)
        if self.case["id"] in _CLEARED_BEFORE:
            begun = self._clear(where)
            said = self.host.send(name, self.current[where], self.folders[where], **fields)
            return replace(said, context=f"{begun.context}\n\n{said.context}")
        if self.setup.get("state", {}).get(where, {}).get("age_min", 0) > 24 * 60:
            # The folder's next session; the one before it has been silent for more than a day.
            self.current[where] = fields["session_id"] = _FOLLOWING
            self.host.send("SessionStart", _FOLLOWING, self.folders[where], source="startup")
        self.current[where] = fields.pop("session_id", self.current[where])
        if "transcript" in self.setup:
            fields["transcript_path"] = str(self.transcript)
        return self.host.send(name, self.current[where], self.folders[where], **fields)

    def _clear(self, where: str) -> HookAnswer:
        before, self.current[where] = self.current[where], f"{_FOLLOWING}-{self.folders[where].name}"
        return self.host.clear(before, self.current[where], self.folders[where])

    def session(self, where: str) -> Session:
        return self.host.session(self.current[where]) or Session("claude", self.current[where])


@pytest.fixture
def stage(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> _Stage:
    """The case of a test, on the disk, in a home of its own."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CLAUDE_PID", "PLAN_CONTEXT_WARNING_PCT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PLANRAIL_STATE_DIR", str(tmp_path / "state"))
    made = _Stage(request.getfixturevalue("case"), tmp_path)
    made.build()
    return made


@pytest.mark.parametrize("case", _cases("smith"))
def test_a_plan_goes_through_a_session_as_the_case_says(case: dict[str, Any], stage: _Stage) -> None:
    _, ours = OURS.get(case["id"], ("", [step["expect"] for step in case["steps"]]))
    for step, expected in zip(case["steps"], ours, strict=True):
        answer = stage.play(step)
        _check_answer(answer, expected, stage)
        for where, flag in expected.get("flag_after", {}).items():
            _check_intent(stage.session(where), flag, stage)
        for where, state in expected.get("state_after", {}).items():
            _check_plan(stage.session(where), state, stage)
        _check_loops(expected, stage)


def test_every_quirk_of_the_originals_is_listed() -> None:
    quirks = {case.values[0]["id"] for case in _cases("smith") if "quirk" in case.values[0]}
    assert quirks <= OURS.keys()


def _check_answer(answer: HookAnswer, expected: dict[str, Any], stage: _Stage) -> None:
    said = f"{answer.reason}\n{answer.context}"
    if expected.get("silent"):
        assert answer == SILENCE
    assert (answer.decision == HOLD) == (expected.get("decision") == "block")
    for phrase in expected.get("contains", []):
        assert stage.text(_WORDS.get(phrase, phrase)) in said
    for phrase in expected.get("not_contains", []):
        assert stage.text(phrase) not in said


def _check_intent(session: Session, flag: dict[str, str] | None, stage: _Stage) -> None:
    """A flag is an intent. A finished plan's path may stay with its session: it is never loaded by itself."""
    if flag is None:
        assert session.intent == ""
        return
    assert session.intent == flag.get("type", PLAN_PENDING)
    if flag["plan"]:
        assert session.plan == stage.text(flag["plan"])


def _check_plan(session: Session, state: dict[str, str] | None, stage: _Stage) -> None:
    assert session.plan == stage.text((state or {}).get("plan", ""))
    if state and "session" in state:
        assert session.id == state["session"]


def _check_loops(expected: dict[str, Any], stage: _Stage) -> None:
    for where, most in expected.get("ralph_max_after", {}).items():
        text = (stage.folders[where] / ".claude" / "ralph-loop.local.md").read_text("utf-8")
        assert f"max_iterations: {most}\n" in text
    for key in ("ralph_resume_after", "orch_resume_after"):
        for where, is_kept in expected.get(key, {}).items():
            assert bool(stage.session(where).loop) == is_kept
    for where, is_marked in expected.get("exit_marker_after", {}).items():
        assert stage.session(where).spared == is_marked
