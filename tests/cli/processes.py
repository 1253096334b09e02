"""planrail as a process of its own, or called in this one."""

import contextlib
import io
import os
import resource
import subprocess
import sys

import pytest

from planrail.cli.main import main
from tests.support.patience import PATIENCE


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
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        for name, value in environment.items():
            patch.delenv(name, raising=False) if value is None else patch.setenv(name, value)
        if cwd is not None:
            patch.chdir(cwd)
        code = main(list(arguments))
    said, told = (stream.buffer.getvalue().decode() for stream in (out, err))
    return subprocess.CompletedProcess(list(arguments), code, said, told)
