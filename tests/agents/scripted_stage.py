"""A stage for the scripted agent: acts become replies of a script."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

from planrail.agents.drivers import load_driver
from planrail.agents.model import Driver
from planrail.base.settings.agent_table import AgentSettings
from planrail.testing.agent_stage import Act, Echo, Fail, Inquire, Run, Say, ShowEnvironment, Structure, Write
from tests.support.agent_runner import Kit

Reply = Mapping[str, object]


class ScriptedStage:
    """See `agent_stage.Stage`."""

    def __init__(self, base: Path) -> None:
        self.folder = base / "work"
        self.folder.mkdir()
        self._base, self._plays = base, 0
        self.script = base / "script.json"

    def play(self, *acts: Act, environment: Mapping[str, str] | None = None) -> Driver:
        return self.perform(*_replies(acts), environment=environment)

    def perform(self, *replies: Reply, environment: Mapping[str, str] | None = None) -> Driver:
        """A driver for a script of these replies."""
        self._plays += 1
        self.script = self._base / f"script-{self._plays}.json"
        self.script.write_text(json.dumps(replies))
        return self._load({**os.environ, **(environment or {}), "PLANRAIL_AGENT_SCRIPT": str(self.script)})

    def miss(self) -> Driver:
        return self._load({"PATH": os.environ["PATH"]})

    def kit(self, driver: Driver) -> Kit:
        """What the last driver was made from."""
        return self._kit

    def _load(self, environment: Mapping[str, str]) -> Driver:
        self._kit = Kit("scripted", environment, AgentSettings())
        return load_driver("scripted", environment)

    def heard(self) -> str:
        state = json.loads(Path(f"{self.script}.state").read_text())
        return "\n".join(prompt for prompts in state["conversations"].values() for prompt in prompts)


def _replies(acts: tuple[Act, ...]) -> list[Reply]:
    """Tools gather until the text that ends a turn."""
    replies: list[Reply] = []
    begun: dict[str, object] = {}
    written: dict[str, str] = {}
    for act in acts:
        match act:
            case Write(path=path):
                written[path] = "written"
                begun = {**begun, "write": dict(written)}
            case Run(command=command):
                begun = {**begun, "run": [command]}
            case _:
                replies.append({**begun, **_ending(act)})
                begun, written = {}, {}
    return replies


def _ending(act: Act) -> Reply:
    match act:
        case Say(text=text, tokens_in=told, tokens_out=said):
            return {"text": text, "usage": {"tokens_in": told, "tokens_out": said}}
        case Structure(text=text):
            return {"text": f"I have looked.\n\n```json\n{text}\n```\n"}
        case Fail(status=status, message=message):
            return {"error": message, "reason": "limit" if status == 429 else ""}
        case Echo():
            return {"echo": "prompt", "times": 0, "delay": 0.3}
        case ShowEnvironment():
            return {"echo": "environment"}
        case Inquire(question=question):
            return {"ask": [{"text": question.text, "options": question.options}], "echo": "answers"}
        case _:
            raise AssertionError(act)
