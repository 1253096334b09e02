"""A stage for whole runs: a repository with a plan, a person's uncommitted work in it, and planrail as a process.

The plan's phases write down each start of an agent in a file outside of the repository, so that "started once" can be
counted and need not be believed.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from shlex import quote

import planrail
from planrail.base.crash_points import VARIABLE
from planrail.base.records import record
from tests.support.patience import PATIENCE
from tests.support.run_traces import find_processes

PLAN = "plans/greeter.md"
MENDED = 3  # the phase whose agent is wrong at first
_SETTINGS = """
[approval]
required = false

[run]
provision = "echo made > .made"
include = ["local.conf"]
"""
_PHASE = """
## Phase {number} — Write {number}

{needs}- [ ] write phase-{number}.txt

```sh run
echo {number} >> '{starts}'
{before}
echo "{first}" > phase-{number}.txt
{after}
```
{fix}```sh check
grep -qx "phase {number}" phase-{number}.txt
```
"""
_FIX = """```sh fix
echo fix-{number} >> '{starts}'
echo "phase {number}" > phase-{number}.txt
```
"""


@record
class Pace:
    """How an agent works: what it does before and after it has written its file."""

    before: str = ""
    after: str = ""


FAST, SLOW = Pace(), Pace("sleep 0.15", "sleep 0.15")


def pace_until(gate: Path) -> Pace:
    """An agent that waits until a file is there."""
    return Pace(before=f"while [ ! -e {quote(str(gate))} ]; do sleep 0.05; done")


@record
class Answer:
    """What a command of planrail said. A code below zero is the signal that killed it."""

    code: int
    out: str
    err: str

    @property
    def was_killed(self) -> bool:
        """Whether it died by SIGKILL."""
        return self.code == -signal.SIGKILL


class RunStage:
    """A place for runs. Everything lies below `place`, so that whatever is left behind can be found there."""

    def __init__(self, place: Path, phases: int = 5, pace: Pace = FAST, *, independent: bool = False) -> None:
        self.place, self.phases = place, phases
        self.root, self.state, self.temporary = place / "repository", place / "state", place / "tmp"
        self.starts = place / "starts.txt"
        self.environment = self._environment()
        for folder in (self.root, self.state, self.temporary):
            folder.mkdir(parents=True, exist_ok=True)
        self._make_repository(write_plan(phases, self.starts, pace, independent=independent))
        self.base = self.git("rev-parse", "HEAD").strip()

    # ---- the repository ----

    def git(self, *arguments: str) -> str:
        """What git says; it has to work."""
        done = subprocess.run(
            ["git", "-C", str(self.root), *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, (arguments, done.stderr)
        return done.stdout

    def write(self, path: str, text: str) -> None:
        """A file of the checkout."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def leave_work_lying_around(self) -> None:
        """What a person has in hand: staged, changed, both, deleted, untracked, and only touched."""
        self.write("staged.txt", "staged by a person\n")
        self.write("both.txt", "staged first\n")
        self.git("add", "staged.txt", "both.txt")
        self.write("both.txt", "then changed\n")
        self.write("changed.txt", "changed by a person\n")
        (self.root / "deleted.txt").unlink()
        self.write("untracked/note.txt", "not known to git\n")
        os.utime(self.root / "README", (0, 0))

    def look_at_work(self) -> tuple[str, ...]:
        """The person's work, in all places where it can be."""
        status = self.git("status", "--porcelain", "-z", "--untracked-files=all")
        texts = [(self.root / name).read_text() for name in ("both.txt", "changed.txt", "staged.txt")]
        untracked = [path.read_text() for path in sorted(self.root.glob("untracked/*"))]
        return (status, self.git("diff", "--cached"), self.git("diff"), *texts, *untracked)

    def _make_repository(self, plan: str) -> None:
        self.git("init", "-q", "-b", "main")
        for name, value in (("user.name", "Ann"), ("user.email", "ann@example.org")):
            self.git("config", name, value)
        for name in ("README", "staged.txt", "both.txt", "changed.txt", "deleted.txt"):
            self.write(name, f"{name} as committed\n")
        self.write("planrail.toml", _SETTINGS)
        self.write(".gitignore", "reports/\nlocal.conf\n.made\n")
        self.write("local.conf", "of this machine\n")
        self.write(PLAN, plan)
        self.git("add", ".")
        self.git("commit", "-q", "-m", "The beginning")

    def confine(self) -> None:
        """From now on agents and checks are confined, and change nothing but the file of the starts besides."""
        self.starts.touch()
        self.environment["PLANRAIL_CONFINE"] = "auto"
        self.write("planrail.toml", f'{_SETTINGS}writable = ["{self.starts}"]\n')
        self.git("commit", "-q", "-m", "Confined", "--", "planrail.toml")
        self.base = self.git("rev-parse", "HEAD").strip()

    # ---- planrail ----

    def start(self, *words: str, **more: str) -> "subprocess.Popen[str]":
        """planrail, begun. `more` are further variables of its environment."""
        return self.launch([sys.executable, "-m", "planrail", *words], **more)

    def launch(self, command: list[str], **more: str) -> "subprocess.Popen[str]":
        """Any program in the repository, begun."""
        return subprocess.Popen(
            command,
            cwd=self.root,
            env={**self.environment, **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def start_run(self, *words: str, **more: str) -> "subprocess.Popen[str]":
        """A run of the whole plan, begun."""
        return self.start("run", PLAN, "finish", "auto", *words, **more)

    def call(self, *words: str, **more: str) -> Answer:
        """planrail, to its end."""
        return finish(self.start(*words, **more))

    def run(self, *words: str, **more: str) -> Answer:
        """A run of the whole plan, to its end."""
        return finish(self.start_run(*words, **more))

    def crash(self, point: str, *words: str) -> Answer:
        """A run of the whole plan, or what is left of it, that dies at a point."""
        return self.run(*words, **{VARIABLE: point})

    def resume(self, **more: str) -> Answer:
        """Go on with what was interrupted; a run that was killed before it was one is begun."""
        answer = self.call("resume", **more)
        if answer.code == 1 and "waits to be resumed" in answer.err and not self.runs():
            return self.run(**more)
        return answer

    # ---- what is there to be seen ----

    def runs(self) -> list[Path]:
        """The folders of runs."""
        return sorted(path for path in self.ledger.glob("runs/*") if path.suffix != ".tmp")

    @property
    def ledger(self) -> Path:
        """The folder of the ledger."""
        own = self.root / ".git" / "planrail"
        return own if own.is_dir() else next(iter(self.state.glob("ledgers/*")), self.state / "ledgers" / "none")

    def keep_ledger_in_git(self) -> None:
        """From now on the ledger is where it is for most people: in the repository's own git folder."""
        del self.environment["PLANRAIL_STATE_DIR"]
        self.environment["XDG_STATE_HOME"] = str(self.place / "xdg")

    def count_starts(self) -> list[str]:
        """The agents that were started, in their order."""
        return self.starts.read_text().split() if self.starts.exists() else []

    def wait_for(self, what: Callable[[], object], process: "subprocess.Popen[str] | None" = None) -> None:
        """Come back as soon as something is so; a process that ends before is an error."""
        deadline = time.monotonic() + PATIENCE
        while not what():
            assert time.monotonic() < deadline, "it did not happen"
            assert process is None or process.poll() is None, "planrail has ended before"
            time.sleep(0.005)

    def kill_everything(self) -> int:
        """Kill whatever belongs to this stage, until nothing is left; how many processes that were."""
        killed: set[int] = set()
        while found := find_processes(self.place):
            for pid in found:
                killed.add(pid)
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue
            time.sleep(0.005)
        return len(killed)

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(Path(planrail.__file__).parents[1]),
            "HOME": str(self.place),
            "TMPDIR": str(self.temporary),
            "PLANRAIL_STATE_DIR": str(self.state),
            "PLANRAIL_CONFINE": "off",  # agents write down their starts beside the repository
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "NO_COLOR": "1",
        }


def write_plan(phases: int, starts: Path, pace: Pace = FAST, *, independent: bool = False) -> str:
    """A plan whose phases write one file each; one of them is wrong at first, and mended."""
    parts = ["# Greeter\n\nStatus: In progress\n"]
    for number in range(1, phases + 1):
        is_wrong = number == MENDED
        parts.append(
            _PHASE.format(
                number=number,
                needs="**Depends on:** none\n\n" if independent else "",
                starts=starts,
                first="wrong" if is_wrong else f"phase {number}",
                before=pace.before,
                after=pace.after,
                fix=_FIX.format(number=number, starts=starts) if is_wrong else "",
            )
        )
    return "".join(parts)


def finish(process: "subprocess.Popen[str]") -> Answer:
    """What a command said, once it has ended."""
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"planrail did not end: {err}") from None
    return Answer(process.returncode, out, err)


def expected_starts(phases: int) -> list[str]:
    """The agents of an undisturbed run, in their order."""
    numbers = range(1, phases + 1)
    return [name for number in numbers for name in ([str(number)] + ([f"fix-{number}"] if number == MENDED else []))]
