"""How many source files does a plan pass on its way to landed commits, and how often does it go from one to another?

`python bench/traced_path.py [--task] [--list]`. A small approved plan is run to its end by the runbook agent, in this
process; with --task as the plan of a task, by `planrail task implement`. A file counts when one of its functions is
called, a hop is a pair of files of which the first calls into the second (past the standard library, where that lies
between them). What happens while a module is imported does not count, nor the compiling of a record's constructor,
which waits for the first record of its kind.
"""

import argparse
import contextlib
import inspect
import io
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from types import FrameType

from runs import _expect, _make

import planrail
from planrail.approval.book import open_plan_file
from planrail.approval.model import TERMINAL
from planrail.approval.records import make_approval, record_answer
from planrail.cli.main import main as run_planrail

ROOT = os.path.dirname(os.path.abspath(planrail.__file__)) + os.sep
BARS = {"run": (200, 480), "task": (200, 450)}  # files and hops
PHASES = 3
COMPILING = ("compile_first", "_constructor")  # of `base/records`


class Path:
    """What was called so far: files, and pairs of files."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.hops: set[tuple[str, str]] = set()

    def note(self, frame: FrameType, event: str, _: object) -> None:
        """Called by the interpreter at each event of a thread."""
        called = frame.f_code.co_filename
        if event != "call" or not called.startswith(ROOT) or frame.f_code.co_name in COMPILING or _is_import(frame):
            return
        self.files.add(called)
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(ROOT):
            caller = caller.f_back
        if caller is not None and caller.f_code.co_filename != called:
            self.hops.add((caller.f_code.co_filename, called))


def _is_import(frame: FrameType | None) -> bool:
    """Whether this is the body of a module or class, or was called by one."""
    while frame is not None:
        is_body = not frame.f_code.co_flags & inspect.CO_OPTIMIZED
        if is_body and frame.f_code.co_filename.startswith(ROOT):
            return True
        frame = frame.f_back
    return False


def trace(*, is_task: bool = False) -> Path:
    """Run a plan, or the plan of a task, and look on."""
    path = Path()
    words = ["task", "implement", "1"] if is_task else ["run", "PLAN.md", "finish", "auto"]
    with tempfile.TemporaryDirectory(prefix="planrail-path-") as folder, contextlib.chdir(_make_approved(folder)):
        for command in (["new", "Write files"], ["link-artifact", "1", "plan", "PLAN.md"]) if is_task else ():
            with contextlib.redirect_stdout(io.StringIO()):
                run_planrail(["task", *command])
        threading.setprofile(path.note)
        sys.setprofile(path.note)
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                code = run_planrail(words)
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
        if code:
            raise SystemExit(f"bench: the run ended with {code}")
        _expect(os.getcwd(), PHASES)
    return path


def _make_approved(folder: str) -> str:
    """A repository with a plan that a person has approved."""
    os.environ["PLANRAIL_STATE_DIR"] = os.path.join(folder, "state")
    place = _make(os.path.join(folder, "project"), PHASES)
    os.unlink(os.path.join(place, "planrail.toml"))
    subprocess.run(["git", "commit", "-qam", "Ask for approvals"], cwd=place, check=True)
    plan_file = open_plan_file(os.path.join(place, "PLAN.md"), place)
    record_answer(
        plan_file, make_approval(plan_file, who="bench <b@localhost>", at=int(time.time()), strength=TERMINAL), 0
    )
    return place


def main(argv: Sequence[str]) -> int:
    """Trace and print; the exit code is 0 also where the bar is missed, since the figures say so."""
    parser = argparse.ArgumentParser(prog="bench/traced_path.py", description=__doc__)
    parser.add_argument("--list", action="store_true", help="the hops as well, one on each line")
    parser.add_argument("--task", action="store_true", help="of `planrail task implement`")
    asked = parser.parse_args(argv)
    path = trace(is_task=asked.task)
    for caller, called in sorted(path.hops) if asked.list else ():
        print(f"{caller.removeprefix(ROOT)} -> {called.removeprefix(ROOT)}")
    files, hops = BARS["task" if asked.task else "run"]
    judged = "met" if len(path.files) <= files and len(path.hops) <= hops else "MISSED"
    print(f"{len(path.files)} files, {len(path.hops)} hops; at most {files} and {hops}: {judged}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
