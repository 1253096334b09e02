"""What the engines of a team cost: planrail's own rows beside DBOS. `python bench/engines.py [--seconds 60]`

Transactions and connections are counted on the wire between workers and PostgreSQL: other work on the machine does not
change them. Times are wall times, and it does. Turns do nothing: they write down when they began and ended.
"""

import argparse
import contextlib
import itertools
import multiprocessing
import os
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import requires
from pathlib import Path

from servers import PostgresServer

from planrail.base.records import replace
from planrail.store.postgres.connections import close_idle
from planrail.team.dispatch import OWN
from planrail.team.engines import DBOS, DbosDispatch, open_team_dispatch
from planrail.team.queueing import WorkerRow
from planrail.team.worker.turn_engine import TurnEngine
from planrail.testing.dispatch_failures import HERE
from planrail.testing.dispatch_stage import StageMachine, run_worker
from planrail.testing.dispatch_worker import WorkerOrder
from tests.dispatch.stages import PostgresStage
from tests.postgres import make_dbos_template

PLANS, ROWS, CROWDS, TAKERS = 10, 120, (0, 1, 8, 24), (1, 2, 4)
_TICKS = os.sysconf("SC_CLK_TCK")


class Bench(PostgresStage):
    """A database that runs on an engine, with workers at the pace that they have outside of tests."""

    lease, beat = 20.0, 5.0

    def order_worker(self, order: WorkerOrder) -> tuple[list[str], dict[str, str]]:
        told = replace(order, url=self.url(self.workers), turn="engine_turn.take_turn")
        return run_worker(told), {"PYTHONPATH": os.path.dirname(os.path.abspath(__file__))}

    def times(self) -> list[tuple[str, float, float]]:
        """When each turn began and ended, in this order."""
        lines = (self.folder / "times").read_text().splitlines() if (self.folder / "times").exists() else []
        return [(plan, float(began), float(ended)) for plan, began, ended in map(str.split, lines)]

    def start_idle(self, count: int) -> None:
        """So many workers that have nothing to do, and nothing left of having begun."""
        for number in range(count):
            self.start_worker(StageMachine(f"idle{number}"))
        with self.open() as dispatch:
            self.wait_for(lambda: len(dispatch.list_workers()) == count)
        time.sleep(3.0)


@contextlib.contextmanager
def opening(server: PostgresServer, template: str) -> Iterator[Bench]:
    """A bench of its own for each figure."""
    with tempfile.TemporaryDirectory(prefix="pr-") as folder:
        stage = Bench(Path(folder), server, template)
        with contextlib.closing(stage):
            yield stage


def idle(stage: Bench, seconds: float) -> str:
    """A worker that nobody asks for anything."""
    stage.start_idle(1)
    return _watch(stage, seconds, lambda: stage.list_processes(StageMachine("idle0")))


def kept_on(stage: Bench, seconds: float) -> str:
    """DBOS alone, launched and left so, as it would be without being shut down when it is quiet."""
    engine = TurnEngine("w", stage.url(stage.workers))
    with contextlib.closing(engine):
        with open_team_dispatch(stage.url(stage.people)) as dispatch:
            dispatch.submit(stage.make("a", repository="r", host="elsewhere"))
            engine.is_wanted = True
            engine._want(is_wanted=True)
            select.select([engine], [], [], 60)
        time.sleep(3.0)
        return _watch(stage, seconds, lambda: [engine._process.pid])


def _watch(stage: Bench, seconds: float, find: Callable[[], list[int]]) -> str:
    before, cpu = stage.workers.transactions, _cpu(find())
    time.sleep(seconds)
    rate, used = (stage.workers.transactions - before) / seconds, (_cpu(find()) - cpu) / seconds
    sizes = [int(_status(pid, "VmRSS").split()[0]) // 1024 for pid in find()]
    threads = [int(_status(pid, "Threads")) for pid in find()]
    told = f"{rate:.1f} transactions/s, {stage.workers.connections} connections, CPU {100 * used:.2f} %"
    return f"{told}, {sum(sizes)} MB in {len(sizes)} processes, {sum(threads)} threads"


def submission(stage: Bench, crowd: int) -> str:
    """What a plan costs from its submission to its end, people and workers together, less what is used anyway."""
    stage.lease, stage.beat = 240.0, 60.0  # nobody gives a sign of life meanwhile
    stage.start_idle(crowd)
    quiet = _count(stage, 10.0)
    if not crowd:
        return f"{(_count(stage, 10.0, *_names(5)) - quiet) / 5:.1f} transactions, without a worker"
    waiting = _count(stage, 10.0, *_names(5), account="tired") - quiet
    for name in _names(5):
        stage.stop(name)
    time.sleep(10.0)
    served = _count(stage, 20.0, *(f"q{name}" for name in _names(5))) - 2 * quiet
    assert len(stage.times()) == 5, stage.times()
    return f"{waiting / 5:.1f} transactions where it may not start, {served / 5:.1f} with its turn"


def _count(stage: Bench, seconds: float, *plans: str, **fields: object) -> int:
    before, end = stage.count_transactions(), time.monotonic() + seconds
    with stage.open() as dispatch:
        if fields:
            dispatch.hold_account("tired", time.time() + 3600)
    for plan in plans:
        stage.submit(plan, **fields)
    time.sleep(max(0.0, end - time.monotonic()))
    return stage.count_transactions() - before


def latency(stage: Bench) -> str:
    """From the submission to the beginning of the turn, with a worker that has been idle, and with one that has not."""
    stage.start_idle(1)
    took = []
    for name in _names(PLANS):
        began = time.monotonic()
        stage.submit(name)
        stage.wait_for(lambda name=name: any(plan == name for plan, _, _ in stage.times()))  # type: ignore[misc]
        took.append(stage.times()[-1][1] - began)
    told = f"{took[0]:.2f} s the first time, then {statistics.median(took[1:]):.2f} s"
    return f"{told} (median of {PLANS - 1}; {min(took[1:]):.2f} to {max(took[1:]):.2f})"


def succession(stage: Bench) -> str:
    """From the end of a turn to the beginning of the next, with one slot."""
    for name in _names(PLANS):
        stage.submit(name)
    stage.start_worker(HERE)
    stage.wait_until_done()
    times = stage.times()
    gaps = [after[1] - before[2] for before, after in itertools.pairwise(times)]
    assert [plan for plan, _, _ in times] == _names(PLANS)
    return f"{statistics.median(gaps):.2f} s (median of {len(gaps)}; {min(gaps):.2f} to {max(gaps):.2f})"


def takes(stage: Bench, takers: int, engine: str) -> str:
    """How many rows a second are taken by so many takers that do nothing else, one process each."""
    with stage.open() as dispatch:
        for number in range(ROWS):
            dispatch.submit(stage.make(f"p{number}"))
    close_idle()
    url, gate = stage.url(stage.workers), multiprocessing.get_context("spawn").Barrier(takers + 1)
    context = multiprocessing.get_context("spawn")
    crowd = [context.Process(target=_take_all, args=(url, engine, f"w{n}", gate)) for n in range(takers)]
    for one in crowd:
        one.start()
    gate.wait()
    began, before = time.monotonic(), stage.workers.transactions
    for one in crowd:
        one.join()
    spent = time.monotonic() - began
    counted = (stage.workers.transactions - before) / ROWS
    return f"{ROWS / spent:.1f}/s, {counted:.1f} transactions each"


def _take_all(url: str, engine: str, worker: str, gate: "multiprocessing.synchronize.Barrier") -> None:
    beside = TurnEngine(worker, url)
    with contextlib.closing(beside), open_team_dispatch(url) as dispatch:
        dispatch.save_worker(WorkerRow(worker, worker, 1, "{}", 4))
        if engine == DBOS:
            beside._want(is_wanted=True)
            select.select([beside], [], [], 60)
        gate.wait()
        while dispatch.list_startable(dispatch.tables.now(), "", most=1):
            if not isinstance(dispatch, DbosDispatch):
                dispatch.take(worker, "{}", worker)
                continue
            beside.take(dispatch, 1)
            if select.select([beside], [], [], 1.0)[0]:
                beside.hear()


def weigh() -> str:
    """What DBOS brings besides what planrail needs anyway, and how long it takes to import."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = next(told for told in requires("planrail") or () if told.startswith("dbos")).partition(";")[0]
        command = [sys.executable, "-m", "pip", "install", "-q", "--target", folder, wanted]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        found = {path.name.partition("-")[0].lower() for path in Path(folder).glob("*.dist-info")}
        ours = {"psycopg", "psycopg_binary", "typing_extensions", "pyyaml"}
        places = [path for path in Path(folder).iterdir() if not path.name.lower().startswith((*ours, "_yaml", "yaml"))]
        size = sum(int(subprocess.check_output(["du", "-sk", path]).split()[0]) for path in places) // 1024
    spent = []
    for program in ("import psycopg", "import dbos, psycopg"):
        took = [_cpu_of([sys.executable, "-c", program]) for _ in range(5)]
        spent.append(statistics.median(took))
    return f"{len(found - ours)} packages, {size} MB; import {spent[1] - spent[0]:.2f} s of CPU more"


def _cpu_of(command: list[str]) -> float:
    before = os.times()
    subprocess.run(command, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def _names(count: int) -> list[str]:
    return [f"p{number}" for number in range(count)]


def _cpu(pids: list[int]) -> float:
    fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split() for pid in pids]
    return sum(int(field[11]) + int(field[12]) for field in fields) / _TICKS


def _status(pid: int, name: str) -> str:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(line for line in lines if line.startswith(f"{name}:")).partition(":")[2].strip()


def main(argv: Sequence[str]) -> int:
    """Measure, and print one line for each figure."""
    parser = argparse.ArgumentParser(prog="bench/engines.py", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long a worker is left alone (%(default)s)")
    parser.add_argument("--only", default="", help="figures whose name has this in it")
    arguments = parser.parse_args(argv)
    os.environ["PLANRAIL_STATE_DIR"] = tempfile.mkdtemp(prefix="pr-")
    with PostgresServer(listen="127.0.0.1", max_connections=200) as server:
        templates = {OWN: "template1", DBOS: make_dbos_template(server)}
        for engine, template in templates.items():
            figures: dict[str, Callable[[Bench], str]] = {"idle worker": lambda stage: idle(stage, arguments.seconds)}
            if engine == DBOS:
                figures["DBOS kept on"] = lambda stage: kept_on(stage, arguments.seconds)
            for crowd in CROWDS:
                figures[f"submission, {crowd} idle"] = lambda stage, crowd=crowd: submission(stage, crowd)  # type: ignore[misc]
            figures |= {"submission to start": latency, "end of a turn to the next": succession}
            for count in TAKERS:
                figures[f"takes, {count}"] = lambda stage, count=count, engine=engine: takes(stage, count, engine)  # type: ignore[misc]
            for name, measure in figures.items():
                if arguments.only in name:
                    with opening(server, template) as stage:
                        print(f"{engine:<5} {name:<28} {measure(stage)}", flush=True)
                    close_idle()
        if arguments.only in "packages":
            print(f"{DBOS:<5} {'packages':<28} {weigh()}", flush=True)
    shutil.rmtree(os.environ["PLANRAIL_STATE_DIR"])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
