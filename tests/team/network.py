"""A network that can be cut: a proxy before the database and a git remote, and machines that count as other ones."""

import contextlib
import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.patience import PATIENCE


class Wire:
    """A way to a port of this machine. It can be cut: what is open breaks, and nobody can connect until it is fixed."""

    def __init__(self, port: int) -> None:
        self._to, self._open, self._lock = port, set[socket.socket](), threading.Lock()
        self._is_cut = False
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()
        with contextlib.suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()

    def cut(self) -> None:
        """Break what is open; nothing gets through from now on."""
        with self._lock:
            self._is_cut = True
            broken, self._open = self._open, set()
        for end in broken:
            _break(end)

    def repair(self) -> None:
        """Let everything through again."""
        self._is_cut = False

    def _serve(self) -> None:
        while True:
            try:
                near, _ = self._door.accept()
            except OSError:
                return
            self._join(near)

    def _join(self, near: socket.socket) -> None:
        try:
            far = socket.create_connection(("127.0.0.1", self._to))
        except OSError:
            near.close()
            return
        with self._lock:
            is_cut = self._is_cut
            self._open |= set() if is_cut else {near, far}
        if is_cut:
            _break(near)
            _break(far)
            return
        for source, target in ((near, far), (far, near)):
            threading.Thread(target=_carry, args=(source, target), daemon=True).start()


def _carry(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while told := source.recv(65536):
            target.sendall(told)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def _break(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()


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
