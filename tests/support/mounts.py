"""Small disks and folders that cannot be written, mounted where nobody else sees them: for root on Linux."""

import contextlib
import ctypes
import errno
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

_NEW_MOUNTS = 0x00020000  # CLONE_NEWNS
_BALLAST, _CHUNK = "ballast", 1 << 16
_private: list[bool] = []


def can_mount() -> bool:
    """Whether this process has mounts of its own now; they are gone when it ends, whatever happens."""
    if not _private:
        _private.append(_become_private())
    return _private[0]


def _become_private() -> bool:
    if os.geteuid() != 0 or not os.path.exists("/proc/self/ns/mnt"):
        return False
    if ctypes.CDLL(None, use_errno=True).unshare(_NEW_MOUNTS) != 0:
        return False
    return subprocess.run(["mount", "--make-rprivate", "/"], capture_output=True).returncode == 0


@contextlib.contextmanager
def small_disk(place: Path, size: str = "64m") -> Iterator[None]:
    """A disk of that size at the place, which is empty."""
    place.mkdir(parents=True, exist_ok=True)
    with _mounted(place, "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)):
        yield


@contextlib.contextmanager
def read_only(place: Path) -> Iterator[None]:
    """Inside of this the folder can be read alone, by root as well."""
    with _mounted(place, "--bind", str(place), str(place)):
        _mount("-o", "remount,bind,ro", str(place))
        yield


@contextlib.contextmanager
def _mounted(place: Path, *words: str) -> Iterator[None]:
    _mount(*words)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def _mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True)


def fill_disk(folder: Path, *, but_for: int = 0) -> None:
    """Leave only so many bytes free on the disk of a folder."""
    free_disk(folder)
    with open(folder / _BALLAST, "wb", buffering=0) as file:
        while True:
            status = os.statvfs(folder)
            room = status.f_bavail * status.f_frsize - but_for
            if room <= 0:
                return
            try:
                file.write(bytes(min(room, _CHUNK)))
            except OSError as error:
                if error.errno == errno.ENOSPC:
                    return
                raise


def free_disk(folder: Path) -> None:
    """Give the room back."""
    (folder / _BALLAST).unlink(missing_ok=True)
