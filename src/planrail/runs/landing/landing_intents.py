"""What a landing is about to do, written down before it does it; and what a killed git left behind."""

import contextlib
import json
import os
import time
from collections.abc import Iterable

from planrail.base.errors import ToolFailed
from planrail.base.records import record
from planrail.git.checkouts import Checkout, Layout

_CLOCK = 2.0  # seconds: file systems keep time more or less exactly
_PROCESSES = "/proc"
_LONGEST_WAIT, _PAUSE = 0.2, 0.02  # seconds
_FIELDS = ("ref", "old", "new", "folders", "token", "kept", "fresh")


@record
class Intent:
    """A ref is to be moved, and these folders are to come along. Locks of their indexes with this token are ours.

    `kept` and `fresh` are paths whose content was the new one before: the user's, or an agent's that works in the
    checkout. Those in `fresh` were not staged.
    """

    ref: str
    old: str
    new: str
    folders: list[str]
    token: str
    kept: list[str]
    fresh: list[str]


def save_intent(path: str, intent: Intent) -> None:
    """Write it down for good."""
    text = json.dumps({name: getattr(intent, name) for name in _FIELDS})
    temporary = f"{path}~"  # one name: what a killed one left is overwritten
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(temporary, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        message = f"{path} cannot be written ({error.strerror}): nothing has landed, and the work is kept"
        raise ToolFailed(message, remedy="planrail resume") from error


def load_intent(path: str) -> Intent | None:
    """What was written down; None where nothing is under way."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            fields = json.load(file)
        return Intent(**{name: fields[name] for name in _FIELDS})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def drop_intent(path: str) -> None:
    """It is done."""
    for place in (path, f"{path}~"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(place)


def clear_stale_locks(layout: Layout, intent: Intent, intent_path: str) -> None:
    """Remove the locks of our own git that was killed: those younger than the intent, where no git lives.

    The caller holds the repository's lock, which a living git of ours would hold too. The locks of indexes are not
    among them: no git of ours makes one, see `index_locks`.
    """
    began = os.stat(intent_path).st_mtime - _CLOCK
    concerned = [checkout for checkout in layout.checkouts if checkout.folder in intent.folders]
    places = [os.path.join(layout.common, f"{intent.ref}.lock")]
    places += [os.path.join(checkout.git_dir, "HEAD.lock") for checkout in concerned]
    stale = [place for place in places if _is_younger(place, began)]
    if not stale or is_git_alive(layout.checkouts, layout.common):
        return
    for place in stale:
        with contextlib.suppress(OSError):
            os.unlink(place)


def _is_younger(place: str, began: float) -> bool:
    try:
        return os.lstat(place).st_mtime >= began
    except OSError:
        return False


def let_pass(checkouts: Iterable[Checkout], common: str) -> None:
    """Wait a moment for gits at work there: one may have read the old index, and takes its lock only afterwards."""
    end = time.monotonic() + _LONGEST_WAIT
    while is_git_alive(checkouts, common) and time.monotonic() < end:
        time.sleep(_PAUSE)


def is_git_alive(checkouts: Iterable[Checkout], common: str) -> bool:
    """Whether a git may be at work in one of these folders. Where processes cannot be seen, it may be."""
    folders = [os.path.realpath(common), *(os.path.realpath(checkout.folder) for checkout in checkouts)]
    try:
        numbers = [name for name in os.listdir(_PROCESSES) if name.isdigit()]
    except OSError:
        return True
    return any(_is_git_in(number, folders) for number in numbers)


def _is_git_in(number: str, folders: list[str]) -> bool:
    try:
        with open(f"{_PROCESSES}/{number}/stat", "rb") as file:
            name, _, rest = file.read().partition(b"(")[2].rpartition(b")")
        if not name.startswith(b"git") or rest.split()[0] in (b"Z", b"X"):
            return False
        place = os.readlink(f"{_PROCESSES}/{number}/cwd")
    except (FileNotFoundError, ProcessLookupError):
        return False
    except OSError:
        return True  # another user's git: nobody can say where
    return any(place == folder or place.startswith(f"{folder}/") for folder in folders)
