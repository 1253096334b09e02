"""What commands cost: CPU time beside a floor, and peak memory.

Wall time says more about the machine's other work than about a program, and so does a single run. Here each command is
run many times, in turns with all others and with the floor, the emptiest process that the same interpreter can start;
what counts is the median of its CPU time, user and system, children included, divided by that of the floor.
"""

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

LAUNCHER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launch.py")
FEWEST_RUNS = 3
SECONDS_A_RUN = 300


class MeasurementFailed(Exception):
    """A command did not run to its end, or its answer is not the one that was to be measured."""


def accept_any(_: str) -> str:
    """The check of a command whose exit code says enough."""
    return ""


def find_ready() -> None:
    """The preparation of a command that finds everything as it left it."""


@dataclass(frozen=True)
class Case:
    """A command to measure, with what it is given on standard input.

    `prepare` is called before each run, uncounted. `check` is shown what each run printed, on both of its outputs, and
    returns what is wrong with it, else "".
    """

    command: Sequence[str]
    folder: str
    environment: Mapping[str, str]
    exit_codes: tuple[int, ...] = (0,)
    check: Callable[[str], str] = accept_any
    input: bytes = b""
    prepare: Callable[[], None] = find_ready


@dataclass(frozen=True)
class Sample:
    """One run: CPU and wall time in seconds, peak memory in bytes."""

    cpu: float
    wall: float
    memory: int


@dataclass
class Result:
    """The runs of one case."""

    samples: list[Sample] = field(default_factory=list)

    @property
    def cpu(self) -> float:
        """The median CPU time of a run, in seconds."""
        return statistics.median(sample.cpu for sample in self.samples)

    @property
    def quartiles(self) -> tuple[float, float]:
        """Between which CPU times the middle half of the runs lies, in seconds."""
        first, _, third = statistics.quantiles((sample.cpu for sample in self.samples), n=4, method="inclusive")
        return first, third

    @property
    def memory(self) -> int:
        """The highest peak memory of any run, in bytes."""
        return max(sample.memory for sample in self.samples)


@dataclass(frozen=True)
class Measurement:
    """The results of all cases, in their order, and the floor that ran between them."""

    floor: Result
    results: Sequence[Result]

    def ratio(self, result: Result) -> float:
        """How many times the floor's CPU time a run takes."""
        return result.cpu / self.floor.cpu


def floor_case(folder: str, environment: Mapping[str, str]) -> Case:
    """The floor: this interpreter, isolated, without site packages, doing nothing."""
    return Case((sys.executable, "-I", "-S", "-c", "pass"), folder, environment)


def planrail_program() -> str:
    """The planrail of this interpreter's environment."""
    program = os.path.join(os.path.dirname(sys.executable), "planrail")
    if not os.path.exists(program):
        raise MeasurementFailed("planrail is not installed beside this interpreter; make bench installs it")
    return program


def probe(case: Case) -> Sample:
    """Run a case once. Warms the caches, and shows what is wrong with it; the sample is not to be counted."""
    return _run(case)


def measure(
    floor: Case,
    cases: Sequence[tuple[Case, int]],
    rounds: int,
    tell: Callable[[int], None],
) -> Measurement:
    """Run each case as often as is said beside it, spread evenly over the rounds, the floor before each run."""
    context, results = Result(), [Result() for _ in cases]
    for turn in range(rounds):
        tell(turn)
        for (case, runs), result in zip(cases, results, strict=True):
            if _has_turn(turn, runs, rounds):
                context.samples.append(_run(floor))
                result.samples.append(_run(case))
    return Measurement(context, results)


def runs_within(seconds: float, sample: Sample, rounds: int) -> int:
    """How often to run what took as long as this sample: at most once a round, at least thrice."""
    return max(FEWEST_RUNS, min(rounds, int(seconds / sample.wall)))


def _has_turn(turn: int, runs: int, rounds: int) -> bool:
    return turn * runs // rounds != (turn + 1) * runs // rounds


def _run(case: Case) -> Sample:
    """One run, and a look at its answer: a fast wrong one is worth nothing."""
    case.prepare()
    with tempfile.TemporaryFile() as output:
        sample = _launch(case, output.fileno())
        output.seek(0)
        problem = case.check(output.read().decode("utf-8", "replace"))
    if problem:
        raise MeasurementFailed(f"{_name(case)}: {problem}")
    return sample


def _launch(case: Case, output: int) -> Sample:
    """One run, through the launcher, in a session of its own so that a run without end can be ended."""
    reading, writing = os.pipe()
    began = time.monotonic()
    try:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", LAUNCHER, str(writing), *case.command],
            cwd=case.folder,
            env=dict(case.environment),
            stdin=subprocess.PIPE if case.input else subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=(writing,),
            start_new_session=True,
        )
        _wait(process, case)
    finally:
        os.close(writing)
        with open(reading, encoding="ascii") as report:
            line = report.read()
    return _sample(case, line, time.monotonic() - began)


def _wait(process: "subprocess.Popen[bytes]", case: Case) -> None:
    try:
        process.communicate(case.input, SECONDS_A_RUN)
    except subprocess.TimeoutExpired:
        raise MeasurementFailed(f"{_name(case)}: not finished after {SECONDS_A_RUN} seconds") from None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _sample(case: Case, line: str, wall: float) -> Sample:
    if not line:
        raise MeasurementFailed(f"{_name(case)}: could not be started")
    code, cpu, memory = line.split()
    if int(code) not in case.exit_codes:
        raise MeasurementFailed(f"{_name(case)}: exit code {code}")
    unit = 1 if sys.platform == "darwin" else 1024  # macOS counts bytes, Linux kilobytes
    return Sample(float(cpu), wall, int(memory) * unit)


def _name(case: Case) -> str:
    return " ".join([os.path.basename(case.command[0]), *case.command[1:]])
