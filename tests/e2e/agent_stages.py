"""Stages for the drivers of the real programs: acts become turns of the scripted model."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from planrail.agents.drivers import load_driver
from planrail.agents.model import Driver
from planrail.base.settings.agent_table import AgentSettings
from planrail.testing.agent_stage import Act, Echo, Fail, Inquire, Run, Say, ShowEnvironment, Structure, Write
from planrail.testing.model_server import ModelRequest, ModelServer, Script, Turn, Usage, call, say
from planrail.testing.model_server.script import ServiceError
from tests.e2e.claude import Claude
from tests.e2e.codex import Codex
from tests.e2e.programs import CLAUDE, CODEX, Program, installed
from tests.e2e.projects import Project

_NOWHERE = AgentSettings({"claude": "/nowhere/claude", "codex": "/nowhere/codex"})


class _EchoScript(Script):
    """Answers each request with the mark that it holds."""

    def next_turn(self, request: ModelRequest) -> Turn:
        found = re.findall(r"MARK-\d+", request.said_by("user"))
        return say(found[-1] if found else "no mark")


class ModelStage:
    """What the stages of the real programs share. See `agent_stage.Stage`."""

    name = ""

    def __init__(self, base: Path, server: ModelServer) -> None:
        self.project = Project(base / "project")
        self.folder = self.project.folder
        self.server = server

    def play(self, *acts: Act, environment: Mapping[str, str] | None = None) -> Driver:
        self.server.script = (
            _EchoScript() if Echo() in acts else Script(*(turn for act in acts for turn in self._turns(act)))
        )
        return load_driver(self.name, {**self.environment(), **(environment or {})}, self.settings())

    def miss(self) -> Driver:
        return load_driver(self.name, self.environment(), _NOWHERE)

    def heard(self) -> str:
        return "\n".join(request.said_by("user", "tool") for request in self.server.requests)

    def environment(self) -> dict[str, str]:
        raise NotImplementedError

    def settings(self) -> AgentSettings:
        raise NotImplementedError

    def use_shell(self, command: str) -> Turn:
        raise NotImplementedError

    def use_writer(self, path: str) -> list[Turn]:
        raise NotImplementedError

    def structure(self, text: str) -> list[Turn]:
        return [say(text)]

    def _turns(self, act: Act) -> list[Turn]:
        match act:
            case Say(text=text, tokens_in=told, tokens_out=said):
                return [say(text, Usage(told, said))]
            case Write(path=path):
                return self.use_writer(path)
            case Run(command=command):
                return [self.use_shell(command)]
            case Fail(status=status, message=message):
                return [
                    Turn(fault=ServiceError(status, "invalid_request_error" if status == 400 else "api_error", message))
                ]
            case ShowEnvironment():
                return [self.use_shell("env"), say("Seen.")]
            case Inquire(question=question):
                options = [{"label": label, "description": label} for label in question.options]
                asked = {
                    "question": question.text,
                    "header": "Choose",
                    "multiSelect": question.many,
                    "options": options,
                }
                return [call("AskUserQuestion", questions=[asked]), say("Thank you.")]
            case Structure(text=text):
                return self.structure(text)
            case Echo():
                return []


class ClaudeStage(ModelStage):
    """Claude Code."""

    name = "claude"
    program: Program = CLAUDE

    def environment(self) -> dict[str, str]:
        return Claude(self.project, self.server, self.program, plugin=None).environment()

    def settings(self) -> AgentSettings:
        return AgentSettings({"claude": str(installed(self.program))})

    def use_shell(self, command: str) -> Turn:
        return call("Bash", command=command)

    def use_writer(self, path: str) -> list[Turn]:
        return [call("Write", file_path=path, content="written")]

    def structure(self, text: str) -> list[Turn]:
        return [call("StructuredOutput", **json.loads(text)), say("Done.")]


class CodexStage(ModelStage):
    """Codex."""

    name = "codex"

    def environment(self) -> dict[str, str]:
        codex = Codex(self.project, self.server, with_planrail=False)
        return self.project.environment(CODEX_HOME=str(codex.config), NO_REAL_KEY="none")

    def settings(self) -> AgentSettings:
        return AgentSettings({"codex": str(installed(CODEX))})

    def use_shell(self, command: str) -> Turn:
        return call("exec_command", cmd=command)

    def use_writer(self, path: str) -> list[Turn]:
        patch = f"*** Begin Patch\n*** Add File: {path}\n+written\n*** End Patch\n"
        return [call("apply_patch", patch), self.use_shell(f"apply_patch <<'EOF'\n{patch}EOF\n")]
