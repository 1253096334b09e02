"""A stage for each attempt; nothing that ran on one lives longer than its test."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.register_assert_rewrite("tests.claims_refused.stage")

from tests.claims_refused.stage import Stage  # noqa: E402 - rewritten first

if sys.platform != "linux":
    collect_ignore_glob = ["test_*.py"]  # processes are looked for in /proc


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """A repository with a plan of one phase, an honest implementer and a verifier that says yes to everything."""
    made = Stage(tmp_path / "stage")
    yield made
    made.end()
