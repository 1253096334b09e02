"""planrail as a process of its own, or called in this one."""

import os
import pty
import re
import resource
import select
import subprocess
import sys
from collections.abc import Mapping, Sequence

from tests.support.patience import PATIENCE
from tests.support.typed_here import type_here

CTRL_C = "\x03"


def planrail(
    *arguments: str,
    cwd: str | os.PathLike[str] | None = None,
    cpu_seconds: int = 20,
    file_bytes: int = resource.RLIM_INFINITY,
    **environment: str,
) -> subprocess.CompletedProcess[str]:
    """Run planrail to its end; the system holds it to its limits of work and of the files that it writes."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))

    return subprocess.run(
        [sys.executable, "-m", "planrail", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONUTF8": "1", **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=PATIENCE,
        preexec_fn=limit,
        check=False,
    )


def call(
    *arguments: str, cwd: str | os.PathLike[str] | None = None, **environment: str | None
) -> subprocess.CompletedProcess[str]:
    """Type a command in this process: what it answers and prints is what a process would, in a tenth of the time.

    A variable that is None is not there.
    """
    given = {name: value for name, value in {**os.environ, **environment}.items() if value is not None}
    return type_here(cwd or os.getcwd(), given, *arguments)


def type_at_terminal(
    words: Sequence[str],
    answers: Sequence[tuple[str, str]],
    cwd: str | os.PathLike[str],
    environment: Mapping[str, str] = os.environ,
) -> tuple[int, str]:
    """The exit code and what is shown to a person who gives these answers, each once its question is there.

    A question is a pattern, and an answer may have its groups: the word that it shows; or it is `CTRL_C`.
    """
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(cwd)
        os.execve(sys.executable, [sys.executable, "-m", "planrail", *words], dict(environment))
    shown, waiting = "", list(answers)
    while True:
        if waiting and (asked := re.search(waiting[0][0], shown)):
            answer = waiting.pop(0)[1]
            os.write(terminal, answer.encode() if answer == CTRL_C else f"{asked.expand(answer)}\n".encode())
        assert select.select([terminal], [], [], PATIENCE)[0], f"nothing more came after: {shown}"
        try:
            part = os.read(terminal, 4096)
        except OSError:
            break
        if not part:
            break
        shown += part.decode("utf-8", "replace")
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), shown
