"""Writing a plan file: as one step, so that a reader sees the old text or the new one, whole."""

import os
import tempfile
from shlex import quote

from planrail.base.errors import ToolFailed, refused_as


def write_text(path: str, text: str) -> None:
    """Replace a file in one step, with its owner and mode kept; a link is followed, not replaced. A new one is made."""
    target = os.path.realpath(path)
    is_there = os.path.exists(target)
    if is_there and not os.access(target, os.W_OK):
        raise ToolFailed(f"{path} is read-only; nothing was written", remedy=f"chmod u+w {quote(path)}")
    kept = "; it is as it was" if is_there else "; nothing was written"
    with refused_as(f"{path} could not be written", "check the disk and the permissions", kept):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        _replace(target, text.encode("utf-8", "surrogatepass"), is_new=not is_there)


def _replace(target: str, data: bytes, *, is_new: bool) -> None:
    descriptor, name = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".planrail-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if is_new:
            mask = os.umask(0o077)
            os.umask(mask)
            os.chmod(name, 0o666 & ~mask)
        else:
            status = os.stat(target)
            if os.geteuid() == 0:
                os.chown(name, status.st_uid, status.st_gid)
            os.chmod(name, status.st_mode & 0o7777)
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise
