"""The lists of commands that the guard is attacked with, and those that it has to let pass."""

import json
from pathlib import Path

_COMMANDS = Path(__file__).parent / "commands"


def load_commands(name: str) -> list[str]:
    """The commands of one list: one on a line, a JSON string after `json:`, remarks after two hashes."""
    lines = (_COMMANDS / f"{name}.txt").read_text("utf-8").split("\n")
    return [_command(line) for line in lines if line.strip() and not line.startswith("##")]


def _command(line: str) -> str:
    return str(json.loads(line[5:])) if line.startswith("json:") else line
