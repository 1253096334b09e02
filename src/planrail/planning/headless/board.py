"""How far is it? The rows of what is under way, which every long command fills, and the lines of a pipe or a log.

At a terminal the command line draws the rows (`cli/live_screen`).
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TextIO

from planrail.agents.model import Asked, Began, Denied, Event, Said, UsageEvent, Used
from planrail.base.records import mutable_record
from planrail.base.wording import clean, plural
from planrail.planning.machine import CRITIQUE, REVISE, round_of

WAITING, RUNNING, RESTING, DONE, FAILED = "waiting", "running", "resting", "done", "failed"
Clock = Callable[[], float]
_SAID = 3  # last words of an agent that are kept


@mutable_record
class PlanningRow:
    """A phase, an agent or a task: how it stands, what is done now, what it used, what its agent said last."""

    name: str
    title: str = ""
    state: str = WAITING
    doing: str = ""
    attempt: int = 1
    began: float | None = None  # None: it is not worked on now
    took: float = 0.0
    tokens: int = 0
    cost: float = 0.0
    said: Sequence[str] = ()

    def begin(self, now: float, state: str = RUNNING) -> None:
        self.began = now if self.began is None else self.began
        self.state = state

    def end(self, state: str, now: float) -> float:
        """How long it was worked on since it began last."""
        seconds = now - (now if self.began is None else self.began)
        self.took, self.state, self.began, self.doing, self.said = self.took + seconds, state, None, "", ()
        return seconds

    def see(self, event: Event) -> None:
        if isinstance(event, UsageEvent):
            self.tokens += event.tokens_in + event.tokens_out
            self.cost += event.cost
        else:
            self.said = [*self.said, describe(event)][-_SAID:]


class Screen:
    """Where it is shown how something goes on; here by lines. A quiet one has notes only, for those who asked for JSON.

    Every method may be called from any thread. A thread that changes the rows holds the lock.
    """

    title = doing = ""  # of the whole

    def __init__(self, stream: TextIO, clock: Clock = time.monotonic, *, is_quiet: bool = False) -> None:
        self.stream, self.clock, self.is_quiet = stream, clock, is_quiet
        self.lock = threading.RLock()
        self.rows: list[PlanningRow] = []

    def start(self, rows: Sequence[PlanningRow], title: str = "") -> None:
        """From now on these rows are shown, where rows can be."""
        self.rows, self.title = list(rows), title

    def draw(self) -> None:
        """Something in the rows has changed."""

    def log(self, text: str) -> None:
        """A step, for those who see no rows."""
        if not self.is_quiet:
            self.note(text)

    def note(self, text: str) -> None:
        """Something that a person should read, also later."""
        with self.lock, contextlib.suppress(OSError):  # nobody reads on (`2>&1 | head -1`): the work goes on
            self.stream.write(f"planrail: {clean(text)}\n")
            self.stream.flush()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """While another program, or a question, uses the terminal."""
        yield

    def close(self) -> None:
        """Stop drawing, whatever happened; more than once does no harm."""


def name_rows(phases: Sequence[str]) -> list[str]:
    """The phases as people are told of them: those of a round with its number, where there are several."""
    rounds = list(phases).count(CRITIQUE)
    return [
        f"{phase} {round_of(phases, at)}/{rounds}" if rounds > 1 and phase in (CRITIQUE, REVISE) else phase
        for at, phase in enumerate(phases)
    ]


def describe(event: Event) -> str:
    match event:
        case Began():
            return "has begun"
        case Said(text=text):
            return _one_line(text)
        case Used(tool=tool, detail=detail):
            return _one_line(f"{tool} {detail}")
        case Denied(tool=tool, reason=reason):
            return _one_line(f"{tool} denied: {reason}")
        case Asked(questions=questions):
            return f"asks {plural(len(questions), 'question')}"
        case UsageEvent():
            return ""


def _one_line(text: str) -> str:
    return clean(" ".join(text[:400].split()))


def render_tokens(count: int) -> str:
    if count < 1_000:
        return f"{count} tokens" if count else ""
    return f"{count / 1_000:.1f}k tokens" if count < 1_000_000 else f"{count / 1_000_000:.1f}M tokens"
