"""Agents that outlive planrail: each job is run by a small process of its own, and found again by the next planrail.

`ensure` takes the lock of the job's folder before anything is started, and the runner inherits the descriptor: from the
first instant of its life the lock is held by it, whatever becomes of planrail. So a job is started once, however many
planrails ask for it and wherever they are killed; `runner_process` is the other half.
"""

import contextlib
import os
import select
import sys
import time
from collections.abc import Callable, Iterator, Mapping

import planrail
from planrail.agents.drivers import environment_for
from planrail.agents.jobs import job_files as files
from planrail.agents.model import Ask, Asked, Event, Outcome, failure
from planrail.agents.processes.trees import SIGKILL, SIGTERM, ChildProcess, end_tree, spawn_plainly, started_at, watch
from planrail.agents.starting import remove_forgotten
from planrail.base.crash_points import VARIABLE, reach
from planrail.base.decoding import encode
from planrail.base.whole_files import write_whole

_FIRST, _LONGEST = 0.005, 0.1  # seconds between two looks at the events
_LOOK = 0.05  # the longest pause where the system cannot tell us of the end


class RunnerWatch:
    """The end of a runner. `child` is its number where it is our own child: such a number is not used again."""

    def __init__(self, place: str, child: int) -> None:
        self._place = place
        self._descriptor = watch(child) if child else _watch_stranger(place)
        self._pause = _FIRST

    @property
    def is_told(self) -> bool:
        return self._descriptor >= 0

    def wait(self) -> None:
        while not self.is_over():
            if self.is_told:
                self._pause = 60.0

    def is_over(self) -> bool:
        """Whether the runner has ended, after a pause that gets longer each time."""
        seconds, self._pause = self._pause, min(self._pause * 1.3, _LONGEST)
        if self._descriptor < 0:
            time.sleep(min(seconds, _LOOK))
            return not files.is_held(self._place)
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        if not poll.poll(seconds * 1000):
            return False
        os.close(self._descriptor)
        self._descriptor = -1
        return True

    def __del__(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)


class Tail:
    """Reads a file of events as it grows. A line without its end is left for the next time."""

    def __init__(self, path: str, position: int) -> None:
        self._path, self.position = path, position

    def read(self) -> Iterator[Event]:
        try:
            with open(self._path, "rb") as file:
                file.seek(self.position)
                data = file.read()
        except FileNotFoundError:
            return
        for line in data[: data.rfind(b"\n") + 1].splitlines(keepends=True):
            self.position += len(line)
            event = files.read_event(line.decode("utf-8", "replace"))
            if event is not None:
                yield event


def _watch_stranger(place: str) -> int:
    """A descriptor for a runner that another planrail has started; -1 where it cannot be had, or has ended."""
    pid, started = files.load_runner(place) or (0, "")
    descriptor = watch(pid) if pid and started else -1
    if descriptor >= 0 and started_at(pid) != started:  # looked at only now: before, it could still become another's
        os.close(descriptor)
        return -1
    return descriptor


LOCK_DESCRIPTOR = 3  # where the runner finds the lock
_PAUSE, _LONGEST_PAUSE = 0.005, 0.05
_PATIENCE = 15.0  # seconds that a runner gets to end its agent
_BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]);"
    "from planrail.agents.jobs.runner_process import main; main(sys.argv[2])"
)
_UNABLE = "the process that runs the agent could not begin"
_LOST = "the agent was killed together with the process that ran it; nobody knows how far it came"


def ensure(place: str, job: files.Job, environment: Mapping[str, str]) -> "HeldJob":
    """The job of this folder at work, or its outcome: begun now, or long ago by a planrail that is gone.

    The agent is started at most once for each folder. Where its runner died with it, `was_lost` says so, and nothing of
    it is left alive.
    """
    os.makedirs(place, mode=0o700, exist_ok=True)
    place = os.path.realpath(place)
    lock = files.open_lock(place)
    try:
        pause = _PAUSE
        while not files.try_lock(lock):
            if files.load_runner(place) is not None:
                return HeldJob(place, adopted=True)
            time.sleep(pause)  # another process is just starting it, or has a look
            pause = min(pause * 1.5, _LONGEST_PAUSE)
        reach("job.locked")
        if _outcome(place) is not None:
            return HeldJob(place, adopted=True)
        if files.load_runner(place) is not None:  # and it is dead, since the lock is ours
            return HeldJob(place, adopted=True, is_lost=True)
        return HeldJob(place, adopted=False, child=_start(place, job, environment, lock))
    finally:
        os.close(lock)


def look(place: str) -> str:
    """How it stands with the job of a folder: absent, running, ended or lost."""
    if os.path.exists(f"{place}/{files.OUTCOME}"):
        return "ended"
    if files.is_held(place):
        return "running"
    if os.path.exists(f"{place}/{files.OUTCOME}"):  # just now
        return "ended"
    return "absent" if files.load_runner(place) is None else "lost"


def stop_job(place: str) -> None:
    """End the job of a folder, also one that another process began, with all that it started. What has ended stays."""
    if look(place) in ("absent", "ended"):
        return
    write_whole(f"{place}/{files.STOP}", "")
    for number in (SIGTERM, SIGKILL):
        # Once the runner has said who it is, and only if it still is that process.
        _wait_for(lambda: files.load_runner(place) is not None or not files.is_held(place), 1.0)
        pid, started = files.load_runner(place) or (0, "")
        if pid and started and started_at(pid) == started:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        if _wait_for(lambda: not files.is_held(place), _PATIENCE):
            break
    if _outcome(place) is None:
        _end_leftovers(place)
        write_whole(f"{place}/{files.OUTCOME}", files.write_outcome(failure("stopped", "the agent was stopped")))


class HeldJob:
    """A job, as one planrail has it in hand. What becomes of planrail does not matter to the job."""

    def __init__(self, place: str, *, adopted: bool, child: ChildProcess | None = None, is_lost: bool = False) -> None:
        self.place, self.adopted = place, adopted
        self._child = child
        self._outcome = _outcome(place)
        self.was_lost = False
        if is_lost:
            self._settle()

    def events(self, position: int = 0, meanwhile: Callable[[], None] = lambda: None) -> Iterator[Event]:
        """What the agent does, and has done since that position of the file of events; ends with the job.

        `meanwhile` is called again and again as long as the agent is at work.
        """
        tail = Tail(f"{self.place}/{files.EVENTS}", position)
        watch = self._watch()
        is_over = False
        while not is_over:
            is_over = watch.is_over()  # before the reading, so that nothing is missed
            yield from tail.read()
            if not is_over:
                meanwhile()
        self._settle()

    def wait(self) -> Outcome:
        """The outcome, once there is one. By then no process of the agent is left."""
        if self._outcome is None:
            self._watch().wait()
            self._settle()
        assert self._outcome is not None
        return self._outcome

    def answer(self, number: int, asked: Asked, ask: Ask) -> None:
        """Let a person answer the agent's questions; these are the `number`th. What was answered stays so."""
        path = files.answers_file(self.place, number)
        if not os.path.exists(path) and self._outcome is None:
            write_whole(path, encode(dict(ask(list(asked.questions)))))

    def stop(self) -> None:
        stop_job(self.place)

    def _watch(self) -> RunnerWatch:
        return RunnerWatch(self.place, self._child.pid if self._child is not None else 0)

    def _settle(self) -> None:
        """The runner is gone: what did it leave?"""
        if self._child is not None:
            self._child.wait()
            self._child = None
        self._outcome = self._outcome or _outcome(self.place)
        was_started = files.load_runner(self.place) is not None
        if self._outcome is None and not was_started:  # it can be tried again
            try:
                words = files.read_text(f"{self.place}/{files.RUNNER_LOG}").strip()[-2000:]
            except (OSError, ValueError):
                words = ""
            self._outcome = failure("failed", f"{_UNABLE}: {words or 'it said nothing; is the disk full?'}")
        elif self._outcome is None:
            self.was_lost = True
            _end_leftovers(self.place)
            self._outcome = failure("lost", _LOST)


def _start(place: str, job: files.Job, environment: Mapping[str, str], lock: int) -> ChildProcess:
    files.save_job(place, job, os.urandom(16).hex())
    reach("job.written")
    given = environment_for(job.driver, environment, job.environment)
    if environment.get(VARIABLE):
        given[VARIABLE] = environment[VARIABLE]
    package = os.path.dirname(os.path.dirname(os.path.abspath(planrail.__file__)))
    read, add = os.O_RDWR, os.O_WRONLY | os.O_CREAT | os.O_APPEND
    streams: list[tuple[object, ...]] = [
        *((os.POSIX_SPAWN_OPEN, number, "/dev/null", read, 0) for number in (0, 1)),
        (os.POSIX_SPAWN_OPEN, 2, f"{place}/{files.RUNNER_LOG}", add, 0o600),
        (os.POSIX_SPAWN_DUP2, lock, LOCK_DESCRIPTOR),
    ]
    child = ChildProcess(spawn_plainly([sys.executable, "-I", "-S", "-c", _BOOT, package, place], given, streams))
    reach("job.spawned")
    return child


def _outcome(place: str) -> Outcome | None:
    try:
        return files.read_outcome(files.read_text(f"{place}/{files.OUTCOME}"))
    except FileNotFoundError:
        return None
    except ValueError:
        return failure("failed", f"{place}/{files.OUTCOME} cannot be read")


def _end_leftovers(place: str) -> None:
    """End what a runner left that was killed, and take away its scratch files."""
    mark = files.load_mark(place)
    if mark:
        end_tree(0, mark)
    try:
        remove_forgotten(place)
    except OSError:  # they are in nobody's way
        return


def _wait_for(is_so: Callable[[], bool], seconds: float) -> bool:
    deadline, pause = time.monotonic() + seconds, _PAUSE
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
        pause = min(pause * 1.5, _LONGEST_PAUSE)
    return True
