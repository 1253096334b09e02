"""A project to play a story in: its own home, state and temporary folder, and an environment built up from nothing."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from planrail.install.targets import InstallPlace, make_target
from tests.e2e.programs import ROOT

PLUGIN = ROOT / "src" / "planrail" / "plugin"
_RECORD = 'cat > "{folder}/$(date +%s%N).$$"'


class Project:
    """A git repository with everything around it that an agent touches."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.home, self.folder, self.state = base / "home", base / "work", base / "state"
        self.temporary, self.recorded = base / "tmp", base / "events"
        for folder in (self.home, self.folder, self.state, self.temporary, self.recorded):
            folder.mkdir(parents=True)
        self.choose('[planning]\nworkflow = "free"\n')  # most stories are about something else than phases
        (self.folder / "notes.md").write_text("# Notes\n\nNothing yet.\n")
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "Begin")

    def choose(self, settings: str) -> None:
        """Write the person's own settings; an empty text takes them away."""
        place = self.home / ".config" / "planrail" / "planrail.toml"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(settings)
        if not settings:
            place.unlink()

    def environment(self, **more: str) -> dict[str, str]:
        """Nothing is inherited. The agents' programs and git are found in the usual places and beside node."""
        node = os.path.dirname(shutil.which("node") or "/usr/bin/node")
        return {
            "PATH": ":".join(dict.fromkeys([node, "/usr/local/bin", "/usr/bin", "/bin"])),
            "HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "PLANRAIL_STATE_DIR": str(self.state),
            **more,
        }

    def git(self, *arguments: str) -> str:
        """What git says in the project."""
        identity = ["-c", "user.name=A Person", "-c", "user.email=person@example.org"]
        command = ["git", *identity, *arguments]
        done = subprocess.run(command, cwd=self.folder, env=self.environment(), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def planrail(self, *arguments: str) -> str:
        """What planrail says in the project."""
        command = [sys.executable, "-m", "planrail", *arguments]
        done = subprocess.run(command, cwd=self.folder, env=self.environment(), capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def path(self, name: str) -> str:
        """The full path of a file in the project."""
        return str(self.folder / name)

    def holds(self, name: str) -> bool:
        """Whether the project has this file."""
        return (self.folder / name).exists()

    def changes(self) -> str:
        """What git sees as changed, without planrail's and the agents' own folders."""
        lines = self.git("status", "--porcelain", "--untracked-files=all").splitlines()
        return "\n".join(line for line in lines if not line[3:].startswith((".planrail/", ".claude/", ".codex/")))

    def recorder(self) -> dict[str, object]:
        """A hook that only writes down the event."""
        return {"type": "command", "command": _RECORD.format(folder=self.recorded)}

    def events(self, name: str = "") -> list[dict[str, object]]:
        """The events that the agent reported, oldest first; only those of one name if it is given."""
        read = [json.loads(path.read_text() or "{}") for path in sorted(self.recorded.iterdir())]
        return [event for event in read if not name or event.get("hook_event_name") == name]

    def session(self, agent: str, session_id: str) -> dict[str, object]:
        """What planrail keeps of a session; empty where it keeps nothing."""
        path = self.state / "sessions" / agent / f"{session_id}.json"
        kept: dict[str, object] = json.loads(path.read_text()) if path.exists() else {}
        return kept


def planrail_hooks(agent: str, project: Project) -> dict[str, list[object]]:
    """The hooks that `planrail init` writes for an agent."""
    target = make_target(agent, InstallPlace(str(project.folder)), project.environment())
    hooks = target.entries["hooks"]
    assert isinstance(hooks, dict)
    return hooks
