"""Files that planning tools keep are read by the tools' own rules: what lies beside them, and where they lie, counts."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import strategies as st

from planrail.base.errors import PlanrailError
from planrail.cli.main import main
from planrail.plans.canonical.canonical import canonicalise
from planrail.plans.editing.edits import change_status, mark_done
from planrail.plans.execution.executions import order_phases
from planrail.plans.formats.dialects import find_dialect
from planrail.plans.model import Plan
from planrail.plans.reading import read
from planrail.plans.states import PlanStatus, Route, State
from planrail.plans.text.source import PlanSource
from planrail.projects.open_plan import open_plan
from tests.plans.efforts import each_effort, search

_CHANGE = "openspec/changes/sample/tasks.md"
_HEADINGS = st.sampled_from(
    ["## 1. Core", "## Prerequisites", "## Review ✅", "### 1. Part", "# Tasks", "## Phase 3: [DONE]"]
)
_BOXES = st.sampled_from(["- [ ] a", "- [x] b", "  - [ ] c", "* [X] d", "1. [x] 1.1 e", "- [-] f", "- [~] g"])


def _states(plan: Plan) -> dict[str, State]:
    return {phase.id: phase.status for phase in plan.phases}


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")


@pytest.mark.parametrize(
    ("path", "tool"),
    [
        ("/p/openspec/changes/a/tasks.md", "openspec"),
        ("/p/openspec/changes/archive/2026-01-01-a/tasks.md", "openspec"),
        ("/p/openspec/specs/tasks.md", "markdown"),
        ("/p/kitty-specs/001-a/tasks.md", "spec-kitty"),
        ("/p/.planning/ROADMAP.md", "gsd"),
        ("/p/ROADMAP.md", "markdown"),
        ("/p/backlog/tasks/task-1 - Make-it.md", "backlog"),
        ("/p/backlog/archive/tasks/task-1.2 - Make-it.md", "backlog"),
        ("/p/docs/task-1 - Make-it.md", "markdown"),
    ],
)
def test_where_a_file_lies_tells_which_tool_keeps_it(path: str, tool: str) -> None:
    assert find_dialect(path).name == tool


def test_a_file_is_known_by_its_place_also_where_only_its_name_is_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(tmp_path, {_CHANGE: "## 1. Core ✅\n- [ ] 1.1 a\n- [x] 1.2 b\n"})
    monkeypatch.chdir((tmp_path / _CHANGE).parent)
    assert _states(open_plan("tasks.md")) == {"1": State.IN_PROGRESS}


@each_effort
def test_every_box_of_a_task_list_counts_once(effort: str) -> None:
    search(effort, st.lists(st.one_of(_HEADINGS, _BOXES, _BOXES), min_size=1, max_size=14), _counts_its_boxes)


def _counts_its_boxes(lines: list[str]) -> None:
    plan = read(PlanSource("/p/" + _CHANGE, "\n\n".join(lines) + "\n"))
    boxes = [box for line in lines if (box := re.match(r"\s*(?:[-*]|1\.) \[(.)\]", line))]
    done = sum(box[1] in "xX" for box in boxes)
    if not boxes:
        return
    alone = [phase for phase in plan.phases if not phase.items]
    items = [item for phase in plan.phases for item in phase.items]
    assert len(items) + len(alone) == len(boxes)
    assert sum(item.is_closed for item in items) + sum(phase.status is State.DONE for phase in alone) == done
    assert (plan.status is PlanStatus.COMPLETE) == (done == len(boxes))
    assert len({phase.id for phase in plan.phases}) == len(plan.phases)


def test_a_section_of_a_task_list_is_finished_by_its_boxes_and_not_by_a_mark_and_that_voids_no_approval() -> None:
    text = "## Prerequisites\n- [x] a\n- [ ]one\n- [  ] three\n\n## 1. Core ✅\n- [ ] 1.1 b\n- [x] 1.2 c\n"
    source = PlanSource("/p/" + _CHANGE, text)
    plan = read(source)
    with pytest.raises(PlanrailError):
        change_status(source, plan, plan.phases[0], State.DONE)
    ticked = mark_done(source, "prerequisites").text
    assert _states(read(PlanSource(source.path, ticked))) == {"prerequisites": State.DONE, "1": State.IN_PROGRESS}
    divided = canonicalise(plan, text)
    assert [phase.key for phase in divided.phases] == [phase.id for phase in plan.phases] == ["prerequisites", "1"]
    assert canonicalise(read(PlanSource(source.path, ticked)), ticked).hash == divided.hash


def test_a_file_that_is_named_and_is_no_plan_does_not_replace_the_plan(tmp_path: Path) -> None:
    plan = (
        "# Plan\n\nProgress is tracked in `.state.yaml` as well.\n\n## Phase 1: A\n- [x] a\n\n## Phase 2: B\n- [ ] b\n"
    )
    _write(tmp_path, {"PLAN.md": plan, ".state.yaml": "schema: one\n"})
    assert _states(open_plan(str(tmp_path / "PLAN.md"))) == {"1": State.DONE, "2": State.TODO}


_PACKAGES = """# Work packages

## Phase 1 - Foundation

### WP01: Store
- [x] T001 Make it

### WP02: Service
- [ ] T002 Make it

## Phase 2 - Polish

### WP03: Page
- [x] T003 Make it
"""


def _event(package: str, lane: str, second: int) -> str:
    return json.dumps(
        {"wp_id": package, "to_lane": lane, "at": f"2026-01-01T00:00:{second:02}", "event_id": str(second)}
    )


def test_work_packages_are_units_and_their_last_event_says_which_lane_they_are_in(tmp_path: Path) -> None:
    events = [_event("WP01", "planned", 1), _event("WP02", "approved", 4), _event("WP01", "for_review", 3)]
    events += [_event("WP02", "planned", 2), _event("WP03", "planned", 5), "{not json"]
    mission = "kitty-specs/001-shop/"
    _write(tmp_path, {mission + "tasks.md": _PACKAGES, mission + "status.events.jsonl": "\n".join(events)})
    plan = open_plan(str(tmp_path / mission / "tasks.md"))
    assert _states(plan) == {"WP01": State.IN_PROGRESS, "WP02": State.DONE, "WP03": State.TODO}
    assert plan.phases[1].reason == "status.events.jsonl, line 2: lane approved"
    assert plan.next is not None
    assert plan.next.phase == "WP03"  # WP01 waits for its review


def test_lanes_of_older_projects_stand_in_the_files_of_the_packages(tmp_path: Path) -> None:
    mission = "kitty-specs/001-shop/"
    files = {
        "tasks/WP01-store.md": '---\nwork_package_id: WP01\nlane: "planned"\n---\n# Store\n',
        "tasks/WP02-service.md": "---\nlane: done\n---\n",
        "tasks/doing/WP03-page.md": "# Page\n",
    }
    _write(tmp_path, {mission + name: text for name, text in files.items()} | {mission + "tasks.md": _PACKAGES})
    plan = open_plan(str(tmp_path / mission / "tasks.md"))
    assert _states(plan) == {"WP01": State.TODO, "WP02": State.DONE, "WP03": State.IN_PROGRESS}


def test_a_heading_names_its_work_package_in_any_of_these_forms() -> None:
    for heading in ("### WP04: Ship it", "## Work Package 04 - Ship it", "## 4. Ship it (WP04)"):
        text = f"# Work packages\n\n## Order: WP04, WP05\n\n{heading}\n- [x] T001 Go\n"
        assert _states(read(PlanSource("/p/kitty-specs/001-shop/tasks.md", text))) == {"WP04": State.DONE}


def test_a_lane_is_left_to_spec_kitty_whose_command_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mission = tmp_path / "kitty-specs/001-shop"
    _write(mission, {"tasks.md": _PACKAGES, "status.events.jsonl": _event("WP02", "doing", 1)})
    assert main(["set", str(mission / "tasks.md"), "WP02", "done"]) != 0
    assert "spec-kitty agent tasks move-task WP02 --to done" in capsys.readouterr().err
    assert (mission / "tasks.md").read_text("utf-8") == _PACKAGES


_ROADMAP = """# Roadmap

## Phases
- [x] **Phase 1: Store** - a
- [x] **Phase 2: Service** - b
- [ ] **Phase 3: Page** - c

## Phase Details
### Phase 1: Store
**Goal**: a

### Phase 2: Service
**Goal**: b

### Phase 2.1: Repair (INSERTED)
**Depends on:** Phase 2

Plans:
- [ ] TBD

### Phase 3: Page
**Goal**: c

## Progress
| Phase | Plans Complete | Status | Completed |
|---|---|---|---|
| 1. Store | 1/1 | Complete | 2026-01-01 |
| 2. Service | 1/2 | In Progress | - |
| 3. Page | 0/1 | Not started | - |
"""


def test_a_phase_that_was_inserted_comes_where_its_heading_stands_and_a_ticked_one_of_gsd_is_done() -> None:
    for path in (".planning/ROADMAP.md", "PLAN.md"):
        plan = read(PlanSource(f"/p/{path}", _ROADMAP.replace("1/2 | In Progress", "2/2 | Complete")))
        assert [phase.id for phase in plan.phases] == ["1", "2", "2.1", "3"]
        assert plan.next is not None
        assert plan.next.phase == "2.1"
    plan = read(PlanSource("/p/.planning/ROADMAP.md", _ROADMAP))
    assert _states(plan)["2"] is State.DONE  # whatever the table says
    assert [problem.rule for problem in plan.diagnostics] == ["contradiction"]
    assert all(phase.line > 0 for phase in plan.phases)


def _task(number: int, status: str, **more: object) -> dict[str, object]:
    return {"id": number, "title": f"Task {number}", "status": status, **more}


@pytest.mark.parametrize(
    ("tasks", "upcoming"),
    [
        ([_task(1, "review"), _task(2, "pending")], "2"),
        ([_task(1, "deferred"), _task(2, "pending", dependencies=[1]), _task(3, "pending")], "3"),
        (
            [
                _task(1, "pending", priority="high"),
                _task(2, "in-progress", priority="low", subtasks=[{"id": 1, "status": "pending"}]),
            ],
            "2",
        ),
        ([_task(1, "done"), _task(2, "pending", dependencies=[1]), _task(3, "pending")], "3"),
        (
            [
                _task(1, "pending"),
                _task(2, "in-progress", dependencies=[1], subtasks=[{"id": 1, "status": "pending"}]),
            ],
            "2",
        ),
        (
            [
                _task(1, "in-progress", subtasks=[{"id": 1, "status": "pending", "dependencies": ["2.1"]}]),
                _task(2, "pending", priority="high", subtasks=[{"id": 1, "status": "pending"}]),
            ],
            "2",
        ),
        ([_task(1, "deferred"), _task(2, "pending", dependencies=[1])], None),
    ],
)
def test_the_next_task_is_the_one_that_task_master_would_take(
    tasks: list[dict[str, object]], upcoming: str | None
) -> None:
    plan = read(PlanSource("tasks.json", json.dumps({"master": {"tasks": tasks}})))
    assert (plan.next.phase if plan.next else None) == upcoming


@pytest.mark.parametrize(
    ("state", "upcoming"), [('{"currentTag": "later"}', "later:1"), ("{", "master:1"), ("", "master:1")]
)
def test_the_tag_that_is_worked_on_comes_first(tmp_path: Path, state: str, upcoming: str) -> None:
    tags = {
        "early": {"tasks": [_task(1, "pending", priority="high")]},
        "master": {"tasks": [_task(1, "pending", priority="low")]},
        "later": {"tasks": [_task(1, "pending")]},
    }
    files = {".taskmaster/tasks/tasks.json": json.dumps(tags), ".git/HEAD": "", ".taskmaster/state.json": state}
    _write(tmp_path, files)
    plan = open_plan(str(tmp_path / ".taskmaster/tasks/tasks.json"))
    assert plan.next is not None
    assert plan.next.phase == upcoming


def _issue(name: str, status: str, priority: int = 2, **needs: str) -> str:
    links = [
        {"issue_id": name, "depends_on_id": other, "type": kind.replace("_", "-")} for kind, other in needs.items()
    ]
    issue = {"id": name, "title": f"Do {name}", "status": status, "priority": priority, "dependencies": links}
    return json.dumps(issue)


def test_the_issues_of_beads_are_read_and_the_most_urgent_that_nothing_blocks_is_next() -> None:
    lines = [
        _issue("a-1", "closed"),
        _issue("a-2", "open", 0, blocks="a-4"),
        _issue("a-3", "open", 2, blocks="a-1"),
        _issue("a-4", "open", 1, parent_child="a-3"),
        _issue("a-5", "in_progress", 0),
        _issue("a-6", "tombstone"),
    ]
    plan = read(PlanSource(".beads/issues.jsonl", "\n".join(lines) + "\n"))
    assert [(phase.id, phase.line, str(phase.status)) for phase in plan.phases] == [
        ("a-1", 1, "done"),
        ("a-2", 2, "todo"),
        ("a-3", 3, "todo"),
        ("a-4", 4, "todo"),
        ("a-5", 5, "in_progress"),
    ]
    assert plan.next is not None
    assert (plan.next.phase, plan.route) == ("a-4", Route.RUN)


@pytest.mark.parametrize(
    ("lines", "upcoming"),
    [
        ([_issue("a", "open"), _issue("b", "open", 0, conditional_blocks="a")], "a"),
        ([_issue("a", "open"), _issue("b", "open", 0, discovered_from="a", tracks="a", related="a")], "b"),
        ([_issue("a", "tombstone"), _issue("b", "open", 0, blocks="a"), _issue("c", "open", 1)], "b"),
        ([_issue("a", "open"), _issue("b", "open", 0, blocks="elsewhere")], "b"),
        ([_issue("a", "pinned", 0), _issue("b", "open", 1, blocks="a")], "b"),
        ([_issue("a", "deferred"), _issue("b", "open", 0, blocks="a"), _issue("c", "open")], "c"),
        ([_issue("a", "blocked", 0), _issue("b", "open")], "b"),
        (
            [
                _issue("a", "open", 3),
                _issue("epic", "open", 0, blocks="a"),
                _issue("part", "open", 0, parent_child="epic"),
                _issue("piece", "open", 0, parent_child="part"),
            ],
            "a",
        ),
        ([_issue("a", "blocked"), _issue("b", "open", blocks="a")], None),
        ([_issue("a", "open", 0)[:-1] + ', "issue_type": "gate"}', _issue("b", "open")], "b"),
        (
            [
                _issue("a", "open")[:-1] + ', "created_at": "2026-01-01T23:00:00.123456789-08:00"}',
                _issue("b", "open")[:-1] + ', "created_at": "2026-01-02T06:00:00Z"}',
            ],
            "a",
        ),
        ([_issue("a", "open"), '{"_type": "memory", "key": "k", "value": "v"}'], "a"),
    ],
)
def test_the_next_issue_is_the_first_that_beads_calls_ready(lines: list[str], upcoming: str | None) -> None:
    plan = read(PlanSource(".beads/issues.jsonl", "\n".join(lines) + "\n"))
    assert (plan.next.phase if plan.next else None) == upcoming
    assert not plan.diagnostics


def test_an_issue_of_beads_is_closed_in_its_own_line_and_an_approval_holds_it_without_its_status() -> None:
    lines = [_issue("a-1", "open"), _issue("a-2", "tombstone"), "", _issue("a-3", "open", blocks="a-1")]
    source = PlanSource(".beads/issues.jsonl", "\n".join(lines) + "\n")
    held = canonicalise(read(source), source.text)
    assert [phase.key for phase in held.phases] == ["a-1", "a-3"]
    closed = change_status(source, read(source), read(source).phases[0], State.DONE).apply(source.text)
    assert closed == source.text.replace('"open"', '"closed"', 1)
    assert canonicalise(read(PlanSource(source.path, closed)), closed).hash == held.hash
    changed = source.text.replace("Do a-3", "Do it")
    assert canonicalise(read(PlanSource(source.path, changed)), changed).hash != held.hash
    orders = order_phases(read(source), source.text)
    assert [(order.id, order.depends_on) for order in orders] == [("a-1", ()), ("a-3", ("a-1",))]


@pytest.mark.parametrize(
    ("box", "state"),
    [
        ("- [ ] 1.1 Prefetch (optional) - Cancelled: not needed", State.TODO),
        ("- [ ] 1.1 New code in `a.ts` - 100%", State.TODO),
        ("- [ ]* 1.1 Write property tests", State.TODO),
        ("- [x]（第一）写", State.DONE),
        ("+ [x] 1.1 a", State.DONE),
        ("- [ x ] 1.1 a", State.DONE),
        ("- [] 1.1 a", State.TODO),
        ("- [-] 1.1 a", State.TODO),
    ],
)
def test_a_box_of_a_task_list_is_done_when_it_has_an_x_whatever_its_text_says(box: str, state: State) -> None:
    plan = read(PlanSource("/p/" + _CHANGE, f"## 1. Core\n- [ ] 1.0 first\n{box}\n"))
    assert [item.state for phase in plan.phases for item in phase.items] == [State.TODO, state]


@pytest.mark.parametrize("line", ["- [a](b.md)", "- [1][2] see", "- ✅ 1.1 shipped", "[x] 1.1 no bullet"])
def test_what_the_tool_takes_for_no_box_is_none_in_its_list(line: str) -> None:
    plan = read(PlanSource("/p/" + _CHANGE, f"## 1. Core\n- [ ] 1.0 first\n- [x] 1.1 second\n\n{line}\n"))
    assert [len(phase.items) for phase in plan.phases] == [2]


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("Icebox", PlanStatus.NOT_STARTED),
        ("Awaiting Merge", PlanStatus.IN_PROGRESS),
        ("Done", PlanStatus.COMPLETE),
        ("released to all", PlanStatus.COMPLETE),
        ("Elsewhere", PlanStatus.UNKNOWN),
    ],
)
def test_the_statuses_of_backlog_are_those_of_the_project(tmp_path: Path, status: str, expected: PlanStatus) -> None:
    config = 'statuses: ["Icebox", "To Do", "In Progress", "Awaiting Merge", "Done", "Released to all"]\n'
    task = f"---\nid: TASK-1\ntitle: Make it\nstatus: {status}\n---\n\n## Acceptance Criteria\n- [ ] #1 one\n"
    _write(tmp_path, {".git/HEAD": "", "backlog/config.yml": config, "backlog/tasks/task-1 - Make-it.md": task})
    assert open_plan(str(tmp_path / "backlog/tasks/task-1 - Make-it.md")).status is expected
