"""Headless plannings as a person starts them: a small repository, and an agent that follows a script."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.planning.conducting_fakes import COMPARED, CRITIQUE, EXPLORED, PLAN, PROMISED, UNDERSTOOD
from tests.support.patience import PATIENCE

Reply = dict[str, object]
GREETER = "import sys\n\n\ndef greet(name):\n    print(f'Hello, {name}!')\n\n\ngreet(sys.argv[1])\n"


def reply(match: str, text: str, role: str = "", **more: object) -> Reply:
    """What the scripted agent says to prompts that hold a text, as often as it is asked."""
    return {"match": match, "text": text, "times": 0, **({"role": role} if role else {}), **more}


def good_script(**more: object) -> list[Reply]:
    """Answers that are good enough for every phase; `more` is done with each."""
    replies = [
        reply("Phase: UNDERSTAND", UNDERSTOOD),
        reply("Phase: EXPLORE", EXPLORED),
        reply("Phase: ALTERNATIVES", COMPARED),
        reply("Phase: DRAFT", PLAN),
        reply("Phase: CRITIQUE", CRITIQUE, "critic"),
        reply("This is the last round", PROMISED, "author"),
        reply("Phase: REVISE", PLAN, "author"),
    ]
    return [one | more for one in replies]


class Desk:
    """A repository, a home and a state of its own, and the script that its agents follow."""

    def __init__(self, base: Path) -> None:
        self.base, self.repo, self.state, self.home = base, base / "repo", base / "state", base / "home"
        self.script, self.path = base / "script.json", os.environ["PATH"]
        for folder in (self.repo / "src", self.repo / "tests", self.state, self.home):
            folder.mkdir(parents=True)
        (self.repo / "src" / "greeter.py").write_text(GREETER)
        (self.repo / "tests" / "test_greeter.py").write_text("def test_nothing(): pass\n")
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "Begin")
        self.follow(good_script())

    def git(self, *arguments: str) -> str:
        identity = ["-c", "user.name=A Person", "-c", "user.email=person@example.org"]
        command = ["git", *identity, *arguments]
        return subprocess.run(
            command, cwd=self.repo, env=self.environment(), capture_output=True, text=True, check=True
        ).stdout

    def follow(self, replies: list[Reply]) -> None:
        """Let the agents say this from now on."""
        self.script.write_text(json.dumps(replies))
        self.script.with_name("script.json.state").unlink(missing_ok=True)

    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "HOME": str(self.home),
            "PATH": self.path,
            "PLANRAIL_STATE_DIR": str(self.state),
            "PLANRAIL_AGENT_SCRIPT": str(self.script),
            "NO_COLOR": "1",
        }

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "planrail", *arguments]

    def run(self, *arguments: str, given: str = "", timeout: float = PATIENCE) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            self.command(*arguments),
            cwd=self.repo,
            env=self.environment(),
            input=given,
            capture_output=True,
            text=True,
            timeout=timeout,
        )

    def start(self, *arguments: str, by: tuple[str, ...] = ()) -> "subprocess.Popen[str]":
        """Start planrail, by another program such as nohup where one is named."""
        return subprocess.Popen(
            [*by, *self.command(*arguments)],
            cwd=self.repo,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def plan(self, *arguments: str, timeout: float = PATIENCE) -> "tuple[int, dict[str, object], str]":
        """`planrail plan … --json`: the exit code, the document, and what was told meanwhile."""
        return self.answer("plan", *arguments, timeout=timeout)

    def answer(self, *arguments: str, timeout: float = PATIENCE) -> "tuple[int, dict[str, object], str]":
        done = self.run(arguments[0], "--agent", "scripted", "--json", *arguments[1:], timeout=timeout)
        return done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr

    def plannings(self) -> list[str]:
        folder = self.state / "plannings"
        return sorted(os.listdir(folder)) if folder.is_dir() else []

    def kept(self, id_: str = "") -> Path:
        return self.state / "plannings" / (id_ or self.plannings()[-1])

    def prompts(self, label: str) -> list[str]:
        """What was said to an agent of the last planning, in the order of its phases; `explorer-2` is one of several."""
        role, _, number = label.partition("-")
        places = sorted(self.kept().glob(f"jobs/*{f'-{number}' * bool(number)}/*/job.json"))
        jobs = [json.loads(place.read_text())["job"] for place in places]
        return [str(job["prompt"]) for job in jobs if job["role"] == role]
