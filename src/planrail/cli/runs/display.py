"""Which display suits standard error: rows redrawn in place on a terminal, one plain line for each event in a pipe."""

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
    from planrail.cli.live_screen import LiveScreen  # it draws with rich, which takes its time to load

    return LiveScreen(sys.stderr, time.monotonic)
