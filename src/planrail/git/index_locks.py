"""The index of a checkout, held by git's own protocol: while `index.lock` is there, no git stages or commits there.

What a landing makes of an index is made in a copy, and put in its place by one rename. So nobody can commit while the
branch has moved and the index has not. The lock says whose it is: a foreign one is never removed.
"""

import contextlib
import os
import shutil
import time
from collections.abc import Iterable

from planrail.base.errors import ToolFailed, refused_as
from planrail.git.checkouts import Checkout, read_text

PATIENCE = (0.05, 0.1, 0.2, 0.4, 0.8)  # seconds to wait for a git of the user's
_SETTLING = 0.05  # seconds: `git switch` lets go of the index just before it sets HEAD
_SIGN = "planrail is landing here: "
_REMEDY = "check the disk and its rights"


def make_token() -> str:
    """What tells the locks of one landing from all others."""
    return os.urandom(16).hex()


def hold_index(checkout: Checkout, token: str) -> str:
    """Take the lock, or keep it where a call of the same landing was killed that had it.

    "" where it is held; otherwise, after a moment of patience, what is in the way.
    """
    lock = _lock(checkout)
    with refused_as(f"{lock} cannot be made", _REMEDY):
        if is_held(checkout, token) or _make(lock, token):
            return ""
        for pause in PATIENCE:
            time.sleep(pause)
            if _make(lock, token):
                time.sleep(_SETTLING)
                return ""
    if read_text(lock).startswith(_SIGN):
        return f"{lock} is there: another landing of planrail was killed in {checkout.folder}, and can be resumed"
    return f"{lock} is there: a git is at work in {checkout.folder}, or was killed there"


def is_held(checkout: Checkout, token: str) -> bool:
    return read_text(_lock(checkout)) == f"{_SIGN}{token}"


def copy_index(checkout: Checkout) -> str:
    """A copy of the index to work on, with its times: by them git knows which files it has to look at."""
    index, copy = _index(checkout), private_index(checkout)
    with refused_as(f"{copy} cannot be written", _REMEDY):
        _remove(f"{copy}.lock", copy)  # of a git that was killed
        with contextlib.suppress(FileNotFoundError):  # nothing was ever staged
            shutil.copy2(index, copy)
    return copy


def private_index(checkout: Checkout) -> str:
    return f"{_index(checkout)}.planrail"


def put_index(checkout: Checkout, token: str) -> None:
    """Put the copy in the index's place. The lock stays."""
    index = _index(checkout)
    if not is_held(checkout, token):
        raise ToolFailed(f"{index}.lock was removed by another program", remedy="git status")
    with refused_as(f"{index} cannot be replaced", _REMEDY):
        os.rename(private_index(checkout), index)


def let_go(checkouts: Iterable[Checkout], token: str) -> None:
    """Remove this landing's locks, and what it left beside them."""
    for checkout in checkouts:
        copy = private_index(checkout)
        _remove(f"{copy}.lock", copy, f"{copy}~")
        if is_held(checkout, token):
            _remove(_lock(checkout))


def _index(checkout: Checkout) -> str:
    return os.path.realpath(os.path.join(checkout.git_dir, "index"))  # git follows links here as well


def _lock(checkout: Checkout) -> str:
    return f"{_index(checkout)}.lock"


def _make(lock: str, token: str) -> bool:
    draft = f"{lock.removesuffix('.lock')}.planrail~"
    with open(draft, "w", encoding="utf-8") as file:
        file.write(f"{_SIGN}{token}\n")
    try:
        os.link(draft, lock)
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        try:
            with open(lock, "x", encoding="utf-8") as file:
                file.write(f"{_SIGN}{token}\n")
        except FileExistsError:
            return False
    finally:
        _remove(draft)
    return True


def _remove(*places: str) -> None:
    for place in places:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(place)
