"""Orders: each phase with its own words, work items, criteria, scripts and checks, exactly as the plan has them."""

import pytest

from planrail.base.records import replace
from planrail.base.run_model import CheckOrder, Execution, PhaseOrder
from planrail.base.values import pack, unpack
from planrail.plans.canonical.canonical import canonicalise
from planrail.plans.execution.executions import (
    find_stray_blocks,
    list_commands,
    order_phase,
    order_phases,
    refuse_execution,
    refuse_runbook,
    work_of,
)
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource

PLAN = """# Plan

| Phase | Status | Depends |
|---|---|---|
| 1 | ⬚ | — |
| 2 | ⬚ | 1 |
| 3 | ⬚ |  |

## Phase 1 — Greet
### Execution: delegate /draft-plan plans/X.md fast
- [ ] write hello.txt
  - [ ] with a newline

```sh run
echo hello > hello.txt
```

```sh check
grep -q hello hello.txt
```

### Acceptance Criteria
- `test -f hello.txt` passes
- it is friendly

## Phase 2 — Toolbar
**Execution:** direct

- add a button
- remove another

Success criteria:
- both are seen

## Phase 3 — Rest
Some words.
"""


def _orders(text: str, path: str = "plan.md") -> dict[str, PhaseOrder]:
    return {order.id: order for order in order_phases(read(PlanSource(path, text)), text)}


def test_a_phase_has_its_own_words_verbatim() -> None:
    orders = _orders(PLAN)
    for order in orders.values():
        assert order.text in PLAN
    assert orders["1"].text.startswith("## Phase 1 — Greet\n")
    assert orders["1"].text.endswith("- it is friendly")
    assert orders["3"].text == "## Phase 3 — Rest\nSome words."


def test_boxes_are_work_items_and_nested_ones_too() -> None:
    assert _orders(PLAN)["1"].items == ("write hello.txt", "with a newline")


def test_a_phase_without_boxes_has_the_points_of_its_lists() -> None:
    order = _orders(PLAN)["2"]
    assert order.items == ("add a button", "remove another")
    assert order.criteria == ("both are seen",)


def test_criteria_need_no_box() -> None:
    assert _orders(PLAN)["1"].criteria == ("`test -f hello.txt` passes", "it is friendly")


def test_scripts_and_checks_are_taken_from_their_blocks_and_criteria() -> None:
    order = _orders(PLAN)["1"]
    assert order.scripts == ("echo hello > hello.txt",)
    assert order.checks == (
        CheckOrder("grep -q hello hello.txt", 18, "block"),
        CheckOrder("test -f hello.txt", 23, "criterion"),
    )


def test_an_entry_of_a_list_has_the_blocks_under_it_with_the_lines_of_the_file() -> None:
    text = "# L\n\n- [ ] one\n  ```sh run\n  echo 1 > x\n  ```\n  ```sh check\n  test -f x\n  ```\n- [ ] two\n"
    orders = _orders(text)
    assert orders["1"].scripts == ("echo 1 > x",)
    assert orders["1"].checks == (CheckOrder("test -f x", 7, "block"),)
    assert not orders["2"].scripts


def test_the_hash_is_the_one_that_an_approval_holds() -> None:
    plan = read(PlanSource("plan.md", PLAN))
    hashes = {part.key: part.hash for part in canonicalise(plan, PLAN).phases}
    assert {order.id: order.canonical for order in order_phases(plan, PLAN)} == hashes


def test_an_order_can_be_written_down() -> None:
    orders = tuple(_orders(PLAN).values())
    assert unpack(pack(orders)) == orders


def test_one_phase_can_be_ordered_alone() -> None:
    plan = read(PlanSource("plan.md", PLAN))
    assert order_phase(plan, plan.phases[1], PLAN) == _orders(PLAN)["2"]


@pytest.mark.parametrize("name", ["tasks.json", "sprint.yaml"])
def test_tasks_of_other_tools_become_orders(name: str) -> None:
    text = {
        "tasks.json": '{"tasks": [{"id": 1, "title": "A", "status": "pending", "dependencies": []},'
        ' {"id": 2, "title": "B", "status": "pending", "dependencies": [1]}]}',
        "sprint.yaml": "tasks:\n  - id: 1\n    title: A\n    status: pending\n  - id: 2\n    title: B\n    status: done\n",
    }[name]
    orders = _orders(text, name)
    assert [order.title for order in orders.values()] == ["A", "B"]
    assert all(order.text and order.canonical for order in orders.values())


@pytest.mark.parametrize(
    ("task", "title"),
    [
        ("  - id: 1\n    title: A\n    status: pending\n", "A"),
        ("  - id: 1\n    status: pending\n    details: |\n      Do it.\n      - so\n", "Do it."),
        ("  - id: 1\n    status: pending\n", "1"),
    ],
)
def test_the_syntax_of_a_data_file_is_no_work_item(task: str, title: str) -> None:
    [order] = _orders(f"tasks:\n{task}", "tasks.yaml").values()
    assert (order.title, order.items) == (title, ())


# ---------------------------------------------------------------------------------------------------- what comes first


def test_needs_are_those_stated_none_where_it_says_so_and_all_earlier_ones_else() -> None:
    orders = _orders(PLAN)
    assert [orders[name].depends_on for name in "123"] == [(), ("1",), ("1", "2")]


@pytest.mark.parametrize("line", ["**Depends on**: none", "Depends on: —", "### Dependencies\n- None."])
def test_a_phase_that_says_it_needs_nothing_needs_nothing(line: str) -> None:
    text = f"## Phase 1 — A\n- [ ] a\n\n## Phase 2 — B\n{line}\n\n- [ ] b\n"
    assert _orders(text)["2"].depends_on == ()


def test_nobody_waits_for_a_blocked_phase_without_saying_so() -> None:
    text = "## Phase 1 — A [BLOCKED]\n- [ ] a\n\n## Phase 2 — B [NOT STARTED]\n- [ ] b\n"
    assert _orders(text)["2"].depends_on == ()


# ----------------------------------------------------------------------------------------------------- how it is done


def test_a_phase_says_how_it_is_carried_out() -> None:
    orders = _orders(PLAN)
    assert orders["1"].execution == Execution("delegate", "/draft-plan", "plans/X.md fast")
    assert orders["2"].execution == Execution("direct")
    assert orders["3"].execution == Execution("workspace")


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("### Execution: worktree", "workspace"),
        ("### Execution: `Direct`", "direct"),
        ("### Execution: running the migration", "workspace"),
        ("Execution: delegate", "delegate"),
    ],
)
def test_words_for_the_manner_of_execution(heading: str, kind: str) -> None:
    assert _orders(f"## Phase 1 — A\n{heading}\n\n- [ ] a\n")["1"].execution.kind == kind


def test_direct_work_and_pull_requests_are_not_mixed() -> None:
    assert refuse_execution(Execution("direct"), "pr")
    assert not refuse_execution(Execution("direct"), "cherry-pick")
    assert not refuse_execution(Execution("delegate", "x"), "pr")
    assert refuse_execution(Execution("delegate"), "pr")


def test_a_runbook_needs_a_script_and_a_check() -> None:
    orders = _orders(PLAN)
    assert not refuse_runbook(orders["1"])
    assert "sh run" in refuse_runbook(orders["3"])
    text = "## Phase 1 — A\n- [ ] a\n\n```sh run\ntrue\n```\n"
    assert "no check" in refuse_runbook(_orders(text)["1"])


def test_phases_that_people_see_are_known() -> None:
    assert {name: order.is_ui for name, order in _orders(PLAN).items()} == {"1": False, "2": True, "3": False}


@pytest.mark.parametrize(
    ("execution", "work"),
    [
        (Execution("delegate", "./deploy.sh", "now"), ("./deploy.sh now",)),
        (Execution("delegate", "./deploy.sh"), ("./deploy.sh",)),
        (Execution("delegate", "/draft-plan"), ("echo",)),
        (Execution("workspace", "./deploy.sh"), ("echo",)),
    ],
)
def test_what_does_a_phase_is_the_program_it_is_delegated_to_or_its_scripts(
    execution: Execution, work: tuple[str, ...]
) -> None:
    phase = replace(_orders(PLAN)["1"], execution=execution, scripts=("echo",))
    assert work_of(phase) == work
    assert list_commands(phase) == (*work, *phase.fixes, *(check.command for check in phase.checks))


def test_blocks_that_stand_in_no_phase_are_found() -> None:
    stray = "# Plan\n\n```sh check\ntrue\n```\n\n```sh\nls\n```\n\n## Phase 1: A\n\n```sh run\nls\n```\n"
    assert find_stray_blocks(read(PlanSource("plan.md", stray)), stray) == [3]
    listed = "# Plan\n\n- [ ] Phase 1\n\n## More\n\n```sh check\ntrue\n```\n"
    assert find_stray_blocks(read(PlanSource("plan.md", listed)), listed) == []
