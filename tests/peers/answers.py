"""What planrail and a tool each say about the same project, question by question."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from planrail.plans.units.units import id_key
from tests.peers.tools import Tool, show, states

# A question's name, planrail's answer, the tool's answer.
Answer = tuple[str, object, object]

_TASK_STATES = {
    "pending": "todo",
    "in-progress": "in_progress",
    "review": "in_progress",
    "done": "done",
    "blocked": "blocked",
    "deferred": "skipped",
    "cancelled": "skipped",
}
_LANES = {
    "genesis": "todo",
    "planned": "todo",
    "claimed": "in_progress",
    "doing": "in_progress",
    "in_progress": "in_progress",
    "for_review": "in_progress",
    "in_review": "in_progress",
    "approved": "done",
    "done": "done",
    "blocked": "blocked",
    "canceled": "skipped",
}
_TASK_STATUS = {"To Do": "not_started", "In Progress": "in_progress", "Done": "complete"}


def ask_openspec(tool: Tool, folder: Path) -> Iterator[Answer]:
    """How many tasks of each change are done, whether all are, and which is the first that is not."""
    for change in tool.ask(folder, "list", "--json")["changes"]:
        path = folder / "openspec/changes" / change["name"] / "tasks.md"
        if not path.is_file() or not change["totalTasks"]:
            continue
        shown = show(path)
        counted = change["completedTasks"], change["totalTasks"]
        yield f"{change['name']}: tasks", _count(shown), counted
        yield f"{change['name']}: complete", shown["status"] == "complete", counted[0] == counted[1]


def ask_openspec_what_is_open(tool: Tool, folder: Path, change: str) -> Answer:
    """The first task of a change that is not done. A box that has open ones under it is begun with those."""
    shown = show(folder / "openspec/changes" / change / "tasks.md")
    phases = {phase["id"]: phase for phase in shown["phases"]}
    tasks = tool.ask(folder, "instructions", "apply", "--change", change, "--json")["tasks"]
    upcoming = shown["next"]
    ours = (upcoming["item"] or phases[upcoming["phase"]]["title"]) if upcoming else None
    return f"{change}: next", ours, next((task["description"] for task in tasks if not task["done"]), None)


def _count(shown: dict[str, Any]) -> tuple[int, int]:
    items = [item["done"] for phase in shown["phases"] for item in phase["items"]]
    items += [phase["status"] == "done" for phase in shown["phases"] if not phase["items"]]
    return sum(items), len(items)


def ask_task_master(tool: Tool, folder: Path) -> Iterator[Answer]:
    """The state of each task of each tag, and which is next: of the current tag, or of the first other that has one."""
    path = folder / ".taskmaster/tasks/tasks.json"
    shown, written = show(path), json.loads(path.read_text("utf-8"))
    tags = [tag for tag, group in written.items() if isinstance(group, dict) and group.get("tasks")] or ["master"]
    for tag in tags:
        prefix = f"{tag}:" if len(tags) > 1 else ""
        ours = {name.removeprefix(prefix): state for name, state in states(shown).items() if name.startswith(prefix)}
        listed = tool.ask(folder, "list", "--json", "--tag", tag)["tasks"]
        theirs = {str(task["id"]): _TASK_STATES[task["status"]] for task in listed}
        yield from ((f"{tag} {name}", ours.get(name), theirs.get(name)) for name in sorted({*ours, *theirs}))
    state = folder / ".taskmaster/state.json"
    current = json.loads(state.read_text("utf-8")).get("currentTag") if state.is_file() else "master"
    yield "next", _next(shown), _next_of_tags(tool, folder, sorted(tags, key=lambda tag: tag != current))


def _next_of_tags(tool: Tool, folder: Path, tags: list[str]) -> str | None:
    for tag in tags:
        upcoming = tool.ask(folder, "next", "-f", "json", "--tag", tag).get("task")
        if upcoming:
            return (f"{tag}:" if len(tags) > 1 else "") + str(upcoming["id"]).partition(".")[0]
    return None


def _next(shown: dict[str, Any]) -> str | None:
    return shown["next"]["phase"] if shown["next"] else None


def ask_gsd(tool: Tool, folder: Path) -> Iterator[Answer]:
    """Which phases there are, which are finished, and which of the others comes first."""
    shown = show(folder / ".planning/ROADMAP.md")
    phases = tool.ask(folder, "roadmap", "analyze")["phases"]
    yield "phases", [id_key(name) for name in states(shown)], [id_key(phase["number"]) for phase in phases]
    done = [id_key(phase["number"]) for phase in phases if phase["disk_status"] == "complete"]
    yield "done", [id_key(name) for name, state in states(shown).items() if state == "done"], done
    rest = [id_key(phase["number"]) for phase in phases if phase["disk_status"] != "complete"]
    yield "next", id_key(_next(shown) or ""), rest[0] if rest else ""


def ask_spec_kitty(tool: Tool, folder: Path) -> Iterator[Answer]:
    """The state of each work package of each mission that has a log: of older ones the tool no longer knows any."""
    for log in sorted(folder.glob("kitty-specs/*/status.events.jsonl")):
        path, mission = log.with_name("tasks.md"), log.parent.name
        if path.is_file() and log.with_name("tasks").is_dir():
            listed = tool.ask(folder, "agent", "tasks", "status", "--mission", mission, "--json")["work_packages"]
            theirs = {package["id"]: _LANES[package["lane"]] for package in listed}
            ours = states(show(path))
            yield from ((f"{mission} {name}", ours.get(name), theirs.get(name)) for name in sorted({*ours, *theirs}))


def ask_backlog(tool: Tool, folder: Path) -> Iterator[Answer]:
    """The status of each task, which is a plan of its own; of statuses that the project made up, whether it is done."""
    listed: dict[str, list[str]] = {}
    status = ""
    for line in tool.call(folder, "task", "list", "--plain", may_complain=True).splitlines():
        if line.strip() and not line.startswith(" "):
            status = line.strip().rstrip(":")
        elif " - " in line:
            listed.setdefault(line.split(" - ")[0].split()[-1].upper(), []).append(status)
    config = re.search(r"^statuses: \[(.*)\]", (folder / "backlog/config.yml").read_text("utf-8"), re.MULTILINE)
    last = config[1].split(",")[-1].strip(" \"'") if config else "Done"
    files = {path.name.split(" - ")[0].upper(): path for path in folder.glob("backlog/tasks/*.md")}
    for name, (theirs, *others) in sorted(listed.items()):
        if name in files and not others:  # an id that two files have names neither
            ours = show(files[name])["status"]
            if theirs in _TASK_STATUS:
                yield name, ours, _TASK_STATUS[theirs]
            else:
                yield f"{name} ({theirs})", ours == "complete", theirs == last


def ask_all(name: str, tool: Tool, folder: Path) -> Iterator[Answer]:
    """All answers about a project of a tool."""
    asked = {
        "openspec": ask_openspec,
        "task-master": ask_task_master,
        "gsd-tools": ask_gsd,
        "spec-kitty": ask_spec_kitty,
        "backlog": ask_backlog,
    }
    return asked[name](tool, folder)


def bring_back_archived(folder: Path) -> None:
    """Make the archived changes of a copy of a project changes again: OpenSpec counts only those."""
    changes = folder / "openspec/changes"
    for change in sorted(changes.glob("archive/*")):
        if change.is_dir():
            shutil.move(change, changes / f"archived-{change.name.lower()}")
