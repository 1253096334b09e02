"""Programs that run beside planrail for a while, a server or a browser, and that are gone with all they started as soon
as planrail is done with them, or is killed. See `keeper`."""

import contextlib
import glob
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping

import planrail
from planrail.base.errors import ToolFailed
from planrail.base.records import record
from planrail.git.tree_removal import remove_tree
from planrail.runs.checks.leftovers import MARK, end_forgotten, make_mark
from planrail.runs.checks.output import Output

_PATIENCE = 30.0  # seconds for a keeper to end all processes
_CHUNK = 1 << 16
_BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]);"
    "from planrail.runs.checks.keeper import main; sys.exit(main(sys.argv[2:]))"
)
_PACKAGES = os.path.dirname(os.path.dirname(os.path.abspath(planrail.__file__)))


@record
class ProgramOrder:
    """A program to run: in which folder, with which variables, and the file that its output goes to."""

    command: list[str]
    folder: str
    environment: Mapping[str, str]
    log: str


class KeptProgram:
    """A program that runs under a keeper."""

    def __init__(self, order: ProgramOrder, streams: tuple[int, ...] = ()) -> None:
        self._log = order.log
        self._output = Output(order.log)
        self._tail: str | None = None
        named = ",".join(map(str, streams)) or "-"
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _BOOT, _PACKAGES, named, *order.command],
                cwd=order.folder,
                env={**order.environment, MARK: make_mark(order.log)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                pass_fds=streams,
            )
        except BaseException:
            self._output.discard()
            raise
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def code(self) -> int | None:
        """Its exit code, once it has ended and nothing that it started is left; None as long as something runs."""
        return self._process.poll()

    def end(self) -> str:
        """End it with all that it started; the last lines that it said, without secrets of a known shape."""
        if self._tail is None:
            assert self._process.stdin is not None
            with contextlib.suppress(OSError):
                self._process.stdin.close()
            try:
                self._process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            end_forgotten(self._log)  # a program that killed the keeper has gained nothing
            self._reader.join(_PATIENCE)
            _, self._tail = self._output.close()
        return self._tail

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as pipe, contextlib.suppress(OSError):
            while chunk := os.read(pipe.fileno(), _CHUNK):
                self._output.add(chunk)


def clear_forgotten(log: str) -> None:
    """End what an earlier planrail and its keeper left running under this log, and remove its private folder."""
    end_forgotten(log)
    for folder in glob.glob(os.path.join(tempfile.gettempdir(), f"planrail-{make_mark(log)}-*")):
        with contextlib.suppress(ToolFailed):
            remove_tree(folder)


@contextlib.contextmanager
def keep(order: ProgramOrder, streams: tuple[int, ...] = ()) -> Iterator[KeptProgram]:
    """Run a program for a while. What an earlier call left behind under the same log is cleared away first."""
    clear_forgotten(order.log)
    program = KeptProgram(order, streams)
    try:
        yield program
    finally:
        program.end()
