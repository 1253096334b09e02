"""Commits written straight into git's object store, as git itself writes them: a process for each costs more than all
else that is done with it."""

import hashlib
import os
import stat
import zlib
from collections.abc import Iterable

from planrail.base.errors import refused_as

_WHO = "planrail <planrail@localhost>"
_LENGTH_OF_SHA256 = 64


def write_commit(common: str, tree: str, parents: Iterable[str], message: str, at: int, who: str = _WHO) -> str:
    """A commit in the object store of the git directory `common`. The same arguments give the same commit."""
    lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
    lines += [f"author {who} {at} +0000", f"committer {who} {at} +0000"]
    text = message.replace("\0", "").rstrip("\n")
    content = "\n".join([*lines, "", text, ""]).encode("utf-8", "surrogateescape")
    return _write_object(common, b"commit %d\0" % len(content) + content, is_long=len(tree) == _LENGTH_OF_SHA256)


def read_kind(common: str, name: str) -> str:
    """What kind of object it is, as long as it is a file of its own; "" where it is not, or not any more."""
    return _read_head(common, name, 16).partition(b" ")[0].decode("ascii", "replace")


def read_tree_name(common: str, name: str) -> str:
    """The tree of a commit, as long as it is a file of its own; "" where it is not."""
    kind, _, rest = _read_head(common, name, 128).partition(b"\0")
    words = rest.split(b"\n", 1)[0].split(b" ")
    return words[1].decode("ascii") if kind.startswith(b"commit ") and words[0] == b"tree" and len(words) == 2 else ""


def _read_head(common: str, name: str, length: int) -> bytes:
    """The first bytes of an object that is a file of its own, as every young one is: no process is needed for that."""
    if len(name) not in (40, _LENGTH_OF_SHA256):
        return b""
    try:
        with open(os.path.join(common, "objects", name[:2], name[2:]), "rb") as file:
            return zlib.decompressobj().decompress(file.read(512), length)
    except (OSError, zlib.error):
        return b""


def _write_object(common: str, data: bytes, *, is_long: bool) -> str:
    name = (hashlib.sha256(data) if is_long else hashlib.sha1(data, usedforsecurity=False)).hexdigest()
    folder = os.path.join(common, "objects", name[:2])
    place = os.path.join(folder, name[2:])
    if os.path.exists(place) and os.path.getsize(place):
        return name
    with refused_as(f"{place} cannot be written", "check the disk and its rights"):
        _make_folder(folder)
        _write(place, zlib.compress(data, 1))
    return name


def _make_folder(folder: str) -> None:
    """With the rights of the store: others may have to write there too."""
    if not os.path.isdir(folder):
        mode = stat.S_IMODE(os.stat(os.path.dirname(folder)).st_mode)
        os.makedirs(folder, exist_ok=True)
        os.chmod(folder, mode)


def _write(place: str, content: bytes) -> None:
    temporary = os.path.join(os.path.dirname(place), f"tmp_obj_planrail{os.getpid()}{os.urandom(4).hex()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o444)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, place)
    except BaseException:
        os.unlink(temporary)
        raise
