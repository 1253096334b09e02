"""The inner side of the sandbox: process 1 of namespaces of its own, it runs commands as nobody and waits for the last child.

Started by `sandbox.py` only. Asks nothing of the standard library that reads files later: /tmp is covered after start.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from typing import Any

PLACE = "/mnt"
_NOBODY = 65534
_ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": f"{PLACE}/home",
    "LANG": "C.UTF-8",
    "USER": "nobody",
    "TERM": "dumb",
    "GIT_CONFIG_NOSYSTEM": "1",
}


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True, capture_output=True)


def _close_the_world(box: str, *, strictly: bool) -> None:
    """The box is at /mnt, everybody's scratch folders are in the box, and all else is read-only."""
    for point in _mount_points():
        try:
            _mount("-o", "remount,bind,ro", point)
        except subprocess.CalledProcessError:
            if strictly and not point.startswith(("/proc", "/sys", "/dev")):
                raise
    _mount("--bind", box, PLACE)
    _mount("-o", "remount,bind,rw", PLACE)
    for name, place in (("tmp", "/tmp"), ("vartmp", "/var/tmp"), ("shm", "/dev/shm")):
        if os.path.isdir(place):
            _mount("--bind", f"{PLACE}/{name}", place)
            _mount("-o", "remount,bind,rw", place)
    _mount("-t", "proc", "proc", "/proc")


def _mount_points() -> list[str]:
    with open("/proc/self/mounts", encoding="utf-8") as table:
        return [line.split()[1].encode().decode("unicode_escape") for line in table]


def _limits() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000_000, 4_000_000))
    resource.setrlimit(resource.RLIMIT_NPROC, (400, 400))
    resource.setrlimit(resource.RLIMIT_CPU, (5, 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.umask(0o022)


def _identity() -> dict[str, Any]:
    if os.path.exists("/proc/self/uid_map") and _only_root_is_mapped():
        return {}  # a user namespace: there is nobody else to be, and all but the box is read-only
    return {"user": _NOBODY, "group": _NOBODY, "extra_groups": []}


def _only_root_is_mapped() -> bool:
    with open("/proc/self/uid_map", encoding="utf-8") as table:
        return table.read().split()[2] == "1"


def _others() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1"]


def _reap(until: float) -> bool:
    """Wait for every process that is left; kill what outlives its time. Say whether all ended by themselves."""
    patient = True
    while _others():
        if time.monotonic() > until:
            patient = False
            for process in _others():
                os.kill(process, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass
        time.sleep(0.001)
    return patient


def _run(command: str, seconds: float) -> dict[str, Any]:
    output = os.memfd_create("output")
    if identity := _identity():
        os.fchown(output, identity["user"], identity["group"])
    until = time.monotonic() + seconds
    process = subprocess.Popen(
        ["bash", "--norc", "--noprofile", "-c", command],
        cwd=f"{PLACE}/repo" if os.path.isdir(f"{PLACE}/repo") else PLACE,
        env=_ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,
        preexec_fn=_limits,
        **identity,
    )
    try:
        status = process.wait(seconds)
    except subprocess.TimeoutExpired:
        status = -1
    ended = _reap(until)
    process.poll()  # reaped above at the latest; this keeps Popen from wondering
    text = os.pread(output, 200_000, 0).decode("utf-8", "replace")
    os.close(output)
    return {"status": status, "ended": ended, "output": text}


def main() -> None:
    box, outer = sys.argv[1:3]
    if os.getpid() != 1 or os.readlink("/proc/self/ns/pid") == outer:
        sys.exit("not in namespaces of its own")
    _close_the_world(box, strictly=_only_root_is_mapped())
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        command, seconds = json.loads(line)
        try:
            answer = _run(command, seconds)
        except (ValueError, OSError) as error:  # a NUL byte, an argument that is too long: no shell ever sees it
            answer = {"status": -2, "ended": True, "output": str(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
