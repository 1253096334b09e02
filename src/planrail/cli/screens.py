"""Which display suits standard error? Rows redrawn in place on a terminal, which alone loads rich; else plain lines."""

import os
import sys
import time

from planrail.planning.headless.board import Screen
from planrail.runs.request.display import Display


def open_display(*, is_quiet: bool = False) -> Display:
    return Display(open_screen(is_quiet=is_quiet))


def open_screen(*, is_quiet: bool = False) -> Screen:
    if is_quiet or not sys.stderr.isatty() or os.environ.get("TERM", "") in ("", "dumb"):
        return Screen(sys.stderr, is_quiet=is_quiet)
    from planrail.cli.live_screen import LiveScreen

    return LiveScreen(sys.stderr, time.monotonic)
