"""Processes of planrail for several tasks at once: begun, watched by what they write down, ended with their parent.

Each is in a process group of its own, so that Ctrl-C reaches it once: by us. It then lets its work rest, to be gone on
with by the same command. Where we are killed outright, it goes on to its end, and the ledger knows what came of it.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import IO, Protocol

import planrail
from planrail.ask.interruptions import heeded
from planrail.base.errors import refused_as
from planrail.base.json_reading import read_object
from planrail.base.records import mutable_record
from planrail.base.whole_files import read_whole
from planrail.tasks.numbers import Typed
from planrail.tasks.orchestrating import FAILED, SPENT
from planrail.tasks.work.task_runs import INTERRUPTED, Sharing

Row = dict[str, object]  # what is told of a task: "task", "status", "state", "text", "command", and what else it says
_LOOK = 0.1  # seconds between two looks
_TAIL = 4096  # bytes in which the last line of a log is looked for
_INTERRUPTED = 130  # an exit code


class ProgressWatch(Protocol):
    """Shows how it goes on."""

    def begin(self, number: int) -> None:
        """The process of a task was started."""

    def see(self, number: int, line: str) -> None:
        """The last thing that it wrote."""

    def end(self, number: int, state: str, text: str) -> None:
        """It has ended."""


@mutable_record
class _Part:
    number: int
    process: subprocess.Popen[bytes]
    place: str  # of what it writes, without the endings
    is_told: bool = False  # that it is to end


def make_row(number: int, state: str, text: str, command: str, status: str = "") -> Row:
    """The end of a task that has told none of its own. Without a status, the task is as it was."""
    return {"task": number, "status": status, "state": state, "text": text, "command": command}


def run_together(
    folder: str, typed: Typed, numbers: Sequence[int], jobs: int, sharing: Sharing, watch: ProgressWatch
) -> list[Row]:
    """Run planrail for each task, at most `jobs` at once, with its share. What they write lies in `folder`.

    One for which nothing is left to begin with waits for the others, which may leave something. Ctrl-C is passed on
    to them; when they have ended, `Interrupted` is raised.
    """
    waiting, running, ended = list(numbers), list[_Part](), list[Row]()
    with _interruptible() as is_interrupted:
        while running or (waiting and not is_interrupted()):
            while waiting and len(running) < jobs and not is_interrupted():
                share = sharing.hand_out(waiting[0], min(jobs - len(running), len(waiting)))
                if share is None and running:
                    break  # what those leave may be enough
                number = waiting.pop(0)
                if share is None:
                    ended.append(make_row(number, SPENT, f"not started: {sharing.lack}", typed.again()))
                    continue
                words = ["task", typed.command, str(number), "--json", "--part", *(["--share", share] if share else [])]
                running.append(_begin(folder, number, [*words, *typed.words]))
                watch.begin(number)
            for part in running if is_interrupted() else ():
                if not part.is_told:
                    part.is_told = True
                    part.process.send_signal(signal.SIGINT)
            ended += _reap(running, typed, sharing, watch)
            time.sleep(_LOOK if running else 0)
    if is_interrupted():
        raise Interrupted(ended)
    return ended


class Interrupted(KeyboardInterrupt):
    """A person ended it; what was known by then."""

    def __init__(self, ended: list[Row]) -> None:
        super().__init__()
        self.ended = ended


@contextlib.contextmanager
def _interruptible() -> Iterator[Callable[[], bool]]:
    """Inside of this, a signal that ends us is noted, and nothing is cut in half."""
    seen: list[int] = []

    def arrive(number: int, frame: FrameType | None) -> None:
        seen.append(number)

    before = {number: signal.signal(number, arrive) for number in heeded()}
    try:
        yield lambda: bool(seen)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _begin(folder: str, number: int, words: Sequence[str]) -> _Part:
    os.makedirs(folder, mode=0o700, exist_ok=True)
    command = [sys.executable, "-P", "-m", "planrail", *words]  # nothing of the project is imported
    package = os.path.dirname(os.path.dirname(os.path.abspath(planrail.__file__)))
    found = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH", ""))))
    place = os.path.join(folder, str(number))
    refused = refused_as("planrail could not be started", "planrail doctor")
    with refused, _open(f"{place}.json") as out, _open(f"{place}.log") as log:
        environment, nothing = {**os.environ, "PYTHONPATH": found}, subprocess.DEVNULL
        process = subprocess.Popen(command, stdin=nothing, stdout=out, stderr=log, env=environment, process_group=0)
    return _Part(number, process, place)


def _open(path: str) -> IO[bytes]:
    return open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb")


def _reap(running: list[_Part], typed: Typed, sharing: Sharing, watch: ProgressWatch) -> list[Row]:
    ended = []
    for part in list(running):
        code = part.process.poll()
        if code is None:
            watch.see(part.number, "".join(_tail(part.place)[-1:]))
            continue
        running.remove(part)
        answer = read_object(read_whole(f"{part.place}.json") or b"")
        sharing.take_back(part.number, answer)
        ended.append(_read_end(part, code, answer, typed.again([part.number])))
        watch.end(part.number, str(ended[-1]["state"]), str(ended[-1]["text"]))
    return ended


def _read_end(part: _Part, code: int, answer: Row, again: str) -> Row:
    """What a process has told; where it was refused, or printed no document, what is known of that."""
    if not answer:
        lines = [line for line in _tail(part.place) if not line.lstrip().startswith("→")]
        said = lines[-1].removeprefix("planrail: ") if lines else "it ended without a word"
        return make_row(part.number, INTERRUPTED if code == _INTERRUPTED else FAILED, said, again)
    if answer.get("status") == "refused":
        row = make_row(part.number, FAILED, str(answer.get("error") or ""), str(answer.get("next") or again))
        return {**row, "unapproved": answer.get("asked")}
    return {name: value for name, value in answer.items() if name != "spent"}


def _tail(place: str) -> list[str]:
    path = f"{place}.log"
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.path.getsize(path) - _TAIL))
            return [line for line in file.read().decode("utf-8", "replace").splitlines() if line.strip()]
    except OSError:
        return []
