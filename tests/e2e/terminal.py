"""A person at a plain terminal, who runs planrail there and types an answer."""

import os
import pty
import subprocess
import sys

from tests.e2e.projects import Project


def run_at_terminal(project: Project, *arguments: str, typed: str = "") -> str:
    """What planrail shows in the project, to somebody who types this."""
    ours, theirs = pty.openpty()
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "planrail", *arguments],
            cwd=project.folder,
            env=project.environment(),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        os.write(ours, typed.encode())
        shown = _read_all(ours)
        assert process.wait() == 0, shown
        return shown
    finally:
        os.close(ours)


def _read_all(terminal: int) -> str:
    """Everything until the other side hangs up, which a terminal reports as an error."""
    parts: list[bytes] = []
    try:
        while part := os.read(terminal, 4096):
            parts.append(part)
    except OSError:
        pass
    return b"".join(parts).decode("utf-8", "replace")
