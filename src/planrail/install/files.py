"""Files of an installation on disk: read, written and given back. The decisions are `install.steps`."""

import contextlib
import os
import sys
from collections.abc import Mapping, Sequence

import planrail
from planrail.base.errors import PlanrailError, ToolFailed, UsageError, refused_as
from planrail.base.projects import find_above
from planrail.base.settings import FILE_NAME
from planrail.base.wording import quote
from planrail.git.git import top_level
from planrail.git.git_writing import run_git
from planrail.hook import AGENTS
from planrail.install import records
from planrail.install.json import OddShape
from planrail.install.steps import (
    Entry,
    Keep,
    LeftAlone,
    Restore,
    Step,
    StepBack,
    WriteFile,
    decide_install,
    decide_uninstall,
    hash_of,
    is_connected,
)
from planrail.install.targets import InstallPlace, Target, agent_path, connection_of, find_agents, kind_of


def look(targets: list[Target], place: InstallPlace, state: str, environment: Mapping[str, str]) -> list[Step]:
    entries, steps = records.load_entries(state, place), list[Step]()
    for target in targets:
        try:
            refusal = _refuse_link(target.path, place)
            if target.path not in entries and _is_everywhere(target, place, environment):
                steps.append(Keep(target.path, "left out: it is connected for all your projects"))
            else:
                steps.append(refusal or decide_install(target, read(target.path), entries.get(target.path)))
        except OSError as error:
            reason = f"{target.path} cannot be read: {error.strerror}"
            steps.append(LeftAlone(target.path, reason, "look what is there, then planrail init again"))
    return steps


def _is_everywhere(target: Target, place: InstallPlace, environment: Mapping[str, str]) -> bool:
    """Whether the user has connected this agent already, which would then ask about everything twice."""
    if place.is_user or target.agent not in AGENTS or not connection_of(target.agent).is_doubled:
        return False
    try:
        path = agent_path(target.agent, InstallPlace(place.root, is_user=True), environment)
        return is_connected(target.kind, read(path))
    except (OSError, OddShape):
        return False


def _refuse_link(path: str, place: InstallPlace) -> LeftAlone | None:
    """A link that leads out of the project: what lies there is not the project's, and maybe shared by others."""
    real, root = os.path.realpath(path), os.path.realpath(place.root)
    if place.is_user or real == root or real.startswith(os.path.join(root, "")):
        if os.path.islink(path) and not os.path.exists(path):
            return LeftAlone(path, f"{path} is a link to nothing", f"remove it: rm {quote(path)}")
        return None
    return LeftAlone(
        path, f"{path} leads out of the project, to {real}", "make it a file of its own, or use: planrail init --user"
    )


def read(path: str) -> bytes | None:
    """The bytes of a file; None where there is none."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None


def install(writes: list[WriteFile], kinds: Mapping[str, str], place: InstallPlace, state: str) -> None:
    """Write the files, having remembered what was there. What cannot be finished is taken back."""
    entries = records.load_entries(state, place)
    before = dict(entries)
    for write in writes:
        folders, folder = list(entries[write.path].folders if write.path in entries else []), write.path
        missing: list[str] = []
        while not os.path.isdir(folder := os.path.dirname(folder)):
            missing.insert(0, folder)  # the outermost first
        folders += [name for name in missing if name not in folders]
        entries[write.path] = Entry(write.path, kinds[write.path], write.original, hash_of(write.after), folders)
    if writes:
        records.save_entries(state, place, entries)
    done: list[WriteFile] = []
    for write in writes:
        done.append(write)
        try:
            os.makedirs(os.path.dirname(write.path), exist_ok=True)
            records.replace_file(write.path, write.after)
        except OSError as error:
            _take_back(done, entries)
            records.save_entries(state, place, before)
            text = f"{write.path} cannot be written: {error.strerror}; everything is as it was"
            raise ToolFailed(text, remedy="make the folder writable, then planrail init again") from error


def _take_back(writes: list[WriteFile], entries: Mapping[str, Entry]) -> None:
    for write in reversed(writes):
        with contextlib.suppress(OSError):
            if write.before is None:
                records.remove_file(write.path)
            elif read(write.path) != write.before:
                records.replace_file(write.path, write.before)
        _remove_folders(entries[write.path].folders)


def look_back(place: InstallPlace, state: str, environment: Mapping[str, str]) -> list[StepBack]:
    """What uninstalling would do: to each file that is remembered, and to what is recognised without that."""
    entries = records.load_entries(state, place)
    steps = [_look_back_at(entry.kind, entry.path, entry) for entry in entries.values()]
    for agent in AGENTS:
        path = agent_path(agent, place, environment)
        if path not in entries:
            step = _look_back_at(kind_of(agent), path, None)
            steps += [step] if isinstance(step, Restore) else []
    return steps


def _look_back_at(kind: str, path: str, entry: Entry | None) -> StepBack:
    try:
        return decide_uninstall(kind, path, read(path), entry)
    except OSError as error:
        return LeftAlone(path, f"{path} cannot be read: {error.strerror}", "look what is there, then again")


def uninstall(steps: Sequence[StepBack], place: InstallPlace, state: str) -> list[str]:
    """Give the files back; returns where copies of changed scripts were put. What failed stays remembered."""
    entries = records.load_entries(state, place)
    copies: list[str] = []
    for step in steps:
        entry = entries.get(step.path)
        if isinstance(step, LeftAlone):
            continue
        if isinstance(step, Restore):
            copies += _restore(step, state, place)
        records.remove_file(os.path.realpath(step.path) + records.TEMPORARY)
        if entry is not None:
            _remove_folders(entry.folders)
            del entries[step.path]
            records.save_entries(state, place, entries)
    return copies


def _restore(step: Restore, state: str, place: InstallPlace) -> list[str]:
    copies = []
    with refused_as(f"{step.path} cannot be given back", "make it writable, then planrail uninstall"):
        if step.after is not None:
            records.replace_file(step.path, step.after)
            return []
        if step.changed and not step.path.endswith(".json"):
            copies = [f"{records.record_path(state, place).removesuffix('.json')}-{os.path.basename(step.path)}"]
            records.replace_file(copies[0], read(step.path) or b"")
        records.remove_file(step.path)
    return copies


def _remove_folders(folders: list[str]) -> None:
    for folder in reversed(folders):
        with contextlib.suppress(OSError):  # not empty: another owner's now
            os.rmdir(folder)


def write_interpreter(state: str) -> None:
    """Tell the wrapper which Python to start, and where this package is."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(planrail.__file__)))
    data = os.fsencode(f"{sys.executable}\n{package}\n")
    path = os.path.join(state, "interpreter")
    if read(path) != data:
        records.replace_file(path, data)


def forget_interpreter(state: str) -> None:
    """Remove that note when the last installation is gone."""
    if not any(name.endswith(".json") for name in os.listdir(os.path.join(state, "installs"))):
        records.remove_file(os.path.join(state, "interpreter"))


def find_place(folder: str, environment: Mapping[str, str], *, is_user: bool, command: str = "init") -> InstallPlace:
    """The project that a folder lies in, or the user's place; an error outside of every project."""
    if is_user:
        return InstallPlace(environment.get("HOME") or os.path.expanduser("~"), is_user=True)
    root = find_root(folder)
    if root is None:
        run_git(folder, "--version")  # where git itself is missing, that is what is said
        raise PlanrailError(
            f"{folder} is in no project: there is no git repository and no {FILE_NAME} here or above",
            remedy=f"cd to a project (git init makes one), or for every project of yours: planrail {command} --user",
        )
    return InstallPlace(root)


def find_root(folder: str) -> str | None:
    """The root of the git working tree, else the nearest folder above with a `planrail.toml`."""
    return top_level(folder) or find_above(os.path.abspath(folder), FILE_NAME)


def choose_agents(wanted: str | None, place: InstallPlace, environment: Mapping[str, str]) -> list[str]:
    """The agents that were named, else those that are there."""
    if wanted is None:
        return find_agents(place, environment)
    names = [name.strip().lower() for name in wanted.split(",") if name.strip()]
    unknown = [name for name in names if name not in AGENTS]
    if unknown or not names:
        what = f"{unknown[0]!r} is no agent that planrail knows" if unknown else "no agent was named"
        raise UsageError(what, remedy=f"planrail init --agent {','.join(AGENTS)}")
    return [agent for agent in AGENTS if agent in names]
