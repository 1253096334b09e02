"""The Agent Client Protocol: the driver keeps its promises, and what an agent asks of its client is confined."""

import json
from pathlib import Path

import pytest

from planrail.agents.acp_tools import (
    AgentFiles,
    FileRefused,
    choose_option,
    command_of,
    describe_call,
    is_telling,
    judged_calls,
)
from planrail.agents.jobs.judges import WorkspaceJudge
from planrail.agents.model import Assignment, Denied, Event, Outcome, Said
from planrail.testing.agent_conformance import AgentConformance
from planrail.testing.agent_stage import Say, Stage, allow, guarded
from tests.agents.acp_stage import AcpStage


class TestAcp(AgentConformance):
    @pytest.fixture
    def stage(self, tmp_path: Path) -> Stage:
        return AcpStage(tmp_path)


@pytest.fixture
def stage(tmp_path: Path) -> AcpStage:
    return AcpStage(tmp_path)


def _work(stage: AcpStage, *acts: dict[str, object], read_only: bool = True) -> tuple[Outcome, list[Event]]:
    judge = guarded(stage.folder) if read_only else WorkspaceJudge(str(stage.folder)).refuse
    assignment = Assignment("author", "Think.", str(stage.folder), timeout=30, read_only=read_only)
    running = stage.perform(list(acts)).start(assignment, None, judge)
    events = list(running.events())
    return running.wait(), events


@pytest.mark.full
def test_a_write_that_nobody_was_asked_about_ends_a_reader_and_outside_an_implementer(stage: AcpStage) -> None:
    inside, outside = str(stage.folder / "made.txt"), str(stage.folder.parent / "made.txt")
    outcome, events = _work(stage, {"unasked": inside}, {"say": "Done."})
    assert (outcome.ok, outcome.reason) == (False, "failed")
    assert "without asking" in outcome.error
    assert any(isinstance(event, Denied) for event in events)
    assert _work(stage, {"unasked": inside}, {"say": "Done."}, read_only=False)[0].ok
    outcome, _ = _work(stage, {"unasked": outside}, {"say": "Done."}, read_only=False)
    assert "outside of your workspace" in outcome.error


def test_the_client_writes_files_only_for_those_who_may_and_only_in_their_folder(stage: AcpStage) -> None:
    inside, outside = stage.folder / "new" / "made.txt", stage.folder.parent / "made.txt"
    _work(stage, {"ask_client": str(inside)}, {"say": "Done."})
    assert not inside.exists()
    _work(stage, {"ask_client": str(inside)}, {"ask_client": str(outside)}, {"say": "Done."}, read_only=False)
    assert inside.read_text() == "written"
    assert not outside.exists()


def test_the_client_reads_files_only_in_the_folder(stage: AcpStage) -> None:
    (stage.folder / "heron.txt").write_text("grey")
    (stage.folder.parent / "secret.txt").write_text("hidden")
    (stage.folder / "link.txt").symlink_to(stage.folder.parent / "secret.txt")
    _, events = _work(
        stage, {"read_client": "heron.txt"}, {"read_client": "../secret.txt"}, {"read_client": "link.txt"}
    )
    said = "".join(event.text for event in events if isinstance(event, Said))
    assert "grey" in said
    assert "hidden" not in said
    assert said.count("is outside of") == 2


def test_the_history_of_a_continued_conversation_is_not_told_again(stage: AcpStage) -> None:
    driver = stage.play(Say("One."), Say("Two."))
    first = driver.start(Assignment("author", "a", str(stage.folder)), None, allow).wait()
    running = driver.start(Assignment("author", "b", str(stage.folder), first.conversation), None, allow)
    assert [event.text for event in running.events() if isinstance(event, Said)] == ["Two."]


def test_an_agent_that_dies_in_the_middle_is_a_failure(stage: AcpStage) -> None:
    outcome, events = _work(stage, {"say": "half of it"}, {"exit": 3})
    assert (outcome.ok, outcome.reason) == (False, "failed")
    assert Said("half of it") in events


@pytest.mark.full
def test_a_child_that_ignores_every_polite_end_does_not_outlive_its_agent(stage: AcpStage) -> None:
    assert _work(stage, {"child": 3600}, {"say": "Done."})[0].ok


def test_what_a_line_says_that_is_no_message_means_nothing() -> None:
    assert judged_calls({}) == [("unknown", {})]
    assert judged_calls({"kind": "edit"}) == [("Write", {})]
    shell = {"kind": "execute", "rawInput": {"command": ["bash", "-lc", "rm -r x"]}}
    assert judged_calls(shell) == [("Bash", {"command": "rm -r x"})]
    moved = {"kind": "move", "locations": [{"path": "/a"}], "rawInput": {"destination": "/b"}}
    assert judged_calls(moved) == [("Write", {"file_path": "/a"}), ("Write", {"file_path": "/b"})]


def test_an_option_is_chosen_by_its_kind_and_never_by_its_name() -> None:
    options: list[dict[str, object]] = [
        {"optionId": "a", "name": "No", "kind": "allow_always"},
        {"optionId": "b", "name": "Yes", "kind": "reject_always"},
        {"optionId": "c", "name": "?", "kind": "allow_once"},
    ]
    assert choose_option(options, is_allowed=True) == "c"
    assert choose_option(options, is_allowed=False) == "b"
    assert choose_option(options[2:], is_allowed=False) == ""


def test_lines_of_a_file_are_counted_from_one(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n")
    files = AgentFiles(str(tmp_path), read_only=True)
    assert files.read("a.txt", 2, 1) == "two\n"
    assert files.read("a.txt", 2) == "two\nthree\n"
    with pytest.raises(FileRefused):
        files.write("a.txt", "x")
    with pytest.raises(FileRefused):
        files.read("absent.txt")
    assert json.dumps(files.read("a.txt")) == '"one\\ntwo\\nthree\\n"'


def test_a_tool_is_told_once_it_is_known_what_it_is_about() -> None:
    announced = {"kind": "execute", "title": "bash", "status": "pending", "rawInput": {}}
    assert not is_telling(announced)
    told = {**announced, "rawInput": {"command": "make test"}}
    assert is_telling(told)
    assert (command_of(told), describe_call(told)) == ("make test", "make test")
    assert command_of({"kind": "execute", "title": "ls -l"}) == "ls -l"
    assert command_of({"kind": "edit", "rawInput": {"command": "create"}}) == ""


def test_an_agent_that_falls_silent_at_a_refusal_is_told_to_go_on(stage: AcpStage) -> None:
    refused: list[dict[str, object]] = [{"write": str(stage.folder / "made.txt")}]
    driver = stage.perform(refused, refused, [{"say": "I could not."}])
    running = driver.start(Assignment("author", "Think.", str(stage.folder), timeout=30), None, guarded(stage.folder))
    assert running.wait().text == "I could not."
    assert stage.heard().count("was refused") == 2
    assert not (stage.folder / "made.txt").exists()
