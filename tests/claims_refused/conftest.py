"""A stage for each attempt; nothing that ran on one lives longer than its test."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.register_assert_rewrite("tests.claims_refused.stage")

from tests.claims_refused.stage import Stage  # noqa: E402 - rewritten first
from tests.claims_refused.table import read_attempts  # noqa: E402

if sys.platform != "linux":
    collect_ignore_glob = ["test_*.py"]  # processes are looked for in /proc


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The ordinary run makes a sample of the attempts."""
    attempts = read_attempts()
    for item in items:
        attempt = attempts.get(getattr(item, "originalname", ""))
        if attempt is not None and not attempt.sample and item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.soak)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """A repository with a plan of one phase, an honest implementer and a verifier that says yes to everything."""
    made = Stage(tmp_path / "stage")
    yield made
    made.end()
