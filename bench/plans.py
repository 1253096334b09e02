"""Plans to measure with: N units of work in the shapes that people keep, the first 60 % done, about 100 bytes a unit.

The text is made of nothing but the numbers, so that every run and every machine measures the same bytes.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

PARTS = ("parser", "schema", "handler", "report", "importer", "cache", "migration", "widget", "client", "index")
UNITS_A_PHASE = 10


@dataclass(frozen=True)
class SamplePlan:
    """A plan as a file, with what a reader must find in it: how many units, and the number of the first open one."""

    shape: str
    file_name: str
    text: str
    units: int
    next_unit: int

    @property
    def size(self) -> int:
        """The size of the file in bytes."""
        return len(self.text.encode())


def spec_kit(count: int) -> SamplePlan:
    """spec-kit's tasks.md: tasks in phases of ten."""
    head = "# Tasks: Sample feature\n\n**Prerequisites**: plan.md, spec.md\n"
    lines = (
        f"- [{_box(unit, count, 'X')}] T{unit:05} {'[P] ' if unit % 3 == 0 else ''}[US{unit % 7 + 1}] {_task(unit)}"
        for unit in _units(count)
    )
    text = head + _in_phases(lines, "## Phase {0}: Story {0}")
    return _plan("spec-kit", "tasks.md", text, count)


def spec_kit_decorated(count: int) -> SamplePlan:
    """The same with what people add: goals of phases, bold, links and code in tasks, notes below every third."""
    head = "# Tasks: Sample feature\n\n**Prerequisites**: plan.md, spec.md\n"
    lines = (
        f"- [{_box(unit, count, 'X')}] T{unit:05} [US{unit % 7 + 1}] **{_part(unit).capitalize()} {unit}**: build it "
        f"in `src/component_{unit % 97:02}/` as [the contract](contracts/{_part(unit)}.md) says"
        + ("\n  - Mind the old clients" if unit % 3 == 0 else "")
        for unit in _units(count)
    )
    heading = "## Phase {0}: Story {0}\n\n**Goal**: Somebody can use story {0}\n\n**Independent Test**: Use it"
    return _plan("spec-kit, decorated", "tasks.md", head + _in_phases(lines, heading), count)


def openspec(count: int) -> SamplePlan:
    """OpenSpec's tasks.md: numbered tasks in numbered groups of ten."""
    lines = (f"- [{_box(unit, count)}] {_numbered(unit)} {_task(unit)}" for unit in _units(count))
    return _plan("OpenSpec", "tasks.md", _in_phases(lines, "## {0}. Story {0}").lstrip(), count)


def planning_with_files(count: int) -> SamplePlan:
    """The task_plan.md of planning-with-files: phases with a status line each."""
    first = _done(count) + 1
    head = f"# Task Plan: Sample\n\n## Goal\nBuild it.\n\n## Current Phase\nPhase {first}\n\n## Phases\n\n"
    phases = (
        f"### Phase {unit}: Build the {_part(unit)} {unit}\n- [{_box(unit, count)}] Implement and test it\n"
        f"- **Status:** {'complete' if _is_done(unit, count) else 'pending'}\n"
        for unit in _units(count)
    )
    return _plan("planning-with-files", "task_plan.md", head + "\n".join(phases), count)


def tracker(count: int) -> SamplePlan:
    """A tracker table with a row for each phase."""
    head = "# Plan: Sample\n\n## Progress Tracker\n\n| Phase | Status | Commit | Notes |\n|---|---|---|---|\n"
    rows = (
        f"| {unit} — The {_part(unit)} of component {unit} | "
        + (f"✅ Done | `{unit:07x}` |" if _is_done(unit, count) else "⬚ |  |")
        + " built behind its interface, with tests |\n"
        for unit in _units(count)
    )
    return _plan("tracker table", "PLAN.md", head + "".join(rows), count)


def checklist(count: int) -> SamplePlan:
    """A flat list of boxes without any phase."""
    lines = (f"- [{_box(unit, count)}] {_task(unit)}, with tests\n" for unit in _units(count))
    return _plan("flat checklist", "TODO.md", "# To do\n\n" + "".join(lines), count)


def task_master(count: int) -> SamplePlan:
    """task-master's tasks.json: chains of ten, each task after the one before it."""
    tasks = [
        {
            "id": unit,
            "title": f"Build the {_part(unit)} {unit}",
            "description": "With tests",
            "status": "done" if _is_done(unit, count) else "pending",
            "dependencies": [unit - 1] if unit % UNITS_A_PHASE != 1 else [],
            "priority": "medium",
            "subtasks": [],
        }
        for unit in _units(count)
    ]
    text = json.dumps({"master": {"tasks": tasks, "metadata": {"description": "Sample"}}})
    return _plan("task-master", "tasks.json", text, count)


def gsd_roadmap(count: int) -> SamplePlan:
    """GSD's ROADMAP.md: a list of phases, then a section for each."""
    boxes = (f"- [{_box(unit, count)}] **Phase {unit}: Part {unit}** - build\n" for unit in _units(count))
    details = (
        f"### Phase {unit}: Part {unit}\n**Goal**: Build it\n"
        f"**Depends on**: {f'Phase {unit - 1}' if unit > 1 else 'Nothing'}\n\n"
        for unit in _units(count)
    )
    head = "# Roadmap: Sample\n\n## Phases\n\n"
    text = head + "".join(boxes) + "\n## Phase Details\n\n" + "".join(details)
    return _plan("GSD roadmap", "ROADMAP.md", text, count)


def written_plan() -> SamplePlan:
    """A plan of ten phases as people write them, 10 kB: a tracker, then prose, work items and criteria of each."""
    count = 10
    rows = (f"| {unit} | {'✅ Done' if _is_done(unit, count) else '⬚'} |\n" for unit in _units(count))
    head = "# Plan: Sample feature\n\n## Overview\n\n" + _prose(4) + "\n## Progress Tracker\n\n"
    table = "| Phase | Status |\n|---|---|\n" + "".join(rows)
    sections = (_written_phase(unit, is_done=_is_done(unit, count)) for unit in _units(count))
    return _plan("written plan", "PLAN.md", head + table + "".join(sections), count)


SHAPES: dict[str, Callable[[int], SamplePlan]] = {
    "spec-kit": spec_kit,
    "spec-kit, decorated": spec_kit_decorated,
    "OpenSpec": openspec,
    "planning-with-files": planning_with_files,
    "tracker table": tracker,
    "flat checklist": checklist,
    "task-master": task_master,
    "GSD roadmap": gsd_roadmap,
}


def _plan(shape: str, file_name: str, text: str, count: int) -> SamplePlan:
    return SamplePlan(shape, file_name, text, count, _done(count) + 1)


def _units(count: int) -> range:
    return range(1, count + 1)


def _done(count: int) -> int:
    return count * 6 // 10


def _is_done(unit: int, count: int) -> bool:
    return unit <= _done(count)


def _box(unit: int, count: int, mark: str = "x") -> str:
    return mark if _is_done(unit, count) else " "


def _part(unit: int) -> str:
    return PARTS[unit % len(PARTS)]


def _numbered(unit: int) -> str:
    group, place = divmod(unit - 1, UNITS_A_PHASE)
    return f"{group + 1}.{place + 1}"


def _task(unit: int) -> str:
    part = _part(unit)
    return f"Implement the {part} of component {unit} in src/component_{unit % 97:02}/{part}.py"


def _in_phases(lines: Iterator[str], heading: str) -> str:
    """The lines with a heading before every ten."""
    parts = []
    for at, line in enumerate(lines):
        if at % UNITS_A_PHASE == 0:
            parts.append(f"\n{heading.format(at // UNITS_A_PHASE + 1)}\n\n")
        parts.append(line + "\n")
    return "".join(parts)


def _written_phase(unit: int, *, is_done: bool) -> str:
    box = "x" if is_done else " "
    items = "".join(f"- [{box}] {_task(unit * 10 + step)}\n" for step in range(4))
    return (
        f"\n## Phase {unit} — Build the {_part(unit)} {unit}\n\n### Goal\n\n{_prose(5)}"
        f"\n### Work Items\n\n{items}"
        f"\n### Acceptance Criteria\n\n- `make test` passes\n- The {_part(unit)} answers as the contract says\n"
    )


def _prose(lines: int) -> str:
    line = "The feature is built from the inside out, so that each phase leaves something that runs and is tested.\n"
    return line * lines
