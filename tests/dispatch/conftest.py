"""A PostgreSQL for the stages, and failures of the suite that say what was compared."""

import sys

import pytest

from tests.postgres import on_dbos as on_dbos
from tests.postgres import postgres as postgres

pytest.register_assert_rewrite("planrail.testing.dispatch_conformance", "planrail.testing.dispatch_failures")


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A class may let tests that it has inherited run with the soaks: `soak` has how their names begin."""
    for item in items:
        if isinstance(item, pytest.Function) and item.name.startswith(getattr(item.cls, "soak", ())):
            item.add_marker("soak")


if sys.platform != "linux":
    collect_ignore_glob = ["test_*.py"]  # processes are looked for in /proc
