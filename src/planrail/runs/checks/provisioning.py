"""Making a fresh workspace fit to run tests: packages installed, declared files copied, from the base commit alone.

Nothing of it is an agent's. Where it fails the environment is at fault, and the report says so. What was made is used
again for the next base as long as the lock files are the same and nobody has touched it.
"""

import hashlib
import json
import os
import stat
import time
from collections.abc import Iterator, Mapping, Sequence

from planrail.base.crash_points import reach
from planrail.base.records import record
from planrail.base.run_model import CheckOrder
from planrail.base.values import value
from planrail.git.git_writing import join_paths, run_git
from planrail.git.tree_removal import remove_tree
from planrail.git.workspaces.declared_files import INCLUDE_FILE, copy_declared
from planrail.git.workspaces.provisions import Provision
from planrail.git.workspaces.workspace_git import agents_index, locate_home, write_file
from planrail.runs.checks.running import run_check


@value
class Provisioned:
    """What was made. `kept` are the paths that no commit holds; `problem` is "" where all went well."""

    kept: tuple[str, ...]
    problem: str
    seconds: float
    what: str


@record
class _Stamp:
    """What is remembered of it: what it depends on, and how its files looked."""

    key: str
    kept: tuple[str, ...]
    sign: str
    what: str


def provision(
    root: str,
    workspace_path: str,
    wanted: Provision,
    include: Sequence[str],
    environment: Mapping[str, str],
    timeout: float,
    log: str,
) -> Provisioned:
    """Prepare a workspace that is exactly at its base, but for what an earlier call kept. Again is the same."""
    began = time.monotonic()
    if not (wanted.steps or include or os.path.lexists(os.path.join(workspace_path, INCLUDE_FILE))):
        return Provisioned((), "", 0.0, "")
    stamp = f"{log}.{hashlib.sha256(os.fsencode(workspace_path)).hexdigest()[:12]}.made"
    key = _key(workspace_path, wanted, include)
    known = _load(stamp)
    if known is not None and key == known.key and known.sign == _sign(workspace_path, known.kept) != "":
        return Provisioned(known.kept, "", _since(began), f"as before: {known.what}")
    remove_tree(stamp)
    reach("provision.begun")
    _clear(root, workspace_path)
    done, problem = _make(root, workspace_path, wanted, include, environment, began + timeout, log)
    kept, changed = _look(root, workspace_path)
    what = "; ".join([*done, *([f"put back: {', '.join(changed)}"] if changed else [])])
    if key and not problem:
        _save(stamp, _Stamp(key, kept, _sign(workspace_path, kept), what))
    return Provisioned(kept, problem, _since(began), what)


def _make(
    root: str,
    path: str,
    wanted: Provision,
    include: Sequence[str],
    environment: Mapping[str, str],
    deadline: float,
    log: str,
) -> tuple[list[str], str]:
    """Copy and install: what was done, and why it went no further."""
    copied, problem = copy_declared(root, path, include)
    reach("provision.copied")
    done = [f"copied {', '.join(copied)}"] if copied else []
    for number, step in enumerate(wanted.steps if not problem else (), 1):
        problem = _install(step, path, environment, deadline, log if number == 1 else f"{log}.{number}")
        reach("provision.step")
        if problem:
            return done, problem
        done.append(step)
    return done, problem


def _install(step: str, path: str, environment: Mapping[str, str], deadline: float, log: str) -> str:
    """Run one step; "" or why the environment could not be made."""
    left = deadline - time.monotonic()
    run = run_check(CheckOrder(step, 0, "provision"), path, "", environment, log, max(left, 1.0))
    if run.exit == 0:
        return ""
    ended = "ran out of time" if run.exit < 0 else f"ended with {run.exit}"
    last = run.tail.strip().splitlines()[-1:]
    said = f": {last[0]}" if last else ""
    return f"the environment could not be made: `{step}` {ended}{said} (all of it is in {log})"


def _clear(root: str, path: str) -> None:
    """Take away what an earlier call left: what it was made of is not what is wanted now, or it died half way."""
    for name in _list_others(root, path)[0]:
        remove_tree(os.path.join(path, name))


def _look(root: str, path: str) -> tuple[tuple[str, ...], list[str]]:
    """What no commit holds now, and the tracked files that installing changed, which are put back."""
    others, changed = _list_others(root, path)
    if changed:
        view, index = locate_home(root).git_dir, agents_index(path)
        run_git(path, "checkout-index", "-f", "-z", "--stdin", index=index, view=view, data=join_paths(changed))
    return tuple(others), changed


def _list_others(root: str, path: str) -> tuple[list[str], list[str]]:
    """Asked with the index that planrail wrote for the workspace, in which no agent has been yet."""
    question = ("ls-files", "-z", "-t", "--others", "--directory", "--modified", "--deleted")
    answer = run_git(path, *question, index=agents_index(path), view=locate_home(root).git_dir)
    entries = [entry for entry in answer.split("\0") if entry]
    others = [entry[2:].rstrip("/") for entry in entries if entry[0] == "?"]
    return others, sorted({entry[2:] for entry in entries if entry[0] != "?"})


# ---- what was made, and whether it is still that ----


def _key(path: str, wanted: Provision, include: Sequence[str]) -> str:
    """What the result depends on; "" where that is not known, or nothing is made that would be worth keeping."""
    if not wanted.inputs:
        return ""
    digest = hashlib.sha256(repr((wanted.steps, tuple(include))).encode())
    for name in wanted.inputs:
        digest.update(os.fsencode(f"\0{name}\0") + _read(os.path.join(path, name)))
    return digest.hexdigest()


def _sign(path: str, kept: Sequence[str]) -> str:
    """How the files look that were made: whoever changes one of them changes this. "" where they cannot be seen."""
    digest = hashlib.sha256()
    try:
        for name in kept:
            for line in _describe(os.path.join(path, name)):
                digest.update(line)
    except (OSError, RecursionError):
        return ""
    return digest.hexdigest()


def _describe(place: str) -> Iterator[bytes]:
    try:
        status = os.lstat(place)
    except OSError:
        yield os.fsencode(f"{place} gone\n")
        return
    if not stat.S_ISDIR(status.st_mode):
        facts = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
        yield os.fsencode(f"{place} {facts}\n")
        return
    yield os.fsencode(f"{place}/\n")
    for name in sorted(os.listdir(place)):
        yield from _describe(f"{place}/{name}")


def _load(stamp: str) -> _Stamp | None:
    try:
        known = json.loads(_read(stamp))
        return _Stamp(known["key"], tuple(known["kept"]), known["sign"], known["what"])
    except (ValueError, KeyError, TypeError):
        return None


def _save(stamp: str, made: _Stamp) -> None:
    known = {"key": made.key, "kept": list(made.kept), "sign": made.sign, "what": made.what}
    write_file(stamp, json.dumps(known).encode())


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _since(began: float) -> float:
    return round(time.monotonic() - began, 3)
