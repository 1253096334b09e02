"""planrail's own adapters keep what the port promises."""

import contextlib
import time
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


@pytest.mark.soak  # what it holds together is the suite
class TestFake(DispatchConformance):
    @pytest.fixture
    def stage(self, tmp_path: Path) -> Iterator[DispatchStage]:
        with contextlib.closing(FakeStage(tmp_path)) as stage:
            yield stage


@pytest.mark.full
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


@pytest.mark.full
class TestDbos(DispatchConformance):
    """Turns by DBOS. Leases, stops, limits and budgets are those of the rows: they are shown above, and soak here."""

    soak = (
        *("test_02_05", "test_03", "test_04", "test_05", "test_06"),
        *("test_07", "test_09", "test_10", "test_11"),
    )

    @pytest.fixture
    def stage(
        self, tmp_path: Path, postgres: PostgresServer, on_dbos: str, request: pytest.FixtureRequest
    ) -> Iterator[DispatchStage]:
        with contextlib.closing(PostgresStage(tmp_path, postgres, on_dbos)) as stage:
            if request.node.originalname.startswith("test_03"):  # with the leases that teams have: it has two pools
                stage.lease, stage.beat = LEASE, BEAT  # that come back one after the other
            yield stage

    @pytest.mark.soak
    def test_10_a_submission_that_is_served_costs_the_same_however_many_workers_are_idle(
        self, stage: DispatchStage
    ) -> None:
        """The one line that DBOS fails as it is written: it asks as long as it is on, so its count is one of time.

        What holds is that one worker asks, as one alone does, and not the crowd.
        """
        stage.lease, stage.beat = 240.0, 60.0
        self.start_idle(stage, 1)
        alone = self.measure_rate(stage, *(f"a{number}" for number in range(5)))
        self.start_idle(stage, 6)
        print("RATE", alone)
        assert self.measure_rate(stage, *(f"b{number}" for number in range(5))) <= 2 * alone

    def measure_rate(self, stage: DispatchStage, *plans: str) -> float:
        """The transactions of a second in which plans are served."""
        begun = time.monotonic()
        return self.count_served(stage, *plans) / (time.monotonic() - begun)


def _has_the_shape(dispatch: Dispatch, hold: Holding) -> tuple[DispatchPort, Hold]:
    """For mypy."""
    return dispatch, hold
