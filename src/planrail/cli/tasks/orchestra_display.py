"""Several tasks at once, shown on standard error: a table that is redrawn on a terminal, plain lines in a pipe."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TextIO

from planrail.base.one_line import one_line
from planrail.base.wording import clean, clip
from planrail.cli.live_screen import LiveScreen, is_live
from planrail.store.journal_lines import render_time

Clock = Callable[[], float]


_SIGNS = {"ok": "✔", "complete": "✔", "rests": "◑", "paused": "◑", "parked": "◑", "pr_ready": "◕", "interrupted": "◑"}
_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_STATE = 30  # columns of what a task does


@contextlib.contextmanager
def open_table(titles: Mapping[int, str], *, is_quiet: bool = False) -> "Iterator[PlainTable]":
    kind = QuietTable if is_quiet else LiveTable if is_live() else PlainTable
    table = kind(titles, sys.stderr)
    try:
        yield table
    finally:
        table.close()


class PlainTable:
    """A line when a task begins, takes another step, and ends."""

    def __init__(self, titles: Mapping[int, str], stream: TextIO, clock: Clock = time.monotonic) -> None:
        self._titles, self._stream, self._clock = titles, stream, clock
        self._seen: dict[int, str] = {}
        self._began: dict[int, float] = {}

    def begin(self, number: int) -> None:
        self._began[number] = self._clock()
        self._say(number, f"begins: {self._titles.get(number, '')}")

    def see(self, number: int, line: str) -> None:
        text = line.removeprefix("planrail: ").removeprefix(f"task {number}: ")
        if text and self._seen.get(number) != text:
            self._seen[number] = text
            self._say(number, text)

    def end(self, number: int, state: str, text: str) -> None:
        took = render_time(self._clock() - self._began.get(number, self._clock()))
        self._say(number, f"{state.replace('_', ' ')} ({took}): {text}")

    def close(self) -> None:
        """Stop drawing."""

    def _say(self, number: int, text: str) -> None:
        self._write(f"planrail: task {number}: {one_line(text)}\n")

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError):  # nobody reads on: the work goes on
            self._stream.write(text)
            self._stream.flush()


class QuietTable(PlainTable):
    """Nothing, for those who asked for JSON."""

    def _write(self, text: str) -> None:
        """Nothing is shown."""


class LiveTable(PlainTable):
    """A line for each task, redrawn in place."""

    def __init__(self, titles: Mapping[int, str], stream: TextIO, clock: Clock = time.monotonic) -> None:
        super().__init__(titles, stream, clock)
        self._ended: dict[int, tuple[str, float]] = {}
        self._screen = LiveScreen(stream, clock)
        self._screen.start(self)

    def begin(self, number: int) -> None:
        self._began[number] = self._clock()
        self._ended.pop(number, None)
        self._screen.draw()

    def see(self, number: int, line: str) -> None:
        self._seen[number] = line.removeprefix("planrail: ").removeprefix(f"task {number}: ").strip()

    def end(self, number: int, state: str, text: str) -> None:
        self._seen[number] = state.replace("_", " ")
        self._ended[number] = (state, self._clock() - self._began.get(number, self._clock()))
        self._screen.draw()

    def close(self) -> None:
        self._screen.close()

    def render(self, now: float, width: int, height: int, *, colour: bool) -> list[str]:
        """See `Board`. Where there are more tasks than lines, those that are worked on come first."""
        numbers = list(self._titles)
        if len(numbers) >= height:
            numbers.sort(key=lambda number: (number in self._ended, number not in self._began))
        return [clip(clean(self._row(number, now)), max(20, width - 1)) for number in numbers[: max(1, height - 1)]]

    def _row(self, number: int, now: float) -> str:
        seen = self._seen.get(number, "")
        if number in self._ended:
            state, took = self._ended[number]
            sign = _SIGNS.get(state, "✖")
        elif number in self._began:
            sign, took = _SPINNER[int(now * 10) % len(_SPINNER)], now - self._began[number]
        else:
            return f"○ {number:>4}  {'waits':<{_STATE}}         {self._titles[number]}"
        return f"{sign} {number:>4}  {clip(seen, _STATE):<{_STATE}} {render_time(took):>7}  {self._titles[number]}"
