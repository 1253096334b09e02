"""A network for machines: a git remote that is served, and machines that count as other ones."""

import contextlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.patience import PATIENCE


@contextlib.contextmanager
def serve_git(folder: Path) -> Iterator[int]:
    """A git server for the repositories of a folder, to which everybody may push; its port."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        port: int = door.getsockname()[1]
    options = ["--reuseaddr", "--export-all", "--enable=receive-pack", "--listen=127.0.0.1", f"--port={port}"]
    server = subprocess.Popen(
        ["git", "daemon", *options, f"--base-path={folder}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _wait_until_open(port)
        yield port
    finally:
        _end_children(server)


def _end_children(server: "subprocess.Popen[bytes]") -> None:
    """End the server, which is a child of git."""
    found = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
    for pid in [*map(int, found), server.pid]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, 15)
    server.wait(PATIENCE)


def _wait_until_open(port: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        assert time.monotonic() < deadline, "git daemon does not listen"
        time.sleep(0.02)


def other_machine(name: str) -> tuple[str, ...]:
    """What makes a command run on another machine: another name, and another space of process numbers.

    Skips the test where the kernel does not allow that.
    """
    program = shutil.which("unshare")
    if program is None:
        pytest.skip("unshare is not installed")
    own = () if os.geteuid() == 0 else ("--user", "--map-root-user")
    command = (program, *own, "--uts", "--pid", "--fork", "--kill-child", "--mount-proc")
    named = (*command, "sh", "-c", f'hostname {name} && exec "$@"', "sh")
    if subprocess.run([*named, "true"], capture_output=True).returncode != 0:
        pytest.skip("this kernel gives nobody a machine of their own")
    return named
