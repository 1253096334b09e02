"""Any program that takes a prompt file."""

import json
from pathlib import Path

import pytest

from planrail.agents.command import read_words
from planrail.agents.drivers import load_driver
from planrail.agents.model import Assignment, Outcome, Said
from planrail.base.errors import UsageError
from planrail.base.settings.agent_table import AgentSettings
from planrail.testing.agent_conformance import SchemaConformance
from planrail.testing.agent_stage import Stage, allow
from tests.agents.command_stage import CommandStage


class TestCommand(SchemaConformance):
    @pytest.fixture
    def stage(self, tmp_path: Path) -> Stage:
        return CommandStage(tmp_path)


@pytest.fixture
def stage(tmp_path: Path) -> CommandStage:
    return CommandStage(tmp_path)


def _run(stage: CommandStage, program: str) -> Outcome:
    assignment = Assignment("author", "Think.", str(stage.folder), timeout=30)
    return stage.perform(program).start(assignment, None, allow).wait()


def test_what_it_prints_is_its_answer_line_by_line_and_its_exit_code_decides(stage: CommandStage) -> None:
    driver = stage.perform("print('one')\nprint('two')\nsys.stderr.write('but no')\nsys.exit(2)")
    running = driver.start(Assignment("author", "x", str(stage.folder)), None, allow)
    assert [event.text for event in running.events() if isinstance(event, Said)] == ["one", "two"]
    outcome = running.wait()
    assert (outcome.ok, outcome.reason, outcome.error) == (False, "failed", "but no")


def test_a_report_in_the_last_line_is_taken_and_not_a_part_of_the_text(stage: CommandStage) -> None:
    report = {"tokens_in": 3, "tokens_out": 4, "cost": 0.5, "conversation": "c-1"}
    outcome = _run(stage, f"print('one')\nprint('two')\nprint({json.dumps(report)!r})")
    assert (outcome.text, outcome.tokens_in, outcome.tokens_out, outcome.cost) == ("one\ntwo", 3, 4, 0.5)
    assert outcome.conversation == "c-1"


def test_an_object_that_is_no_report_or_not_the_last_is_text(stage: CommandStage) -> None:
    other, report = '{"text": "a", "unheard": 1}', '{"text": "a"}'
    assert _run(stage, f"print({other!r})").text == other
    assert _run(stage, f"print({report!r})\nprint('more')").text == f"{report}\nmore"
    assert _run(stage, f"print({report!r})").text == "a"


def test_a_limit_is_told_with_its_end(stage: CommandStage) -> None:
    report = {"error": "enough for today", "reason": "limit", "resets_at": 2_000_000_000}
    outcome = _run(stage, f"print({json.dumps(report)!r})\nsys.exit(1)")
    assert (outcome.reason, outcome.error, outcome.resets_at) == ("limit", "enough for today", 2_000_000_000)


def test_no_shell_is_between(stage: CommandStage, tmp_path: Path) -> None:
    command = "/bin/echo {role} $HOME ; touch hurt.txt {folder} '{folder} {role}'"
    driver = load_driver("command", {"PATH": "/bin"}, AgentSettings(command=command))
    folder = str(stage.folder)
    outcome = driver.start(Assignment("a {folder} b", "x", folder), None, allow).wait()
    assert outcome.text == f"a {{folder}} b $HOME ; touch hurt.txt {folder} {folder} a {{folder}} b"


def test_a_command_that_is_not_set_or_cannot_be_read_says_so(stage: CommandStage) -> None:
    assert "command =" in load_driver("command", {}).start(Assignment("a", "x", "/"), None, allow).wait().error
    with pytest.raises(UsageError):
        load_driver("command", {}, AgentSettings(command="my-agent 'half"))


def test_words_are_those_of_a_shell() -> None:
    assert read_words(AgentSettings(command="a  b c")) == ["a", "b", "c"]
    assert read_words(AgentSettings(command="a 'b c' d\\ e")) == ["a", "b c", "d e"]
    assert read_words(AgentSettings(command="")) == []
