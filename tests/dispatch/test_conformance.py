"""planrail's own adapters keep what the port promises."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from planrail.store.claim_rules import BEAT, LEASE
from planrail.team.dispatch import Dispatch
from planrail.team.holding import Holding
from planrail.testing.dispatch_conformance import DispatchConformance
from planrail.testing.dispatch_failures import FailureConformance
from planrail.testing.dispatch_port import DispatchPort, Hold
from planrail.testing.dispatch_stage import DispatchStage
from tests.dispatch.stages import EmbeddedStage, FakeStage, PostgresStage
from tests.support.postgres_server import PostgresServer


class TestEmbedded(DispatchConformance):
    @pytest.fixture
    def stage(self, tmp_path: Path) -> Iterator[DispatchStage]:
        with contextlib.closing(EmbeddedStage(tmp_path)) as stage:
            yield stage


class TestFake(DispatchConformance):
    @pytest.fixture
    def stage(self, tmp_path: Path) -> Iterator[DispatchStage]:
        with contextlib.closing(FakeStage(tmp_path)) as stage:
            yield stage


class TestPostgres(DispatchConformance):
    @pytest.fixture
    def stage(self, tmp_path: Path, postgres: PostgresServer) -> Iterator[DispatchStage]:
        with contextlib.closing(PostgresStage(tmp_path, postgres)) as stage:
            yield stage


@pytest.mark.soak
class TestPostgresAtItsOwnPace(FailureConformance):
    """With the leases that teams have."""

    @pytest.fixture
    def stage(self, tmp_path: Path, postgres: PostgresServer) -> Iterator[DispatchStage]:
        with contextlib.closing(PostgresStage(tmp_path, postgres)) as stage:
            stage.lease, stage.beat = LEASE, BEAT
            yield stage


class TestDbos(DispatchConformance):
    """Turns by DBOS. Leases, stops, limits and budgets are those of the rows: they are shown above, and soak here."""

    soak = (
        *("test_02_05", "test_03", "test_04", "test_05_a_stop_that_races"),
        *("test_07_both", "test_07_plans", "test_09", "test_10_a_submission"),
    )

    @pytest.fixture
    def stage(self, tmp_path: Path, postgres: PostgresServer, on_dbos: str) -> Iterator[DispatchStage]:
        with contextlib.closing(PostgresStage(tmp_path, postgres, on_dbos)) as stage:
            yield stage


def _has_the_shape(dispatch: Dispatch, hold: Holding) -> tuple[DispatchPort, Hold]:
    """For mypy."""
    return dispatch, hold
