"""Asks shfmt for the syntax tree of a shell command, for a judge that is unsure."""

import json
import os
import sys

from planrail.agents.environment import find_program

_SECONDS = 5.0


def parse(script: str) -> object | None:
    """The syntax tree as decoded JSON; None where shfmt is absent, too slow, or finds a syntax error."""
    import subprocess

    beside = os.path.join(os.path.dirname(sys.executable), "shfmt")
    program = beside if os.access(beside, os.X_OK) else find_program("shfmt", os.environ)
    if program is None or not script:
        return None
    try:
        done = subprocess.run(
            [program, "-tojson", "-ln=bash"], input=script.encode(), capture_output=True, timeout=_SECONDS, check=False
        )
        tree: object = json.loads(done.stdout) if done.returncode == 0 else None
    except (OSError, ValueError, subprocess.TimeoutExpired, RecursionError):
        return None
    return tree
