"""Processes of planrail for several tasks at once: begun, watched by what they write down, ended with their parent.

Each is in a process group of its own, so that Ctrl-C reaches it once: by us. It then lets its work rest, to be gone on
with by the same command. Where we are killed outright, it goes on to its end, and the ledger knows what came of it.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FrameType
from typing import IO, Protocol

import planrail
from planrail.ask.interruptions import heeded
from planrail.base.errors import ToolFailed
from planrail.base.records import mutable_record, record
from planrail.tasks.numbers import Typed
from planrail.tasks.orchestrating import OK, SPENT
from planrail.tasks.work.call_budgets import Sharing


class Watch(Protocol):
    """Whoever shows how it goes on."""

    def begin(self, number: int) -> None:
        """The process of a task was started."""

    def see(self, number: int, line: str) -> None:
        """The last thing that it wrote."""

    def end(self, number: int, state: str, text: str) -> None:
        """It has ended."""


_LOOK = 0.1  # seconds between two looks
_TAIL = 4096  # bytes in which the last line of a log is looked for


@record
class PartEnd:
    number: int
    code: int
    answer: Mapping[str, object]
    error: str = ""  # the last thing that it said, where it printed no document

    @property
    def said(self) -> str:
        return self.text("text") or self.text("error") or self.error

    def text(self, name: str) -> str:
        return str(self.answer.get(name) or "")


@mutable_record
class _Part:
    number: int
    process: subprocess.Popen[bytes]
    place: str  # of what it writes, without the endings
    is_told: bool = False  # that it is to end


def make_end(number: int, state: str, text: str, command: str, status: str) -> PartEnd:
    """The end of a task for which no process was needed."""
    told = {"task": number, "status": status, "state": state, "text": text, "command": command}
    return PartEnd(number, 0 if state == OK else 1, told)


def run_together(
    folder: str, typed: Typed, numbers: Sequence[int], jobs: int, sharing: Sharing, watch: Watch
) -> list[PartEnd]:
    """Run planrail for each task, at most `jobs` at once, with its share. What they write lies in `folder`.

    One for which nothing is left to begin with waits for the others, which may leave something. Ctrl-C is passed on
    to them; when they have ended, `Interrupted` is raised.
    """
    waiting, running, ended = list(numbers), list[_Part](), list[PartEnd]()
    with _interruptible() as is_interrupted:
        while running or (waiting and not is_interrupted()):
            while waiting and len(running) < jobs and not is_interrupted():
                share = sharing.hand_out(waiting[0], min(jobs - len(running), len(waiting)))
                if share is None and running:
                    break  # what those leave may be enough
                number = waiting.pop(0)
                if share is None:
                    ended.append(make_end(number, SPENT, f"not started: {sharing.lack}", typed.again(), ""))
                    continue
                words = ["task", typed.command, str(number), "--json", "--part", *(["--share", share] if share else [])]
                running.append(_begin(folder, number, [*words, *typed.words]))
                watch.begin(number)
            for part in running if is_interrupted() else ():
                if not part.is_told:
                    part.is_told = True
                    part.process.send_signal(signal.SIGINT)
            ended += _reap(running, sharing, watch)
            time.sleep(_LOOK if running else 0)
    if is_interrupted():
        raise Interrupted(ended)
    return ended


class Interrupted(KeyboardInterrupt):
    """Somebody ended it; what was known by then."""

    def __init__(self, ended: list[PartEnd]) -> None:
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
    try:
        with _open(f"{place}.json") as out, _open(f"{place}.log") as log:
            environment, nothing = {**os.environ, "PYTHONPATH": found}, subprocess.DEVNULL
            process = subprocess.Popen(command, stdin=nothing, stdout=out, stderr=log, env=environment, process_group=0)
    except OSError as error:
        raise ToolFailed(f"planrail could not be started: {error.strerror}", remedy="planrail doctor") from error
    return _Part(number, process, place)


def _open(path: str) -> IO[bytes]:
    return open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb")


def _reap(running: list[_Part], sharing: Sharing, watch: Watch) -> list[PartEnd]:
    ended = []
    for part in list(running):
        code = part.process.poll()
        if code is None:
            watch.see(part.number, "".join(_tail(part.place)[-1:]))
            continue
        running.remove(part)
        ended.append(_read_end(part, code))
        sharing.take_back(part.number, ended[-1].answer)
        watch.end(part.number, ended[-1].text("state") or "failed", ended[-1].said)
    return ended


def _read_end(part: _Part, code: int) -> PartEnd:
    try:
        with open(f"{part.place}.json", encoding="utf-8") as file:
            answer = json.load(file)
    except (OSError, ValueError):
        answer = None
    if isinstance(answer, dict):
        return PartEnd(part.number, code, answer)
    lines = [line for line in _tail(part.place) if not line.lstrip().startswith("→")]
    said = lines[-1].removeprefix("planrail: ") if lines else "it ended without a word"
    return PartEnd(part.number, code, {}, said)


def _tail(place: str) -> list[str]:
    path = f"{place}.log"
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.path.getsize(path) - _TAIL))
            return [line for line in file.read().decode("utf-8", "replace").splitlines() if line.strip()]
    except OSError:
        return []
