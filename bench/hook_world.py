"""A machine for the hook, in a folder: state, home and project of its own, brought to a point and kept there.

Sessions get where they have to be by events through the hook itself and by planrail's own commands, never by files
that this benchmark writes: what is measured is then a state that occurs.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hook_events import Event
from measure import Case, MeasurementFailed, planrail_program
from plans import written_plan

SOURCES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "src")
PLUGIN = os.path.join(SOURCES, "planrail", "plugin")
WRAPPER = os.path.join(PLUGIN, "hooks", "planrail-hook")
SHELL = shutil.which("sh") or "/bin/sh"
GIT = shutil.which("git") or "git"
PLAN = "PLAN.md"
FILES = 1_000
SECONDS_A_STEP = 60
_CHANGING = ("state", "home")


@dataclass(frozen=True)
class HookWorld:
    """Everything that the hook can see. `keep` remembers how it is, `restore` brings that back."""

    folder: str
    agent: int = 0  # the number of the agent's process; without one, our own

    @property
    def project(self) -> str:
        """The repository that agents work in."""
        return self._place("project")

    @property
    def home(self) -> str:
        """The user's home."""
        return self._place("home")

    @property
    def plan(self) -> str:
        """A plan of ten phases in the project."""
        return os.path.join(self.project, PLAN)

    @property
    def environment(self) -> Mapping[str, str]:
        """Built up, so that it is the same everywhere; with what Claude Code gives its hooks."""
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": self.home,
            "LANG": "C.UTF-8",
            "PLANRAIL_STATE_DIR": self._place("state"),
            "CLAUDECODE": "1",
            "CLAUDE_PID": str(self.agent or os.getpid()),
            "CLAUDE_PROJECT_DIR": self.project,
            "CLAUDE_PLUGIN_ROOT": PLUGIN,
        }

    def send(self, event: Event) -> str:
        """Have the hook answer an event, uncounted; what it says."""
        return self._call([SHELL, WRAPPER, "claude", event.name], event.data)

    def type(self, *arguments: str) -> None:
        """Run a command of planrail in the project."""
        self._call([planrail_program(), *arguments])

    def session(self, identity: str) -> Mapping[str, object]:
        """What planrail keeps of a session; nothing where it keeps none."""
        path = os.path.join(self._place("state"), "sessions", "claude", f"{identity}.json")
        if not os.path.exists(path):
            return {}
        with open(path, encoding="utf-8") as file:
            kept: dict[str, object] = json.load(file)
        return kept

    def keep(self) -> None:
        """Remember state and home as they are now."""
        for name in _CHANGING:
            shutil.copytree(self._place(name), self._place(f"kept-{name}"))

    def restore(self) -> None:
        """Bring state and home back to what was kept. The project stays: no event that is measured may change it."""
        for name in _CHANGING:
            shutil.rmtree(self._place(name))
            shutil.copytree(self._place(f"kept-{name}"), self._place(name))

    def case(self, event: Event, check: Callable[[str], str]) -> Case:
        """An event to measure, through the wrapper."""
        command = (SHELL, WRAPPER, "claude", event.name)
        return Case(command, self.project, self.environment, check=check, input=event.data, prepare=self.restore)

    def _call(self, command: list[str], data: bytes = b"") -> str:
        done = subprocess.run(
            command,
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self.project,
            env=self.environment,
            timeout=SECONDS_A_STEP,
        )
        said = done.stdout.decode("utf-8", "replace")
        if done.returncode:
            raise MeasurementFailed(f"{' '.join(command[1:])}: exit code {done.returncode}: {said}")
        return said

    def _place(self, name: str) -> str:
        return os.path.join(self.folder, name)


def make_world(folder: str) -> HookWorld:
    """A machine on which planrail is installed and no session is active, with a repository of some size."""
    world = HookWorld(folder)
    _write(os.path.join(folder, "state", "interpreter"), f"{sys.executable}\n{SOURCES}\n")
    os.makedirs(os.path.join(folder, "home", ".claude", "plans"))
    _write(world.plan, written_plan().text)
    for number in range(FILES):
        place = os.path.join(world.project, f"part_{number % 20:02}", f"module_{number:04}.py")
        _write(place, f"def compute_{number}(rows):\n    return rows\n" * 10)
    _commit(world)
    return world


def _commit(world: HookWorld) -> None:
    person = ("-c", "user.name=bench", "-c", "user.email=bench@example.org")
    for arguments in (("init", "-q"), ("add", "-A"), (*person, "commit", "-q", "-m", "Begin")):
        subprocess.run([GIT, *arguments], cwd=world.project, env=world.environment, check=True)


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
