"""A stage for claims: a repository with a plan, and agents that are shell scripts, so that they can do anything at all.

The scripts are the implementer, the fixer and the verifier of a real run: processes of the same user, in the same
places, with the same environment as a real agent. They know where everything lies, as an agent can find out.
"""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import planrail
from planrail.base.records import record
from tests.claims_refused.forging import forge_line, forge_row
from tests.support.patience import PATIENCE
from tests.support.run_traces import find_processes

PLAN = "plans/greeter.md"
PHASE = """## Phase 1 — Greet

- [ ] write greeting.txt, which says hello

```sh check
grep -qx hello greeting.txt
```
"""
HONEST = "echo hello > greeting.txt"
LIE = "echo bye > greeting.txt"
_PLAY = """ROOT={root} STATE={state} CAST={cast} HOME={home} PYTHON={python}
LEDGER=$(echo "$STATE"/ledgers/*)
RUN=$(ls -d "$LEDGER"/runs/* 2>/dev/null | tail -n 1)
role=$1 prompt=$2
planrail() {{ PYTHONPATH={package} "$PYTHON" -m planrail "$@"; }}
forge() {{ PYTHONPATH={package}:{tests} "$PYTHON" -m tests.claims_refused.forging "$LEDGER" "$RUN" "$@"; }}
. "$CAST/$role.sh"
"""


@record
class Answer:
    """What a command of planrail said."""

    code: int
    out: str
    err: str

    @property
    def told(self) -> str:
        """All of it."""
        return f"{self.out}\n{self.err}"


class Stage:
    """A repository, a plan and its cast. Everything lies below `place`."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.root, self.state, self.home, self.cast = (place / name for name in ("repo", "state", "home", "cast"))
        for folder in (self.root, self.state, self.home / "bin", self.cast, place / "tmp"):
            folder.mkdir(parents=True)
        self.environment = self._environment()
        self.settings = {"approval": ["required = false"], "run": self._run_settings(), "testing": [], "budget": []}
        self._write_play()
        self.implementer(HONEST)
        self.fixer("exit 0")
        self.answer(verdict("W1", "greeting.txt:1"))
        self.files = {"README": "a project\n", PLAN: f"# Greeter\n\n{PHASE}"}
        self.was = ""

    # ---- the cast ----

    def implementer(self, script: str) -> None:
        """What the implementer does; what the script prints is its last message."""
        self._cast("implementer", script)

    def fixer(self, script: str) -> None:
        """What the fresh agent does that is to fix the work."""
        self._cast("fixer", script)

    def verifier(self, script: str) -> None:
        """What the verifier does and prints."""
        self._cast("verifier", script)

    def answer(self, *verdicts: "dict[str, object]", **more: object) -> None:
        """The verifier answers by the schema."""
        told = {"items": list(verdicts), "scope": [], "test_changes": [], "drift": [], "summary": "seen", **more}
        self.verifier(f"cat <<'ANSWER'\n{json.dumps(told)}\nANSWER")

    # ---- the repository ----

    def phase(self, text: str, *more: str) -> None:
        """The plan has these phases."""
        self.files[PLAN] = "# Greeter\n\n" + "\n".join((text, *more))

    def begin(self) -> None:
        """Make the repository."""
        self.git("init", "-q", "-b", "main")
        for name, value in (("user.name", "Ann"), ("user.email", "ann@example.org")):
            self.git("config", name, value)
        tables = (f"[{name}]\n" + "\n".join(lines) + "\n" for name, lines in self.settings.items())
        self.files["planrail.toml"] = "\n".join(tables)
        for path, text in self.files.items():
            self.write(path, text)
        self.git("add", "-f", ".")
        self.git("commit", "-q", "-m", "The beginning")
        self.was = self.head()

    def write(self, path: str, text: str) -> None:
        """A file of the user's checkout."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def git(self, *arguments: str) -> str:
        """What git says to the user; it has to work."""
        done = subprocess.run(
            ["git", "-C", str(self.root), *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, (arguments, done.stderr)
        return done.stdout

    def head(self) -> str:
        """The commit of the target."""
        return self.git("rev-parse", "main").strip()

    def show(self, path: str) -> str | None:
        """A file as the target has it."""
        done = subprocess.run(["git", "-C", str(self.root), "show", f"main:{path}"], capture_output=True, text=True)
        return done.stdout if done.returncode == 0 else None

    # ---- planrail ----

    def call(self, *words: str, **more: str) -> Answer:
        """A command of planrail, to its end."""
        done = subprocess.run(
            [sys.executable, "-m", "planrail", *words],
            cwd=self.root,
            env={**self.environment, **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    def run(self, *words: str, **more: str) -> Answer:
        """A whole run of the plan."""
        if not self.was:
            self.begin()
        return self.call("run", PLAN, *(words or ("finish", "auto")), **more)

    def proof(self, phase: str = "1") -> tuple[str, str]:
        """The status of a phase, and what it rests on, as `planrail show` tells people."""
        shown = json.loads(self.call("show", PLAN, "--json").out)
        found = next(one for one in shown["phases"] if one["id"] == phase)
        return found["status"], found["proof"]

    # ---- what must be so ----

    def refused(self, answer: Answer, *words: str, phase: str = "1") -> None:
        """The run failed, or waits, for the reason in these words; nothing landed, and nothing counts as proven."""
        assert not answer.out.startswith(("complete", "phase done")), answer.told
        assert answer.code != 2, answer.told  # it was asked rightly
        assert "\nTraceback" not in f"\n{answer.told}", answer.told  # those of checks are indented
        is_cut = "all of it: planrail report" in answer.told
        told = answer.told + (self.call("report", PLAN, "--full").out if is_cut else "")
        for word in words:
            assert word in told, told
        self.untouched()
        self.unproven(phase)

    def untouched(self) -> None:
        """The target is where it was."""
        assert self.head() == self.was, self.git("log", "--stat", f"{self.was}..main")

    def unproven(self, phase: str = "1") -> None:
        """Nobody is told that the phase is proven or adopted."""
        assert self.proof(phase)[1] not in ("proven", "adopted"), self.proof(phase)

    def landed(self, answer: Answer) -> None:
        """The run did what it should: this is what the other side of a refusal looks like."""
        assert answer.code == 0, answer.told
        assert self.show("greeting.txt") == "hello\n"
        assert self.proof() == ("done", "proven")

    def end(self) -> None:
        """Nothing that ran here lives on."""
        import signal
        import time

        while found := find_processes(self.place):
            for pid in found:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue
            time.sleep(0.01)

    # ---- what is written down ----

    @property
    def ledger(self) -> Path:
        """The folder of the ledger."""
        return next(self.state.glob("ledgers/*"))

    @property
    def run_folder(self) -> Path:
        """The folder of the newest run."""
        return sorted(self.state.glob("ledgers/*/runs/*"))[-1]

    def forge_row(self, kind: str, value: "dict[str, object]", name: str = "") -> None:
        """Write a row into the ledger."""
        forge_row(str(self.ledger), kind, value, name)

    def forge_line(self, key: str, value: object) -> None:
        """Write an ended step into the journal of the newest run."""
        forge_line(str(self.run_folder), key, value)

    # ---- the means ----

    def _cast(self, role: str, script: str) -> None:
        (self.cast / f"{role}.sh").write_text(script + "\n")

    def _write_play(self) -> None:
        words = {
            "root": self.root,
            "state": self.state,
            "cast": self.cast,
            "home": self.home,
            "python": sys.executable,
            "package": Path(planrail.__file__).parents[1],
            "tests": Path(__file__).parents[2],
        }
        text = _PLAY.format(**{name: shlex.quote(str(value)) for name, value in words.items()})
        (self.cast / "play.sh").write_text(text)

    def _run_settings(self) -> list[str]:
        command = f"sh {shlex.quote(str(self.cast / 'play.sh'))} {{role}} {{prompt}}"
        return ['agent = "command"', 'verifier = "command"', f"command = {json.dumps(command)}"]

    def _environment(self) -> dict[str, str]:
        programs = (self.home / "bin", Path(sys.executable).parent, "/usr/bin", "/bin")
        return {
            "PATH": os.pathsep.join(map(str, programs)),
            "PYTHONPATH": str(Path(planrail.__file__).parents[1]),
            "HOME": str(self.home),
            "TMPDIR": str(self.place / "tmp"),
            "PLANRAIL_STATE_DIR": str(self.state),
            # what is refused has to be refused where nothing confines; PLANRAIL_CONFINE=auto tries it the other way
            "PLANRAIL_CONFINE": os.environ.get("PLANRAIL_CONFINE", "off"),
            "GIT_CONFIG_SYSTEM": os.devnull,
            "NO_COLOR": "1",
        }


def verdict(part: str, *places: str, word: str = "done", note: str = "I looked at it") -> "dict[str, object]":
    """A verifier's word on one part."""
    return {"id": part, "text": "", "verdict": word, "places": list(places), "note": note}
