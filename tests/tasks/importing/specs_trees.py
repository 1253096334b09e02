"""Folders of tasks as other tools leave them: made up, with every divergence put there on purpose, and counted."""

import json
import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

WORDS = [
    "parser",
    "cache",
    "index",
    "report",
    "window",
    "colour",
    "socket",
    "loader",
    "schema",
    "ticket",
    "folder",
    "editor",
]
STATUSES = ["not_started", "researched", "planned", "completed", "abandoned", "partial", "blocked", "pr_ready"]


@dataclass
class Tree:
    """A folder that is being written, and what an import has to tell about it."""

    root: Path
    active: list[dict[str, Any]] = field(default_factory=list)
    archived: list[dict[str, Any]] = field(default_factory=list)
    todo: list[str] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    expected: Counter[str] = field(default_factory=Counter)
    next_number: int = 1

    def document(self, path: str, text: str = "# A document\n") -> str:
        """Write a document; its path from the root on."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
        return path

    def write(self) -> None:
        """Write the three files."""
        specs = self.root / "specs"
        (specs / "archive").mkdir(parents=True, exist_ok=True)
        head = {"version": "1.1.0", "next_project_number": self.next_number, "active_projects": self.active}
        (specs / "state.json").write_text(json.dumps({**head, "repository_health": {"status": "fine"}}, indent=2))
        (specs / "archive" / "state.json").write_text(json.dumps({"completed_projects": self.archived}, indent=2))
        front = f"---\nnext_project_number: {self.next_number}\n---\n\n# TODO\n\n## Task Order\n\n"
        (specs / "TODO.md").write_text(
            front + "\n".join(self.order) + "\n\n## Tasks\n\n" + "\n---\n\n".join(self.todo), "utf-8"
        )


def entry(number: int, name: str, status: str = "not_started", **more: Any) -> dict[str, Any]:
    """The entry of a task."""
    return {
        "project_number": number,
        "project_name": name,
        "status": status,
        "task_type": "general",
        "title": name.replace("_", " ").capitalize(),
        "description": f"What {name} is about.",
        "dependencies": [],
        "artifacts": [],
        **more,
    }


def section(task: dict[str, Any], **changes: Any) -> str:
    """What TODO.md says about an entry."""
    shown = {**task, **changes}
    needs = ", ".join(f"Task #{number}" for number in shown["dependencies"]) or "None"
    status = shown["status"].upper().replace("_", " ")
    links = "".join(f"- **{one['type'].capitalize()}**: [{one['path'][6:]}]\n" for one in shown["artifacts"])
    links = links.replace("**Report**", "**Research**")
    head = f"### {shown['project_number']}. {shown['title']}\n- **Status**: [{status}]\n- **Task Type**: general\n"
    return f"{head}- **Dependencies**: {needs}\n{links}\n**Description**: {shown['description']}\n"


def plan_text(*states: str) -> str:
    """A plan with one phase for each state."""
    phases = "\n".join(f"### Phase {at}: Part {at} [{state}]\n\n- [ ] do it\n" for at, state in enumerate(states, 1))
    return f"# Implementation Plan\n\n- **Status**: [COMPLETED]\n\n## Implementation Phases\n\n{phases}"


def make_tree(root: Path, seed: int, active: int = 60, archived: int = 300) -> Tree:
    """A folder with many tasks, each of which has at most one thing wrong with it."""
    chance = random.Random(seed)
    tree = Tree(root)
    for number in range(1, archived + 1):
        _add_archived(tree, number, chance)
    for number in range(archived + 1, archived + active + 1):
        _add_active(tree, number, chance)
    tree.next_number = archived + active + 1
    tree.write()
    return tree


def _add_active(tree: Tree, number: int, chance: random.Random) -> None:
    name = f"{chance.choice(WORDS)}_{chance.choice(WORDS)}_{number}"
    task = entry(number, name, chance.choice(STATUSES[:3]))
    shown: dict[str, Any] = {}
    wrong = chance.choice(["", "", "status", "absent", "order", "unknown", "missing", "unlisted", "needs", "only todo"])
    if wrong == "status":
        shown = {"status": "completed"}
        tree.expected["says_differ"] += 1
    elif wrong == "unknown":
        task["status"] = "pondering"
        shown = {"status": "not_started"}
        tree.expected["status_unknown"] += 1
    elif wrong == "missing":
        task["artifacts"] = [{"path": f"specs/{number:03d}_{name}/plans/01_gone.md", "type": "plan", "summary": ""}]
        shown = {"artifacts": []}
        tree.expected["artifact_missing"] += 1
    elif wrong == "unlisted":
        tree.document(f"specs/{number:03d}_{name}/reports/01_found.md")
        tree.expected["file_unlisted"] += 1
    elif wrong == "needs":
        task["dependencies"] = [100_000 + number]
        tree.expected["dependency"] += 1
    if wrong == "absent":
        tree.expected["only_in_one"] += 1
    else:
        tree.todo.append(section(task, **shown))
    if wrong == "only todo":
        tree.expected["only_in_one"] += 1
    else:
        tree.active.append(task)
    status = "not_started" if task["status"] == "pondering" else task["status"]
    if wrong == "order":
        tree.expected["says_differ"] += 1
    word = "blocked" if wrong == "order" else status
    tree.order.append(f"- **{number}** [{word.upper().replace('_', ' ')}] -- {task['title']}")


def _add_archived(tree: Tree, number: int, chance: random.Random) -> None:
    name = f"{chance.choice(WORDS)}_{chance.choice(WORDS)}_{number}"
    task = entry(number, name, chance.choice(["completed", "abandoned"]))
    folder = f"{number:03d}_{name}"
    wrong = chance.choice(["", "", "moved", "prefixed", "orphan", "twice", "open phases", "folder"])
    if wrong == "moved":
        tree.document(f"specs/archive/{folder}/reports/01_x.md")
        task["artifacts"] = [{"path": f"specs/{folder}/reports/01_x.md", "type": "research"}]
        tree.expected["artifact_moved"] += 1
    elif wrong == "prefixed":
        tree.document(f"specs/archive/OC_{number}_{name}/reports/01_x.md")
        task["artifacts"] = [f"specs/archive/OC_{number}_{name}/reports/01_x.md"]
        tree.expected["folder_name"] += 1
        tree.expected["field_unusable"] += 1
    elif wrong == "orphan":
        task["status"] = "orphan_archived"
        tree.expected["status_unknown"] += 1
    elif wrong == "twice":
        tree.archived.append({**task, "session_id": "another"})
        tree.expected["number_clash"] += 1
    elif wrong == "open phases":
        task["status"] = "completed"
        path = tree.document(f"specs/archive/{folder}/plans/01_x.md", plan_text("COMPLETED", "NOT STARTED"))
        task["artifacts"] = [{"path": path, "type": "plan", "summary": "the plan"}]
        tree.expected["open_phases"] += 1
    elif wrong == "folder":
        tree.document(f"specs/archive/{number + 50_000}_nobody_knows/reports/01_x.md")
        tree.expected["folder_without_task"] += 1
    tree.archived.append(task)
