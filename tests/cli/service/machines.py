"""A machine for tests: a home, a state, and small real programs on the PATH that remember what they were told."""

import json
import os
import shutil
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from planrail.approval.channels import ProcessFacts
from planrail.cli.team import service_command
from planrail.team.service.machine import Machine

# Each program appends its words to `calls` and changes the state that it answers from.
_TOOLS = (
    "sh",
    "git",
    "ps",
    "env",
    "cat",
    "sleep",
    "mv",
    "cp",
    "rm",
    "mkdir",
    "wc",
    "tail",
    "head",
    "nohup",
    "setsid",
    "id",
    "tr",
)
_HEAD = """#!/bin/sh
'''exec' "{python}" -IS "$0" "$@"
' '''
import json, os, sys
place = {place!r}
with open(place) as file: state = json.load(file)
words = sys.argv[1:]
state["calls"].append([{name!r}, *words])
def leave(code, text=""):
    with open(place + ".new", "w") as file: json.dump(state, file)
    os.replace(place + ".new", place)
    (sys.stdout if code == 0 else sys.stderr).write(text)
    sys.exit(code)
if {name!r} in state["broken"]: leave(1, state["broken"][{name!r}])
"""
_SYSTEMCTL = """
verb = words[1]
if verb == "is-system-running":
    print(state["manager"])
    leave(0 if state["manager"] == "running" else 1)
if verb in ("start", "restart"): state["unit"] = "active"
if verb == "stop" or "--now" in words: state["unit"] = "inactive"
if verb == "enable": state["enabled"] = "enabled"
if verb == "disable": state["enabled"] = "disabled"
if verb == "show":
    pid = 4242 if state["unit"] == "active" else 0
    leave(0, "LoadState=loaded\\nActiveState=%s\\nSubState=%s\\nMainPID=%d\\nUnitFileState=%s\\nResult=success\\n"
        "ActiveEnterTimestampMonotonic=1000000\\n" % (state["unit"], "x", pid, state["enabled"]))
leave(0)
"""
_LOGINCTL = 'leave(0, "Linger=%s\\n" % state["linger"])\n'
_JOURNALCTL = 'leave(0, "one\\ntwo\\nthree\\n")\n'
_LAUNCHCTL = """
verb, target = words[0], words[1]
domain = target.rsplit("/", 1)[0] if target.count("/") > 1 else target
if verb == "print":
    if state["loaded"] != domain: leave(113, "Could not find service")
    leave(0, "planrail.worker = {\\n\\tstate = running\\n\\tpid = 4343\\n}\\n")
if verb == "bootstrap":
    if domain in state["refused"]: leave(125, "Domain does not support specified action")
    state["loaded"] = domain
if verb == "bootout": state["loaded"] = ""
leave(0)
"""
_PROGRAMS = {
    "systemctl": _SYSTEMCTL,
    "loginctl": _LOGINCTL,
    "journalctl": _JOURNALCTL,
    "launchctl": _LAUNCHCTL,
}
# What stands in for the package: a worker that does nothing, and ends when it is told to.
_WORKER = """
import os, sys, time
print("worker", *sys.argv[1:], os.environ.get("PLANRAIL_DATABASE", "-"), os.getcwd(), flush=True)
if os.environ.get("WORKER_FAILS"): sys.exit(3)
time.sleep(300)
"""


class Stage:
    """A machine, the programs on it, and the commands that are given there."""

    def __init__(self, folder: Path, programs: Sequence[str] = tuple(_PROGRAMS), *, platform: str = "linux") -> None:
        self.folder = folder
        self.home = folder / "home"
        self.programs = folder / "bin"
        self.package = folder / "package"
        self._place = folder / "told.json"
        self.repository = folder / "project"
        for made in (self.home, self.programs, self.repository, self.package / "planrail"):
            made.mkdir(parents=True)
        (self.package / "planrail" / "__main__.py").write_text(_WORKER)
        (self.package / "planrail" / "__init__.py").write_text("")
        subprocess.run(["git", "init", "-q", str(self.repository)], check=True)
        self.state: dict[str, object] = {}
        self.tell(calls=[], broken={}, manager="running", unit="inactive", enabled="disabled", linger="no")
        self.tell(loaded="", refused=[])
        for name in programs:
            self.add_program(name)
        self.environment = {
            "HOME": str(self.home),
            "PATH": f"{self.programs}:{self._tools(folder / 'tools')}",
            "PLANRAIL_STATE_DIR": str(folder / "state"),
            "PYTHONPATH": str(self.package),
        }
        self.platform = platform
        self.uid = 1000
        self.release = "6.1.0"
        self.python = sys.executable
        self.lineage: list[ProcessFacts] = []

    @property
    def machine(self) -> Machine:
        """The machine as a value."""
        return Machine(
            environment=self.environment,
            platform=self.platform,
            release=self.release,
            user="me",
            uid=self.uid,
            python=self.python,
            lineage=lambda: self.lineage,
        )

    def _tools(self, folder: Path) -> Path:
        """The ordinary programs, and none that could touch the machine that the tests run on."""
        folder.mkdir()
        _link(_TOOLS, folder)
        return folder

    def add_real(self, *names: str) -> None:
        """Put the real programs onto the PATH: where the machine is one that may be touched."""
        _link(names, self.programs)

    def add_program(self, name: str) -> None:
        """Put one of the programs onto the PATH."""
        place = self.programs / name
        place.write_text(_HEAD.format(python=sys.executable, place=str(self._place), name=name) + _PROGRAMS[name])
        place.chmod(0o755)

    def tell(self, **values: object) -> None:
        """Change what the programs answer from."""
        known = json.loads(self._place.read_text()) if self._place.exists() else {}
        self._place.write_text(json.dumps({**known, **values}))

    def ask(self, name: str) -> object:
        """What the programs remember."""
        return json.loads(self._place.read_text())[name]

    def calls(self, program: str) -> list[list[str]]:
        """What a program was told, without what was only asked."""
        asking = ("show", "is-system-running", "-l", "print", "show-user")
        told = json.loads(self._place.read_text())["calls"]
        return [call[1:] for call in told if call[0] == program and not set(call) & set(asking)]

    def run(self, *words: str) -> int:
        """Give the command there."""
        parser = ArgumentParser(prog="planrail service")
        service_command.configure(parser)
        return service_command.run_on(self.machine, parser.parse_args(words))


def _link(names: Sequence[str], folder: Path) -> None:
    for name in names:
        found = shutil.which(name)
        if found is not None:
            (folder / name).symlink_to(found)


def is_tool(name: str) -> bool:
    """Whether a real program of the system is here."""
    return any(os.access(os.path.join(folder, name), os.X_OK) for folder in os.get_exec_path())
