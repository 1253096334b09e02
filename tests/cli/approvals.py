"""The commands of approval, as a person at a scripted terminal gives them."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from planrail.approval.channels import ChannelRefusal
from planrail.cli.lists import approvals_command
from planrail.cli.plans import approve_command, reject_command
from planrail.cli.screen import show
from tests.approval.scripted_desk import NO_TERMINAL, WORD, ScriptedTerminal, arguments_of, make_desk


def make_project(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository where the person stands, and a home without settings."""
    root = folder / "project"
    root.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    monkeypatch.chdir(root)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
    return root


def commit(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).write_text(text)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "add", *files], cwd=root, check=True)
    subprocess.run([*git, "commit", "-qm", "x"], cwd=root, check=True)


def approve(*words: str, terminal: ScriptedTerminal | ChannelRefusal | None = None, **desk: Any) -> int:
    person = make_desk(terminal or ScriptedTerminal([WORD]), **desk)
    return approve_command.approve(arguments_of(approve_command, *words), person)


def reject(*words: str, terminal: ScriptedTerminal | ChannelRefusal | None = None) -> int:
    return reject_command.reject(arguments_of(reject_command, *words), make_desk(terminal or ScriptedTerminal([])))


def show_approvals(*words: str) -> None:
    arguments = arguments_of(approvals_command, *words)
    assert show(approvals_command.answer(arguments, make_desk(NO_TERMINAL)), as_json=arguments.json) == 0
