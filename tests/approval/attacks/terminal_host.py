"""A terminal with somebody at it: runs a command on a pseudo-terminal of its own, and types when it is asked.

As a program it first leaves its ancestors, so that what it runs has none but the first process. That is what a window
of a person's looks like, and it is also what a process that wants to be taken for one can do.
"""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from typing import Any

_SECONDS = 60
YES = (r"approve\? Type (\w+) for yes \(.*\): ", r"\1" + "\n")  # the word that the question shows


def converse(job: dict[str, Any]) -> dict[str, Any]:
    """Run `job["command"]` at a terminal; for each of `job["answers"]` wait for its pattern, then type its text.

    What is typed may have groups of the pattern: `\\1` is what the first one has found.
    An answer may have a third part: a command that is run after the pattern is seen and before the text is typed.
    """
    pid, terminal = pty.fork()
    if pid == 0:
        try:
            os.chdir(job["cwd"])
            os.execvpe(job["command"][0], job["command"], job["environment"])
        finally:
            os._exit(127)
    shown = _talk(terminal, [list(answer) for answer in job["answers"]])
    code = _end(pid)
    os.close(terminal)
    return {"shown": shown, "code": code}


def _talk(terminal: int, answers: list[list[Any]]) -> str:
    shown, read_from, until = "", 0, time.monotonic() + _SECONDS
    while time.monotonic() < until:
        ready, _, _ = select.select([terminal], [], [], 0.5)
        part = _read(terminal) if ready else None
        if part == b"":
            break
        shown += (part or b"").decode("utf-8", "replace")
        found = re.search(answers[0][0], shown[read_from:]) if answers else None
        if found:
            _, typed, *first = answers.pop(0)
            read_from += found.end()
            if first:
                subprocess.run(first[0], check=False)
            time.sleep(0.15)  # what is typed while the question is still being put is dropped
            os.write(terminal, found.expand(typed).encode())
    return shown


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other side has hung up
        return b""


def _end(pid: int) -> int:
    until = time.monotonic() + 5
    while time.monotonic() < until:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.kill(pid, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def main() -> None:
    """`terminal_host.py JOB RESULT`: both are files; the result appears whole, when everything is over."""
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    if os.fork():
        os._exit(0)
    os.setsid()
    if os.fork():
        os._exit(0)
    # What is inherited would say where this came from, and is what a person's window does not have.
    silent = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(silent, descriptor)
    result = converse(job)
    with open(sys.argv[2] + ".part", "w", encoding="utf-8") as file:
        json.dump(result, file)
    os.rename(sys.argv[2] + ".part", sys.argv[2])


if __name__ == "__main__":
    main()
