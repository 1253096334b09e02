"""Projects that planrail is installed in and taken out of, for the tests of both."""

import json
import os
import subprocess
from pathlib import Path

from planrail.hook import AGENTS
from planrail.install.json import load
from tests.cli.processes import call

ALL = ",".join(AGENTS)
LOCAL = ".claude/settings.local.json"


class Project:
    """A git repository with a home of its own."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "a project"
        self.home = folder / "home"
        self.root.mkdir()
        self.home.mkdir()
        self.git("init", "-q")

    def git(self, *arguments: str) -> str:
        command = ["git", "-c", "user.name=n", "-c", "user.email=e", *arguments]
        return subprocess.run(command, cwd=self.root, check=True, capture_output=True, text=True).stdout

    def write(self, path: str, data: str | bytes) -> Path:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data if isinstance(data, bytes) else data.encode())
        return place

    def run(self, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        return call(*arguments, cwd=cwd or self.root, HOME=str(self.home), XDG_CONFIG_HOME=str(self.home / "config"))

    def init(self, *arguments: str) -> None:
        done = self.run("init", *(arguments or ("--agent", ALL)))
        assert done.returncode == 0, done.stderr

    def uninstall(self) -> str:
        done = self.run("uninstall")
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def look(self) -> tuple[str, dict[str, bytes | str]]:
        """What git says, and every file and folder with its bytes, or where it links to."""
        status = self.git("status", "--porcelain=v1", "--ignored", "-uall")
        return status, {str(path.relative_to(self.root)): _contents(path) for path in walk(self.root)}

    def local(self) -> dict[str, object]:
        return load((self.root / LOCAL).read_bytes())


def walk(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if ".git" not in path.relative_to(folder).parts]


def _contents(path: Path) -> bytes | str:
    if path.is_symlink():
        return f"-> {os.readlink(path)}"
    return path.read_bytes() if path.is_file() else "folder"


MINE = {"command": "echo mine", "type": "command"}
THEIRS = [
    ("nothing", {}),
    ("an empty object", {LOCAL: "{}"}),
    ("an empty file", {LOCAL: ""}),
    ("rules", {LOCAL: '{"permissions": {"allow": ["Bash(ls)"]}}'}),
    (
        "hooks",
        {LOCAL: json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [MINE]}], "Stop": []}}, indent=4)},
    ),
    ("empty tables", {LOCAL: '{"hooks": {}, "env": {}, "enabledPlugins": {}}\n'}),
    ("windows line ends", {LOCAL: b'\xef\xbb\xbf{\r\n\t"model": "opus"\r\n}\r\n'}),
    ("other agents", {".gemini/settings.json": '{"theme":"\\u00e9"}', ".codex/hooks.json": '{"hooks":{}}\n\n'}),
    ("odd text", {".gemini/settings.json": '{ "half": "\\ud800", "big": 123456789012345678901234567890 }'}),
    ("an empty folder", {".claude/commands/x.md": "x"}),
    ("a statement about the plugin", {LOCAL: '{"enabledPlugins": {"planrail@planrail": false}}'}),
]
