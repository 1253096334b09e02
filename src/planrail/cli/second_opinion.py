"""Asks shfmt for the syntax tree of a shell command: the guard's second opinion."""

import json
import os
import shutil
import subprocess
import sys

_SECONDS = 5.0


def parse(command: str) -> object | None:
    """The syntax tree as decoded JSON; None where shfmt is absent, too slow, or finds a syntax error."""
    program = _program()
    if program is None:
        return None
    try:
        done = subprocess.run(
            [program, "-tojson", "-ln=bash"], input=command.encode(), capture_output=True, timeout=_SECONDS, check=False
        )
        tree: object = json.loads(done.stdout) if done.returncode == 0 else None
    except (OSError, ValueError, subprocess.TimeoutExpired, RecursionError):
        return None
    return tree


def _program() -> str | None:
    """The shfmt that was installed beside this interpreter, else the first on the path."""
    beside = os.path.join(os.path.dirname(sys.executable), "shfmt")
    return beside if os.access(beside, os.X_OK) else shutil.which("shfmt")
