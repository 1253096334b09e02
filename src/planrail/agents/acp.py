"""Agents that speak the Agent Client Protocol: Gemini CLI and opencode by name, any other by its command line.

They are held by the permissions that they ask for, which planrail's judge answers, and by nothing where they do not
ask: what was done unasked is judged afterwards. opencode is told to ask, because by default it does not. For work in
private copies that is enough; to plan in the user's own tree it is not, so none of them is offered there.
"""

import json
import os
from collections.abc import Mapping

from planrail.agents.acp_wire import AcpWire
from planrail.agents.command import read_words
from planrail.agents.model import Assignment, Outcome, failure
from planrail.agents.starting import Prepared, ProgramDriver
from planrail.agents.wires import Permissions
from planrail.base.settings.agent_table import AgentSettings

_FLAG_SINCE = (0, 34)  # and 0.33, which knows both
_ASKING = {"edit": "ask", "bash": "ask", "external_directory": "ask", "webfetch": "allow", "doom_loop": "allow"}


class Acp(ProgramDriver):
    """See `model.Driver`. Any program that speaks the protocol, by the command line of the settings."""

    name, install = "acp", "see its own documentation"

    def choose(self, settings: AgentSettings) -> str:
        self._words = read_words(settings)
        return self._words[0] if self._words else ""

    def refuse(self, assignment: Assignment) -> Outcome | None:
        if not self._words:
            return failure("missing", 'no command is set; set one, such as command = "my-agent acp"')
        return super().refuse(assignment)

    def prepare(self, assignment: Assignment, permissions: Permissions) -> Prepared:
        return self._words[1:], AcpWire(self.name, assignment, permissions)


class Gemini(ProgramDriver):
    """See `model.Driver`."""

    name, install = "gemini", "npm install --global @google/gemini-cli"
    ours: Mapping[str, str] = {"GEMINI_CLI_TRUST_WORKSPACE": "true"}

    @classmethod
    def variables(cls, environment: Mapping[str, str]) -> tuple[str, ...]:
        return ("GEMINI_*", "GOOGLE_*")

    def prepare(self, assignment: Assignment, permissions: Permissions) -> Prepared:
        model = [f"--model={assignment.model}"] if assignment.model else []
        return [_gemini_flag(self.path), *model], AcpWire(self.name, assignment, permissions, is_gemini=True)


class OpenCode(ProgramDriver):
    """See `model.Driver`."""

    name, install = "opencode", "npm install --global opencode-ai"
    ours: Mapping[str, str] = {"OPENCODE_PERMISSION": json.dumps(_ASKING), "OPENCODE_DISABLE_AUTOUPDATE": "1"}

    @classmethod
    def variables(cls, environment: Mapping[str, str]) -> tuple[str, ...]:
        return ("OPENCODE_*", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY")

    def prepare(self, assignment: Assignment, permissions: Permissions) -> Prepared:
        return ["acp"], AcpWire(self.name, assignment, permissions)


DRIVERS: dict[str, type[ProgramDriver]] = {"gemini": Gemini, "opencode": OpenCode, "acp": Acp}


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
