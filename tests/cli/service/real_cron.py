"""The life of the service under a real cron; started in namespaces of its own by the test, with a spool of its own.

    python -m tests.cli.service.real_cron FOLDER

Prints what was found, as JSON.
"""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from planrail.team.service.cron import find_workers
from planrail.team.service.machine import Machine
from tests.cli.service.machines import Stage

OTHERS = '# mine\nMAILTO=""\n0 3 * * * echo 50\\% >/dev/null\n'


def live(folder: Path) -> dict[str, object]:
    """Install beside other lines, die, and be started again by cron at its boot."""
    stage = Stage(folder, programs=())
    stage.add_real("crontab")
    (folder / "mine").write_text(OTHERS)
    subprocess.run(["crontab", str(folder / "mine")], check=True)
    os.chdir(stage.repository)
    found: dict[str, object] = {"install": _quietly(stage, "install", "--kind", "cron")}
    found["kept"] = _list().startswith(OTHERS)
    found["again"] = _quietly(stage, "install")
    found["lines"] = _list().count("# planrail service\n")
    [(pid, _)] = find_workers(stage.machine)
    os.kill(pid, signal.SIGKILL)
    _wait(stage.machine, 0)
    with _daemon():
        found["risen"] = _wait(stage.machine, 1)
        found["status"] = _quietly(stage, "status")
        found["stop"] = _quietly(stage, "stop")
        found["stopped"] = len(find_workers(stage.machine))
        found["uninstall"] = _quietly(stage, "uninstall")
    found["after"] = _list() == OTHERS
    found["left"] = sorted(str(path.relative_to(folder / "state")) for path in (folder / "state").rglob("*"))
    return found


@contextlib.contextmanager
def _daemon() -> Iterator[None]:
    process = subprocess.Popen(["/usr/sbin/cron", "-f"], stdin=subprocess.DEVNULL, env={"PATH": "/usr/bin:/bin"})
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _quietly(stage: Stage, *words: str) -> int:
    with contextlib.redirect_stdout(io.StringIO()):
        return stage.run(*words)


def _list() -> str:
    return subprocess.run(["crontab", "-l"], capture_output=True, text=True, check=False).stdout


def _wait(machine: Machine, count: int) -> int:
    for _ in range(100):
        if len(find_workers(machine)) == count:
            break
        time.sleep(0.1)
    return len(find_workers(machine))


if __name__ == "__main__":
    print(json.dumps(live(Path(sys.argv[1]))))
