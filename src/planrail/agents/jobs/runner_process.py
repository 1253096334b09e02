"""The process that runs one job: it starts the agent, answers it, writes down what it does and how it ended.

It is started with the bare interpreter and imports only what its driver needs. It leaves no outcome when it is told to
end by a process that did not ask for a stop (a machine that is shut down): that job was lost, it has not failed.
"""

import _signal  # type: ignore[import-not-found] # `signal` costs 6 ms for the names
import os
import sys
import time
from collections.abc import Mapping
from itertools import count

from planrail.agents.drivers import load_driver
from planrail.agents.jobs import job_files as files
from planrail.agents.model import Ask, Judge, Outcome, Question, Running, failure
from planrail.agents.processes.trees import adopt_orphans, started_at
from planrail.base.crash_points import reach
from planrail.base.records import replace
from planrail.base.whole_files import write_whole

_LOCK = 3
_QUIET = (1, 2, 3)  # HUP, INT, QUIT: a person who hangs up or types at a terminal does not mean us
_TERM = 15
_TRIES = 60  # to write the outcome on a full disk
_TRY_AGAIN = 0.5
_ROOM = 1 << 15
_LONGEST_QUESTION, _LOOK_FOR_ANSWERS = 3600.0, 0.1  # seconds: nobody may watch any more


def main(place: str) -> None:
    """Run the job of a folder whose lock was handed to us."""
    os.set_inheritable(_LOCK, False)
    stopping = Stopping(place)
    job, mark = files.load_job(place)
    adopt_orphans()
    with open(f"{place}/{files.RESERVE}", "wb") as file:  # room for the outcome: a log can fill a disk
        file.write(b" " * _ROOM)
    files.save_runner(place, os.getpid(), started_at(os.getpid()))
    reach("runner.identified")
    outcome = _carry_out(place, job, mark, stopping)
    reach("runner.agent_ended")
    if stopping.is_meant():
        _keep(place, outcome)
    reach("runner.outcome_written")
    sys.stderr.flush()
    os._exit(0)  # nothing is left to be tidied up, and that takes its time too


class Stopping:
    """The request of another process that the agent ends."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._running: Running | None = None
        self._was_told = False
        for number in _QUIET:  # a handler, because what is ignored would be ignored by the agent, too
            _signal.signal(number, lambda *_: None)
        _signal.signal(_TERM, self._stop)

    def watch(self, running: Running) -> Running:
        """From now on a stop is for this agent; it may have been requested before."""
        self._running = running
        if self._was_told or self.is_wished():
            running.stop()
        return running

    def is_meant(self) -> bool:
        """Whether the end that came is one to be written down."""
        return not self._was_told or self.is_wished()

    def _stop(self, *_: object) -> None:
        self._was_told = True
        if self._running is not None:
            self._running.stop()

    def is_wished(self) -> bool:
        return os.path.exists(f"{self._place}/{files.STOP}")


def _carry_out(place: str, job: files.Job, mark: str, stopping: Stopping) -> Outcome:
    began = time.monotonic()
    try:
        if stopping.is_wished():
            return failure("stopped", "the agent was stopped before it began", job.conversation)
        driver = load_driver(job.driver, os.environ, files.settings_of(job))
        ask = _asker(place, stopping) if job.can_ask else None
        running = stopping.watch(driver.start(files.assignment_of(job, f"{place}/{files.LOG}", mark), ask, _judge(job)))
        _write_events(place, running)
        outcome = running.wait()
    except Exception as error:
        import traceback

        traceback.print_exc()
        outcome = failure("failed", f"planrail's runner failed: {type(error).__name__}: {error}", job.conversation)
    return replace(outcome, seconds=round(time.monotonic() - began, 3))


def _asker(place: str, stopping: Stopping) -> Ask:
    """The agent's questions, told by an event to the process that watches the job, which answers in a file."""
    numbers = count(1)

    def ask(questions: list[Question]) -> Mapping[str, str]:
        path, until = files.answers_file(place, next(numbers)), time.monotonic() + _LONGEST_QUESTION
        while not os.path.exists(path):
            if stopping.is_wished() or time.monotonic() > until:
                return {}
            time.sleep(_LOOK_FOR_ANSWERS)
        return {str(asked): str(said) for asked, said in files.load_object(path).items()}

    return ask


def _judge(job: files.Job) -> Judge:
    """The judge that the job names, made when the first tool is asked for: most jobs here have none."""
    made: list[Judge] = []

    def refuse(tool: str, given: Mapping[str, object]) -> str | None:
        if not made:
            from planrail.agents.jobs.judges import load_judge

            made.append(load_judge(job))
        return made[0](tool, given)

    return refuse


def _write_events(place: str, running: Running) -> None:
    file = os.open(f"{place}/{files.EVENTS}", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    for event in running.events():
        try:
            os.write(file, (files.write_event(event, round(time.time(), 3)) + "\n").encode())
        except OSError:  # a full disk: the work goes on without being watched
            continue
    os.close(file)


def _keep(place: str, outcome: Outcome) -> None:
    """Write the outcome down. A disk that is full may not stay so."""
    os.unlink(f"{place}/{files.RESERVE}")
    for _ in range(_TRIES):
        try:
            write_whole(f"{place}/{files.OUTCOME}", files.write_outcome(outcome))
        except OSError:
            time.sleep(_TRY_AGAIN)
        else:
            return
