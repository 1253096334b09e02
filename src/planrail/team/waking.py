"""Knocking at a worker: each listens at a socket of its own, so that nobody has to look again and again.

A worker that is not there is not missed: it looks at everything when it starts.
"""

import contextlib
import json
import os
import socket
import tempfile
from collections.abc import Callable, Iterator

from planrail.base.json_reading import read_object
from planrail.base.records import record
from planrail.base.state_folder import state_folder
from planrail.base.whole_files import read_whole, write_whole
from planrail.store.owners import find_start
from planrail.store.places import make_private

WAKE, HEALTH = b"wake\n", b"health\n"
_SHORT = "/tmp"
_LONGEST = 100  # bytes of the name of a socket; the kernel's limit is 108, and 104 on macOS
_PATIENCE = 5.0  # seconds that a worker gets to answer
_KNOCK = 0.02  # seconds that a knocker gets to say what it wants: it says it with its knock


@record
class WorkerAddress:
    """A worker on this machine: its process, and the socket where it listens."""

    pid: int
    start: str
    socket: str


def workers_folder() -> str:
    return os.path.join(state_folder(), "workers")


@contextlib.contextmanager
def listen() -> Iterator[socket.socket]:
    """A socket that people can knock at while this is open."""
    folder = workers_folder()
    make_private(folder)
    place = os.path.join(folder, f"{os.getpid()}.sock")
    if len(os.fsencode(place)) > _LONGEST:
        place = os.path.join(tempfile.mkdtemp(prefix="planrail-", dir=_SHORT), "sock")
    with contextlib.suppress(FileNotFoundError):
        os.unlink(place)
    door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    note = os.path.join(folder, f"{os.getpid()}.json")
    try:
        door.bind(place)
        os.chmod(place, 0o600)
        door.listen(64)
        door.setblocking(False)
        told = {"pid": os.getpid(), "start": find_start(os.getpid()), "socket": place}
        write_whole(note, json.dumps(told), durable=False)
        yield door
    finally:
        door.close()
        _forget(note, WorkerAddress(os.getpid(), "", place))


def find_workers() -> list[WorkerAddress]:
    """The workers of this state folder that live. What a dead one left is taken away."""
    folder = workers_folder()
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except OSError:
        return []
    found = []
    for name in names:
        address = _read(os.path.join(folder, name))
        if address is not None and find_start(address.pid) == address.start:
            found.append(address)
        else:
            _forget(os.path.join(folder, name), address)
    return found


def wake_workers() -> int:
    """Tell the workers on this machine that something has changed; how many heard it."""
    return sum(1 for address in find_workers() if say(address, WAKE) is not None)


def ask_workers() -> list[dict[str, object]]:
    """What each worker says of itself: `pid`, `version`, `since`, `ok` and more. One that hangs does not answer."""
    asked = [(address, read_object(say(address, HEALTH) or b"")) for address in find_workers()]
    return [told or {"ok": False, "pid": address.pid, "text": "it does not answer"} for address, told in asked]


def say(address: WorkerAddress, word: bytes, seconds: float = _PATIENCE) -> bytes | None:
    """A word to a worker, and its answer; None where nobody answers."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC) as line:
        line.settimeout(seconds)
        try:
            line.connect(address.socket)
            line.sendall(word)
            if word == WAKE:
                return b""
            line.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: line.recv(65536), b""))
        except OSError:
            return None


def _read(path: str) -> WorkerAddress | None:
    match read_object(read_whole(path) or b""):
        case {"pid": int(pid), "start": str(start), "socket": str(place)}:
            return WorkerAddress(pid, start, place)
        case _:
            return None


def _forget(path: str, address: WorkerAddress | None) -> None:
    for left in (path, address.socket if address is not None else ""):
        if left:
            with contextlib.suppress(OSError):
                os.unlink(left)
                if os.path.basename(os.path.dirname(left)).startswith("planrail-"):
                    os.rmdir(os.path.dirname(left))


def answer_one(door: socket.socket, describe: Callable[[], dict[str, object]]) -> bool:
    """Hear the process that knocks next, and answer where that was a question; False where none is at the door."""
    try:
        line, _ = door.accept()
    except OSError:
        return False
    with line:
        line.settimeout(_KNOCK)
        try:
            if line.recv(64) == HEALTH:
                line.sendall(json.dumps(describe()).encode() + b"\n")
        except OSError:  # it has left, or says nothing
            pass
    return True
