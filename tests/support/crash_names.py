"""The names of all instants at which a run can be made to die, as the source has them."""

import re
from pathlib import Path

import planrail

_REACH = re.compile(r'\breach\("([a-z_.]+)"\)')
_DURABLE = ("begun", "done", "recorded")


def read_points() -> set[str]:
    """The names that stand in the source."""
    folder = Path(planrail.__file__).parent
    return {name for path in folder.rglob("*.py") for name in _REACH.findall(path.read_text(encoding="utf-8"))}


def points_of(step: str) -> list[str]:
    """The points of a step that is kept in the journal: before it, after it, and when that is written down."""
    return [f"{step}.{moment}" for moment in _DURABLE]
