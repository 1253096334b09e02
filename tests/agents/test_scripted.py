"""The scripted agent keeps what every driver promises, and its script does what it says."""

import json
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from planrail.agents.model import Assignment, Denied, Said, Used
from planrail.testing.agent_conformance import AgentConformance, QuestionConformance
from planrail.testing.agent_stage import Stage, allow, guarded
from tests.agents.scripted_stage import Reply, ScriptedStage
from tests.support.agent_runner import RunnerStage


class TestScripted(AgentConformance, QuestionConformance):
    @pytest.fixture
    def stage(self, tmp_path: Path) -> Stage:
        return ScriptedStage(tmp_path)


class TestScriptedUnderTheRunner(AgentConformance):
    """The same promises, kept by agents that run in a process which outlives us."""

    @pytest.fixture
    def stage(self, tmp_path: Path) -> Stage:
        inner = ScriptedStage(tmp_path)
        return RunnerStage(inner, inner.kit, tmp_path / "jobs")


@pytest.fixture
def stage(tmp_path: Path) -> ScriptedStage:
    return ScriptedStage(tmp_path)


def _assign(stage: ScriptedStage, prompt: str = "Think.", *, role: str = "author", timeout: int = 30) -> Assignment:
    return Assignment(role, prompt, str(stage.folder), timeout=timeout)


def test_replies_are_chosen_by_role_and_by_what_the_prompt_holds_until_there_are_none(stage: ScriptedStage) -> None:
    (stage.script.parent / "plan.md").write_text("a draft")
    driver = stage.perform(
        {"role": "critic", "text": "a critique"},
        {"match": "second", "text": "the second"},
        {"pattern": r"^Draft\b", "text_file": "plan.md"},
    )
    asked = [
        ("author", "Draft it."),
        ("critic", "Judge it."),
        ("author", "the second time"),
        ("author", "Plan herons."),
    ]
    said = [driver.start(_assign(stage, prompt, role=role), None, allow).wait() for role, prompt in asked]
    assert [outcome.text for outcome in said[:3]] == ["a draft", "a critique", "the second"]
    assert said[3].reason == "failed"
    assert "no reply left for the author" in said[3].error
    assert "Plan herons." in said[3].error
    assert json.loads(Path(f"{stage.script}.state").read_text())["used"] == {"0": 1, "1": 1, "2": 1}


def test_several_processes_share_one_script_and_no_reply_is_given_twice(stage: ScriptedStage) -> None:
    driver = stage.perform(*({"role": "explorer", "text": str(number)} for number in range(8)))
    runs = [driver.start(_assign(stage, role="explorer"), None, allow) for _ in range(8)]
    with ThreadPoolExecutor() as threads:
        outcomes = list(threads.map(lambda run: run.wait(), runs))
    assert sorted(outcome.text for outcome in outcomes) == [str(number) for number in range(8)]


def test_lines_that_are_no_messages_are_passed_over(stage: ScriptedStage) -> None:
    garbage = ["{", "null", "[1]", '{"type": 7}', '{"type": "unheard-of"}', "\x1b[31mred", "", "{" * 5_000]
    assert stage.perform({"garbage": garbage, "text": "fine"}).start(_assign(stage), None, allow).wait().text == "fine"


def test_an_agent_that_dies_or_ends_badly_is_a_failure_with_what_it_said_last(stage: ScriptedStage) -> None:
    crashed = stage.perform({"say": ["half of it"], "crash": True}).start(_assign(stage), None, allow)
    assert Said("half of it") in list(crashed.events())
    outcome = crashed.wait()
    assert (outcome.ok, outcome.reason) == (False, "failed")
    assert str(-signal.SIGKILL) in outcome.error
    outcome = stage.perform({"text": "all fine", "exit": 3}).start(_assign(stage), None, allow).wait()
    assert (outcome.ok, outcome.reason) == (False, "failed")


@pytest.mark.full
def test_a_child_that_ignores_every_polite_end_does_not_outlive_its_agent(stage: ScriptedStage) -> None:
    seconds = f"3600.{os.getpid()}"
    replies: list[Reply] = [{"text": "done"}, {"crash": True}]
    for reply in replies:
        stage.perform({"child": seconds, **reply}).start(_assign(stage), None, allow).wait()
        assert not _somebody_runs(seconds)


def test_a_judge_that_fails_refuses(stage: ScriptedStage) -> None:
    def broken(tool: str, given: object) -> str | None:
        raise ValueError(tool)

    made = stage.folder / "made.txt"
    running = stage.perform({"write": {str(made): "x"}, "text": "went on"}).start(_assign(stage), None, broken)
    denied = [event for event in running.events() if isinstance(event, Denied)]
    assert "could not be judged" in denied[0].reason
    assert running.wait().text == "went on"
    assert not made.exists()


@pytest.mark.full
def test_an_error_in_whoever_answers_ends_the_agent(stage: ScriptedStage) -> None:
    def interrupted(questions: object) -> dict[str, str]:
        raise KeyboardInterrupt

    seconds = f"3600.{os.getpid()}1"
    running = stage.perform({"child": seconds, "ask": [{"text": "?"}], "text": "x"}).start(
        _assign(stage), interrupted, allow
    )
    with pytest.raises(KeyboardInterrupt):
        list(running.events())
    assert running.wait().reason == "stopped"
    assert not _somebody_runs(seconds)


def test_a_reader_who_leaves_early_still_gets_the_outcome(stage: ScriptedStage) -> None:
    running = stage.perform({"say": ["a", "b", "c"], "text": "end"}).start(_assign(stage), None, allow)
    for _ in running.events():
        break
    assert running.wait().text == "end"
    assert list(running.events()) == []


def test_the_time_of_a_person_is_not_the_time_of_the_agent(stage: ScriptedStage) -> None:
    def ask(questions: object) -> dict[str, str]:
        time.sleep(2.5)
        return {"Which?": "This."}

    driver = stage.perform({"ask": [{"text": "Which?"}], "echo": "answers"})
    assert driver.start(_assign(stage, timeout=2), ask, allow).wait().text == '{"Which?": "This."}'


def test_a_missing_folder_is_a_failure_and_a_module_in_the_project_is_not_run_in_our_name(stage: ScriptedStage) -> None:
    (stage.folder / "json.py").write_text("raise SystemExit(9)\n")
    driver = stage.perform({"text": "fine"}, {"text": "x"})
    assert driver.start(_assign(stage), None, allow).wait().text == "fine"
    outcome = driver.start(Assignment("author", "x", "/nowhere/at/all"), None, allow).wait()
    assert (outcome.reason, "/nowhere/at/all" in outcome.error) == ("failed", True)


def _somebody_runs(argument: str) -> bool:
    time.sleep(0.05)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if argument.encode() in (entry / "cmdline").read_bytes().split(b"\0"):
                    return True
            except OSError:
                continue
    return False


def test_a_command_is_told_whole_and_a_refused_one_can_be_told_apart(stage: ScriptedStage) -> None:
    long = "cat " + " ".join(f"file-{number}" for number in range(60))
    running = stage.perform({"run": [long, "touch made"], "text": "x"}).start(
        _assign(stage), None, guarded(stage.folder)
    )
    events = list(running.events())
    assert [event.command for event in events if isinstance(event, Used)] == [long, "touch made"]
    assert [event.command for event in events if isinstance(event, Denied)] == ["touch made"]
