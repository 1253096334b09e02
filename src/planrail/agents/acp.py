"""Agents that speak the Agent Client Protocol: Gemini CLI and opencode by name, any other by its command line.

They are held by the permissions that they ask for, which planrail's judge answers, and by nothing where they do not
ask: what was done unasked is judged afterwards. opencode is told to ask, because by default it does not. For work in
private copies that is enough; to plan in the user's own tree it is not, so none of them is offered there.
"""

import json
import os
from collections.abc import Mapping

from planrail.agents.acp_wire import AcpWire
from planrail.agents.command import split
from planrail.agents.environment import ACP, build_environment, find_program
from planrail.agents.model import Ask, Assignment, Judge, Running, failure
from planrail.agents.processes.running import NeverRan
from planrail.agents.starting import Program, launch, refuse
from planrail.base.errors import UsageError
from planrail.base.settings.agent_table import AgentSettings

_FLAG_SINCE = (0, 34)  # and 0.33, which knows both
_INSTALL = {
    "gemini": "npm install --global @google/gemini-cli",
    "opencode": "npm install --global opencode-ai",
    "acp": "see its own documentation",
}
_ASKING = {"edit": "ask", "bash": "ask", "external_directory": "ask", "webfetch": "allow", "doom_loop": "allow"}
_OURS = {
    "gemini": {"GEMINI_CLI_TRUST_WORKSPACE": "true"},  # it asks a person otherwise, and none is there
    "opencode": {"OPENCODE_PERMISSION": json.dumps(_ASKING), "OPENCODE_DISABLE_AUTOUPDATE": "1"},
    "acp": {},
}


class Acp:
    """See `model.Driver`."""

    def __init__(self, name: str, environment: Mapping[str, str], settings: AgentSettings) -> None:
        self.name = name
        try:
            words = split(settings.command) if name == "acp" else [settings.programs.get(name) or name]
        except ValueError as error:
            raise UsageError(f"the agent's command cannot be read: {error}", remedy=settings.command) from error
        self._words = words
        given = build_environment(environment, (*ACP[name], *settings.environment))
        path = find_program(words[0], environment) if words else None
        self._program = Program(name, path, {**given, **_OURS[name]}, _INSTALL[name])

    def start(self, assignment: Assignment, ask: Ask | None, judge: Judge) -> Running:
        if not self._words:
            return NeverRan(failure("missing", 'no command is set; set one, such as command = "my-agent acp"'))
        refused = refuse(self._program, assignment)
        if refused is not None or self._program.path is None:
            return NeverRan(refused or failure("missing", self.name))
        command = [self._program.path, *self._arguments(self._program.path, assignment.model)]
        is_gemini = self.name == "gemini"
        return launch(
            self._program,
            command,
            assignment,
            lambda desk: AcpWire(self.name, assignment, desk, is_gemini=is_gemini),
            ask,
            judge,
        )

    def _arguments(self, path: str, model: str) -> list[str]:
        if self.name == "opencode":
            return ["acp"]
        if self.name == "gemini":
            return [_gemini_flag(path), *([f"--model={model}"] if model else [])]
        return self._words[1:]


def _gemini_flag(path: str) -> str:
    """`--acp`, or its name in versions that had it as an experiment."""
    folder = os.path.dirname(os.path.realpath(path))
    for _ in range(3):
        try:
            with open(os.path.join(folder, "package.json"), encoding="utf-8") as file:
                major, minor = (int(part) for part in str(json.load(file)["version"]).split(".")[:2])
        except (OSError, ValueError, KeyError, TypeError):
            folder = os.path.dirname(folder)
        else:
            return "--acp" if (major, minor) >= _FLAG_SINCE else "--experimental-acp"
    return "--acp"
