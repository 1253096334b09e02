"""A password that work adds is found where nobody can take it for an example."""

import pytest

from planrail.runs.evidence.secrets import find_assigned
from tests.support.tables import read_table

_VALUE = "hT7qLw92ZxPk4v"


@pytest.mark.parametrize(("path", "line"), read_table("runs/tables/assigned_secrets", "secrets"))
def test_a_generated_value_of_a_secret_name_is_found(path: str, line: str) -> None:
    text = f"first\n{line}\nlast\n"
    found = list(find_assigned(path, text))
    assert [text[one.start : one.start + len(one.value)] for one in found] == [one.value for one in found]
    assert len(found) == 1


@pytest.mark.parametrize(("path", "line"), read_table("runs/tables/assigned_secrets", "none"))
def test_what_stands_for_a_secret_is_none(path: str, line: str) -> None:
    assert not list(find_assigned(path, line))
