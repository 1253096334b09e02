"""The stages of planrail's own adapters: the embedded ledger, rows in PostgreSQL, and those with turns by DBOS."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from planrail.base.records import replace
from planrail.base.state_folder import state_folder
from planrail.store.postgres.connections import close_idle
from planrail.store.team import NAME_VARIABLE, VARIABLE
from planrail.team.dispatch import Dispatch
from planrail.team.engines import open_dispatch, open_team_dispatch
from planrail.testing.dispatch_stage import DIES, HANGS, REPOSITORY, DispatchStage, run_worker
from planrail.testing.dispatch_worker import WorkerOrder
from tests.conftest import ROOT
from tests.dispatch.fake import FakeDispatch
from tests.support.postgres_server import PostgresServer
from tests.support.wire import Wire


class EmbeddedStage(DispatchStage):
    """The ledger of a repository: one machine, whose workers people wake by their socket."""

    is_shared = False

    def open(self, repository: str = REPOSITORY) -> Dispatch:
        return open_dispatch(str(self.folder))

    def order_worker(self, order: WorkerOrder) -> tuple[list[str], dict[str, str]]:
        return run_worker(replace(order, root=str(self.folder))), self.describe_commands()

    def describe_commands(self) -> dict[str, str]:
        return {"PLANRAIL_STATE_DIR": state_folder()}

    def take_away(self, how: str) -> None:
        pytest.skip("the store is on the machine itself")

    def bring_back(self) -> None: ...

    def lose_answer(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def count_transactions(self) -> int:
        pytest.skip("a file has no connections, and its transactions cost nothing to others")

    def count_connections(self) -> int:
        return self.count_transactions()


class FakeStage(EmbeddedStage):
    """The fake, on one machine."""

    def open(self, repository: str = REPOSITORY) -> FakeDispatch:  # type: ignore[override]
        return FakeDispatch(str(self.folder / "book.json"))

    def order_worker(self, order: WorkerOrder) -> tuple[list[str], dict[str, str]]:
        command = [sys.executable, "-m", "tests.dispatch.fake", str(self.folder / "book.json"), str(order.slots)]
        return command, {"PYTHONPATH": str(ROOT)}

    def describe_commands(self) -> dict[str, str]:
        pytest.skip("planrail has no command for it")


class PostgresStage(DispatchStage):
    """Rows in PostgreSQL, behind two wires: that of people, and that of workers."""

    def __init__(self, folder: Path, server: PostgresServer, template: str = "template1") -> None:
        super().__init__(folder)
        self.server, self.name = server, server.create_database(template)
        self.people, self.workers = (Wire(server.port, is_postgres=True) for _ in range(2))

    def url(self, wire: Wire) -> str:
        """The database by a wire."""
        return f"postgresql://postgres@127.0.0.1:{wire.port}/{self.name}?sslmode=disable&gssencmode=disable"

    def open(self, repository: str = REPOSITORY) -> Dispatch:
        return open_team_dispatch(self.url(self.people), repository)

    def order_worker(self, order: WorkerOrder) -> tuple[list[str], dict[str, str]]:
        return run_worker(replace(order, url=self.url(self.workers))), {}

    def describe_commands(self) -> dict[str, str]:
        return {VARIABLE: self.url(self.people), NAME_VARIABLE: REPOSITORY}

    def take_away(self, how: str) -> None:
        if how == DIES:
            self.server.kill()
        for wire in (self.people, self.workers) if how != DIES else ():
            wire.hang() if how == HANGS else wire.cut()

    def bring_back(self) -> None:
        for wire in (self.people, self.workers):
            wire.repair()
        if not self.server.is_running:
            self.server.start()

    @contextlib.contextmanager
    def lose_answer(self) -> Iterator[None]:
        self.people.lose("COMMIT")
        yield
        assert self.people.lost == 1

    def count_transactions(self) -> int:
        return self.people.transactions + self.workers.transactions

    def count_connections(self) -> int:
        return self.workers.connections

    def close(self) -> None:
        super().close()
        close_idle()
        for wire in (self.people, self.workers):
            wire.close()
        self.server.drop_database(self.name)
