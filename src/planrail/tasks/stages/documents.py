"""Documents on the disk: written whole or not at all, and never over another file."""

import os

from planrail.base.errors import PlanrailError, ToolFailed
from planrail.base.wording import quote


def publish(root: str, path: str, text: str) -> None:
    """Put a document at its path inside the project. The same one again changes nothing; another one is refused."""
    place = confine(root, path)
    data = text.encode("utf-8", "surrogateescape")
    if _read(place) == data:
        return
    temporary = os.path.join(os.path.dirname(place), f".{os.path.basename(place)}.{os.getpid()}")
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        _write(temporary, data)
        try:
            os.link(temporary, place)  # fails where a file is, which a rename would not
        except FileExistsError:
            if _read(place) != data:
                typed = _from_here(root, path)
                raise PlanrailError(
                    f"{typed} is there already, and is not what planrail wrote", remedy=f"move it away: {typed}"
                ) from None
        finally:
            os.unlink(temporary)
        _sync_folder(os.path.dirname(place))
    except OSError as error:
        raise ToolFailed(
            f"{_from_here(root, path)} could not be written: {error.strerror or error}",
            remedy="make room or check the permissions, then type the same again",
        ) from error


def confine(root: str, path: str) -> str:
    """The place of a path, which has to lie inside the project, links resolved."""
    base = os.path.realpath(root)
    place = os.path.join(base, path)
    folder = os.path.realpath(os.path.dirname(place))
    if not (folder + os.sep).startswith(base + os.sep):
        remedy = "look where the folder of the task points to"
        raise PlanrailError(f"{_from_here(root, path)} leads out of the project", remedy=remedy)
    return os.path.join(folder, os.path.basename(place))


def _from_here(root: str, path: str) -> str:
    """A path of the project as one would type it in this folder."""
    return quote(os.path.relpath(os.path.join(root, path)))


def _read(place: str) -> bytes | None:
    try:
        with open(place, "rb") as file:
            return file.read()
    except OSError:
        return None


def _write(place: str, data: bytes) -> None:
    descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
    try:
        while data:
            data = data[os.write(descriptor, data) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_folder(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
