"""A folder for the time of one command, which the next command removes if its maker was killed."""

import contextlib
import fcntl
import glob
import os
import tempfile
from collections.abc import Iterator

from planrail.base.errors import ToolFailed
from planrail.git.tree_removal import remove_tree

_NAME = "planrail-scratch-"


@contextlib.contextmanager
def open_scratch() -> Iterator[str]:
    """A new folder in the temporary one. Its maker holds a lock on it: one that nobody holds was left by a kill."""
    for left in glob.glob(os.path.join(glob.escape(tempfile.gettempdir()), f"{_NAME}*")):
        _remove(left)
    while True:
        folder = os.path.realpath(tempfile.mkdtemp(prefix=_NAME))
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.path.isdir(folder):  # else another command came between the two lines above
            break
        os.close(descriptor)
    try:
        yield folder
    finally:
        with contextlib.suppress(ToolFailed):
            remove_tree(folder)
        os.close(descriptor)


def _remove(folder: str) -> None:
    """Remove a folder that nobody holds; one of another user stays."""
    with contextlib.suppress(OSError, ToolFailed):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove_tree(folder)
        finally:
            os.close(descriptor)
