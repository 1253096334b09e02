"""The spool: facts that wait for the ledger, one JSON line each, for processes that cannot open a database.

Writers and takers hold the file's lock. A line that was torn by a crash ends where the next one begins; it is put
aside when the spool is taken, and never lost.
"""

import os
from collections.abc import Callable, Mapping

from planrail.store.facts import Fact, new_id, read_line
from planrail.store.failures import not_written
from planrail.store.places import SPOOL, ledger_folder, locked, make_private

NAME = SPOOL
DAMAGED = "spool.damaged"
TEXT = "text"  # the kind of a line that is no fact, but a text to be kept


def append_spool(root: str | None, kind: str, plan: str, value: Mapping[str, object], *, id: str, at: int) -> None:
    """Keep a fact until a process opens the ledger, whole or not at all. It is on the disk when this returns."""
    import json

    folder = ledger_folder(root)
    path = os.path.join(folder, NAME)
    line = json.dumps({"id": id, "kind": kind, "plan": plan, "at": at, "value": value}) + "\n"
    try:
        make_private(folder)
        with locked(path, os.O_RDWR | os.O_APPEND | os.O_CREAT) as descriptor:
            _append(descriptor, line.encode("utf-8", "surrogatepass"))
    except OSError as error:
        raise not_written(path, error.strerror or str(error)) from error


def spool_text(root: str | None, text: str, *, at: int) -> None:
    """Have a text kept under its hash, as soon as a process opens the ledger."""
    append_spool(root, TEXT, "", {"text": text}, id=new_id(), at=at)


def take_spool(folder: str, keep: Callable[[list[Fact]], None]) -> None:
    """Hand all facts of the spool over, and empty it once they are kept. Nobody can add to it meanwhile."""
    path = os.path.join(folder, NAME)
    if not os.path.exists(path) or not os.path.getsize(path):
        return
    with locked(path, os.O_RDWR) as descriptor:
        text = _read(descriptor).decode("utf-8", "replace")
        lines = [line for line in text.split("\n") if line.strip()]
        read = [(line, read_line(line)) for line in lines]
        keep([fact for _, fact in read if fact is not None])
        torn = [line for line, fact in read if fact is None]
        if torn:
            with locked(os.path.join(folder, DAMAGED), os.O_RDWR | os.O_APPEND | os.O_CREAT) as damaged:
                _append(damaged, "".join(f"{line}\n" for line in torn).encode("utf-8", "replace"))
        os.ftruncate(descriptor, 0)
        os.fsync(descriptor)


def _append(descriptor: int, data: bytes) -> None:
    size = os.fstat(descriptor).st_size
    if size and os.pread(descriptor, 1, size - 1) != b"\n":
        data = b"\n" + data  # a process died in the middle of a line
    try:
        while data:
            data = data[os.write(descriptor, data) :]
        os.fsync(descriptor)
    except OSError:
        os.ftruncate(descriptor, size)
        raise


def _read(descriptor: int) -> bytes:
    parts, at = [], 0
    while part := os.pread(descriptor, 1 << 20, at):
        parts.append(part)
        at += len(part)
    return b"".join(parts)
