"""What a run may leave behind, and what it must not: processes, working trees, locks, refs, half files.

All of it is looked for on the machine itself, never in planrail's own records.
"""

import contextlib
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.run_stage import RunStage

_HALF = (".tmp", ".part", ".hold", ".lock", "~")  # endings of files that exist only while something is under way
_KEPT = (".lock", "repository.lock")  # the names of files that are locked, and mean nothing by themselves


def find_processes(place: Path) -> dict[int, str]:
    """The living processes that work for a place: by their command, folder or environment. Never ourselves."""
    found = {}
    wanted = os.fsencode(f"{place}/")
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) not in (os.getpid(), os.getppid()) and (told := _tell(name, wanted)):
            found[int(name)] = told
    return found


def _tell(number: str, wanted: bytes) -> str:
    """The command of a process, if it has to do with the place. A worker shows its command alone, but for root."""
    environment = folder = b""
    try:
        command = Path(f"/proc/{number}/cmdline").read_bytes()
        state = Path(f"/proc/{number}/stat").read_bytes().rpartition(b")")[2].split()[0]
        with contextlib.suppress(PermissionError):
            environment = Path(f"/proc/{number}/environ").read_bytes()
            folder = os.fsencode(os.readlink(f"/proc/{number}/cwd")) + b"/"
    except OSError:
        return ""
    is_of_place = any(wanted in told + b"/" for told in (*command.split(b"\0"), *environment.split(b"\0"), folder))
    return command.replace(b"\0", b" ").decode(errors="replace") if is_of_place and state not in (b"Z", b"X") else ""


def find_leftovers(stage: "RunStage", *, refs: tuple[str, ...] = ("refs/heads/main",)) -> list[str]:
    """What is left that should not be, after a run has come to its end. `refs` are those that may be there."""
    found = [f"process {pid}: {command}" for pid, command in find_processes(stage.place).items()]
    found += [f"workspace {path}" for name in ("workspaces/*", "rooms/*") for path in stage.state.glob(name)]
    found += [f"temporary {path}" for path in stage.temporary.iterdir()]
    found += [
        f"lock of git {path}" for path in (stage.root / ".git").rglob("*.lock") if not path.is_relative_to(stage.ledger)
    ]
    found += [f"ref {name}" for name in stage.git("for-each-ref", "--format=%(refname)").split() if name not in refs]
    found += [f"file {path.relative_to(stage.state)}" for path in stage.ledger.rglob("*") if _is_half(path)]
    found += [f"claim {path}" for path in stage.ledger.glob("claims/*.json") if _is_held(stage, path)]
    return found + _find_damage(stage)


def _is_half(path: Path) -> bool:
    is_ours = path.name.endswith(_HALF) or path.name.startswith("planrail-") or path.parent.name == "landings"
    return is_ours and path.name not in _KEPT


def _is_held(stage: "RunStage", path: Path) -> bool:
    """Whether somebody who lives has a claim; that of a dead one is free."""
    import json

    from planrail.store.claim_rules import Claim, from_json
    from planrail.store.owners import is_alive

    claim = from_json(json.loads(path.read_text()))
    return isinstance(claim, Claim) and is_alive(claim.owner)


def _find_damage(stage: "RunStage") -> list[str]:
    """What git finds wrong in the repository."""
    done = subprocess.run(
        ["git", "-C", str(stage.root), "fsck", "--strict", "--no-dangling", "--no-progress"],
        env=stage.environment,
        capture_output=True,
        text=True,
    )
    said = (done.stdout + done.stderr).strip()
    return [f"damage: {said}"] if said or done.returncode else []


def read_landed(stage: "RunStage", ref: str = "main") -> list[str]:
    """The phases that landed on a branch since the beginning, by their commits' trailers, the oldest first."""
    span = f"{stage.base}..{ref}"
    told = stage.git("log", "--reverse", "--format=%(trailers:key=Planrail-Phase,valueonly,separator=%x2C)", span)
    return [line for line in told.split("\n") if line]


def read_contents(stage: "RunStage", ref: str = "main") -> dict[str, str]:
    """What the phases wrote, as a branch has it."""
    names = stage.git("ls-tree", "--name-only", ref).split()
    return {name: stage.git("show", f"{ref}:{name}") for name in names if name.startswith("phase-")}
