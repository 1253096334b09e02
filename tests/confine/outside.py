"""A small world around a workspace: what a confined process must not reach, and an account of what it reached."""

import contextlib
import os
import select
import socket
import stat
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from planrail.confine.backends import BUBBLEWRAP, LANDLOCK, Backend, confine
from planrail.confine.policies import Confinement
from planrail.confine.trials import list_backends, try_backend

SECRET = "hunter2-of-the-canary"


def need(name: str) -> Backend:
    """The backend of this name; the test is skipped where it does not work."""
    found = next((backend for backend in list_backends() if backend.name == name), None)
    if found is None:
        pytest.skip(f"{name} is not installed")
    if reason := try_backend(found):
        pytest.skip(f"{name} does not work here: {reason}")
    return found


BOTH = pytest.mark.parametrize("name", [BUBBLEWRAP, LANDLOCK])


class Outside:
    """Folders, files, sockets and a process that belong to others. `home` and `state` are those of the policy."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.work, self.scratch, self.home = top / "rooms" / "work", top / "scratch", top / "home"
        self.state, self.other, self.project = top / "state", top / "rooms" / "other", top / "project"
        for folder in (self.work, self.scratch, self.home, self.state, self.other, self.project):
            folder.mkdir(parents=True)
        for path in (
            "home/.ssh/id",
            "home/.aws/credentials",
            "home/.claude/login.json",
            "home/.cargo/credentials.toml",
        ):
            (top / path).parent.mkdir(parents=True, exist_ok=True)
            (top / path).write_text(SECRET)
        (self.home / ".cargo" / "config.toml").write_text("readable\n")
        for folder in (self.state, self.other, self.project, self.home, top):
            (folder / "canary").write_text(SECRET)
        (self.work / "own").write_text("own\n")
        (self.work / "link").symlink_to(self.project)
        (self.work / "link_to_key").symlink_to(self.home / ".ssh" / "id")
        self._servers: list[socket.socket] = []
        self.name = f"canary-{top.stat().st_ino}"
        self._open: contextlib.ExitStack = contextlib.ExitStack()
        self.port = self._listen(socket.AF_INET, ("127.0.0.1", 0))[1]
        self._listen(socket.AF_UNIX, str(top / "s"))
        self._listen(socket.AF_UNIX, f"\0{self.name}")
        self.line, end = map(self._open.enter_context, socket.socketpair())
        self.sleeper = self._open.enter_context(subprocess.Popen(["cat"], stdin=end.fileno(), stdout=end.fileno()))
        end.close()

    def _listen(self, family: int, address: object) -> tuple[str, int]:
        server = self._open.enter_context(socket.socket(family, socket.SOCK_STREAM))
        server.bind(address)  # type: ignore[arg-type]
        server.listen()
        server.setblocking(False)
        self._servers.append(server)
        found = server.getsockname()
        return found if isinstance(found, tuple) else ("", 0)

    def environment(self) -> Mapping[str, str]:
        told = {"SSH_AUTH_SOCK": str(self.top / "s"), "TOP": str(self.top), "PORT": str(self.port)}
        told |= {"SLEEPER": str(self.sleeper.pid), "NAME": self.name}
        return {"PATH": os.environ["PATH"], "HOME": str(self.home), **told}

    def observe(self) -> dict[str, tuple[object, ...]]:
        """All that is not the process's own."""
        found: dict[str, tuple[object, ...]] = {}
        for place, folders, names in os.walk(self.top):
            folders[:] = [
                name for name in folders if os.path.join(place, name) not in (str(self.work), str(self.scratch))
            ]
            for name in (*folders, *names):
                path = os.path.join(place, name)
                status = os.lstat(path)
                content = Path(path).read_bytes() if stat.S_ISREG(status.st_mode) else b""
                found[path] = (status.st_mode, status.st_uid, status.st_gid, status.st_mtime_ns, content)
        return found

    def run(self, script: str | list[str], policy: Confinement, backend: Backend) -> "subprocess.CompletedProcess[str]":
        argv = ["/bin/sh", "-c", script] if isinstance(script, str) else script
        inside = confine(argv, policy, backend, self.environment())
        return subprocess.run(
            inside.argv, cwd=self.work, env=inside.environment, capture_output=True, text=True, timeout=60,
            stdin=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip

    def has_heard(self) -> bool:
        """Whether a server has a caller."""
        return bool(select.select(self._servers, [], [], 0)[0])

    def is_sleeper_gone(self) -> bool:
        """Whether it no longer answers: one that was killed may take its time to end."""
        try:
            self.line.sendall(b"?")
            return not self.line.recv(1)
        except OSError:
            return True

    def close(self) -> None:
        self.sleeper.kill()
        self._open.close()


@contextlib.contextmanager
def open_outside(top: Path) -> Iterator[Outside]:
    outside = Outside(top)
    try:
        yield outside
    finally:
        outside.close()
