"""A remote, and any number of planrail's own clones of it: work is put together in one and lands on the other."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from shlex import quote

from planrail.base.crash_points import VARIABLE
from planrail.base.run_model import Candidate, Snapshot
from planrail.git.remotes.mirrors import REMOTE, open_mirror
from planrail.git.remotes.pushing import fetch_ref
from planrail.git.trailers import add_trailers
from planrail.runs.landing.candidates import Conflict, build_candidate
from planrail.runs.landing.fences import Fencing
from planrail.runs.landing.remote_landings import Goal
from tests.support.patience import PATIENCE

ROOT = Path(__file__).parents[2]
PLAN = "plans/a plan.md"
_WHO = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "protocol.file.allow=always")


def git(root: str | Path, *arguments: str, index: str = "", check: bool = True) -> str:
    """What git prints."""
    environment = {**os.environ, **({"GIT_INDEX_FILE": index} if index else {})}
    command = ["git", "-C", str(root), *_WHO, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 or not check, (arguments, done.stderr)
    return done.stdout.strip()


class RemoteStage:
    """A bare repository with one commit on main, and a person who works with it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.bare, self.person = folder, folder / "remote.git", folder / "person"
        git(folder, "init", "--quiet", "--bare", "--initial-branch=main", str(self.bare))
        git(folder, "init", "--quiet", "--initial-branch=main", str(self.person))
        git(self.person, "remote", "add", "origin", str(self.bare))
        self.base = self.commit("README", "as committed\n")

    def commit(self, name: str, text: str) -> str:
        """Somebody commits a file and pushes it."""
        if self.tip():
            git(self.person, "pull", "--quiet", "--ff-only", "origin", "main")
        place = self.person / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        git(self.person, "add", "-A")
        git(self.person, "commit", "--quiet", "--message", f"Write {name}")
        git(self.person, "push", "--quiet", "origin", "main")
        return self.tip()

    def mirror(self, name: str = "mirror") -> str:
        """A clone of planrail's own."""
        return open_mirror(str(self.folder / name), str(self.bare), "main")

    def tip(self, ref: str = "refs/heads/main") -> str:
        """Where a ref of the remote is; "" where there is none."""
        return git(self.bare, "rev-parse", "--quiet", "--verify", ref, check=False)

    def subjects(self) -> list[str]:
        """The commits of main, the oldest first."""
        return git(self.bare, "log", "--reverse", "--format=%s", "main").splitlines()

    def files(self) -> list[str]:
        """What main has."""
        return git(self.bare, "ls-tree", "-r", "--name-only", "main").splitlines()

    def hook(self, name: str, script: str) -> None:
        """What the remote runs."""
        place = self.bare / "hooks" / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(f"#!/bin/sh\n{script}\n")
        place.chmod(0o755)


def make_work(root: str, name: str, base: str = "") -> Snapshot:
    """What an agent made of the remote's main: one new file."""
    start = base or fetch_ref(root, REMOTE, "main") or ""
    index = os.path.join(root, ".git", f"stage-{os.getpid()}-{time.monotonic_ns()}")
    blob = subprocess.run(
        ["git", "-C", root, "hash-object", "-w", "--stdin"],
        input=f"{name}\n",
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    git(root, "read-tree", start, index=index)
    git(root, "update-index", "--add", "--cacheinfo", f"100644,{blob},{name}", index=index)
    tree = git(root, "write-tree", index=index)
    os.unlink(index)
    return Snapshot(git(root, "commit-tree", tree, "-p", start, "-m", "work"), tree, start, (name,))


def build(root: str, snapshot: Snapshot, phase: str, plan: str = PLAN, onto: str = "") -> Candidate:
    """The commit that is to land on the remote's main as it is now."""
    target = onto or fetch_ref(root, REMOTE, "main") or ""
    message = add_trailers(f"Phase {phase} of {plan}", plan, phase, "e" * 64)
    built = build_candidate(root, snapshot, target, message, {}, author="Ann <ann@example.org>")
    assert not isinstance(built, Conflict), built
    return built


def make_goal(candidate: Candidate, fence: int = 0, run: str = "run-1", plan: str = PLAN) -> Goal:
    """That it lands on main."""
    return Goal(REMOTE, "main", candidate, Fencing(plan, fence, run), otherwise=f"planrail run '{plan}' pr")


def start_actor(*words: str, crash: str = "") -> "subprocess.Popen[str]":
    """A process that does what `tests/landing/remote_actor.py` says; it may be made to die at a named instant."""
    environment = {**os.environ, **({VARIABLE: crash} if crash else {})}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.landing.remote_actor", *words],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: "subprocess.Popen[str]") -> tuple[int, str]:
    """Its exit code, and what it said."""
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out + err


def act(*words: str, crash: str = "") -> tuple[int, str]:
    """The same, to its end."""
    return finish(start_actor(*words, crash=crash))


def was_killed(code: int) -> bool:
    """Whether a process died as by `kill -9`."""
    return code == -signal.SIGKILL


def wait_for(is_so: Callable[[], bool]) -> None:
    """Until something is so."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


class Gate:
    """Holds every push of a clone at the instant when git has seen the remote and is about to say what it wants."""

    def __init__(self, folder: Path, root: str) -> None:
        self.begun, self._go, program = folder / "gate-begun", folder / "gate-go", folder / "gate-receive-pack"
        program.write_text(
            "#!/bin/sh\n"
            f"{{ dd bs=1 count=4 2>/dev/null; : > '{self.begun}'\n"
            f"  n=0; while [ ! -e '{self._go}' ] && [ $n -lt 2400 ]; do n=$((n+1)); sleep 0.05; done\n"
            '  cat; } | git receive-pack "$@"\n'
            f": > '{folder}/gate-through'\n"
        )
        program.chmod(0o755)
        self.through = folder / "gate-through"
        git(root, "config", f"remote.{REMOTE}.receivepack", quote(str(program)))

    def open(self) -> None:
        """Let it through."""
        self._go.touch()

    def close(self) -> None:
        """From now on hold again what comes."""
        self._go.unlink()
        self.begun.unlink(missing_ok=True)
