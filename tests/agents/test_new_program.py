"""A new agent program is one file and one name: then it is offered, installed and started, and its hooks are answered."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import planrail
from tests.cli.run_projects import make_project
from tests.support.patience import PATIENCE

DECLARATION = '''
"""Fable, which says what it was told."""

from planrail.agents.model import Began, Said
from planrail.agents.starting import Connection, ProgramDriver
from planrail.agents.wires import CloseInput, Send, Wire


class FableWire(Wire):
    def open(self):
        yield Send(self._assignment.prompt)
        yield CloseInput()
        yield Began("")

    def hear(self, line):
        self._last_words, self._is_done = line.decode(), True
        yield Said(self._last_words)


class Fable(ProgramDriver):
    name, install, allowed = "fable", "npm install --global fable", ("FABLE_*",)
    connection = Connection(
        "Fable", "Fable reads its hooks when it starts.", (".fable", "hooks.json"), ("hooks.json",), ".fable",
        events={"PreToolUse": 60, "Stop": 30},
    )

    def prepare(self, assignment, permissions):
        return [], FableWire("fable", assignment, permissions)


DRIVER = Fable
'''
START = """
import os
from planrail.agents.drivers import load_driver
from planrail.agents.model import Assignment
running = load_driver("fable", os.environ).start(Assignment("author", "once upon a time", os.getcwd()), None, lambda *_: None)
print(running.wait().text)
"""


class Site:
    """A planrail that has learned of a new agent, a project, and a home."""

    def __init__(self, base: Path) -> None:
        self.package, self.project = base / "site" / "planrail", base / "project"
        shutil.copytree(Path(planrail.__file__).parent, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        (self.package / "agents" / "fable.py").write_text(DECLARATION)
        names = self.package / "hook" / "__init__.py"
        names.write_text(names.read_text().replace('"opencode"', '"opencode", "fable"'))
        programs, home = base / "bin", base / "home"
        make_project(self.project)
        for folder in (programs, home, self.project / ".fable"):
            folder.mkdir()
        (programs / "fable").write_text('#!/bin/sh\nread told; echo "$told, $FABLE_KEY$OTHER_KEY"\n')
        (programs / "fable").chmod(0o755)
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        own = {"PYTHONPATH": str(self.package.parent), "HOME": str(home), "PLANRAIL_STATE_DIR": str(base / "state")}
        self.environment = {**os.environ, **own, "PATH": path, "FABLE_KEY": "known", "OTHER_KEY": "unknown"}

    def python(self, *words: str, data: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *words],
            cwd=self.project,
            env=self.environment,
            input=data,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )

    def planrail(self, *words: str, data: str = "") -> subprocess.CompletedProcess[str]:
        return self.python("-m", "planrail", *words, data=data)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


@pytest.mark.full
def test_a_program_that_is_declared_is_offered_installed_started_and_heard(site: Site) -> None:
    assert "opencode, fable, acp" in site.planrail("run", "PLAN.md", "--agent", "nobody").stderr

    told = site.planrail("init")
    hooks = site.project / ".fable" / "hooks.json"
    assert ".fable/hooks.json" in told.stdout
    assert "Fable: hooks (new)" in told.stdout
    assert "Fable reads its hooks when it starts." in told.stdout
    [hook] = json.loads(hooks.read_text())["hooks"]["Stop"][0]["hooks"]
    assert (hook["timeout"], hook["command"].endswith("planrail-hook fable Stop")) == (30, True)
    assert "Fable is connected in this project" in site.planrail("doctor").stdout

    started = site.python("-c", START)
    assert started.stdout == "once upon a time, known\n", started.stderr

    event = {"session_id": "s", "hook_event_name": "PreToolUse", "permission_mode": "plan", "cwd": str(site.project)}
    write = {"tool_name": "Write", "tool_input": {"file_path": str(site.project / "x.py"), "content": "x"}}
    heard = site.planrail("hook", "fable", "PreToolUse", data=json.dumps({**event, **write}))
    assert json.loads(heard.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny", heard
    assert "fable s" in site.planrail("list", "sessions").stdout

    assert site.planrail("uninstall").returncode == 0
    assert not hooks.exists()
