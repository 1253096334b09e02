"""Starting the process that tells a person of what happens in a project."""

import sys

from planrail.base.errors import PlanrailError
from planrail.base.settings import load_notify


def start_notifier(root: str) -> None:
    """Start it, where the user's settings name a channel. No work waits for it, or fails with it."""
    import subprocess  # dear, and a hot module may know of this one

    quiet = subprocess.DEVNULL
    try:
        if load_notify().channels:
            command = [sys.executable, "-P", "-m", "planrail", "notify", "watch"]
            subprocess.Popen(command, cwd=root, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
    except (OSError, PlanrailError):
        return
