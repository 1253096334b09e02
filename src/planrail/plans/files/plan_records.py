"""What planrail remembers of plans, on disk: one small JSON file for each, in the state folder.

`STATE/plans/KEY.json`, with the key from the plan's path, links followed. Written to a temporary name and renamed, by
one process at a time, so that no reader sees half of it and no change is lost.
"""

import contextlib
import fcntl
import hashlib
import json
import os
from collections.abc import Callable, Iterator

from planrail.base.errors import ToolFailed
from planrail.base.records import replace
from planrail.base.whole_files import write_whole
from planrail.plans.files.lifecycle import PlanRecord, ReachedStage, decide_step, from_json, to_json
from planrail.plans.files.plan_files import FileRefusal
from planrail.plans.model import Plan


def load(state_folder: str, path: str) -> PlanRecord | None:
    """What is remembered of the plan at a path; None where that is nothing, or nothing that can be understood.

    A damaged record makes a plan a draft, which is the stage that allows least.
    """
    return _read(_place(state_folder, path))


def save(state_folder: str, path: str, change: Callable[[PlanRecord | None], PlanRecord]) -> PlanRecord:
    """Change the record of a plan as one step: `change` gets what is there now and returns what shall be."""
    with _locked(state_folder):
        changed = change(load(state_folder, path))
        _write(_place(state_folder, path), changed)
    return changed


def take_step(state_folder: str, path: str, project: str, step: ReachedStage) -> PlanRecord | FileRefusal:
    """Let a plan reach a stage, if it may from the one that it is at; of several tries at once, one is the first."""
    with _locked(state_folder):
        known = load(state_folder, path) or PlanRecord(os.path.realpath(path), project)
        outcome = decide_step(known, step)
        if not isinstance(outcome, FileRefusal):
            _write(_place(state_folder, path), outcome)
    return outcome


def move(state_folder: str, path: str, new_path: str) -> None:
    """Let the record follow a plan that has been moved; `path` is where it was."""
    with _locked(state_folder):
        known = load(state_folder, path)
        if known is not None:
            _write(_place(state_folder, new_path), replace(known, path=os.path.realpath(new_path)))
            os.unlink(_place(state_folder, path))


def list_records(state_folder: str) -> list[PlanRecord]:
    """Every record that can be understood."""
    folder = os.path.join(state_folder, "plans")
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    found = [_read(os.path.join(folder, name)) for name in names if name.endswith(".json")]
    return [known for known in found if known is not None]


def hash_of(plan: Plan, text: str) -> str:
    """The hash of what a plan says, without the marks of its progress: ticking a box does not change a plan."""
    from planrail.plans.canonical.canonical import canonicalise

    return canonicalise(plan, text).hash


def _place(state_folder: str, path: str) -> str:
    name = hashlib.sha256(os.path.realpath(path).encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return os.path.join(state_folder, "plans", f"{name}.json")


def _read(place: str) -> PlanRecord | None:
    try:
        with open(place, encoding="utf-8") as file:
            return from_json(json.load(file))
    except (OSError, ValueError, RecursionError):
        return None


def _write(place: str, known: PlanRecord) -> None:
    try:
        write_whole(place, json.dumps(to_json(known)))
    except OSError as error:
        raise _failed(place, error) from error


@contextlib.contextmanager
def _locked(state_folder: str) -> Iterator[None]:
    folder = os.path.join(state_folder, "plans")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        descriptor = os.open(os.path.join(folder, ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _failed(folder, error) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _failed(place: str, error: OSError) -> ToolFailed:
    return ToolFailed(
        f"{place} cannot be written: {error.strerror}", remedy="make room there, or set PLANRAIL_STATE_DIR"
    )
