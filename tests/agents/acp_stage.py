"""A stage for an agent that speaks the Agent Client Protocol: acts become turns of the scripted one."""

import json
import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from planrail.agents.drivers import load_driver
from planrail.agents.model import Driver
from planrail.base.settings.agent_table import AgentSettings
from planrail.testing.agent_stage import Act, Echo, Fail, Inquire, Run, Say, ShowEnvironment, Structure, Write
from tests.support import acp_agent

Turn = list[dict[str, object]]


class AcpStage:
    """See `agent_stage.Stage`."""

    def __init__(self, base: Path) -> None:
        self.folder = base / "work"
        self.folder.mkdir()
        self._base, self._plays = base, 0
        self.script = base / "turns.json"

    def play(self, *acts: Act, environment: Mapping[str, str] | None = None) -> Driver:
        return self.perform(*_turns(acts), environment=environment)

    def perform(self, *turns: Turn, environment: Mapping[str, str] | None = None) -> Driver:
        """A driver for an agent with these turns."""
        self._plays += 1
        self.script = self._base / f"turns-{self._plays}.json"
        self.script.write_text(json.dumps(turns))
        command = shlex.join([sys.executable, "-P", acp_agent.__file__, str(self.script)])
        return self._load({**os.environ, **(environment or {})}, command)

    def miss(self) -> Driver:
        return self._load(dict(os.environ), "/nowhere/at/all --acp")

    def heard(self) -> str:
        state = json.loads(Path(f"{self.script}.state").read_text())
        return "\n".join(prompt for prompts in state["sessions"].values() for prompt in prompts)

    def _load(self, environment: Mapping[str, str], command: str) -> Driver:
        return load_driver("acp", environment, AgentSettings(command=command))


def _turns(acts: tuple[Act, ...]) -> list[Turn]:
    """Tools gather until the text that ends a turn."""
    turns: list[Turn] = []
    begun: Turn = []
    for act in acts:
        begun += _acts(act)
        if not isinstance(act, Run | Write):
            turns.append(begun)
            begun = []
    return turns


def _acts(act: Act) -> Turn:
    match act:
        case Say(text=text, tokens_in=told, tokens_out=said):
            return [{"say": text}, {"usage": [told, said]}]
        case Write(path=path):
            return [{"write": path}]
        case Run(command=command):
            return [{"run": command}]
        case Fail(message=message):
            return [{"error": message}]
        case Echo():
            return [{"echo": True}]
        case ShowEnvironment():
            return [{"environment": True}]
        case Structure(text=text):
            return [{"say": f"I have looked.\n{text}"}]
        case Inquire():
            raise AssertionError("the protocol has no questions")
