"""The life of the service under a real systemd manager; started in a mount namespace of its own by the test.

    python -m tests.cli.service.real_manager FOLDER

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
from collections.abc import Callable, Iterator
from pathlib import Path

from planrail.team.service.machine import Facts, Machine
from planrail.team.service.systemd import Systemd
from tests.cli.service.machines import Stage
from tests.support.patience import PATIENCE

MANAGERS = ("/usr/lib/systemd/systemd", "/lib/systemd/systemd")


def live(folder: Path) -> dict[str, object]:
    """Install, restart, kill, stop and uninstall; the worker has a child that must outlive it."""
    stage = Stage(folder, programs=())
    stage.add_real("systemctl", "loginctl")
    runtime = Path("/run/user")  # of this namespace alone; the name of a socket may have 107 bytes at most
    runtime.mkdir(mode=0o700)
    stage.environment["XDG_RUNTIME_DIR"] = str(runtime)
    python = folder / "bin" / "python"
    python.symlink_to(sys.executable)  # an odd name for the program itself
    stage.python = str(python)
    agent = "import subprocess; print('agent', subprocess.Popen(['sleep', '120']).pid, flush=True)\n"
    main = stage.package / "planrail" / "__main__.py"
    main.write_text(
        agent
        + main.read_text()
        .replace("print(", f"print(file=open({str(folder / 'said')!r}, 'a'), *[", 1)
        .replace(", flush=True)", "])", 1)
    )
    os.chdir(stage.repository)
    with _manager(stage.environment):
        return _tell(stage)


def _tell(stage: Stage) -> dict[str, object]:
    found: dict[str, object] = {
        "install": _quietly(stage, "install", "--slots", "3", "--database", "postgresql://me:p$'\"%s@x/y")
    }
    first = _settle(stage.machine)
    found["first"] = first.is_running and first.is_enabled
    found["children"] = _count_sleeping()
    found["again"] = _quietly(stage, "install", "--slots", "3")
    found["same"] = Systemd().look(stage.machine).pid == first.pid
    found["restart"] = _quietly(stage, "restart")
    second = _settle(stage.machine)
    found["new"] = second.is_running and second.pid != first.pid
    os.kill(second.pid, signal.SIGKILL)
    found["risen"] = _settle(stage.machine, other_than=second.pid).is_running
    found["survivors"] = _count_sleeping()
    found["status"] = _quietly(stage, "status")
    found["uninstall"] = _quietly(stage, "uninstall")
    found["left"] = Systemd().look(stage.machine).is_running
    found["agents_after"] = _count_sleeping()
    found["said"] = (stage.folder / "said").read_text().splitlines()
    found["home"] = sorted(str(path.relative_to(stage.home)) for path in stage.home.rglob("*") if path.is_file())
    return found


@contextlib.contextmanager
def _manager(environment: dict[str, str]) -> Iterator[None]:
    program = next(path for path in MANAGERS if os.access(path, os.X_OK))
    process = subprocess.Popen([program, "--user"], env=environment, stderr=subprocess.DEVNULL)
    asked = ["systemctl", "--user", "is-system-running"]
    try:
        _wait_for(lambda: subprocess.run(asked, env=environment, capture_output=True).stdout.strip() == b"running")
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _quietly(stage: Stage, *words: str) -> int:
    with contextlib.redirect_stdout(io.StringIO()):
        return stage.run(*words)


def _settle(machine: Machine, other_than: int = 0) -> Facts:
    """The service once it runs; it is started again after five seconds."""
    _wait_for(lambda: Systemd().look(machine).pid not in (0, other_than))
    time.sleep(0.5)
    return Systemd().look(machine)


def _wait_for(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def _count_sleeping() -> int:
    """The agents: processes in this namespace that sleep for that long."""
    count = 0
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            count += name.isdigit() and Path(f"/proc/{name}/cmdline").read_bytes() == b"sleep\x00120\x00"
    return count


if __name__ == "__main__":
    print(json.dumps(live(Path(sys.argv[1]))))
