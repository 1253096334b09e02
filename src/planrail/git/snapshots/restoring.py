"""Writing and removing single files below a folder, never through a link, each in one step.

A new file is made in git's own folder and renamed into place, so that one that is half written is never seen, and one
that was left by a kill is not in the tree.
"""

import errno
import os
import stat
from contextlib import suppress

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def write_entry(root: str, path: str, data: bytes, perm: int | None, workshop: str) -> None:
    """Put a file with this content and permissions at a path, whatever file or empty folder is there.

    Without permissions it is a symbolic link, and the content is where it leads.
    """
    name, folder = os.path.basename(path), open_parent(root, path, create=True)
    try:
        os.makedirs(workshop, exist_ok=True)
        bench = os.open(workshop, _FOLDER)
        try:
            _make_and_move(name, folder, data, perm, bench)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            _make_and_move(name, folder, data, perm, folder)  # git's folder is on another disk
        finally:
            os.close(bench)
    finally:
        os.close(folder)


def _make_and_move(name: str, folder: int, data: bytes, perm: int | None, bench: int) -> None:
    temporary = f".planrail-restoring-{os.getpid()}"
    with suppress(FileNotFoundError):
        os.unlink(temporary, dir_fd=bench)
    try:
        if perm is None:
            os.symlink(data, os.fsencode(temporary), dir_fd=bench)
        else:
            with open(os.open(temporary, _NEW, 0o600, dir_fd=bench), "wb") as file:
                file.write(data)
                file.flush()
                os.fchmod(file.fileno(), perm)
                os.fsync(file.fileno())
        _remove_empty(name, folder)
        os.replace(temporary, name, src_dir_fd=bench, dst_dir_fd=folder)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=bench)


def remove_file(root: str, path: str) -> None:
    """Remove a file or a link, and the folders that are empty without it."""
    folder = open_parent(root, path, create=False)
    try:
        os.unlink(os.path.basename(path), dir_fd=folder)
    except FileNotFoundError:
        pass
    finally:
        os.close(folder)
    while "/" in path:
        path = path.rpartition("/")[0]
        if not _remove_folder(root, path):
            break


def open_parent(root: str, path: str, *, create: bool) -> int:
    """The folder of a path, opened step by step from the root; a link on the way is an error."""
    folder = os.open(root, _FOLDER)
    try:
        for name in path.split("/")[:-1]:
            if name in ("", ".", ".."):
                raise OSError(errno.EINVAL, "not a path inside the folder")
            if create:
                with suppress(FileExistsError):
                    os.mkdir(name, dir_fd=folder)
            inner = os.open(name, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
    except BaseException:
        os.close(folder)
        raise
    return folder


def permissions_at(root: str, path: str, *, is_program: bool) -> int:
    """The permissions for a file that git describes by one bit: those it has now, else those of a new file."""
    try:
        status = os.lstat(os.path.join(root, path))
        perm = stat.S_IMODE(status.st_mode) if stat.S_ISREG(status.st_mode) else _new_permissions()
    except OSError:
        perm = _new_permissions()
    perm &= ~0o111
    return perm | (perm & 0o444) >> 2 if is_program else perm


def _new_permissions() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


def _remove_empty(name: str, folder: int) -> None:
    """A folder without files gives way, with those inside it; one with a file is an error when it is to be replaced."""
    try:
        inner = os.open(name, _FOLDER, dir_fd=folder)
    except OSError:
        return  # nothing there, or no folder
    try:
        for entry in os.listdir(inner):
            _remove_empty(entry, inner)
    finally:
        os.close(inner)
    with suppress(OSError):
        os.rmdir(name, dir_fd=folder)


def _remove_folder(root: str, path: str) -> bool:
    try:
        folder = open_parent(root, path, create=False)
    except OSError:
        return False
    try:
        os.rmdir(os.path.basename(path), dir_fd=folder)
    except OSError:
        return False
    finally:
        os.close(folder)
    return True
