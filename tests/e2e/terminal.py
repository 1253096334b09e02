"""A person at a plain terminal, who runs planrail there and types an answer."""

import os
import pty
import re
import select
import sys

from tests.e2e.projects import Project

_SECONDS = 60


def run_at_terminal(project: Project, *arguments: str, typed: str = "", asked: str = "") -> str:
    """What planrail shows in the project, to a person who types this at a terminal of their own, once they are asked.

    `asked` is a pattern, and `typed` may have its groups.
    """
    command = [sys.executable, "-m", "planrail", *arguments]
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(project.folder)
        os.execve(command[0], command, project.environment())
    try:
        shown = _converse(terminal, typed, asked)
        _, status = os.waitpid(process, 0)
        assert os.waitstatus_to_exitcode(status) == 0, shown
        return shown
    finally:
        os.close(terminal)


def _converse(terminal: int, typed: str, asked: str) -> str:
    """Everything until the other side hangs up, which a terminal reports as an error."""
    shown, is_typed = "", False
    while True:
        question = re.search(asked, shown)
        if question and not is_typed:
            os.write(terminal, question.expand(typed).encode())
            is_typed = True
        assert select.select([terminal], [], [], _SECONDS)[0], f"nothing more came after: {shown}"
        try:
            part = os.read(terminal, 4096)
        except OSError:
            return shown
        if not part:
            return shown
        shown += part.decode("utf-8", "replace")
