"""Projects that tools make with their own commands, in generated variety: planrail says about them what the tools say."""

import json
import random
import subprocess
from pathlib import Path

import pytest

from tests.peers.answers import (
    ask_backlog,
    ask_gsd,
    ask_openspec,
    ask_openspec_what_is_open,
    ask_spec_kitty,
    ask_task_master,
)
from tests.peers.tools import Tool, make_repository, show

pytestmark = pytest.mark.soak
seeds = pytest.mark.parametrize("seed", range(3))

_TITLES = [
    "Core",
    "Release",
    "Review",
    "Tests (no contract change)",
    "Docs ✅ DONE",
    "Polish (optional but recommended)",
]
_LOOSE = ["Prerequisites", "Validation Checklist", "Backend", "Follow-ups"]


def _assert_same(answers: object) -> None:
    wrong = [answer for answer in answers if answer[1] != answer[2]]  # type: ignore[attr-defined]
    assert wrong == []


def _task_list(chance: random.Random) -> str:
    """A list as agents write them: counted sections with any words in their titles, others between, nested boxes."""
    lines = ["# Tasks" + chance.choice(["", " ✅", " [COMPLETED]"]), ""]
    for number in range(1, chance.randint(2, 6)):
        loose = chance.random() < 0.25
        lines += [f"## {chance.choice(_LOOSE)}" if loose else f"## {number}. {chance.choice(_TITLES)}"]
        for part in range(1, chance.randint(2, 5)):
            lines.append(f"- [{chance.choice('x x-~')}] {number}.{part} Do part {part}")
            if chance.random() < 0.2:
                lines.append(f"  - [{chance.choice('x ')}] {number}.{part}.1 And this of it")
        lines.append("")
    return "\n".join(lines)


@seeds
def test_the_changes_of_openspec_are_counted_alike(seed: int, tmp_path: Path) -> None:
    tool = Tool("openspec", tmp_path)
    folder = make_repository(tmp_path / "project")
    tool.call(folder, "init", "--tools", "none", ".")
    chance = random.Random(seed)
    names = [f"change-{number}" for number in range(12)]
    for name in names:
        tool.call(folder, "new", "change", name)
        (folder / f"openspec/changes/{name}/tasks.md").write_text(_task_list(chance), "utf-8")
    _assert_same(ask_openspec(tool, folder))
    _assert_same([ask_openspec_what_is_open(tool, folder, name) for name in names[:3]])


_LISTS = {
    "ticked-headings": "## 1. Core ✅\n- [ ] 1.1 a\n- [x] 1.2 b\n\n## 2. Docs ✅ COMPLETE\n- [ ] 2.1 c\n",
    "ordinary-words": "## 1. Review\n- [x] 1.1 a\n\n## 2. Tests (no contract change)\n- [ ] 2.1 b\n\n## 3. Optional\n- [ ] 3.1 c\n",
    "usual-sections": "## 1. Implementation\n- [x] 1.1 a\n\n## 2. Tests\n- [ ] 2.1 b\n\n## 3. Release\n- [ ] 3.1 c\n",
    "named-file": "# Tasks\n\nProgress is tracked in `.openspec.yaml` and `status.md`.\n\n## 1. A\n- [x] 1.1 a\n\n## 2. B\n- [ ] 2.1 b\n",
    "unnumbered": "## Prerequisites\n- [ ] Ask for access\n\n## 1. A\n- [x] 1.1 a\n- [ ] 1.2 b\n\n## Notes\n- nothing\n",
    "counts-anew": "## Backend\n### 1. Store\n- [x] 1.1 a\n### 2. API\n- [ ] 2.1 b\n\n## Frontend\n### 1. Page\n- [ ] 1.1 c\n",
    "said-in-text": "## 1. A\n- [x] 1.1 a\n- [ ] 1.2 b - Cancelled: not needed\n- [ ] 1.3 c (skipped)\n- [ ]* 1.4 d\n- [ ] None\n",
    "spelled-otherwise": "- [x]a\n+ [ ] b\n1. [x] c\n2) [ ] d\n- [] e\n- [~] f\n- [ x ] g\n- [link](x.md)\n- ✅ h\n",
    "front-matter": "---\nstatus: done\n---\n# Tasks\n\n**Status:** Complete\n\n## 1. A\n- [ ] 1.1 a\n- [ ] 1.2 b\n",
}


def test_the_lists_of_openspec_that_were_misread_once_are_counted_alike(tmp_path: Path) -> None:
    tool = Tool("openspec", tmp_path)
    folder = make_repository(tmp_path / "project")
    tool.call(folder, "init", "--tools", "none", ".")
    for name, text in _LISTS.items():
        tool.call(folder, "new", "change", name)
        (folder / f"openspec/changes/{name}/tasks.md").write_text(text, "utf-8")
    answers = list(ask_openspec(tool, folder))
    assert len(answers) == 2 * len(_LISTS)
    _assert_same(answers)
    _assert_same([ask_openspec_what_is_open(tool, folder, name) for name in _LISTS])


@seeds
def test_the_tasks_of_task_master_have_its_states_and_its_next(seed: int, tmp_path: Path) -> None:
    tool = Tool("task-master", tmp_path)
    folder = make_repository(tmp_path / "project")
    tool.call(folder, "init", "-y", "--skip-install")
    tasks = folder / ".taskmaster/tasks/tasks.json"
    tasks.parent.mkdir(parents=True, exist_ok=True)
    tasks.write_text('{"master": {"tasks": [], "metadata": {}}}', "utf-8")
    chance = random.Random(seed)
    for number in range(1, 7):
        needs = ["--dependencies", str(chance.randint(1, number - 1))] if number > 1 and chance.random() < 0.5 else []
        priority = chance.choice(["high", "medium", "low"])
        words = ["--title", f"Task {number}", "--description", "It", "--details", "So", "--priority", priority]
        tool.call(folder, "add-task", *words, *needs)
    for number in range(1, 7):
        status = chance.choice(["pending", "pending", "review", "done", "in-progress", "deferred", "cancelled"])
        tool.call(folder, "set-status", "--id", str(number), "--status", status)
    _assert_same(ask_task_master(tool, folder))


def test_the_parts_and_tags_of_task_master_decide_what_is_next(tmp_path: Path) -> None:
    tool = Tool("task-master", tmp_path)
    folder = make_repository(tmp_path / "project")
    tool.call(folder, "init", "-y", "--skip-install")
    tasks = folder / ".taskmaster/tasks/tasks.json"
    tasks.parent.mkdir(parents=True, exist_ok=True)
    tasks.write_text('{"master": {"tasks": [], "metadata": {}}}', "utf-8")
    words = ["--description", "It", "--details", "So"]
    tool.call(folder, "add-task", "--title", "First", "--priority", "high", *words)
    tool.call(folder, "add-task", "--title", "Second", "--priority", "low", "--dependencies", "1", *words)
    for title in ("Part one", "Part two"):
        tool.call(folder, "add-subtask", "--parent", "2", "--title", title, "--description", "It")
    tool.call(folder, "set-status", "--id", "2", "--status", "in-progress")
    _assert_same(ask_task_master(tool, folder))
    tool.call(folder, "add-tag", "later")
    tool.call(folder, "add-task", "--title", "Other", "--tag", "later", *words)
    _assert_same(ask_task_master(tool, folder))
    tool.call(folder, "use-tag", "later")
    _assert_same(ask_task_master(tool, folder))


_ROADMAP = "# Roadmap\n\n## Phases\n\n{boxes}\n## Phase Details\n\n{details}## Progress\n\n{rows}"


@seeds
def test_the_phases_of_gsd_are_its_phases_in_its_order(seed: int, tmp_path: Path) -> None:
    tool = Tool("gsd-tools", tmp_path)
    folder = make_repository(tmp_path / "project")
    chance = random.Random(seed)
    count = chance.randint(3, 6)
    boxes = "".join(f"- [ ] **Phase {n}: Part {n}** - it\n" for n in range(1, count + 1))
    details = "".join(f"### Phase {n}: Part {n}\n**Goal**: it\n**Plans**: 0 plans\n\n" for n in range(1, count + 1))
    rows = "| Phase | Plans Complete | Status | Completed |\n|---|---|---|---|\n"
    rows += "".join(f"| {n}. Part {n} | 0/1 | Not started | - |\n" for n in range(1, count + 1))
    planning = folder / ".planning"
    (planning / "phases").mkdir(parents=True)
    (planning / "ROADMAP.md").write_text(_ROADMAP.format(boxes=boxes, details=details, rows=rows), "utf-8")
    (planning / "STATE.md").write_text("# State\n\n**Current Phase:** 1\n**Status:** Ready\n", "utf-8")
    done = chance.randint(1, count - 1)
    for number in range(1, done + 1):
        phase = planning / f"phases/{number:02}-part-{number}"
        phase.mkdir()
        for kind in ("PLAN", "SUMMARY"):
            (phase / f"{number:02}-01-{kind}.md").write_text("# It\n", "utf-8")
        tool.call(folder, "phase", "complete", str(number))
    tool.call(folder, "phase", "insert", str(done), "An urgent part")
    tool.call(folder, "phase", "add", "A later part")
    _assert_same(ask_gsd(tool, folder))


_FRONT = (
    "---\nwork_package_id: {0}\ntitle: Part\ndependencies: []\nowned_files:\n- src/{0}/**\n"
    "authoritative_surface: src/{0}/\nexecution_mode: code_change\nrequirement_refs: [FR-001]\nsubtasks: [T{1:03}]\n"
    "---\n\n# {0}\n"
)


def test_the_work_packages_of_spec_kitty_are_in_its_lanes(tmp_path: Path) -> None:
    tool = Tool("spec-kitty", tmp_path)
    folder = make_repository(tmp_path / "project")
    tool.call(folder, "init", "--ai", "claude", "--non-interactive")
    words = ["--friendly-name", "Shop", "--purpose-tldr", "A shop", "--purpose-context", "A shop for people."]
    tool.call(folder, "agent", "mission", "create", "shop", "--json", "--topology", "single_branch", *words)
    mission = next((folder / "kitty-specs").iterdir())
    packages = [f"WP{number:02}" for number in range(1, 8)]
    headings = [f"### Work Package {name}: Part\n- [ ] T{n:03} Make it\n" for n, name in enumerate(packages, 1)]
    phases = ["# Work Packages\n\n## Phase 1 - First\n", *headings[:3], "## Phase 2 - Second\n", *headings[3:]]
    (mission / "tasks.md").write_text("\n".join(phases), "utf-8")
    spec = "# Spec\n\n## Requirements\n\n| ID | Requirement |\n|---|---|\n| FR-001 | It sells. |\n"
    (mission / "spec.md").write_text(spec, "utf-8")
    for number, name in enumerate(packages, 1):
        (mission / f"tasks/{name}-part.md").write_text(_FRONT.format(name, number), "utf-8")
    subprocess.run(["git", "add", "-A"], cwd=folder, check=True)
    subprocess.run(["git", "commit", "-qm", "Plan"], cwd=folder, check=True)
    tool.call(folder, "agent", "mission", "finalize-tasks", "--mission", mission.name, "--json")
    lanes = ["claimed", "in_progress", "for_review", "in_review", "blocked", "canceled"]
    for name, lane in zip(packages, lanes, strict=False):
        moved = ["--to", lane, "--actor", "test", "--force", "--reason", "asked for", "--mission", mission.name]
        tool.call(folder, "agent", "status", "emit", name, *moved)
    _assert_same(ask_spec_kitty(tool, folder))


@seeds
def test_the_tasks_of_backlog_have_its_status(seed: int, tmp_path: Path) -> None:
    tool = Tool("backlog", tmp_path)
    folder = make_repository(tmp_path / "project")
    tool.call(folder, "init", "demo", "--defaults")
    chance = random.Random(seed)
    for number in range(1, 6):
        status = chance.choice(["To Do", "In Progress", "Done"])
        tool.call(folder, "task", "create", f"Task {number}", "-s", status, "--ac", "one", "--ac", "two", "--plain")
        if status == "Done":
            tool.call(folder, "task", "edit", str(number), "--check-ac", "1", "--check-ac", "2", "--plain")
    _assert_same(ask_backlog(tool, folder))


def test_statuses_of_a_projects_own_subtasks_drafts_and_the_archive_of_backlog(tmp_path: Path) -> None:
    tool = Tool("backlog", tmp_path)
    folder = make_repository(tmp_path / "project")
    tool.call(folder, "init", "demo", "--defaults")
    config = folder / "backlog/config.yml"
    own = ["Icebox", "To Do", "In Progress", "Awaiting Merge", "Shipped"]
    lines = [f"statuses: {json.dumps(own)}" if line.startswith("statuses:") else line for line in _lines(config)]
    config.write_text("\n".join(lines) + "\n", "utf-8")
    for status in own:
        tool.call(folder, "task", "create", f"Task {status}", "-s", status, "--ac", "one", "--plain")
    tool.call(folder, "task", "create", "A part", "-p", "3", "-s", "Shipped", "--dep", "task-1", "--plain")
    tool.call(folder, "task", "create", "A draft", "--draft", "--plain")
    tool.call(folder, "task", "archive", "2")
    answers = list(ask_backlog(tool, folder))
    assert len(answers) == len(own)
    _assert_same(answers)
    assert [str(show(path)["status"]) for path in folder.glob("backlog/drafts/*.md")] == ["not_started"]


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()
