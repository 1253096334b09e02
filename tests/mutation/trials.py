"""Trials: a mutant in a copy of the tree, and the tests of its module, until the first of them fails."""

import os
import queue
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests.mutation.mutants import Mutant, draw

ROOT = Path(__file__).parents[2]
PACKAGE = Path("src/planrail")
_PYTEST = ("-m", "pytest", "-x", "-q", "-n0", "-m", "not soak", "-p", "no:cacheprovider", "--tb=no", "--assert=plain")
_FAILED = (1, 2)  # pytest's: a test failed, or a file could not be read
_PATIENCE, _LEAST = 10, 60  # how much longer than without a mutant, and how many seconds at least


class Trial(NamedTuple):
    """A mutant that is tried."""

    module: str
    tests: tuple[str, ...]
    mutant: Mutant

    @property
    def name(self) -> str:
        return f"{self.module}:{self.mutant.line} {self.mutant.name}"


def read_modules() -> dict[str, tuple[str, ...]]:
    """The modules that decide, each with the tests that hold it."""
    table = tomllib.loads(Path(__file__).with_name("modules.toml").read_text("utf-8"))
    return {module: tuple(tests) for module, tests in table.items()}


def read_equivalents() -> dict[str, str]:
    """The mutants that change nothing anybody could see, each with the reason."""
    return tomllib.loads(Path(__file__).with_name("equivalents.toml").read_text("utf-8"))


def draw_trials(count: int) -> list[Trial]:
    """At most so many mutants of each module, without those that change nothing."""
    known = read_equivalents()
    return [
        Trial(module, tests, mutant)
        for module, tests in read_modules().items()
        for mutant in draw((ROOT / PACKAGE / module).read_bytes(), count, known)
    ]


class Copies:
    """Copies of the tree, one for each core: the checkout itself is never changed."""

    def __init__(self, folder: Path) -> None:
        self._free: queue.SimpleQueue[Path] = queue.SimpleQueue()
        self._seconds: dict[str, float] = {}
        self._cores = os.cpu_count() or 1
        for number in range(self._cores):
            copy = folder / str(number) / "planrail"
            shutil.copytree(ROOT, copy, symlinks=True, ignore=_left_out)
            self._free.put(copy)

    def measure(self, test: str) -> None:
        """A file of tests without a mutant: it passes, and takes so long."""
        copy = self._free.get()
        began = time.monotonic()
        code = _run(copy, (test,), None)
        self._seconds[test] = time.monotonic() - began
        self._free.put(copy)
        assert code == 0, f"without a mutant pytest ended with {code} for {test}"

    def is_killed(self, trial: Trial) -> bool:
        """Whether the tests notice the mutant. One that never ends is noticed by whoever waits."""
        copy = self._free.get()
        place = copy / PACKAGE / trial.module
        place.write_bytes(trial.mutant.source)
        usual = sum(self._seconds[test] for test in trial.tests)
        code = _run(copy, trial.tests, max(_LEAST, _PATIENCE * usual))
        shutil.copy2(ROOT / PACKAGE / trial.module, place)
        self._free.put(copy)
        assert code in (0, None, *_FAILED), f"{trial.name}: pytest ended with {code}"
        return code != 0

    def try_all(self, trials: list[Trial]) -> list[Trial]:
        """Those that nobody noticed, told as they are found (`-s` shows it)."""
        survivors = []
        with ThreadPoolExecutor(self._cores) as pool:
            list(pool.map(self.measure, sorted({test for trial in trials for test in trial.tests})))
            for trial, is_killed in zip(trials, pool.map(self.is_killed, trials), strict=True):
                if not is_killed:
                    survivors.append(trial)
                    print(f"survived: {trial.name}", flush=True)
        return survivors


def _left_out(folder: str, names: list[str]) -> list[str]:
    """The environment, git's folder and the peers' programs: what begins with a dot in the tree's own folder."""
    return [name for name in names if name.startswith(".")] if Path(folder) == ROOT else []


def _run(copy: Path, tests: tuple[str, ...], limit: float | None) -> int | None:
    """pytest's exit code; None where it was ended because it took too long.

    No byte code is written: what is compiled would hide a mutant of the same size and second.
    """
    environment = {**os.environ, "PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, *_PYTEST, *tests]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(
        command, cwd=copy, env=environment, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True
    )
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        return None
    finally:
        _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End pytest and what it started, whatever is left of it."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    finally:
        process.wait()
