"""Rows that only `make soak` runs, beside those that stand for them in the shorter lanes."""

from collections.abc import Iterable
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet


def soak(*row: Any) -> Any:
    """A row of parameters for `make soak` alone."""
    return pytest.param(*row, marks=pytest.mark.soak)


def sampled(rows: Iterable[Any], *kept: Any) -> list[Any]:
    """All these rows, each of one parameter or a tuple of several; but for the kept ones in `make soak` alone."""
    return [row if row in kept else soak(*(row if isinstance(row, tuple) else (row,))) for row in rows]


def one_in(step: int, rows: Iterable[Any]) -> list[Any]:
    """All these rows of one parameter: one in so many for `make test`, the others from `make test-all` on."""
    sets = [row if isinstance(row, ParameterSet) else pytest.param(row) for row in rows]
    others = [pytest.param(*row.values, marks=[*row.marks, pytest.mark.full], id=row.id) for row in sets]
    return [others[at] if at % step else row for at, row in enumerate(sets)]
