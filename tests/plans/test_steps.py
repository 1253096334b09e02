"""Reading costs in proportion to the length of a plan, and not more for each unit than it did: counted, not timed.

A step is a call of a function, ours or the interpreter's. The bars are a little above what was counted.
"""

import gc
import json
import sys
from collections.abc import Callable

import pytest
from plans import SHAPES

from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource

_FEW = 100  # units


def _yaml(count: int) -> str:
    done = count * 6 // 10
    tasks = (
        f"- id: {at}\n  title: Build {at}\n  status: {'done' if at <= done else 'pending'}\n" for at in range(count)
    )
    return "tasks:\n" + "".join(tasks)


def _issues(count: int) -> str:
    tasks = ({"id": f"a-{at}", "title": f"Build {at}", "status": "open", "priority": 2} for at in range(count))
    return "\n".join(map(json.dumps, tasks))


def _make(shape: str) -> Callable[[int], str]:
    return lambda count: SHAPES[shape](count).text


# By the place of the file: how its text is made, and how many steps a unit may cost.
_FORMATS: dict[str, tuple[Callable[[int], str], int]] = {
    "specs/tasks.md": (_make("spec-kit"), 32),
    "specs/decorated/tasks.md": (_make("spec-kit, decorated"), 47),
    "openspec/changes/it/tasks.md": (_make("OpenSpec"), 35),
    ".kiro/specs/it/tasks.md": (_make("OpenSpec"), 44),
    "task_plan.md": (_make("planning-with-files"), 190),
    "PLAN.md": (_make("tracker table"), 108),
    "TODO.md": (_make("flat checklist"), 72),
    ".taskmaster/tasks/tasks.json": (_make("task-master"), 42),
    ".planning/ROADMAP.md": (_make("GSD roadmap"), 367),
    "ROADMAP.md": (_make("GSD roadmap"), 318),
    "plan.yaml": (_yaml, 1250),
    ".beads/issues.jsonl": (_issues, 74),
}


def _count_steps(path: str, text: str) -> int:
    steps = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal steps
        steps += event in ("call", "c_call")

    before = sys.getprofile()
    gc.disable()
    sys.setprofile(note)
    try:
        plan = read(PlanSource(path, text))
    finally:
        sys.setprofile(before)
        gc.enable()
    assert plan.next is not None
    return steps


@pytest.mark.full
@pytest.mark.parametrize("path", _FORMATS)
def test_a_longer_plan_costs_so_many_steps_for_each_unit_and_no_more(path: str) -> None:
    make, most = _FORMATS[path]
    read(PlanSource(path, make(_FEW)))  # patterns are compiled, and modules loaded
    few, more, many = (_count_steps(path, make(count)) for count in (_FEW, 2 * _FEW, 4 * _FEW))
    assert (many - more) / (2 * _FEW) <= (more - few) / _FEW * 1.02
    assert (many - more) / (2 * _FEW) <= most
