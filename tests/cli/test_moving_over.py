"""Does the page for those who come from another tool have every row of the lists of what these tools do?"""

import re
from pathlib import Path

_PAGE = Path(__file__).parents[2] / "docs" / "moving-over.md"
_ROW = re.compile(r"^\| (?P<id>(?:SM-|PS-|PM-|T)?\d+) \|", re.MULTILINE)
_CELL = re.compile(r"^\| (?P<ids>(?:(?:SM-|PS-|PM-|T)?\d+(?:, |-|(?= \|)))+) \|", re.MULTILINE)
_RANGE = re.compile(r"(?P<kind>\D*?)(?P<first>\d+)(?:-\D*?(?P<last>\d+))?")


def _expand(cell: str) -> set[str]:
    """`SM-02-SM-04, SM-08` is four rows."""
    found = set()
    for part in cell.split(", "):
        match = _RANGE.fullmatch(part)
        assert match, part
        last, width = int(match["last"] or match["first"]), len(match["first"]) if "-" in match["kind"] else 0
        found |= {f"{match['kind']}{number:0{width}}" for number in range(int(match["first"]), last + 1)}
    return found


def test_a_range_of_rows_is_read_as_all_of_them() -> None:
    assert _expand("SM-08-SM-10, 7, T9-T10") == {"SM-08", "SM-09", "SM-10", "7", "T9", "T10"}


def test_the_page_has_every_row_of_the_predecessors(shared: Path) -> None:
    lists = [(shared / "reference" / name).read_text("utf-8") for name in ("execution.md", "in-session.md")]
    behaviours = [text.partition("\n# (b) ")[0] for text in lists]  # what follows are failures, not behaviours
    rows = {found["id"] for text in behaviours for found in _ROW.finditer(text)}
    told = {name for found in _CELL.finditer(_PAGE.read_text("utf-8")) for name in _expand(found["ids"])}
    assert len(rows) > 250
    assert told == rows


def test_the_page_tells_each_row_once() -> None:
    told = [name for found in _CELL.finditer(_PAGE.read_text("utf-8")) for name in _expand(found["ids"])]
    assert sorted(name for name in told if told.count(name) > 1) == []
