"""What is asked of each peer, and the project that it is asked about: N units in the peer's own format."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from measure import MeasurementFailed
from plans import openspec, task_master

UNITS = 10_000
FEWER_UNITS = 1_000
SECONDS_TO_PREPARE = 120
GIT = shutil.which("git") or "git"

# Makes the project in a folder: program, folder, number of units, environment.
Maker = Callable[[str, str, int, Mapping[str, str]], None]


@dataclass(frozen=True)
class Question:
    """A command that reads a project. Its answer must hold some words; `why_fewer` says why the project is smaller."""

    arguments: tuple[str, ...]
    make: Maker
    answer: str
    units: int = UNITS
    why_fewer: str = ""


def make_openspec(_program: str, folder: str, count: int, _environment: Mapping[str, str]) -> None:
    """One change with N tasks."""
    change = os.path.join("openspec", "changes", "sample")
    _write(folder, f"{change}/proposal.md", "## Why\nIt is needed by those who use it.\n\n## What Changes\n- All\n")
    _write(
        folder,
        f"{change}/specs/sample/spec.md",
        "## ADDED Requirements\n### Requirement: Sample\nThe program SHALL do it.\n"
        "#### Scenario: Asked\n- **WHEN** asked\n- **THEN** done\n",
    )
    _write(folder, f"{change}/tasks.md", openspec(count).text)


def make_task_master(_program: str, folder: str, count: int, _environment: Mapping[str, str]) -> None:
    """One tasks.json."""
    _write(folder, ".taskmaster/tasks/tasks.json", task_master(count).text)


def make_backlog(_program: str, folder: str, count: int, _environment: Mapping[str, str]) -> None:
    """A file for each task; branches are not looked at, which spares it git."""
    settings = 'project_name: "Sample"\nremote_operations: false\ncheck_active_branches: false\n'
    _write(folder, "backlog/config.yml", settings)
    for unit in range(1, count + 1):
        _write(folder, f"backlog/tasks/task-{unit} - Part-{unit}.md", _backlog_task(unit, count))


def make_beads(program: str, folder: str, count: int, environment: Mapping[str, str]) -> None:
    """A database, filled from the format that bd exports."""
    _write(folder, "sample.jsonl", "".join(_beads_issue(unit, count) for unit in range(1, count + 1)))
    for command in (
        [GIT, "init", "--quiet"],
        [program, "init", "--prefix", "bd", "--quiet"],
        [program, "import", "-i", "sample.jsonl"],
    ):
        _call(command, folder, environment)


# `specify` has no command that reads tasks: in spec-kit that is left to the agent.
QUESTIONS: dict[str, tuple[Question, ...]] = {
    "specify": (),
    "openspec": (
        Question(("list", "--json"), make_openspec, '"completedTasks": 6000'),
        Question(("instructions", "apply", "--change", "sample", "--json"), make_openspec, "of component 6001 "),
    ),
    "backlog": (Question(("task", "list", "--plain"), make_backlog, "TASK-6001 "),),
    "bd": (Question(("ready", "--json"), make_beads, "Build part ", FEWER_UNITS, "importing more takes it minutes"),),
    "task-master": (
        Question(("next",), make_task_master, "#6001 "),
        Question(("list",), make_task_master, " 601 ", FEWER_UNITS, "more takes it half a minute a run"),
    ),
}


def _backlog_task(unit: int, count: int) -> str:
    is_done = unit <= count * 6 // 10
    return (
        f"---\nid: TASK-{unit}\ntitle: Build part {unit}\nstatus: {'Done' if is_done else 'To Do'}\n"
        f"assignee: []\ncreated_date: '2026-01-01 00:00'\nlabels: []\ndependencies: []\n---\n\n"
        f"## Description\n\nBuild it behind its interface, with tests.\n"
    )


def _beads_issue(unit: int, count: int) -> str:
    is_done, when = unit <= count * 6 // 10, "2026-01-01T00:00:00Z"
    issue: dict[str, object] = {
        "id": f"bd-{unit:05x}",
        "title": f"Build part {unit}",
        "description": "Build it behind its interface, with tests.",
        "status": "closed" if is_done else "open",
        "priority": 2,
        "issue_type": "task",
        "created_at": when,
        "updated_at": when,
    }
    if is_done:
        issue |= {"closed_at": when, "close_reason": "done"}
    return json.dumps(issue) + "\n"


def _write(folder: str, path: str, text: str) -> None:
    place = os.path.join(folder, path)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "w", encoding="utf-8") as file:
        file.write(text)


def _call(command: list[str], folder: str, environment: Mapping[str, str]) -> None:
    """Run a step of making a project, or raise `MeasurementFailed`."""
    name = " ".join([os.path.basename(command[0]), *command[1:]])
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS_TO_PREPARE,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MeasurementFailed(f"{name}: {error}") from None
    if done.returncode:
        raise MeasurementFailed(f"{name}: exit code {done.returncode}")
