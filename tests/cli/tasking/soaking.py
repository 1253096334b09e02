"""Cases of a test that only the long suites run: one of its kind is enough for every day."""

import pytest
from _pytest.mark.structures import ParameterSet


def soak(*values: object) -> ParameterSet:
    """A case for `make soak`."""
    return pytest.param(*values, marks=pytest.mark.soak)
