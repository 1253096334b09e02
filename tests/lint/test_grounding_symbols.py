"""Symbols: resolved by the words of the tree, reported where the plan leans on them."""

import pytest

from planrail.plans.lint.document import Severity
from tests.lint.linting import in_phase, messages, problems_of
from tests.support.tables import read_table

FILES = {
    "src/accounts.py": "class UserService:\n    def find_user(self): ...\n\ndef load_config(): ...\n",
    "src/parser.py": "def parse_line(): ...\n",
    "web/client.ts": "export function fetchOrders() {}\n",
}


def _severities(line: str) -> list[Severity]:
    found = problems_of(in_phase(line), files=FILES)
    return [problem.severity for problem in found if problem.rule == "grounding"]


@pytest.mark.parametrize("line", read_table("lint/tables/symbols", "treated as there"))
def test_a_missing_symbol_that_is_changed_or_said_to_exist_is_an_error(line: str) -> None:
    assert _severities(line) == [Severity.ERROR]


@pytest.mark.parametrize("line", read_table("lint/tables/symbols", "not sure"))
def test_where_that_is_not_sure_it_is_a_warning(line: str) -> None:
    assert _severities(line) == [Severity.WARNING]


@pytest.mark.parametrize("line", read_table("lint/tables/symbols", "there"))
def test_what_occurs_in_the_tree_is_found(line: str) -> None:
    assert _severities(line) == []


@pytest.mark.parametrize("line", read_table("lint/tables/symbols", "made by the plan"))
def test_what_the_plan_makes_is_not_broken(line: str) -> None:
    assert _severities(line) == []


@pytest.mark.parametrize("code", read_table("lint/tables/symbols", "no code"))
def test_what_does_not_look_like_code_of_the_repository_is_not_looked_up(code: str) -> None:
    assert _severities(f"- [ ] Modify `{code}`") == []


def test_the_closest_name_is_suggested() -> None:
    (message,) = messages("grounding", in_phase("- [ ] Fix `load_confg()`"), files=FILES)
    assert message == "`load_confg()`: nothing in the repository is named load_confg; closest: load_config"


def test_the_plan_itself_proves_nothing() -> None:
    text = in_phase("- [ ] Modify `OrderService`, since OrderService is slow")
    assert len(messages("grounding", text, files=FILES)) == 1


def test_finished_work_is_not_looked_up() -> None:
    assert _severities("- [x] Modify `OrderService`") == []
