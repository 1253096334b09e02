"""Making a fresh workspace fit to run tests: packages installed, declared files copied, from the base commit alone.

Nothing of it is an agent's. Where it fails the environment is at fault, and the report says so. What was made is used
again for the next base as long as the lock files are the same and nobody has touched it.
"""

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from planrail.base.crash_points import reach
from planrail.base.records import record
from planrail.base.run_model import CheckOrder, Finding, Workspace
from planrail.base.settings import RunSettings
from planrail.base.values import value
from planrail.git.checkouts import locate_home
from planrail.git.git_writing import join_paths, run_git
from planrail.git.tree_removal import remove_tree
from planrail.git.workspaces.declared_files import INCLUDE_FILE, copy_declared
from planrail.git.workspaces.provisions import Provision, decide_provision
from planrail.git.workspaces.workspace_git import agents_index, write_file
from planrail.git.workspaces.workspaces import move_to
from planrail.runs.checks.check_places import make_seal
from planrail.runs.checks.enclosures import BARE, Enclosure
from planrail.runs.checks.output import read_output
from planrail.runs.checks.own_environments import list_programs, list_sources
from planrail.runs.checks.running import Checked, CheckPlace, run_check, run_checks
from planrail.runs.evidence.causes import UNMADE, first_cause

_SECONDS = 1800


@value
class Provisioned:
    """What was made. `kept` are the paths that no commit holds; `problem` is "" where all went well."""

    kept: tuple[str, ...]
    problem: str
    seconds: float
    what: str


@record
class CheckTree:
    """A working tree that is fit to run checks in: what it was provisioned with, and what checks see there."""

    root: str  # the user's repository
    workspace: Workspace
    made: Provisioned
    programs: tuple[str, ...]  # folders for the PATH
    environment: Mapping[str, str]
    enclosure: Enclosure = BARE

    def run(
        self,
        checks: Sequence[CheckOrder],
        content: str,
        tree: str,
        outputs: str,
        seconds: float,
        look: Callable[[], Sequence[Finding]],
        *,
        is_exact: bool = False,
    ) -> Checked:
        """Run checks, each of them on exactly this content: a commit or a tree. `is_exact`: it is there already."""
        restore = partial(move_to, self.root, self.workspace, content, self.made.kept)
        if not is_exact:
            restore()
        given = (self.environment, outputs, seconds, self.enclosure, look)
        place = CheckPlace(self.root, self.workspace, tree, *given)
        return run_checks(checks, place, restore)


def fit(root: str, workspace: Workspace, run: RunSettings, given: Mapping[str, str], log: str) -> CheckTree:
    """Make a working tree fit to run tests, as the settings say or its lock files tell."""
    own = list_programs(root, run)
    wanted = decide_provision(set(os.listdir(workspace.path)), "none" if own and not run.provision else run.provision)
    programs = own or tuple(os.path.join(workspace.path, folder) for folder in wanted.path)
    environment = with_programs(given, programs, root, workspace.path)
    made = provision(root, workspace.path, wanted, run.include, environment, _SECONDS, log)
    return CheckTree(root, workspace, made, programs, environment)


def with_programs(environment: Mapping[str, str], programs: Sequence[str], root: str, workspace: str) -> dict[str, str]:
    """What a check sees: the programs that were provisioned come first, and the sources of the workspace."""
    path = os.pathsep.join(dict.fromkeys((*programs, *environment["PATH"].split(os.pathsep))))
    sources = os.pathsep.join(list_sources(root, workspace, path))
    return {**environment, "PATH": path, **({"PYTHONPATH": sources} if sources else {})}


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
    key, known = "", None
    if wanted.inputs:  # else what the result depends on is not known, or nothing is made that would be worth keeping
        digest = hashlib.sha256(repr((wanted.steps, tuple(include))).encode())
        for name in wanted.inputs:
            digest.update(os.fsencode(f"\0{name}\0") + _read(os.path.join(workspace_path, name)))
        key = digest.hexdigest()
    with contextlib.suppress(ValueError):  # what an earlier call depended on, and how its files looked
        known = json.loads(_read(stamp))
    if not isinstance(known, dict) or not known.keys() >= {"key", "kept", "sign", "what"}:
        known = {"key": ""}
    if key and known["key"] == key and known["sign"] == make_seal(workspace_path, known["kept"]):
        return Provisioned(tuple(known["kept"]), "", round(time.monotonic() - began, 3), f"as before: {known['what']}")
    remove_tree(stamp)
    reach("provision.begun")
    for name in _list_others(root, workspace_path)[0]:  # what was made is not what is wanted now, or only half of it
        remove_tree(os.path.join(workspace_path, name))
    done, problem = _make(root, workspace_path, wanted, include, environment, began + timeout, log)
    others, changed = _list_others(root, workspace_path)
    if changed:  # installing has changed tracked files: they are put back
        view, paths = locate_home(root).git_dir, join_paths(changed)
        index = agents_index(workspace_path)
        run_git(workspace_path, "checkout-index", "-f", "-z", "--stdin", index=index, view=view, data=paths)
        done.append(f"put back: {', '.join(changed)}")
    what = "; ".join(done)
    if key and not problem:
        told = {"key": key, "kept": others, "sign": make_seal(workspace_path, others), "what": what}
        write_file(stamp, json.dumps(told).encode())
    return Provisioned(tuple(others), problem, round(time.monotonic() - began, 3), what)


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
        kept, left = log if number == 1 else f"{log}.{number}", deadline - time.monotonic()
        run = run_check(CheckOrder(step, 0, "provision"), path, "", environment, kept, max(left, 1.0))
        reach("provision.step")
        if run.exit:
            ended = "ran out of time" if run.exit < 0 else f"ended with {run.exit}"
            cause = first_cause(read_output(run) or run.tail) or "nothing was printed"
            return done, f"{UNMADE}: {cause} (`{step}` {ended}; all of it is in {kept})"
        done.append(step)
    return done, problem


def _list_others(root: str, path: str) -> tuple[list[str], list[str]]:
    """Asked with the index that planrail wrote for the workspace, in which no agent has been yet."""
    question = ("ls-files", "-z", "-t", "--others", "--directory", "--modified", "--deleted")
    answer = run_git(path, *question, index=agents_index(path), view=locate_home(root).git_dir)
    entries = [entry for entry in answer.split("\0") if entry]
    others = [entry[2:].rstrip("/") for entry in entries if entry[0] == "?"]
    return others, sorted({entry[2:] for entry in entries if entry[0] != "?"})


def _read(path: str) -> bytes:
    with contextlib.suppress(OSError), open(path, "rb") as file:
        return file.read()
    return b""
