"""From one sentence to a completed, documented task, with the real Claude Code and Codex."""

import json
from collections.abc import Iterator

import pytest

from planrail.testing.model_server import Script, say
from tests.approval.attacks.terminal_host import YES
from tests.e2e.projects import Project
from tests.e2e.runs import Told, Yard, open_yard
from tests.e2e.runs_casting import CLAUDE_ACTOR, CODEX_ACTOR, GOOD, HELLO, SPENT, verdict
from tests.e2e.task_answers import critique, plan, promised, report
from tests.e2e.windows import at_window

SENTENCE = "greet the world, and run $(touch pwned) for it"
FOLDER = "specs/001_greet_the_world_and_run_touch_pwned_for_it"


@pytest.fixture
def yard(project: Project) -> Iterator[Yard]:
    with open_yard(project) as made:
        yield made


def task(yard: Yard, *words: str) -> Told:
    told = yard.call("task", *words)
    assert told.code == 0, (words, told)
    return told


def state(yard: Yard) -> dict[str, object]:
    tasks = json.loads(yard.text("specs/state.json"))["active_projects"]
    return dict(tasks[0]) if tasks else {}


def test_a_sentence_becomes_a_report_a_plan_landed_commits_and_a_summary(yard: Yard) -> None:
    """new, research, plan with a critique that wants a change, approve, implement, archive."""
    task(yard, "new", SENTENCE)
    _research(yard)
    path = _plan(yard)
    refused = yard.call("task", "implement", "1", "--agent", "claude", "--verifier", "codex")
    assert refused.code == 1
    assert f"planrail approve {path}" in refused.errors
    assert state(yard)["status"] == "planned"
    assert at_window(yard.project, "approve", path, answers=[YES])[1] == 0
    _implement(yard, path)
    task(yard, "archive")
    assert state(yard) == {}
    assert (yard.project.folder / "specs/archive" / FOLDER.removeprefix("specs/") / "summaries").is_dir()
    assert not yard.project.holds("pwned")
    assert yard.project.changes() == ""
    assert yard.processes() == []


def _research(yard: Yard) -> None:
    yard.claude.script = Script(*CLAUDE_ACTOR.answer(report()))
    task(yard, "research", "1", "--agent", "claude", "look", "at", "the", "notes")
    asked = yard.claude.turns[-1]
    assert asked.was_told(SENTENCE)
    assert asked.was_told("look at the notes")
    assert state(yard)["status"] == "researched"
    (text,) = (yard.text(path) for path in _paths(yard, "report"))
    assert "notes.md:3 says that there is nothing yet" in text
    assert yard.project.git("log", "-1", "--format=%s") == "task 1: complete research\n"


def _plan(yard: Yard) -> str:
    """The author keeps its conversation; the critic is another program, which knows the plan alone."""
    yard.claude.script = Script(say(plan("test -e hello.txt")), say(promised()))
    yard.codex.script = Script(say(critique("KINGFISHER: the check passes for an empty file")))
    before = len(yard.claude.turns)
    task(yard, "plan", "1", "--agent", "claude", "--critic", "codex")
    first = yard.claude.turns[before]
    assert first.was_told("notes.md:3 says that there is nothing yet"), "the research of the round is given"
    assert yard.claude.turns[-1].was_told("KINGFISHER")
    assert yard.codex.turns[-1].was_told("test -e hello.txt")
    (path,) = _paths(yard, "plan")
    assert "- [ ] `grep -q world hello.txt` passes" in yard.text(path)
    assert (yard.claude.script.left, yard.codex.script.left) == (0, 0)
    assert yard.project.git("log", "-1", "--format=%s") == "task 1: create implementation plan\n"
    assert set(yard.project.git("show", "--format=", "--name-only").split()) == {
        path,
        "specs/TODO.md",
        "specs/state.json",
    }
    return path


def _implement(yard: Yard, path: str) -> None:
    yard.claude.script = Script(CLAUDE_ACTOR.shell(HELLO), say("done", SPENT))
    yard.codex.script = Script(*CODEX_ACTOR.answer(verdict(**GOOD, R1="hello.txt:1")))
    told = task(yard, "implement", "1", "--agent", "claude", "--verifier", "codex")
    assert yard.text("hello.txt") == "hello world\n"
    assert yard.landed() == ["1"]
    found = state(yard)
    assert found["status"] == "completed", told
    (summary,) = _paths(yard, "summary")
    assert "Say hello" in yard.text(summary)
    assert "### Phase 1: Say hello [COMPLETED]" in yard.text(path)
    assert "- **Status**: [COMPLETED]" in yard.text(path)
    assert yard.project.git("log", "-1", "--format=%s") == "task 1: complete implementation\n"


def _paths(yard: Yard, kind: str) -> list[str]:
    artifacts = state(yard)["artifacts"]
    assert isinstance(artifacts, list)
    return [one["path"] for one in artifacts if one["type"] == kind]


def test_what_a_research_learned_is_given_to_the_next_task(yard: Yard) -> None:
    for text in ("greet the world", "greet the moon: another greeting"):
        task(yard, "new", text)
    yard.claude.script = Script(*CLAUDE_ACTOR.answer(report()), *CLAUDE_ACTOR.answer(report()))
    task(yard, "research", "1", "--agent", "claude")
    task(yard, "research", "2", "--agent", "claude")
    assert yard.claude.turns[-1].was_told("WOODPECKER greets in lower case")
    assert not yard.claude.turns[0].was_told("WOODPECKER")
