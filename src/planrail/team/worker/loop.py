"""The loop of a worker: fire what is due, take what waits, sleep until something happens.

It does nothing while it sleeps: a change of a queue, the end of a run, a signal and a knock wake it, and the next time
that is written down somewhere. It has no threads, so that it can fork.
"""

import contextlib
import importlib
import os
import select
import signal
import time
from collections.abc import Callable
from functools import partial

from planrail import __version__
from planrail.base.errors import PlanrailError
from planrail.base.records import record
from planrail.store.claim_rules import BEAT
from planrail.store.owners import host_identity
from planrail.store.signs import name_worker, note_work
from planrail.team.dispatch import Dispatch
from planrail.team.engines import DBOS, DbosDispatch, choose_engine
from planrail.team.process_notes import describe_self, is_dead
from planrail.team.queueing import ENDED, NOT_BEGUN, Submission, WorkerRow, decide_rest
from planrail.team.waking import answer_one, listen, workers_folder
from planrail.team.worker.logs import Log, name_submission
from planrail.team.worker.processes import GIVE_WAY, Turn, WorkerProcesses, start_aside
from planrail.team.worker.run_homes import end_stopped_run, has_open_runs, prune_homes, recover, tidy_clones
from planrail.team.worker.signals import bounded, hear_signals
from planrail.team.worker.sources import Ears, Source
from planrail.team.worker.turn_engine import TurnEngine

_LEASE_IN_BEATS, _TIDY_IN_BEATS = 2, 6  # how often leases of others, and what is left in clones, are looked at
_PRUNE_AFTER, _PRUNE_EVERY = 600.0, 6 * 3600.0  # seconds until what nobody needs any more is looked for
_QUIET = 60.0  # seconds after which a worker looks even though nobody knocked
_PATIENCE = 2.0  # seconds that a database which is away keeps it from hearing anything else; the next beat tries again
_LONGEST_LOOK = 15.0  # seconds after which a database that has a connection and says nothing counts as away
_APART = 0.25  # seconds between two beginnings: runs that begin together fight for the processor all their life
_MOST_ANSWERS = 8  # before it looks after its work again
_NEVER = float("inf")


@record
class Manners:
    """How a worker works: how much at once, how long a drain may take (seconds)."""

    slots: int = 4
    drain: float = 30.0
    is_once: bool = False  # leave when nothing is left to do now
    engine: str = ""  # what a team's database shall run on; "": what it does


class Worker:
    """A worker at work. `find` tells where work is found now; `turn` carries out a submission."""

    def __init__(self, find: Callable[[], list[Source]], turn: Turn, manners: Manners, log: Log) -> None:
        self._find, self._manners, self._log = find, manners, log
        self._id, self._began = name_worker(), time.time()
        self._processes = WorkerProcesses(self._id, manners.slots, turn, log)
        self._next: dict[Source, float] = {}  # when there is something to do for each queue
        self._broken: dict[Source, str] = {}
        self._engines: dict[Source, TurnEngine] = {}  # of the databases that run on DBOS
        self._aside: list[Callable[[], None]] = []  # what is done in a process of its own, since it takes a while
        self._draining_until: float | None = None
        self._beats: dict[Source, float] = {}  # when its next sign of life is due
        self._start_at = 0.0  # when the next run may be started
        self._prune_at = time.monotonic() + _PRUNE_AFTER
        self._rounds, self._count = 0, os.getpid()  # the looks of many workers are spread over the beats

    def run(self) -> int:
        """Work until the user or the system says that it is enough."""
        with listen() as door, hear_signals() as signals, contextlib.closing(Ears(self._id)) as ears:
            self._door, self._signals, self._ears = door, signals, ears
            self._log.say("ready", f"planrail {__version__}, {self._manners.slots} slots, process {os.getpid()}")
            self._look_for_sources()
            self._look()
            while not self._is_finished():
                self._sleep()
                self._look()
            self._leave()
        return 0

    # ---- what there is to do ----

    def _look(self) -> None:
        note_work()
        if self._processes.reap():
            self._beats.clear()  # a process that ended may have died
        if time.monotonic() >= self._prune_at:
            self._prune_at = time.monotonic() + _PRUNE_EVERY
            self._aside += [partial(prune_homes, source) for source in self._next]
        self._rounds += 1  # every queue, another one first each time
        sources = list(self._next)
        at = self._rounds % max(1, len(sources))
        for source in sources[at:] + sources[:at]:
            if source in self._broken and time.monotonic() < self._beats.get(source, 0.0):
                continue  # it is tried again at its next beat
            try:
                with bounded(_LONGEST_LOOK), source.open(_PATIENCE) as dispatch:
                    taken = self._look_at(source, dispatch)
                while self._aside:  # a process must not inherit an open database: SQLite's locks are by process
                    start_aside(os.path.join(workers_folder(), "aside.log"), self._aside.pop(0), self._doors())
                if taken is not None:
                    self._start(source, taken)
                if self._broken.pop(source, None) is not None:
                    self._log.say("back", source.name)
            except Exception as error:  # whatever is wrong with one queue, the others are served; what runs goes on
                text = error.message if isinstance(error, PlanrailError) else f"{type(error).__name__}: {error}"
                if self._broken.get(source) != text:
                    self._log.say("trouble", f"{source.name}: {text}; it is tried again")
                self._broken[source] = text
                self._beats[source] = self._next[source] = time.monotonic() + BEAT
        with contextlib.suppress(PlanrailError), bounded(_LONGEST_LOOK):
            self._processes.tell_ended()

    def _look_at(self, source: Source, dispatch: Dispatch) -> Submission | None:
        """Do what is due in a queue; what was taken from it, to be started."""
        if time.monotonic() >= self._beats.get(source, 0.0):
            if source.url and self._change_engine(source, dispatch):
                return None  # it is opened anew, by its beat that is due
            self._beat(source, dispatch)
        self._processes.end_stopped(source, dispatch)
        if self._draining_until is None:
            for fired in dispatch.fire_due(dispatch.tables.now()):
                self._log.say("fired", f"{fired.path} ({fired.id})", plan=fired.path)
        room = self._processes.room if self._draining_until is None else 0
        is_early = room > 0 and time.monotonic() < self._start_at
        taken = self._take(source, dispatch, room) if not is_early else None
        due = dispatch.next_due()
        now = time.monotonic()
        self._next[source] = now + max(0.0, due - dispatch.tables.now()) if due is not None else _NEVER
        if taken is not None:
            self._start_at = now + _APART
        if taken is not None or is_early:  # there may be more
            self._next[source] = min(self._next[source], self._start_at)
        return taken

    def _take(self, source: Source, dispatch: Dispatch, room: int) -> Submission | None:
        if isinstance(dispatch, DbosDispatch) and source in self._engines:
            return self._engines[source].take(dispatch, room)
        return dispatch.take(self._id, describe_self(), host_identity()) if room else None

    def _change_engine(self, source: Source, dispatch: Dispatch) -> bool:
        """Have a database run on what this worker was told, where it runs on another engine; whether it did."""
        name = dispatch.engine
        wanted = self._manners.engine or name
        if DBOS in (name, wanted) and source not in self._engines:
            self._engines[source] = TurnEngine(self._id, source.url)
        if name != wanted and wanted == DBOS:
            self._engines[source].prepare(dispatch)
        elif name != wanted:
            choose_engine(dispatch, wanted)
        if wanted != DBOS and source in self._engines:
            self._engines.pop(source).close()
        return name != wanted

    def _start(self, source: Source, taken: Submission) -> None:
        """Start a process for a submission; where the machine cannot, another worker may try."""
        try:
            self._processes.start(source, taken, self._doors())
        except OSError as error:
            self._log.say("trouble", f"{name_submission(taken)} cannot be started here: {error}", plan=taken.path)
            with source.open(_PATIENCE) as dispatch:
                rest = decide_rest(NOT_BEGUN, 0.0, now=dispatch.tables.now(), tries=taken.tries, said=str(error))
                dispatch.rest(taken.id, self._id, rest)

    def _beat(self, source: Source, dispatch: Dispatch) -> None:
        """A sign of life, and a look at the owners that give none: what they had is adopted, or back in the queue."""
        dispatch.tables.refuse_newer()
        slots, busy, drains = self._manners.slots, len(self._processes), int(self._draining_until is not None)
        mine = (self._id, host_identity(), os.getpid(), describe_self(), slots, busy, drains, 0.0, __version__)
        dispatch.save_worker(WorkerRow(*mine))
        self._processes.adopt(source, dispatch)
        self._count += 1
        with_lapsed = dispatch.tables.is_shared and self._count % _LEASE_IN_BEATS == 0
        for released in dispatch.release_dead(is_dead, host_identity(), with_lapsed=with_lapsed):
            self._log.say(
                "released", f"{name_submission(released)}: the worker that had it is gone", plan=released.path
            )
            if released.state == ENDED:  # it was stopped meanwhile, and no process is left that would end its run
                self._aside.append(partial(end_stopped_run, source, released))
        if isinstance(dispatch, DbosDispatch):
            self._engines[source].tidy(dispatch)
        if self._count % _TIDY_IN_BEATS == 0:
            self._tidy(source)
        self._beats[source] = time.monotonic() + BEAT

    def _doors(self) -> list[int]:
        heard = self._ears.attend(source.url for source in self._next if source.url)
        return [self._door.fileno(), self._signals.fileno(), *heard, *self._lines()]

    def _lines(self) -> dict[int, TurnEngine]:
        return {number: engine for engine in self._engines.values() if (number := engine.fileno()) >= 0}

    # ---- sleeping ----

    def _sleep(self) -> None:
        """Sleep until something happens."""
        poll = select.poll()
        for number in self._doors():
            poll.register(number, select.POLLIN)
        events = [number for number, _ in poll.poll(max(0.0, self._wake_at() - time.monotonic()) * 1000)]
        for number in events:
            if number == self._door.fileno():  # to say that something has changed, or to ask how it goes
                for _ in range(_MOST_ANSWERS):  # a process that knocks without end does not keep it from its work
                    if not answer_one(self._door, self.describe):
                        break
                self._look_for_sources()
            elif number == self._signals.fileno():
                for heard in self._signals.recv(4096):
                    if heard == signal.SIGHUP:
                        self._look_for_sources()
                    elif heard in (signal.SIGTERM, signal.SIGINT):
                        self._drain()
            elif number in self._lines():
                self._lines()[number].hear()
            else:
                self._ears.hear(number)

    def _wake_at(self) -> float:
        now = time.monotonic()
        times = [now + _QUIET, self._draining_until or _NEVER]
        if self._processes.room and self._draining_until is None:
            times += self._next.values()
        times += [at for source, at in self._beats.items() if source.url or source in self._broken or self._processes]
        return min([*times, now + 0.5] if self._processes.has_adopted or self._manners.is_once else times)

    def describe(self) -> dict[str, object]:
        return {
            "ok": not self._broken,
            "pid": os.getpid(),
            "version": __version__,
            "since": self._began,
            "slots": self._manners.slots,
            "draining": self._draining_until is not None,
            "runs": self._processes.describe(),
            "serves": [source.name for source in self._next],
            "broken": {source.name: text for source, text in self._broken.items()},
        }

    # ---- where work is found ----

    def _look_for_sources(self) -> None:
        found = self._find()
        for source in found:
            if source not in self._next:
                self._log.say("serves", source.name)
                if source.url:  # here, where nothing is bounded: a module whose import is cut short stays broken
                    importlib.import_module("planrail.store.postgres.tables")
                self._tidy(source)
                with contextlib.suppress(PlanrailError):  # what is wrong with it is said when it is looked at
                    for row in recover(source.root) if source.root else ():  # cut off by a crash or a reboot
                        self._log.say("recovered", f"{row.path}: its run goes on", plan=row.path)
        self._next = dict.fromkeys(found, 0.0)

    def _tidy(self, source: Source) -> None:
        """Clear away what others have taken up, or a person has stopped, where the clones here have any of it."""
        if source.url and has_open_runs():
            self._aside.append(partial(tidy_clones, source.url))

    # ---- leaving ----

    def _drain(self) -> None:
        """Take nothing more, and let each run come to the end of its phase; asked twice, leave at once."""
        now = time.monotonic()
        if self._draining_until is not None:
            self._draining_until = now
            return
        self._draining_until = now + self._manners.drain
        self._log.say("drains", f"{self._processes.count()}; in {self._manners.drain:.0f} s agents go on without it")
        self._processes.tell(GIVE_WAY)

    def _is_finished(self) -> bool:
        if self._draining_until is not None:
            return not self._processes or time.monotonic() >= self._draining_until
        return (
            self._manners.is_once
            and not self._processes
            and not any(engine.is_wanted for engine in self._engines.values())
            and time.monotonic() < min(self._next.values(), default=_NEVER)
        )

    def _leave(self) -> None:
        """Let go of what is still at work: it rests, and its agents go on for the process that resumes it."""
        self._processes.rest()
        for engine in self._engines.values():
            engine.close()
        for source in self._next:
            with contextlib.suppress(PlanrailError), bounded(_LONGEST_LOOK), source.open(_PATIENCE) as dispatch:
                if not self._processes:  # else its row is what they live by, until they give signs of their own
                    dispatch.drop_worker(self._id)
        self._log.say("left", self._processes.count() if self._processes else "")
