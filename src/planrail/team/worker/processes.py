"""The processes of a worker: those that carry out runs for it, its own and those that a dead worker left."""

import contextlib
import gc
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Collection, Iterable

from planrail.base.errors import PlanrailError
from planrail.base.records import record
from planrail.store.owners import host_identity, is_surely_here
from planrail.store.signs import is_worker_gone, serve_for
from planrail.team.dispatch import Dispatch
from planrail.team.holding import Holding
from planrail.team.process_notes import describe_self, is_planrails, read_owner
from planrail.team.queueing import NOT_BEGUN, STOPPING, Rest, Submission, decide_rest
from planrail.team.submitting import note_next_time
from planrail.team.worker.logs import Log, log_file, name_submission
from planrail.team.worker.sources import Source

_SECONDS = 10.0  # that runs get to rest when their worker leaves
GIVE_WAY, REST = signal.SIGUSR1, signal.SIGINT
_RESET = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD, signal.SIGUSR1)


Turn = Callable[[Submission, Holding], Rest]  # carries out a submission as far as it goes now, in its own process


@record
class Child:
    """A process that carries out a submission. `is_own`: this very worker has started it."""

    pid: int
    submission: Submission
    source: Source
    is_own: bool = True


class WorkerProcesses:
    """The processes that work for a worker now."""

    def __init__(self, worker: str, slots: int, turn: Turn, log: Log) -> None:
        self._worker, self._slots, self._turn, self._log = worker, slots, turn, log
        self._children: dict[int, Child] = {}
        self._lost: set[str] = set()  # submissions that another worker has by now, whose processes were told so
        self._ended: list[Child] = []

    def __len__(self) -> int:
        return len(self._children)

    @property
    def room(self) -> int:
        return max(0, self._slots - len(self._children))

    @property
    def has_adopted(self) -> bool:
        """Whether a process works for it whose end it is not told."""
        return any(not child.is_own for child in self._children.values())

    def describe(self) -> list[dict[str, object]]:
        return [{"plan": child.submission.path, "pid": child.pid} for child in self._children.values()]

    def count(self) -> str:
        return f"{len(self._children)} of {self._slots} slots busy"

    def start(self, source: Source, taken: Submission, doors: Iterable[int]) -> None:
        pid = start_aside(log_file(taken), lambda: _take_turn(source, taken, self._worker, self._turn), doors)
        child = Child(pid, taken, source)
        self._children[child.pid] = child
        self._say("took", child)

    def reap(self) -> int:
        """Notice which processes have ended: children of this worker, and those that it adopted; how many."""
        gone: set[int] = set()
        with contextlib.suppress(ChildProcessError):
            while pid := os.waitpid(-1, os.WNOHANG)[0]:
                gone.add(pid)
        for pid, child in self._children.items():
            owner = None if child.is_own else read_owner(child.submission.owner)
            if not child.is_own and (owner is None or not is_surely_here(owner)):
                gone.add(pid)
        self._ended += [self._children.pop(pid) for pid in gone & self._children.keys()]
        return len(gone)

    def tell_ended(self) -> None:
        """Say what became of those that have ended; their slots are taken again by now."""
        while self._ended:
            child = self._ended.pop(0)
            named = name_submission(child.submission)
            self._log.say("ended", f"{named}: {_outcome(child, self._worker)}", plan=child.submission.path)

    def adopt(self, source: Source, dispatch: Dispatch) -> None:
        """Runs on this machine whose worker has died go on by themselves: they are this worker's from now on."""
        for found in dispatch.list_taken(host_identity()):
            owner = read_owner(found.owner)
            if owner is None or owner.pid in self._children or not is_surely_here(owner) or not is_planrails(owner.pid):
                continue
            if is_worker_gone(found.worker) and dispatch.adopt(found, self._worker):
                child = self._children[owner.pid] = Child(owner.pid, found, source, is_own=False)
                self._say("adopted", child)

    def end_stopped(self, source: Source, dispatch: Dispatch) -> None:
        """Tell each process what people or other workers have done to its submission: to end, or to rest."""
        ours = {child.submission.id for child in self._children.values() if child.source == source}
        rows = dispatch.find_many(ours)
        lost = {row.id for row in rows if row.worker != self._worker} - self._lost
        self._lost |= lost
        self.tell(signal.SIGTERM, {row.id for row in rows if row.state == STOPPING})
        self.tell(REST, lost)

    def tell(self, number: int, ids: Collection[str] | None = None) -> None:
        """A signal to all processes that are still there, or to those that have these submissions."""
        for child in self._children.values():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if ids is None or child.submission.id in ids:
                    os.kill(child.pid, number)

    def rest(self) -> None:
        """Ask all processes to rest now: their agents go on, for the process that resumes the run."""
        self.tell(REST)
        deadline = time.monotonic() + _SECONDS
        while self._children and time.monotonic() < deadline:
            self.reap()
            time.sleep(0.02)
        self.tell_ended()

    def _say(self, event: str, child: Child) -> None:
        told = f"{name_submission(child.submission)} (process {child.pid}; {self.count()})"
        self._log.say(event, told, plan=child.submission.path, pid=child.pid)


def _take_turn(source: Source, taken: Submission, worker: str, turn: Turn) -> None:
    """In a process of its own: carry out a submission, and put it back, or to its end."""
    os.environ.update(source.variables(taken.repository))
    serve_for(worker)
    owner = describe_self()  # it stays its own when another worker adopts it
    with source.open() as dispatch:
        if not dispatch.own(taken.id, worker, owner):
            return
    hold = Holding(source.open, taken.id, worker, owner, source.root)
    with hold.listening():
        rest = turn(taken, hold)
    hold.put_back(rest)


def _outcome(child: Child, worker: str) -> str:
    """What became of a submission. One whose process died before it could say that it has it is given back."""
    with contextlib.suppress(PlanrailError), child.source.open(_SECONDS) as dispatch, dispatch.tables.exclusive():
        found = dispatch.find_by_id(child.submission.id)
        taken = (worker, describe_self(), child.submission.served)  # that very time: it may be another process's by now
        if found is not None and (found.worker, found.owner, found.served) == taken:
            now, tries = dispatch.tables.now(), child.submission.tries
            rest = decide_rest(NOT_BEGUN, 0.0, now=now, tries=tries, said="its process died at once")
            dispatch.rest(found.id, worker, rest)
        elif found is not None and not found.worker:
            then = note_next_time(dispatch, found.repository, found.plan)
            return "; ".join(filter(None, (found.outcome or found.state, found.said, then)))
    return "its process has gone; it will be taken up again"


def start_aside(log: str, work: Callable[[], None], doors: Iterable[int]) -> int:
    """Do something in a process of its own; its number."""
    sys.stdout.flush()
    sys.stderr.flush()
    gc.freeze()
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        for number in _RESET:
            signal.signal(number, signal.SIG_DFL)
        signal.signal(REST, signal.default_int_handler)
        for door in doors:
            with contextlib.suppress(OSError):
                os.close(door)
        nothing = os.open(os.devnull, os.O_RDONLY)
        told = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        for source, target in ((nothing, 0), (told, 1), (told, 2)):
            os.dup2(source, target)
        os.close(nothing)
        os.close(told)
        work()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
