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
from typing import Protocol

import planrail
from planrail.ask.interruptions import heeded
from planrail.base.errors import ToolFailed
from planrail.base.records import mutable_record, record


class Watch(Protocol):
    """Whoever shows how it goes on."""

    def begin(self, number: int) -> None:
        """The process of a task was started."""

    def see(self, number: int, line: str) -> None:
        """The last thing that it wrote."""

    def end(self, number: int, state: str, text: str) -> None:
        """It has ended."""


class Hands(Protocol):
    """Whoever says with which words a task is begun."""

    def begin(self, number: int, among: int) -> Sequence[str] | None:
        """The words; None where there is nothing to begin it with. So many are about to begin."""

    def refuse(self, number: int) -> "PartEnd":
        """How a task ended that was not begun for that."""

    def end(self, end: "PartEnd") -> None:
        """A task has ended."""


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
    folder: str
    is_told: bool = False  # that it is to end

    @property
    def last_line(self) -> str:
        lines = _tail(os.path.join(self.folder, f"{self.number}.log"))
        return lines[-1] if lines else ""


def run_together(folder: str, numbers: Sequence[int], jobs: int, hands: Hands, watch: Watch) -> list[PartEnd]:
    """Run planrail for each task, at most `jobs` at once, as `hands` has it. What they write lies in `folder`.

    One for which there is nothing to begin with waits for the others, which may leave something. Ctrl-C is passed on
    to them; when they have ended, `Interrupted` is raised.
    """
    waiting, running, ended = list(numbers), list[_Part](), list[PartEnd]()
    with _interruptible() as is_interrupted:
        while running or (waiting and not is_interrupted()):
            while waiting and len(running) < jobs and not is_interrupted():
                words = hands.begin(waiting[0], min(jobs - len(running), len(waiting)))
                if words is None and running:
                    break  # what those leave may be enough
                number = waiting.pop(0)
                if words is None:
                    ended.append(hands.refuse(number))
                else:
                    running.append(_begin(folder, number, words))
                    watch.begin(number)
            if is_interrupted():
                _pass_on(running)
            ended += _reap(running, hands, watch)
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
    try:
        with _open(folder, f"{number}.json") as out, _open(folder, f"{number}.log") as log:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=log,
                env=_environment(),
                process_group=0,
            )
    except OSError as error:
        raise ToolFailed(f"planrail could not be started: {error.strerror}", remedy="planrail doctor") from error
    return _Part(number, process, folder)


def _environment() -> dict[str, str]:
    package = os.path.dirname(os.path.dirname(os.path.abspath(planrail.__file__)))
    known = os.environ.get("PYTHONPATH", "")
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (package, known)))}


@contextlib.contextmanager
def _open(folder: str, name: str) -> Iterator[int]:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
    descriptor = os.open(os.path.join(folder, name), flags, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _pass_on(running: list[_Part]) -> None:
    for part in running:
        if not part.is_told:
            part.is_told = True
            part.process.send_signal(signal.SIGINT)


def _reap(running: list[_Part], hands: Hands, watch: Watch) -> list[PartEnd]:
    ended = []
    for part in list(running):
        code = part.process.poll()
        if code is None:
            watch.see(part.number, part.last_line)
            continue
        running.remove(part)
        ended.append(_read_end(part, code))
        hands.end(ended[-1])
        watch.end(part.number, ended[-1].text("state") or "failed", ended[-1].said)
    return ended


def _read_end(part: _Part, code: int) -> PartEnd:
    try:
        with open(os.path.join(part.folder, f"{part.number}.json"), encoding="utf-8") as file:
            answer = json.load(file)
    except (OSError, ValueError):
        answer = None
    if isinstance(answer, dict):
        return PartEnd(part.number, code, answer)
    return PartEnd(part.number, code, {}, _last_error(os.path.join(part.folder, f"{part.number}.log")))


def _last_error(path: str) -> str:
    lines = [line for line in _tail(path) if not line.lstrip().startswith("→")]
    return lines[-1].removeprefix("planrail: ") if lines else "it ended without a word"


def _tail(path: str) -> list[str]:
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.path.getsize(path) - _TAIL))
            return [line for line in file.read().decode("utf-8", "replace").splitlines() if line.strip()]
    except OSError:
        return []
