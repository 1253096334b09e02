"""A person in a window of their own: a terminal with no agent above it, where planrail asks and they type."""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.e2e.projects import Project

_HOST = Path(__file__).parents[1] / "approval" / "attacks" / "terminal_host.py"
_SECONDS = 60


def at_window(project: Project, *arguments: str, answers: Sequence[tuple[str, str]] = ()) -> tuple[str, int]:
    """What planrail shows there, and its exit code. Each answer is a pattern to wait for, and what is typed then."""
    job, result = project.base / "window.job", project.base / "window.result"
    result.unlink(missing_ok=True)
    value = {
        "command": [sys.executable, "-m", "planrail", *arguments],
        "cwd": str(project.folder),
        "environment": project.environment(),
        "answers": [list(answer) for answer in answers],
    }
    job.write_text(json.dumps(value))
    subprocess.run([sys.executable, str(_HOST), str(job), str(result)], env=project.environment(), check=True)
    found = _wait_for(result)
    return str(found["shown"]), int(str(found["code"]))


def _wait_for(result: Path) -> dict[str, object]:
    until = time.monotonic() + _SECONDS
    while not result.exists():
        assert time.monotonic() < until, "nothing came of it in the window"
        time.sleep(0.05)
    found: dict[str, object] = json.loads(result.read_text())
    return found
