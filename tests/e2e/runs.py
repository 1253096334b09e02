"""A yard to play runs in: a repository with a plan, the real Claude Code and Codex, and a scripted model for each."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from planrail.base.records import record
from planrail.testing.model_server import ModelServer, Script
from tests.e2e.claude import Claude
from tests.e2e.codex import Codex
from tests.e2e.programs import CLAUDE, CODEX, installed
from tests.e2e.projects import Project

PATH = "plans/greeter.md"
SETTINGS = "[approval]\nrequired = false\n"
LONGEST = 120  # seconds that any one wait may take
# What a person has in the environment and no agent has any business with.
SECRETS = {"AWS_SECRET_ACCESS_KEY": "no-real-aws-secret", "GITHUB_TOKEN": "no-real-forge-token", "MY_PASSWORD": "hush"}


@record
class Told:
    """What a planrail said and how it ended."""

    code: int
    answer: dict[str, object]
    errors: str

    @property
    def state(self) -> object:
        """How the run ended, or rests."""
        return self.answer.get("state")


class Yard:
    """A project whose plan is run. `claude` and `codex` are the models behind the two programs."""

    def __init__(self, project: Project, claude: ModelServer, codex: ModelServer) -> None:
        self.project, self.claude, self.codex = project, claude, codex
        self.begun: list[subprocess.Popen[str]] = []
        self.programs = {"claude": CLAUDE, "codex": CODEX}  # those that are on the path
        self.variables: dict[str, str] = {}  # more of them; an empty one is taken away
        self.longest = LONGEST
        for name, value in (("user.name", "A Person"), ("user.email", "person@example.org")):
            project.git("config", name, value)

    @property
    def environment(self) -> dict[str, str]:
        """A person's environment: the programs are on the path, and there are secrets in it."""
        codex = Codex(self.project, self.codex, with_planrail=False)
        claude = Claude(self.project, self.claude, plugin=None).environment(**SECRETS)
        path = ":".join([*(str(installed(program).parent) for program in self.programs.values()), claude["PATH"]])
        all_of_it = {**claude, "CODEX_HOME": str(codex.config), "NO_REAL_KEY": "none", "PATH": path, **self.variables}
        return {name: text for name, text in all_of_it.items() if text}

    def subscribe(self) -> None:
        """Claude Code is used by a subscription, not by a key: only so does it know of limits that pass."""
        self.variables |= {"ANTHROPIC_API_KEY": "", "CLAUDE_CODE_OAUTH_TOKEN": "no-real-token"}

    def plan(self, text: str, settings: str = "") -> None:
        """Commit a plan, and settings that let it run without anybody's approval."""
        for name, content in ((PATH, text), ("planrail.toml", SETTINGS + settings)):
            place = Path(self.project.path(name))
            place.parent.mkdir(exist_ok=True)
            place.write_text(content)
        self.project.git("add", ".")
        self.project.git("commit", "--quiet", "--message", "Plan")

    def run(self, *words: str) -> Told:
        """`planrail run`, to its end."""
        return self.call("run", PATH, *words)

    def call(self, *words: str) -> Told:
        """A command of planrail that ends by itself."""
        done = subprocess.run(_command(words), **self._streams, timeout=self.longest)  # type: ignore[call-overload]
        return Told(done.returncode, _read(done.stdout), done.stderr)

    def start(self, *words: str) -> "subprocess.Popen[str]":
        """A planrail that goes on beside the test."""
        started = subprocess.Popen(_command(words), **self._streams, start_new_session=True)  # type: ignore[call-overload]
        self.begun.append(started)
        return started  # type: ignore[no-any-return]

    @property
    def _streams(self) -> dict[str, object]:
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return {"cwd": self.project.folder, "env": self.environment, **streams}

    def status(self) -> dict[str, object]:
        """`planrail status`, for programs."""
        return self.call("status", PATH).answer

    def report(self) -> dict[str, object]:
        """`planrail report`, for programs."""
        return self.call("report", PATH).answer

    def attempts(self) -> list[dict[str, object]]:
        """The attempts in the report, the newest first."""
        found = self.report()["attempts"]
        assert isinstance(found, list)
        return found

    def landed(self) -> list[str]:
        """The phases that landed on the target, by the trailers of its commits, the oldest first."""
        told = self.project.git("log", "--reverse", "--format=%(trailers:key=Planrail-Phase,valueonly)", "main")
        return told.split()

    def text(self, name: str) -> str:
        """A file as the target has it."""
        return self.project.git("show", f"main:{name}")

    def processes(self) -> list[int]:
        """Every living process that was started from this yard, planrail's and the agents' alike."""
        mark = f"PLANRAIL_STATE_DIR={self.project.state}".encode()
        return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if mark in _environment_of(pid)]

    def kill_everything(self) -> None:
        """End all of it at once, as a machine does that loses its power."""
        while left := self.processes():
            for pid in left:
                _kill(pid)
            time.sleep(0.02)
        for started in self.begun:
            started.communicate()

    def jobs(self, name: str = "*") -> list[Path]:
        """The folders of the agents' jobs, in the order in which they were begun."""
        found = self.project.state.glob(f"ledgers/*/runs/*/agents/{name}")
        return sorted(found, key=lambda place: (place / "job.json").stat().st_mtime_ns)


@contextlib.contextmanager
def open_yard(project: Project) -> Iterator[Yard]:
    """A yard, and nothing of it that lives longer than its story."""
    with ModelServer(Script()) as claude, ModelServer(Script()) as codex:
        yard = Yard(project, claude, codex)
        try:
            yield yard
        finally:
            yard.kill_everything()


def wait_for(is_so: Callable[[], object], what: str) -> None:
    """Come back as soon as it is so."""
    deadline = time.monotonic() + LONGEST
    while not is_so():
        assert time.monotonic() < deadline, f"in vain: {what}"
        time.sleep(0.05)


def _command(words: tuple[str, ...]) -> list[str]:
    return [sys.executable, "-m", "planrail", *words, "--json"]


def _read(said: str) -> dict[str, object]:
    found = json.loads(said) if said.startswith("{") else {}
    assert isinstance(found, dict)
    return found


def _environment_of(pid: int) -> list[bytes]:
    try:
        if Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] in (b"Z", b"X"):
            return []
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
