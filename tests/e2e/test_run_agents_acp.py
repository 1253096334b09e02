"""Gemini CLI and opencode, the real ones, over the Agent Client Protocol."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from planrail.agents.drivers import load_driver
from planrail.agents.jobs.judges import WorkspaceJudge
from planrail.agents.model import Assignment, Denied, Event, Outcome
from planrail.base.settings.agent_table import AgentSettings
from planrail.testing.agent_stage import guarded
from planrail.testing.model_server import ModelServer, Script, Turn, call, say
from tests.e2e.gemini import Gemini
from tests.e2e.opencode import Opencode
from tests.e2e.programs import GEMINI, OPENCODE, installed
from tests.e2e.projects import Project

pytestmark = pytest.mark.soak


class GeminiStage:
    """The Gemini CLI in a project."""

    name, model = "gemini", "gemini-2.5-pro"

    def __init__(self, base: Path, server: ModelServer) -> None:
        self.project, self.server = Project(base / "project"), server
        Gemini(self.project, server, with_planrail=False)

    def environment(self) -> Mapping[str, str]:
        return self.project.environment(GEMINI_API_KEY="none", GOOGLE_GEMINI_BASE_URL=self.server.url)

    def settings(self) -> AgentSettings:
        return AgentSettings({"gemini": str(installed(GEMINI))})

    def write(self, path: str) -> Turn:
        return call("write_file", file_path=path, content="written")

    def run(self, command: str) -> Turn:
        return call("run_shell_command", command=command)


class OpencodeStage:
    """opencode in a project."""

    name, model = "opencode", ""

    def __init__(self, base: Path, server: ModelServer) -> None:
        self.project, self.server = Project(base / "project"), server
        Opencode(self.project, server, with_planrail=False)

    def environment(self) -> Mapping[str, str]:
        quiet = ("OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_LSP_DOWNLOAD", "OPENCODE_DISABLE_DEFAULT_PLUGINS")
        return self.project.environment(**dict.fromkeys(quiet, "1"))

    def settings(self) -> AgentSettings:
        return AgentSettings({"opencode": str(installed(OPENCODE))})

    def write(self, path: str) -> Turn:
        return call("write", filePath=path, content="written")

    def run(self, command: str) -> Turn:
        return call("bash", command=command, description="as asked")


AcpStage = GeminiStage | OpencodeStage


@pytest.fixture(params=[GeminiStage, OpencodeStage], ids=["gemini", "opencode"])
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AcpStage]:
    with ModelServer(Script()) as server:
        yield request.param(tmp_path, server)


def _work(stage: AcpStage, *turns: Turn, read_only: bool, conversation: str = "") -> tuple[Outcome, list[Event]]:
    stage.server.script = Script(*turns)
    folder = str(stage.project.folder)
    judge = guarded(stage.project.folder) if read_only else WorkspaceJudge(folder).refuse
    assignment = Assignment(
        "author", "Do it.", folder, conversation, read_only=read_only, timeout=180, model=stage.model
    )
    running = load_driver(stage.name, stage.environment(), stage.settings()).start(assignment, None, judge)
    events = list(running.events())
    return running.wait(), events


def _everything(stage: AcpStage) -> list[Turn]:
    inside, outside = stage.project.path("made.txt"), str(stage.project.base / "outside.txt")
    return [stage.write(inside), stage.write(outside), stage.run("echo x > ran.txt"), say("Done.")]


def test_an_implementer_works_in_its_folder_and_nowhere_else(stage: AcpStage) -> None:
    outcome, _ = _work(stage, *_everything(stage), read_only=False)
    assert (outcome.text, outcome.ok) == ("Done.", True), outcome.error
    assert stage.project.holds("made.txt")
    assert stage.project.holds("ran.txt")
    assert not (stage.project.base / "outside.txt").exists()
    assert outcome.tokens_in > 0


def test_a_reader_changes_nothing_and_goes_on_after_each_refusal(stage: AcpStage) -> None:
    outcome, events = _work(stage, *_everything(stage), read_only=True)
    assert (outcome.text, outcome.ok) == ("Done.", True), outcome.error
    assert stage.project.changes() == ""
    assert not (stage.project.base / "outside.txt").exists()
    assert sum(isinstance(event, Denied) for event in events) >= 2


def test_a_conversation_goes_on_or_is_said_to_be_gone(stage: AcpStage) -> None:
    """Gemini 0.61 overwrites the history of a session while it loads it, and then finds none."""
    first, _ = _work(stage, say("One."), read_only=True)
    second, _ = _work(stage, say("Two."), read_only=True, conversation=first.conversation)
    assert second.conversation == first.conversation
    if stage.name == "gemini":
        assert (second.ok, second.reason) == (False, "no_conversation")
    else:
        assert (second.ok, second.text) == (True, "Two."), second.error
