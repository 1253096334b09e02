"""A PostgreSQL for the stages, and failures of the suite that say what was compared."""

import sys

import pytest

from tests.postgres import on_dbos as on_dbos
from tests.postgres import postgres as postgres

pytest.register_assert_rewrite("planrail.testing.dispatch_conformance", "planrail.testing.dispatch_failures")

if sys.platform != "linux":
    collect_ignore_glob = ["test_*.py"]  # processes are looked for in /proc
