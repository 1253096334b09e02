"""Several tasks at once, shown on standard error: a row for each."""

import contextlib
from collections.abc import Iterator, Mapping

from planrail.base.one_line import one_line
from planrail.cli.screens import open_screen
from planrail.planning.headless.board import DONE, FAILED, RESTING, PlanningRow, Screen
from planrail.store.journal_lines import render_time

_STATES = dict.fromkeys(("rests", "paused", "parked", "pr_ready", "interrupted"), RESTING)
_STATES |= {"ok": DONE, "complete": DONE}


@contextlib.contextmanager
def open_table(titles: Mapping[int, str], *, is_quiet: bool = False) -> "Iterator[WaveTable]":
    screen = open_screen(is_quiet=is_quiet)
    try:
        yield WaveTable(titles, screen)
    finally:
        screen.close()


class WaveTable:
    """A line of a log when a task begins, takes another step, and ends."""

    def __init__(self, titles: Mapping[int, str], screen: Screen) -> None:
        self._rows, self._screen = (
            {number: PlanningRow(f"{number:>4}", title) for number, title in titles.items()},
            screen,
        )
        screen.start(list(self._rows.values()))

    def begin(self, number: int) -> None:
        self._rows[number].begin(self._screen.clock())
        self._log(number, f"begins: {self._rows[number].title}")

    def see(self, number: int, line: str) -> None:
        text = line.removeprefix("planrail: ").removeprefix(f"task {number}: ")
        if text and self._rows[number].doing != text:
            self._rows[number].doing = text
            self._log(number, text)

    def end(self, number: int, state: str, text: str) -> None:
        row, named = self._rows[number], state.replace("_", " ")
        took = render_time(row.end(_STATES.get(state, FAILED), self._screen.clock()))
        row.doing = named
        self._log(number, f"{named} ({took}): {text}")

    def _log(self, number: int, text: str) -> None:
        self._screen.log(f"task {number}: {one_line(text)}")
        self._screen.draw()
