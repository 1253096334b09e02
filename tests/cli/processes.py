"""planrail as a process of its own."""

import os
import resource
import subprocess
import sys

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
