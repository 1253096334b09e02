"""Tables of cases in text files: a new case needs no code."""

import json
from pathlib import Path
from typing import Any

_TESTS = Path(__file__).parents[1]


def read_table(file: str, heading: str) -> list[Any]:
    """The rows under a heading (`## …`) of a file: a row on a line, columns parted by ` ⇒ `, or JSON after `json:`."""
    _, _, rest = (_TESTS / f"{file}.txt").read_text("utf-8").partition(f"## {heading}\n")
    rows = [_row(line) for line in rest.partition("\n## ")[0].split("\n") if line]
    assert rows, f"{file}.txt has no rows under {heading}"
    return rows


def _row(line: str) -> Any:
    if line.startswith("json:"):
        value = json.loads(line[5:])
        return tuple(value) if isinstance(value, list) else value
    columns = line.split(" ⇒ ")
    return columns[0] if len(columns) == 1 else tuple(columns)
