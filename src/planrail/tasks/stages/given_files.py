"""A document that a person hands in: a file, or standard input. Nothing else is read, and nothing without an end."""

import os
import stat
import sys

from planrail.base.errors import UsageError

STANDARD_INPUT = "-"
_LARGEST = 4_000_000  # bytes of a document
_REMEDY = "name a text file: --from FILE"
_KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}


def read_given(source: str) -> str:
    """The text of a document; a `UsageError` where it is none. Line ends stay as they are."""
    try:
        data = _read_input() if source == STANDARD_INPUT else _read_file(source)
        if len(data) > _LARGEST:
            raise UsageError(f"{name_given(source)} is too large for a document", remedy="name a text file")
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{name_given(source)} cannot be read: it is no UTF-8 text", remedy=_REMEDY) from error
    except (OSError, ValueError) as error:  # a name with a zero byte in it is a ValueError
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"{name_given(source)} cannot be read: {why}", remedy=_REMEDY) from error


def name_given(source: str) -> str:
    """What a person calls it."""
    return "standard input" if source == STANDARD_INPUT else source


def _read_input() -> bytes:
    if sys.stdin is None:
        raise UsageError("there is no standard input", remedy=_REMEDY)
    return sys.stdin.buffer.read(_LARGEST + 1)


def _read_file(path: str) -> bytes:
    """A regular file. Opened without waiting: a pipe would wait for its writer."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        kind = stat.S_IFMT(os.fstat(descriptor).st_mode)
        if kind != stat.S_IFREG:
            raise UsageError(f"{path} cannot be read: it is {_KINDS.get(kind, 'no file')}", remedy=_REMEDY)
        return file.read(_LARGEST + 1)
