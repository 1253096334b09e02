"""Stages as a person types them: a small repository, tasks in it, and an agent that follows a script."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

from planrail.base.crash_points import VARIABLE
from tests.planning.conducting_fakes import CRITIQUE
from tests.support.patience import PATIENCE
from tests.support.typed_here import type_here

Reply = dict[str, object]
Json = dict[str, Any]
GREETER = "import sys\n\n\ndef greet(name):\n    print(f'Hello, {name}!')\n\n\ngreet(sys.argv[1])\n"


def report(title: str = "How greeting works", **more: object) -> Json:
    """What a researcher answers."""
    return {
        "title": title,
        "summary": ["greet prints what it is given", "an empty name is greeted too"],
        "context": "src/greeter.py, and nothing else.",
        "findings": [{"title": "No check", "text": "src/greeter.py:4 prints any name."}],
        "decisions": ["Refuse in greet itself"],
        "recommendations": ["Raise ValueError for an empty name"],
        "risks": [{"risk": "A caller relies on it", "mitigation": "There is none in this project"}],
        "sources": ["src/greeter.py"],
        "memory_candidates": [],
        **more,
    }


_KNOWN = ("src/greeter.py", "README.md")


def plan(
    *titles: str, names: tuple[str, ...] = _KNOWN, goal: str = "An empty name is refused, with a word why."
) -> str:
    """What an author answers: a plan with a phase for each title, each after the one before and about one file."""
    phases = []
    for number, title in enumerate(titles or ("Refuse empty names", "Tell it in the README"), 1):
        name = names[min(number, len(names)) - 1]
        verb = "Change" if name in _KNOWN else "Create"
        before = f"Phase {number - 1}" if number > 1 else "none"
        phases.append(
            f"### Phase {number}: {title}\n\n**Depends on:** {before}\n**Effort:** S\n\n"
            f"- [ ] {number}.1 {verb} `{name}`\n- [ ] {number}.2 Look at `{name}` once more\n\n"
            f"#### Acceptance Criteria\n\n- [ ] `test -s {name}` passes\n"
        )
    sections = {
        "Goal": goal,
        "Scope": "The function `greet()` in `src/greeter.py`.",
        "Non-Scope": "Other checks of names.",
        "Steps": "\n".join(phases),
        "Verification": "`python3 src/greeter.py Ada` greets.",
        "Risks": "A caller relies on it; none does here.",
        "Open Questions": "None.",
    }
    return "# Refuse empty names\n\n" + "\n".join(f"## {name}\n\n{text}\n" for name, text in sections.items())


def drafted(text: str, **more: object) -> list[Reply]:
    """The replies of an author who writes this plan, and keeps to it when it is criticised."""
    return [
        reply("This is the last round", f"{text}\n<promise>PLAN_OK</promise>\n", "author", **more),
        reply("Phase: REVISE", text, "author", **more),
        reply("Phase: DRAFT", text, "author", **more),
    ]


def reply(match: str, answer: object, role: str = "", **more: object) -> Reply:
    """What the scripted agent says to prompts that hold a text, as often as it is asked."""
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return {"match": match, "text": text, "times": 0, **({"role": role} if role else {}), **more}


def good_script(**more: object) -> list[Reply]:
    """Answers that are good enough for every question; `more` is done with each."""
    replies = [
        reply("researchers have looked at task", report("All sides")),
        reply("] Research task", report(), "researcher"),
        reply("Phase: CRITIQUE", CRITIQUE, "critic"),
        *drafted(plan()),
        reply("] Revise the description", {"description": "Refuse empty names.", "changes": ["clearer"]}),
    ]
    return [one | more for one in replies]


class StageProject:
    """A repository, a home and a state of its own, and the script that its agents follow."""

    def __init__(self, base: Path) -> None:
        self.base, self.repo, self.state, self.home = base, base / "repo", base / "state", base / "home"
        self.script = base / "script.json"
        self.more: dict[str, str] = {}
        for folder in (self.repo / "src", self.state, self.home):
            folder.mkdir(parents=True)
        (self.repo / "src" / "greeter.py").write_text(GREETER)
        (self.repo / "README.md").write_text("# Greeter\n")
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "user.name", "A Person")
        self.git("config", "user.email", "person@example.org")
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "Begin")
        self.follow(good_script())

    def git(self, *arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments], cwd=self.repo, env=self.environment(), capture_output=True, text=True, check=True
        ).stdout

    def follow(self, replies: list[Reply]) -> None:
        """Let the agents say this from now on; what they remember of conversations stays."""
        self.script.write_text(json.dumps(replies))
        kept = self.script.with_name("script.json.state")
        if kept.exists():
            kept.write_text(json.dumps({**json.loads(kept.read_text()), "used": {}}))

    def environment(self, **more: str) -> dict[str, str]:
        return {
            **os.environ,
            "HOME": str(self.home),
            "PLANRAIL_STATE_DIR": str(self.state),
            "PLANRAIL_AGENT_SCRIPT": str(self.script),
            "PLANRAIL_CONFINE": "off",  # the scripted agents keep their place in the script, beside it
            "NO_COLOR": "1",
            **self.more,
            **more,
        }

    def start(self, *words: str, given: str = "", **more: str) -> "subprocess.Popen[str]":
        """`planrail task …` in a process of its own, with a text on its standard input."""
        source = self.base / "given.txt"
        source.write_text(given)
        with open(source) as stdin:
            return self._start(words, stdin, self.environment(**more))

    def _start(self, words: tuple[str, ...], stdin: IO[str], environment: dict[str, str]) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-m", "planrail", "task", *words],
            cwd=self.repo,
            env=environment,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str, **more: str) -> "subprocess.CompletedProcess[str]":
        """`planrail task …`, to its end: in this process, unless it is to be killed."""
        if VARIABLE not in more:
            return type_here(self.repo, self.environment(**more), "task", *words)
        process = self.start(*words, **more)
        told, errors = process.communicate(timeout=PATIENCE)
        return subprocess.CompletedProcess(process.args, process.returncode, told, errors)

    def new(self, text: str = "Refuse empty names") -> int:
        """A task; its number."""
        done = self.run("new", "--json", "--", text)
        assert done.returncode == 0, done.stderr
        return int(json.loads(done.stdout)["number"])

    def stage(self, name: str, *words: str, **more: str) -> tuple[int, Json, str]:
        """A stage by the scripted agent: the exit code, the document, and what was told meanwhile."""
        done = self.run(name, "--agent", "scripted", "--json", *words, **more)
        assert done.stdout, done
        return done.returncode, json.loads(done.stdout), done.stderr

    def task(self, number: int) -> Json:
        done = self.run("show", str(number), "--json")
        assert done.returncode == 0, done.stderr
        told: Json = json.loads(done.stdout)
        return told

    def folders(self, number: int = 1) -> list[str]:
        """The folders of the stages of a task."""
        found = list(self.state.glob(f"ledgers/*/tasks/{number}/*"))
        return sorted(path.name for path in found)

    def stage_folder(self, name: str, number: int = 1) -> Path:
        (found,) = self.state.glob(f"ledgers/*/tasks/{number}/{name}")
        return found

    def jobs(self, number: int = 1) -> list[Path]:
        """The folders of all jobs that were ever begun for a task."""
        return sorted(path.parent for path in self.state.glob(f"ledgers/*/tasks/{number}/*/steps/*/*/runner.json"))

    def prompts(self) -> list[str]:
        """Everything that was said to agents, in no order."""
        kept = self.script.with_name("script.json.state")
        told = json.loads(kept.read_text()) if kept.exists() else {}
        return [prompt for prompts in told.get("conversations", {}).values() for prompt in prompts]

    def log(self) -> list[str]:
        return self.git("log", "--format=%s").splitlines()
