"""A PostgreSQL for the tests of this folder. They share one database, which each test finds empty."""

from collections.abc import Iterator

import pytest

from tests.postgres import database as own_database  # noqa: F401 - a fixture: without any tables
from tests.postgres import forget_teams
from tests.postgres import postgres as postgres
from tests.support.postgres_server import PostgresServer


@pytest.fixture(scope="session")
def prepared(postgres: PostgresServer) -> str:
    """The name of a database with all tables."""
    from planrail.store.postgres.migrations import prepare

    name = postgres.create_database()
    with postgres.admin(name) as connection:
        prepare(connection)
    return name


@pytest.fixture
def database(postgres: PostgresServer, prepared: str) -> Iterator[str]:
    """The address of a database without rows. Who changes a table, and not only its rows, takes `own_database`."""
    from planrail.store.postgres.connections import close_idle

    yield postgres.url(prepared)
    close_idle()
    forget_teams()
    with postgres.admin(prepared) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        connection.execute("SET session_replication_role = replica")  # facts refuse to be removed
        tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'planrail' AND tablename <> 'migrations'"
        for (table,) in connection.execute(tables).fetchall():
            connection.execute(f"DELETE FROM planrail.{table}".encode())
