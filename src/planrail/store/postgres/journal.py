"""The journal of a run as rows that a team shares: one row when a step has ended, if the plan still is ours then.

A connection that is lost is made anew, and what was being written is written again: a step is there once. While the
database is away a step goes on; only its end waits.
"""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Mapping

from planrail.base.errors import ToolFailed
from planrail.base.values import pack
from planrail.store.failures import DatabaseGone
from planrail.store.journal import Journal
from planrail.store.postgres import run_rows
from planrail.store.postgres.connections import attempt
from planrail.store.team import Team

_PATIENCE, _GLANCE = 600.0, 5.0  # seconds that the end of a step, and its beginning, wait for the database


class RowJournal(Journal):
    """An open journal; of the process that holds the plan's claim with this fence, of any number of its threads."""

    def __init__(
        self, team: Team, run: str, fence: int, clock: Callable[[], float] = time.time, patience: float = _PATIENCE
    ) -> None:
        self._team, self._run, self._fence = team, run, fence
        self._clock, self._patience = clock, patience
        self._lock, self._beginning = threading.Lock(), threading.Lock()
        if run_rows.load_run_row(team, run) is None:
            raise ToolFailed(f"the run {run} is not in the team's database", remedy="planrail list runs")
        self._results = {step.key: json.loads(step.value) for step in run_rows.load_steps(team, run)}
        self._ours: set[str] = set()
        self._begun: dict[str, float] = {}
        self._is_open = True

    def begin(self, key: str) -> None:
        """A step begins: for people who look. Raises `Fenced` where the plan is known to be another owner's."""
        self._refuse_closed()
        with self._beginning:  # the last one to write knows of all
            self._begun[key] = self._clock()
            given = (self._team, self._run, self._fence, dict(self._begun))
            with contextlib.suppress(DatabaseGone):
                if not attempt(self._team.url, lambda link: run_rows.set_current(link, *given), patience=_GLANCE):
                    raise run_rows.fenced_out(self._run)

    def end(self, key: str, result: object) -> None:
        """A step has ended; when this returns, it will never be done again. Raises `Fenced` where the plan is lost."""
        packed = pack(result)
        self._refuse_closed()
        ended = self._clock()
        self._keep(run_rows.StepRow(key, self._begun.get(key, ended), ended, json.dumps(packed)))
        self._note(key, packed)
        with self._beginning:
            self._begun.pop(key, None)

    def take_in(self, results: Mapping[str, object]) -> None:
        """Add steps that were written down elsewhere, still packed. They are not this process's."""
        for key, packed in results.items():
            if key not in self._results:
                now = self._clock()
                self._keep(run_rows.StepRow(key, now, now, json.dumps(packed)))
                self._results[key] = packed

    def close(self) -> None:
        """What a thread still wants to write is refused from now on."""
        self._is_open = False

    def _keep(self, step: run_rows.StepRow) -> None:
        given = (self._team, self._run, self._fence, step)
        done = attempt(self._team.url, lambda link: run_rows.add_step(link, *given), patience=self._patience)
        if done == run_rows.FENCED:
            raise run_rows.fenced_out(self._run)

    def _refuse_closed(self) -> None:
        if not self._is_open:
            raise ToolFailed(f"the journal of the run {self._run} is closed", remedy="planrail resume")
