"""How long a property is searched for a counterexample: a few fixed examples in the ordinary run, many in `make soak`."""

from collections.abc import Callable
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")

each_effort = pytest.mark.parametrize("effort", ["sample", pytest.param("soak", marks=pytest.mark.soak)])


def search(effort: str, examples: SearchStrategy[T], promise: Callable[[T], None]) -> None:
    """Try to break a promise with generated examples."""

    @settings(settings.get_profile(effort))
    @given(examples)
    def holds(example: T) -> None:
        promise(example)

    holds()
