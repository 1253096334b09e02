"""Opening a plan in the user's editor: no shell in between, and only where there is somebody to edit."""

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping

from planrail.base.errors import PlanrailError, ToolFailed, UsageError


def open_in_editor(path: str) -> None:
    """Start the editor on a file and wait for its end."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise PlanrailError("an editor needs a terminal, and this is none", remedy=f"edit it yourself: {path}")
    command = decide_editor(os.environ)
    try:
        code = subprocess.run([*command, path], check=False).returncode
    except OSError as error:
        raise ToolFailed(f"{command[0]} cannot be started: {error.strerror}", remedy="set VISUAL or EDITOR") from error
    if code:
        raise ToolFailed(f"{command[0]} ended with {code}", remedy=f"see whether the plan is as you want it: {path}")


def decide_editor(environment: Mapping[str, str]) -> list[str]:
    """The editor's program and arguments, as the user's environment names them."""
    named = environment.get("VISUAL") or environment.get("EDITOR") or ""
    try:
        command = shlex.split(named)
    except ValueError as error:
        raise UsageError(f"the editor {named!r} is badly quoted: {error}", remedy="correct VISUAL or EDITOR") from error
    if not command:
        raise UsageError("no editor is known", remedy="export EDITOR=nano")
    return command
