"""The rows of `cases/execution.jsonl` that speak about reading and setting a status.

Where a row's note begins with "bug:", its program was wrong, and planrail does what the note asks for.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from planrail.cli.main import main
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource

_CASES = Path(__file__).parents[3] / "shared" / "cases" / "execution.jsonl"

# What planrail does where the original has a bug, or where it takes fewer liberties.
_RIGHT = {
    "B0463": (0, {"[NOT STARTED]\n### Phase 3": "[COMPLETED]\n### Phase 3"}),  # `done` is a status
    "B0464": (0, {"[NOT STARTED]": "[COMPLETED]"}),  # the bracketed word of the title stays
    "B0465": (0, {"No marker": "No marker [COMPLETED]"}),  # a heading without a mark gets one
    "B0466": (0, {"[NOT STARTED]": "[COMPLETED]"}),  # the other tag stays
}
_EXIT_CODES = {"B0462": 2}  # a phase that is not there is a mistake in the call


def _cases(kind: str) -> list[Any]:
    if not _CASES.is_file():
        return []
    rows = [json.loads(line) for line in _CASES.read_text("utf-8").splitlines()]
    return [pytest.param(row, id=row["id"]) for row in rows if row["kind"] == kind]


@pytest.mark.parametrize("case", _cases("remaining_row"))
def test_a_tracker_row_that_is_not_done_remains(case: dict[str, Any]) -> None:
    row: str = case["in"]["row"]
    columns = ["Phase", "Status", "Commit", "Notes"][: row.replace("\\|", "").count("|") - row.startswith("|")]
    if not row.startswith("|"):
        columns = ["Phase", "Status"]
    header = "| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|\n"
    known = "| 9 — Z | ✅ Done |" + " |" * (len(columns) - 2) + "\n"
    text = header + known + row + "\n" if row.startswith("|") else row + "\n"
    remaining = [phase for phase in read(PlanSource("plan.md", text)).phases if not phase.status.is_terminal]
    assert len(remaining) == case["out"]["intended_counts"]


@pytest.mark.parametrize("case", _cases("phase_status"))
def test_the_status_of_a_phase_is_set_in_its_heading(case: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    before, wanted = case["in"], case["out"]
    path.write_bytes(before["plan"].encode())
    code, changes = _RIGHT.get(case["id"], (_EXIT_CODES.get(case["id"], wanted["rc"]), None))
    assert main(["set", str(path), before["phase"], before["status"].lower()]) == code
    expected = wanted["plan"]
    if changes is not None:
        [(old, new)] = changes.items()
        expected = before["plan"].replace(old, new)
    assert path.read_bytes().decode() == expected
