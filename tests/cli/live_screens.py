"""A screen that is drawn, for tests: on a stream, in a window of any size, by a clock that stands still."""

import io

from rich.console import Console

from planrail.cli.live_screen import LiveScreen


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def open_live(now: float = 0.0, size: tuple[int, int] = (100, 24)) -> tuple[LiveScreen, io.StringIO, Clock]:
    """A screen, what was written to it, and its clock."""
    stream, clock = io.StringIO(), Clock(now)
    return LiveScreen(stream, clock, size), stream, clock


def drawn(screen: LiveScreen, width: int = 100, height: int = 24) -> list[str]:
    """The lines that a window of this size would have."""
    console = Console(file=io.StringIO(), width=width, height=height, color_system=None)
    with console.capture() as shown:
        console.print(screen)
    return shown.get().splitlines()
