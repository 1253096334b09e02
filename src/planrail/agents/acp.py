"""Agents that speak the Agent Client Protocol: Gemini CLI and opencode by name, any other by its command line.

They are held by the permissions that they ask for, which planrail's judge answers, and by nothing where they do not
ask: what was done unasked is judged afterwards. opencode is told to ask, because by default it does not. For work in
private copies that is enough; to plan in the user's own tree it is not, so none of them is offered there.
"""

import json
import os
from collections.abc import Callable, Mapping

from planrail.agents.acp_wire import AcpWire
from planrail.agents.command import read_words
from planrail.agents.model import Assignment, Outcome, failure
from planrail.agents.starting import Prepared, ProgramDriver, locate
from planrail.base.records import record, replace
from planrail.base.settings.agent_table import AgentSettings

_FLAG_SINCE = (0, 34)  # and 0.33, which knows both
_ASKING = {"edit": "ask", "bash": "ask", "external_directory": "ask", "webfetch": "allow", "doom_loop": "allow"}


@record
class Speaker:
    """A program that speaks the protocol: the variables it may have of ours, those it is given, and its arguments."""

    install: str
    variables: tuple[str, ...] = ()
    ours: Mapping[str, str] = {}
    arguments: Callable[[str, str], list[str]] | None = None  # by its path and the model; None: by the settings


SPEAKERS = {
    "gemini": Speaker(
        "npm install --global @google/gemini-cli",
        ("GEMINI_*", "GOOGLE_*"),
        {"GEMINI_CLI_TRUST_WORKSPACE": "true"},  # it asks a person otherwise, and none is there
        lambda path, model: [_gemini_flag(path), *([f"--model={model}"] if model else [])],
    ),
    "opencode": Speaker(
        "npm install --global opencode-ai",
        ("OPENCODE_*", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY"),
        {"OPENCODE_PERMISSION": json.dumps(_ASKING), "OPENCODE_DISABLE_AUTOUPDATE": "1"},
        lambda path, model: ["acp"],
    ),
    "acp": Speaker("see its own documentation"),
}


class Acp(ProgramDriver):
    """See `model.Driver`."""

    def __init__(self, name: str, environment: Mapping[str, str], settings: AgentSettings) -> None:
        self.name, self._speaker = name, SPEAKERS[name]
        self._words = read_words(settings) if name == "acp" else [settings.programs.get(name) or name]
        allowed = (*self._speaker.variables, *settings.environment)
        program = locate(name, self._words[0] if self._words else "", environment, allowed, self._speaker.install)
        super().__init__(replace(program, environment={**program.environment, **self._speaker.ours}))

    def refuse(self, assignment: Assignment) -> Outcome | None:
        if not self._words:
            return failure("missing", 'no command is set; set one, such as command = "my-agent acp"')
        return super().refuse(assignment)

    def prepare(self, assignment: Assignment, *, asks: bool) -> Prepared:
        made, is_gemini = self._speaker.arguments, self.name == "gemini"
        arguments = made(self._path, assignment.model) if made else self._words[1:]
        return arguments, lambda desk: AcpWire(self.name, assignment, desk, is_gemini=is_gemini)


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
