"""A queue to test: in both databases, with a clock that the test turns and steps that die where the test says."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planrail.runs.request.requests import RunRequest
from planrail.store.ledger import open_team_tables
from planrail.store.tables import Tables, open_file
from planrail.team.dispatch import Dispatch
from planrail.team.queue_rows import read
from planrail.team.queueing import ScheduleRow, Submission, SubmissionRequest, WorkerRow, decide_rest

EMBEDDED, TEAM = "embedded", "team"


class Died(BaseException):
    """The process is gone: nothing catches this."""


class StageTables(Tables):
    """Tables with the test's own clock, which die before the statement with a number (0: never)."""

    def __init__(self, tables: "Tables", at: float = 1_000_000.0) -> None:
        self.inner, self.repository, self.is_shared = tables, tables.repository, tables.is_shared
        self.at = at
        self.dies_in = 0
        self.may_judge = True
        self.woken: list[str] = []

    def close(self) -> None:
        self.inner.close()

    def now(self) -> float:
        return self.at

    def judge_at(self) -> float:
        return self.at if self.may_judge else 0.0

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        self._step()
        return self.inner.rows(sql, *values)

    def change(self, sql: str, *values: object) -> int:
        self._step()
        return self.inner.change(sql, *values)

    def refuse_newer(self) -> None:
        self.inner.refuse_newer()

    def nudge(self, sql: str, *values: object) -> int:
        self._step()
        return self.inner.nudge(sql, *values)

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        with self.inner.exclusive():
            yield
            self._step()  # it may die before the commit, too

    def wake(self, worker: str) -> None:
        self.woken.append(worker)
        self.inner.wake(worker)

    def _step(self) -> None:
        if self.dies_in > 0:
            self.dies_in -= 1
            if self.dies_in == 0:
                raise Died


def open_embedded(folder: Path) -> Tables:
    """The ledger in a folder."""
    return open_file(str(folder))


@pytest.fixture(params=[EMBEDDED, TEAM])
def tables(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StageTables]:
    """An empty queue of each kind."""
    if request.param == EMBEDDED:
        with open_embedded(tmp_path / "ledger") as found:
            yield StageTables(found)
        return
    url = request.getfixturevalue("database")
    with open_team_tables(url, "host/team/project") as found:
        yield StageTables(found)


def make(plan: str = "plan", /, **fields: object) -> Submission:
    """A submission; `request` says what was asked for."""
    wish = SubmissionRequest(fields.pop("request", RunRequest(f"{plan}.md")))  # type: ignore[arg-type]
    known: dict[str, Any] = {"id": "", "repository": "", "plan": plan, "path": f"{plan}.md", "wish": wish}
    return Submission(**{**known, **fields})


def make_schedule(plan: str = "plan", /, **fields: object) -> ScheduleRow:
    """A schedule: every hour, in UTC."""
    known: dict[str, Any] = {"id": "", "repository": "", "plan": plan, "path": f"{plan}.md", "expression": "1h"}
    known |= {
        "cron": "0 * * * *",
        "zone": "UTC",
        "kind": "cron",
        "wish": SubmissionRequest(RunRequest(f"{plan}.md")),
        "next": 0.0,
    }
    return ScheduleRow(**{**known, **fields})


def submit(tables: StageTables, plan: str, **fields: object) -> Submission:
    """Put a plan into the queue, a second after what was before."""
    tables.at += 1
    return Dispatch(tables).submit(make(plan, **fields))


def give_sign(tables: StageTables, worker: str = "w1", host: str = "here", slots: int = 4) -> None:
    """The sign of life of a worker."""
    Dispatch(tables).save_worker(WorkerRow(worker, host, 7, "{}", slots))


def take(tables: StageTables, host: str = "here") -> Submission | None:
    """The next one, for the worker `w1`, which has just given a sign of life."""
    tables.at += 1
    give_sign(tables, host=host)
    return Dispatch(tables).take("w1", "{}", host)


def taken(tables: StageTables, host: str = "here") -> str:
    """The plan of the next one; "" where there is none."""
    found = take(tables, host)
    return found.plan if found is not None else ""


def finish(tables: StageTables, row: Submission, ending: str, until: float = 0.0) -> Submission | None:
    """End a turn the way a run ended."""
    tables.at += 1
    rest = decide_rest(ending, until, now=tables.now(), tries=row.tries, said=ending)
    Dispatch(tables.inner).name_run(row.id, "r1")
    return Dispatch(tables).rest(row.id, row.worker, rest)


def list_all(tables: Tables) -> tuple[list[Submission], list[ScheduleRow]]:
    """All rows, ended or not."""
    return read(tables, Submission, "ORDER BY submitted, id"), read(tables, ScheduleRow, "ORDER BY next, id")
