"""Orders: each phase with its own words, work items, criteria, scripts and checks, exactly as the plan has them."""

import pytest

from planrail.base.records import replace
from planrail.base.run_model import CheckOrder, Execution, PhaseOrder
from planrail.base.values import pack, unpack
from planrail.plans.canonical.canonical import canonicalise
from planrail.plans.execution.executions import (
    find_stray_blocks,
    find_ui_words,
    is_ui_phase,
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


def test_a_phase_has_its_own_items_criteria_scripts_and_checks() -> None:
    orders = _orders(PLAN)
    assert orders["1"].items == ("write hello.txt", "with a newline")
    assert orders["1"].criteria == ("`test -f hello.txt` passes", "it is friendly")
    assert orders["1"].scripts == ("echo hello > hello.txt",)
    assert orders["1"].checks == (
        CheckOrder("grep -q hello hello.txt", 18, "block"),
        CheckOrder("test -f hello.txt", 23, "criterion"),
    )
    assert (orders["2"].items, orders["2"].criteria) == (("add a button", "remove another"), ("both are seen",))
    assert orders["1"].execution == Execution("delegate", "/draft-plan", "plans/X.md fast")
    assert orders["2"].execution == Execution("direct")
    assert orders["3"].execution == Execution("workspace")
    assert {name: order.is_ui for name, order in orders.items()} == {"1": False, "2": True, "3": False}
    assert unpack(pack(tuple(orders.values()))) == tuple(orders.values())


def test_one_phase_can_be_ordered_alone_and_has_the_hash_that_an_approval_holds() -> None:
    plan = read(PlanSource("plan.md", PLAN))
    assert order_phase(plan, plan.phases[1], PLAN) == _orders(PLAN)["2"]
    hashes = {part.key: part.hash for part in canonicalise(plan, PLAN).phases}
    assert {order.id: order.canonical for order in order_phases(plan, PLAN)} == hashes


def test_an_entry_of_a_list_has_the_blocks_under_it_with_the_lines_of_the_file() -> None:
    text = "# L\n\n- [ ] one\n  ```sh run\n  echo 1 > x\n  ```\n  ```sh check\n  test -f x\n  ```\n- [ ] two\n"
    orders = _orders(text)
    assert orders["1"].scripts == ("echo 1 > x",)
    assert orders["1"].checks == (CheckOrder("test -f x", 7, "block"),)
    assert not orders["2"].scripts


def test_a_criterion_has_the_commands_that_it_names_and_those_in_a_block_under_it() -> None:
    block = "\n  ```sh check\n  test -s a\n  ```\n"
    text = (
        f"# P\n\n## Phase 1: A\n\n### Acceptance Criteria\n\n- `make` passes\n- it is whole\n{block}- it is friendly\n"
    )
    assert _orders(text)["1"].proofs == ((("make", ""),), (("test -s a", ""),), ())


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
    assert order.text
    assert order.canonical


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


def test_a_phase_that_names_a_part_of_the_interface_touches_it_and_other_words_do_not() -> None:
    named = "two toolbars; `EditorPanel.tsx`; main_menu.py; src/ui/app.ts; styles/site.less; Dark-mode; a.css; the UI"
    assert [text for text in named.split("; ") if not is_ui_phase(text)] == []
    other = "build the guide; panelist; documentation; coding styles; editorial; quick; No UI changes"
    assert [text for text in other.split("; ") if is_ui_phase(text)] == []
    assert find_ui_words("a Button, a button and a menu") == ("button", "menu")


def test_blocks_that_stand_in_no_phase_are_found() -> None:
    stray = "# Plan\n\n```sh check\ntrue\n```\n\n```sh\nls\n```\n\n## Phase 1: A\n\n```sh run\nls\n```\n"
    assert find_stray_blocks(read(PlanSource("plan.md", stray)), stray) == [3]
    listed = "# Plan\n\n- [ ] Phase 1\n\n## More\n\n```sh check\ntrue\n```\n"
    assert find_stray_blocks(read(PlanSource("plan.md", listed)), listed) == []
