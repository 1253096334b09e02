"""The rows of `cases/execution.jsonl` that speak about schedules."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from planrail.base.errors import UsageError
from planrail.team.schedules.expressions import parse_schedule

_CASES = Path(__file__).parents[3] / "shared" / "cases" / "execution.jsonl"
_NOON = datetime(2026, 4, 19, 12, tzinfo=ZoneInfo("Europe/Berlin"))

Case = dict[str, Any]


def _cases(kind: str) -> list[Any]:
    if not _CASES.is_file():
        return []
    rows = [json.loads(line) for line in _CASES.read_text("utf-8").splitlines()]
    return [pytest.param(row, id=row["id"]) for row in rows if row["kind"] == kind]


@pytest.mark.parametrize("case", _cases("schedule"))
def test_a_schedule_becomes_the_cron_expression_of_the_case(case: Case) -> None:
    at = _NOON.replace(minute=case["in"]["minute_now"])
    if case["out"].get("error"):
        with pytest.raises(UsageError) as refused:
            parse_schedule(case["in"]["expr"], at, "Europe/Berlin")
        assert refused.value.remedy
    else:
        assert parse_schedule(case["in"]["expr"], at, "Europe/Berlin").cron == case["out"]["cron"]
