"""A plan that is a list right under its title, with a verification below: the entries are its steps."""

import pytest

from planrail.plans.execution.executions import order_phases
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource

_CHECKED = "## Verification\n\n- `npm test` passes\n"
_COUNTED = "1. Write a cache\n   - with a limit\n2. Use it\n"


def _titles(text: str) -> list[str]:
    return [phase.title for phase in read(PlanSource("/p/plan.md", text)).phases]


@pytest.mark.parametrize(
    ("entries", "titles"),
    [
        (_COUNTED, ["Write a cache", "Use it"]),
        ("We are slow.\n\n- Add a cache\n- Call it in `app.py`\n", ["Add a cache", "Call it in `app.py`"]),
        ("- It is slow\n- Nobody likes it\n", []),
        ("1. Write all of it\n", []),
        ("1. [Setup](#setup)\n2. [Use](#use)\n", []),
    ],
)
def test_entries_that_are_counted_or_say_what_is_done_are_steps(entries: str, titles: list[str]) -> None:
    assert _titles(f"# A cache\n\n{entries}\n{_CHECKED}") == titles


def test_the_commands_of_the_verification_prove_the_last_of_them() -> None:
    text = f"# A cache\n\n{_COUNTED}\n{_CHECKED}"
    orders = order_phases(read(PlanSource("/p/plan.md", text)), text)
    assert [check.command for check in orders[-1].checks] == ["npm test"]


@pytest.mark.parametrize("rest", ["", "## Usage\n\nType it.\n", "## Verification\n", f"## Usage\n\nSo.\n\n{_CHECKED}"])
def test_a_list_in_any_other_document_is_none(rest: str) -> None:
    assert not set(_titles(f"# A cache\n\n{_COUNTED}\n{rest}")) & {"Write a cache", "Use it"}
