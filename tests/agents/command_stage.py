"""A stage for the command driver: acts become lines of a program that takes a prompt file."""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from shlex import quote

from planrail.agents.drivers import load_driver
from planrail.agents.model import Driver
from planrail.base.settings.agent_table import AgentSettings
from planrail.testing.agent_stage import Act, Echo, Fail, Inquire, Run, Say, ShowEnvironment, Structure, Write

_BEGINNING = """
import json, os, re, subprocess, sys
prompt = open(sys.argv[1], newline="", errors="surrogateescape").read()
with open({heard!r}, "a", newline="", errors="surrogateescape") as file:
    file.write(prompt)
"""


class CommandStage:
    """See `agent_stage.Stage`."""

    def __init__(self, base: Path) -> None:
        self.folder = base / "work"
        self.folder.mkdir()
        self._base, self._heard = base, base / "heard"

    def play(self, *acts: Act, environment: Mapping[str, str] | None = None) -> Driver:
        return self.perform("\n".join(map(_line, acts)), environment=environment)

    def perform(self, program: str, environment: Mapping[str, str] | None = None) -> Driver:
        """A driver for this program, which finds the text of its prompt in `prompt`."""
        path = self._base / "program.py"
        path.write_text(_BEGINNING.format(heard=str(self._heard)) + program + "\n")
        return self._load(
            {**os.environ, **(environment or {})}, f"{quote(sys.executable)} -P '{path}' {{prompt}} {{role}}"
        )

    def miss(self) -> Driver:
        return self._load(dict(os.environ), "/nowhere/at/all {prompt}")

    def heard(self) -> str:
        with open(self._heard, newline="") as file:
            return file.read()

    def _load(self, environment: Mapping[str, str], command: str) -> Driver:
        return load_driver("command", environment, AgentSettings(command=command))


def _line(act: Act) -> str:
    match act:
        case Say(text=text, tokens_in=told, tokens_out=said):
            report = json.dumps({"tokens_in": told, "tokens_out": said})
            return f"print({text!r})\nprint({report!r})"
        case Run(command=command):
            return f"subprocess.run({command!r}, shell=True)"
        case Write(path=path):
            return f"open({path!r}, 'w').write('written')"
        case Fail(status=status, message=message):
            report = json.dumps({"error": message, "reason": "limit" if status == 429 else "failed"})
            return f"print({report!r})\nsys.exit(1)"
        case Echo():
            return "print(re.findall('MARK-[0-9]+', prompt)[0])"
        case ShowEnvironment():
            return "print(json.dumps(dict(os.environ)))"
        case Structure(text=text):
            return f"print('I have looked.')\nprint({text!r})"
        case Inquire():
            raise AssertionError("a command has no questions")
