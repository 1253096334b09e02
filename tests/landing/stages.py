"""Repositories to land in: a target, the work of a phase on a base, and planrail's own way from one to the other."""

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from planrail.base.records import record
from planrail.base.run_model import Candidate, Landing, Proof, Snapshot
from planrail.git.trailers import add_trailers
from planrail.runs.landing.candidates import Conflict, build_candidate
from planrail.runs.landing.proofs import prove
from planrail.runs.landing.targets import land

MAIN = "refs/heads/main"
Files = Mapping[str, "str | bytes | None"]


@record
class Outcome:
    """All that planrail found out on the way."""

    candidate: Candidate | Conflict
    proof: Proof | None = None
    landing: Landing | None = None

    @property
    def state(self) -> str:
        """How far it came."""
        if isinstance(self.candidate, Conflict):
            return "conflict"
        return self.landing.state if self.landing else "unproven"

    @property
    def commit(self) -> str:
        """The candidate's commit, where there is one."""
        assert isinstance(self.candidate, Candidate), self.candidate
        return self.candidate.commit


class Stage:
    """A repository whose main is checked out, and a place for what is done apart from it."""

    def __init__(self, folder: Path, files: Files | None = None, name: str = "repository") -> None:
        self.folder = folder
        self.root = folder / name
        self.root.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Ada")
        self.git("config", "user.email", "ada@example.org")
        if files is not None:
            self.base = self.commit(files, "base")

    def git(self, *arguments: str, at: Path | None = None, check: bool = True) -> str:
        """git as a user calls it."""
        command = ["git", "-c", "protocol.file.allow=always", *arguments]
        done = subprocess.run(command, cwd=at or self.root, capture_output=True, text=True, errors="surrogateescape")
        assert done.returncode == 0 or not check, (arguments, done.stdout, done.stderr)
        return done.stdout.strip("\n")

    def tip(self, ref: str = MAIN) -> str:
        """The commit of a ref; "" where there is none."""
        return self.git("rev-parse", "-q", "--verify", ref, check=False)

    def commit(self, files: Files, message: str = "change", at: Path | None = None) -> str:
        """Change files and commit them, as the user does."""
        change(at or self.root, files)
        self.git("add", "-A", "-f", at=at)
        self.git("commit", "-q", "--allow-empty", "-m", message, at=at)
        return self.git("rev-parse", "HEAD", at=at)

    def work(self, files: Files | Callable[[Path], None], base: str = "") -> Snapshot:
        """What an agent made of the base, in a place of its own, as planrail keeps it."""
        base = base or self.base
        place = self.folder / "workspace"
        self.git("worktree", "add", "-q", "--detach", str(place), base)
        if callable(files):
            files(place)
        else:
            change(place, files)
        self.git("add", "-A", "-f", at=place)
        tree = self.git("write-tree", at=place)
        commit = self.git("commit-tree", tree, "-p", base, "-m", "work", at=place)
        self.git("worktree", "remove", "--force", str(place))
        paths = self.git("diff-tree", "-r", "-z", "--name-only", "--no-renames", base, commit).split("\0")
        return Snapshot(commit, tree, base, tuple(path for path in paths if path))

    def build(self, snapshot: Snapshot, extra: Mapping[str, bytes] | None = None, phase: str = "1") -> Outcome:
        """The candidate on main as it is now, and its proof."""
        onto = self.tip()
        message = add_trailers(f"Phase {phase}", "plan-1", phase, "e" * 64)
        candidate = build_candidate(
            str(self.root), snapshot, onto, message, extra or {}, author="Ada <ada@example.org>"
        )
        if isinstance(candidate, Conflict):
            return Outcome(candidate)
        return Outcome(candidate, prove(str(self.root), snapshot, candidate, onto, extra or {}))

    def run(self, snapshot: Snapshot, extra: Mapping[str, bytes] | None = None, phase: str = "1") -> Outcome:
        """All of it: built, proven, landed."""
        outcome = self.build(snapshot, extra, phase)
        if isinstance(outcome.candidate, Conflict) or not outcome.proof or not outcome.proof.ok:
            return outcome
        return Outcome(outcome.candidate, outcome.proof, self.land(outcome.candidate, phase))

    def settle(self, snapshot: Snapshot, phase: str = "1") -> Landing:
        """The same, for work that is proven."""
        landing = self.run(snapshot, phase=phase).landing
        assert landing is not None
        return landing

    def land(self, candidate: Candidate, phase: str = "1") -> Landing:
        """Only the last step."""
        return land(
            str(self.root),
            MAIN,
            candidate,
            str(self.folder / "ledger" / "repository.lock"),
            "planrail/greeter",
            str(self.folder / "ledger" / "landing.json"),
            phase=phase,
        )

    def show(self, path: str, at: str = MAIN) -> str | None:
        """A file in a commit; None where it has none."""
        done = subprocess.run(["git", "show", f"{at}:{path}"], cwd=self.root, capture_output=True)
        return done.stdout.decode("utf-8", "surrogateescape") if done.returncode == 0 else None

    def status(self, at: Path | None = None) -> list[str]:
        """What is not committed, as the user sees it."""
        return self.git("status", "--porcelain", "--ignored", "-uall", at=at).splitlines()

    def files(self, at: str = MAIN) -> dict[str, str]:
        """Every path of a commit with its mode and object."""
        rows = self.git("ls-tree", "-r", "-z", at).split("\0")
        return {row.split("\t", 1)[1]: row.split("\t", 1)[0] for row in rows if row}


def change(place: Path, files: Files) -> None:
    """Write files (None: remove them)."""
    for name, content in files.items():
        path = place / name
        if content is None:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape"))


def lines(*numbers: int, mark: Mapping[int, str] | None = None) -> str:
    """A text of numbered lines, some of them otherwise."""
    said = mark or {}
    return "".join(f"{said.get(number, f'line {number}')}\n" for number in range(*numbers))


def shim_git(folder: Path, script: str) -> str:
    """A folder with a `git` of our own, for PATH. `$REAL` is the real one."""
    folder.mkdir(exist_ok=True)
    real = next(
        os.path.join(place, "git")
        for place in os.environ["PATH"].split(":")
        if place != str(folder) and os.access(os.path.join(place, "git"), os.X_OK)
    )
    program = folder / "git"
    program.write_text(f'#!/bin/sh\nREAL={real}\n{script}\nexec $REAL "$@"\n')
    program.chmod(0o755)
    return str(folder)
