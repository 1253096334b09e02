"""Session files on disk: read whole, written to a temporary name and renamed, changed by one process at a time.

`FOLDER/sessions/AGENT/ID.json` is there only while there is something to keep, so that an agent without a plan costs
nothing: the wrapper of the hook looks whether the folder is empty. A lock lies beside it under a hidden name.
"""

import fcntl
import os

from planrail.base.decoding import decode, encode
from planrail.base.whole_files import list_names
from planrail.hook.sessions.state import Session, from_json, to_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DAY = 86_400
_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
_LONGEST_NAME = 120


class UnreadableState(Exception):
    """A session file is there and cannot be understood. The caller must assume that a gate stands."""


def session_path(folder: str, agent: str, session_id: str, suffix: str = ".json") -> str:
    """Where a session is kept. An id is another's text: what could leave the folder is spelled out."""
    return f"{folder}/sessions/{agent}/{file_name(session_id)}{suffix}"


def file_name(session_id: str) -> str:
    """A file name for an id: the id itself where it is harmless, as those of all known agents are."""
    is_short = 0 < len(session_id) <= _LONGEST_NAME and not session_id.startswith(".")
    if is_short and all(character in _SAFE for character in session_id):
        return session_id
    digits = session_id.encode("utf-8", "surrogatepass").hex()
    if len(digits) <= _LONGEST_NAME:
        return f"%{digits}"
    import hashlib  # for ids that no agent has

    return "%%" + hashlib.sha256(digits.encode()).hexdigest()


def load(folder: str, agent: str, session_id: str) -> Session | None:
    """The session, None where there is nothing to know, `UnreadableState` where the file is damaged."""
    path = session_path(folder, agent, session_id)
    try:
        return from_json(decode(_read(path)))
    except FileNotFoundError as error:
        if os.path.lexists(path):
            raise UnreadableState(f"{path} leads nowhere") from error
        return None
    except OSError as error:
        raise UnreadableState(f"{path}: {error.strerror}") from error
    except ValueError as error:  # also for bytes that are no text
        raise UnreadableState(f"{path}: {error}") from error


def update(folder: str, agent: str, session_id: str, change: "Callable[[Session | None], Session | None]") -> None:
    """Change a session as one step: nobody else changes it between the reading and the writing.

    `change` gets what is there now and returns what shall be; None, or a session with nothing to keep, removes it.
    """
    path = session_path(folder, agent, session_id)
    lock = _lock(path)
    try:
        before = load(folder, agent, session_id)
        after = change(before)
        if after is None or after.is_blank:
            if before is not None:
                os.unlink(path)
        elif after != before:
            from planrail.base.whole_files import write_whole

            write_whole(path, encode(to_json(after)))
    finally:
        os.close(lock)


def remove(folder: str, agent: str, session_id: str) -> None:
    """Forget a session, also one that cannot be read."""
    path = session_path(folder, agent, session_id)
    lock = _lock(path)
    try:
        unlink(path)
        unlink(_beside(path, "lock"))
    finally:
        os.close(lock)


def list_sessions(folder: str, kind: str = "sessions") -> "Iterator[tuple[str, str]]":
    """The agent and the file of each session that is kept; `kind` is the folder that it lies in."""
    for agent in list_names(f"{folder}/{kind}"):
        for name in list_names(f"{folder}/{kind}/{agent}"):
            if name.endswith(".json"):
                yield agent, f"{folder}/{kind}/{agent}/{name}"


def load_file(path: str) -> Session:
    """The session in a file, or `UnreadableState`."""
    try:
        return from_json(decode(_read(path)))
    except (OSError, ValueError) as error:
        raise UnreadableState(f"{path}: {error}") from error


def touch(folder: str, agent: str, session_id: str) -> None:
    """Note that a session is alive: one that is silent for a day is forgotten."""
    try:
        os.utime(session_path(folder, agent, session_id))
    except OSError:
        return


def forget_old(folder: str, now: float, is_alive: "Callable[[str], bool]") -> None:
    """Remove sessions that were silent for a day and whose agent is not known to live, and what they left lying."""
    for _, path in list(list_sessions(folder)):
        if _is_old(path, now):
            try:
                process = load_file(path).process
            except UnreadableState:
                process = ""
            if not (process and is_alive(process)):
                _sweep(path)
    for kind in ("ended", "sessions"):
        for place in [f"{folder}/{kind}/{agent}" for agent in list_names(f"{folder}/{kind}")]:
            for name in list_names(place):  # a ticket that lapsed long ago, a lock or a temporary file of no session
                owner = f"{place}/{name[1:].partition('.json')[0]}.json"
                is_left = name.endswith(".ticket") or (name.startswith(".") and not os.path.exists(owner))
                if _is_old(f"{place}/{name}", now) and (kind == "ended" or is_left):
                    _sweep(f"{place}/{name}")


def keep_model(folder: str, agent: str, session_id: str, model: str) -> None:
    """Keep the name of a session's model that says more than its transcript will. It makes no session active."""
    from planrail.hook.sessions.windows import LARGE_MARK

    path = _beside(session_path(folder, agent, session_id), "model")
    if model.lower().endswith(LARGE_MARK):
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        from planrail.base.whole_files import write_whole

        write_whole(path, model)
    elif os.path.exists(path):
        _sweep(path)


def kept_model(folder: str, agent: str, session_id: str) -> str:
    """The model that a session was started with, where its name was kept."""
    try:
        return _read(_beside(session_path(folder, agent, session_id), "model"))
    except OSError:
        return ""


def last_heard(folder: str, agent: str, session_id: str) -> float:
    try:
        return os.stat(session_path(folder, agent, session_id)).st_mtime
    except OSError:
        return 0


def _sweep(path: str) -> None:
    try:
        unlink(path)
    except OSError:
        return


def _lock(path: str) -> int:
    """An open descriptor that holds the session's lock until it is closed, also by the death of the process."""
    place = _beside(path, "lock")
    while True:
        try:
            descriptor = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(place), 0o700, exist_ok=True)
            continue
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        try:
            if os.stat(place).st_ino == os.fstat(descriptor).st_ino:
                return descriptor
        except FileNotFoundError:
            pass  # it was removed between the opening and the locking: take the new one
        os.close(descriptor)


def _beside(path: str, kind: str) -> str:
    """The hidden file of a session: its lock, or the name of its model."""
    return f"{os.path.dirname(path)}/.{os.path.basename(path)}.{kind}"


def _read(path: str) -> str:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, os.fstat(descriptor).st_size + 1).decode("utf-8", "surrogatepass")
    finally:
        os.close(descriptor)


def _is_old(path: str, now: float) -> bool:
    try:
        return now - os.stat(path).st_mtime > DAY
    except OSError:
        return False


def unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except (IsADirectoryError, PermissionError):
        # A folder is where a file belongs. Only an empty one goes: what is in it is not ours.
        if os.path.isdir(path):
            os.rmdir(path)
        else:
            raise
