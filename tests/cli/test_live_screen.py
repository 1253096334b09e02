"""Rows at a real terminal: narrow, resized, without colour, interrupted, or no terminal to draw on at all."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import pytest

from tests.support.patience import PATIENCE

PROGRAM = """
import sys, time
from planrail.cli.screens import open_screen
from planrail.planning.headless.board import PlanningRow
screen = open_screen()
row = PlanningRow("1", "Greet " * 20)
try:
    screen.start([row, PlanningRow("2", "Part")], "PLAN.md")
    row.begin(screen.clock())
    row.doing = "work " * 40
    screen.log("phase 1 begins")
    screen.draw()
    screen.note("look here")
    print("ready", flush=True)
    sys.stdin.readline()
    row.doing = "other work"
    screen.draw()
    sys.stdin.readline()
    row.end("done", screen.clock())
finally:
    screen.close()
"""


class Window:
    """A terminal of this many columns, in which the program shows its rows on standard error."""

    def __init__(self, columns: int, **environment: str) -> None:
        self._ours, theirs = pty.openpty()
        self.resize(columns)
        given = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            env={**given, "TERM": "xterm", **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=theirs,
            text=True,
        )
        os.close(theirs)
        assert self.process.stdout is not None
        self.process.stdout.readline()

    def resize(self, columns: int) -> None:
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def go_on(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def read(self, until: str = "") -> str:
        """What is shown from now on: until that appears, else until the program has ended."""
        shown, end = "", time.monotonic() + PATIENCE
        while not (until and until in shown):
            assert time.monotonic() < end, shown
            if select.select([self._ours], [], [], 0.1)[0]:
                try:
                    shown += os.read(self._ours, 65_536).decode()
                except OSError:
                    break
            elif not until and self.process.poll() is not None:
                break
        return shown

    def close(self) -> None:
        os.close(self._ours)
        self.process.communicate(timeout=PATIENCE)


def _show(columns: int, **environment: str) -> str:
    """All that is shown, from the first row to the last."""
    window = Window(columns, **environment)
    window.go_on()
    window.go_on()
    shown = window.read()
    window.close()
    assert window.process.returncode == 0
    return shown


@pytest.mark.parametrize("columns", [40, pytest.param(120, marks=pytest.mark.full)])
def test_rows_are_drawn_in_place_and_no_line_is_wider_than_the_window(columns: int) -> None:
    shown = _show(columns)
    assert "planrail: look here" in shown
    assert "\033[1A\033[2K" * 2 in shown
    assert "\033[33m" in shown
    assert "\033[?25l" not in shown  # a cursor that was never hidden need not come back
    lines = re.sub("\033\\[[0-9;]*[A-Za-z]", "", shown).replace("\r", "\n").split("\n")
    assert max(map(len, lines)) < columns
    assert "✔ 1" in list(filter(None, lines))[-2]


def test_no_colour_is_heard_and_what_cannot_be_drawn_on_gets_plain_lines() -> None:
    shown = _show(80, NO_COLOR="1")
    assert "✔" in shown
    assert not re.search("\033\\[[0-9;]*m", shown)
    assert _show(80, TERM="dumb").replace("\r", "") == "planrail: phase 1 begins\nplanrail: look here\n"


def test_a_window_that_is_made_narrower_is_drawn_over_whole() -> None:
    window = Window(120)
    window.read("look here")
    window.resize(40)
    window.go_on()
    shown = window.read("other work")
    window.go_on()
    window.close()
    # The line of 119 columns fills three rows by now, and that of the head two: six in all.
    assert "\033[1A\033[2K" * 5 in shown


def test_an_interrupted_program_leaves_its_last_rows_and_a_terminal_in_order() -> None:
    window = Window(80)
    window.read("look here")
    window.process.send_signal(signal.SIGINT)
    shown = window.read()
    window.close()
    assert "KeyboardInterrupt" in shown
    before = shown.partition("Traceback")[0]
    assert before.endswith("\n")
    assert "\033[?25l" not in shown


def test_rich_is_not_loaded_where_nothing_is_drawn() -> None:
    program = "import sys\nfrom planrail.cli.screens import open_screen\nopen_screen().note('x')\n"
    command = [sys.executable, "-c", f"{program}print('rich' in sys.modules)"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "False\n"
