"""What is under way, drawn on a terminal in place; what has to stay is written above it."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from typing import TextIO

from rich.console import Console, ConsoleOptions, RenderResult
from rich.control import Control
from rich.live import Live
from rich.live_render import LiveRender
from rich.text import Text

from planrail.base.visible import show_line
from planrail.base.wording import clean
from planrail.planning.headless.board import (
    DONE,
    FAILED,
    RESTING,
    RUNNING,
    WAITING,
    Clock,
    PlanningRow,
    Screen,
    render_tokens,
)
from planrail.store.journal_lines import render_time

_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_SIGNS = {WAITING: ("○", "dim"), RESTING: ("◌", "cyan"), DONE: ("✔", "green"), FAILED: ("✖", "red")}
_NAME, _TITLE, _TOLD, _BAR = 24, 32, 12, 20  # cells


class LiveScreen(Screen):
    """See `Screen`. Draws nothing before `start`, and never hides the cursor: a process can be killed at any time."""

    def __init__(self, stream: TextIO, clock: Clock, size: tuple[int, int] | None = None) -> None:
        super().__init__(stream, clock)
        width, height = size or (None, None)
        self._console = _Console(
            file=stream,
            force_terminal=True,
            force_interactive=True,
            color_system=None if os.environ.get("NO_COLOR") else "standard",
            width=width,
            height=height,
        )
        self._live: Live | None = None
        self._began = clock()
        self.widths: list[int] = []  # of the lines that were drawn last

    def start(self, rows: Sequence[PlanningRow], title: str = "") -> None:
        super().start(rows, title)
        self._live = Live(self, console=self._console, redirect_stdout=False, redirect_stderr=False)
        self._live._live_render = _Drawn(self)
        with contextlib.suppress(OSError):  # the terminal is gone: the work goes on
            self._live.start(refresh=True)

    def draw(self) -> None:
        with contextlib.suppress(OSError):
            if self._live is not None:
                self._live.refresh()

    def log(self, text: str) -> None:
        """The rows show it."""

    def note(self, text: str) -> None:
        if self._live is None:
            super().note(text)
            return
        with contextlib.suppress(OSError):
            self._console.print(Text.from_ansi(f"planrail: {clean(text)}"), soft_wrap=True)

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Take the rows away, and put them back afterwards."""
        was_live = self._live is not None
        self._stop(is_left=False)
        try:
            yield
        finally:
            if was_live:
                self.start(self.rows, self.title)

    def close(self) -> None:
        self._stop(is_left=True)

    def _stop(self, *, is_left: bool) -> None:
        live, self._live = self._live, None
        with contextlib.suppress(OSError):
            if live is not None:
                live.transient = not is_left
                live.stop()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """No line is wider than the terminal, and they are not more than it has: those around what is worked on."""
        rows, lines, focus = list(self.rows), list[Text](), 0
        now, width = self.clock(), options.max_width - 1
        name = min(_NAME, max((Text(show_line(row.name)).cell_len for row in rows), default=0))
        title = min(_TITLE, max((Text(show_line(row.title)).cell_len for row in rows), default=0))
        title = max(0, min(title, width - name - 15 - _TOLD))
        for row in rows:
            if row.state in (RUNNING, RESTING):
                focus = len(lines)
            lines.append(_render(row, now, name, title))
            lines += [Text(f"       │ {show_line(text)}") for text in row.said]
        head = [self._head(now)] if self.title else []
        most = max(0, console.height - 1 - len(head))
        start = max(0, min(focus - most // 3, len(lines) - most))
        shown = [*head, *lines[start : start + most]]
        for line in shown:
            line.truncate(width, overflow="ellipsis")
        self.widths = [line.cell_len for line in shown]
        whole = Text("\n").join(shown)
        whole.no_wrap = True
        yield whole

    def _head(self, now: float) -> Text:
        done, total = sum(row.state == DONE for row in self.rows), len(self.rows)
        filled = done * _BAR // total if total else 0
        tokens, cost = sum(row.tokens for row in self.rows), sum(row.cost for row in self.rows)
        bar, used = "█" * filled + "░" * (_BAR - filled), (render_tokens(tokens), _render_sum(cost, tokens), self.doing)
        parts = [f" {self.title}", bar, f"{done}/{total} phases", render_time(now - self._began), *used]
        return Text(show_line("  ".join(filter(None, parts))))


class _Console(Console):
    def show_cursor(self, show: bool = True) -> bool:  # noqa: FBT001, FBT002 - rich's own signature
        return False


class _Drawn(LiveRender):
    """What was drawn last. In a window that was made narrower since, its lines have been broken."""

    def __init__(self, screen: LiveScreen) -> None:
        super().__init__(screen)
        self._screen = screen

    def position_cursor(self) -> Control:
        if self._shape is not None:
            width = max(1, self._screen._console.width)
            self._shape = width, sum(max(1, -(-wide // width)) for wide in self._screen.widths)
        return super().position_cursor()


def _render(row: PlanningRow, now: float, name: int, title: int) -> Text:
    sign, style = _SIGNS.get(row.state) or (_SPINNER[int(now * 8) % len(_SPINNER)], "yellow")
    seconds = row.took + (now - row.began if row.began is not None else 0.0)
    time = render_time(seconds) if seconds or row.began is not None else ""
    again = f"attempt {row.attempt}" if row.attempt > 1 else ""
    told = (row.doing, again, render_tokens(row.tokens), _render_cost(row.cost))
    line = Text.assemble(" ", (sign, style), " ", _fit(row.name, name), "  ", _fit(row.title, title), f"{time:>8}  ")
    line.append(show_line(" · ".join(filter(None, told))))
    line.rstrip()
    return line


def _fit(text: str, width: int) -> Text:
    fitted = Text(show_line(text))
    fitted.truncate(width, overflow="ellipsis", pad=True)
    return fitted


def _render_sum(cost: float, tokens: int) -> str:
    return _render_cost(cost) or ("cost unknown" if tokens else "")


def _render_cost(cost: float) -> str:
    return f"${cost:.2f}" if cost >= 0.005 else f"${cost:.4f}" if cost else ""
