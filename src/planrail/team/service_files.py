"""Files of the service: written whole, with the mode that they shall have from their first byte on."""

import contextlib
import os
from shlex import quote

from planrail.base.errors import ToolFailed
from planrail.base.records import record

PUBLIC, PRIVATE, PROGRAM = 0o644, 0o600, 0o700


@record
class ServiceFile:
    """A file that `install` writes: where, what, and who may read it."""

    path: str
    data: bytes
    mode: int = PUBLIC


def read_file(path: str) -> bytes | None:
    """What a file holds; None where there is none."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ToolFailed(f"{path} cannot be read: {error.strerror}", remedy=f"ls -l {quote(path)}") from error


def write_file(file: ServiceFile) -> bool:
    """Write a file in one step; whether that changed anything. What is so already is not touched."""
    is_same = read_file(file.path) == file.data and not os.path.islink(file.path)
    if is_same and os.stat(file.path).st_mode & 0o777 == file.mode:
        return False
    temporary = f"{file.path}.{os.getpid()}~"
    try:
        os.makedirs(os.path.dirname(file.path), mode=0o700, exist_ok=True)
        _write_beside(temporary, file)
        os.replace(temporary, file.path)
    except OSError as error:
        raise ToolFailed(
            f"{file.path} could not be written: {error.strerror}; it is as it was",
            remedy=f"make {quote(os.path.dirname(file.path))} writable for you, then give the command again",
        ) from error
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
    return True


def remove_file(path: str) -> bool:
    """Remove a file; whether there was one."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise ToolFailed(f"{path} could not be removed: {error.strerror}", remedy=f"rm {quote(path)}") from error
    return True


def _write_beside(temporary: str, file: ServiceFile) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(temporary)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "wb") as stream:
        stream.write(file.data)
        stream.flush()
        os.fsync(stream.fileno())
        os.fchmod(stream.fileno(), file.mode)
