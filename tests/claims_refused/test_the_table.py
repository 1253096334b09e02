"""The document says what the tests do."""

import ast
from pathlib import Path

from tests.claims_refused.table import read_attempts, read_parts, render

HERE = Path(__file__).parent
DOCUMENT = HERE.parent.parent / "docs" / "evidence.md"
_OTHERS = ("test_control.py", "test_decisions.py", "test_the_table.py")


def test_every_attempt_is_in_the_table_and_every_row_is_an_attempt() -> None:
    made = [name for path in HERE.glob("test_*.py") if path.name not in _OTHERS for name in _tests_in(path)]
    assert sorted(made) == sorted(read_attempts())
    assert len(made) == len(set(made))


def test_the_document_shows_the_table() -> None:
    assert render() in DOCUMENT.read_text(encoding="utf-8")


def test_what_is_not_withstood_says_so_in_the_name_of_its_test() -> None:
    rows = [row for part in read_parts().values() for row in part]
    assert {row.test for row in rows if not row.stands} == {row.test for row in rows if "not_withstood" in row.test}


def _tests_in(path: Path) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
