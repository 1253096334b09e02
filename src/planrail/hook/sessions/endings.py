"""Sessions that have ended and may be resumed: kept apart, so that they do not count as active."""

import os

from planrail.base.decoding import encode
from planrail.base.whole_files import write_whole
from planrail.hook.sessions.state import to_json
from planrail.hook.sessions.store import list_sessions, load_file, session_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from planrail.hook.sessions.state import Session


def retire(folder: str, agent: str, session_id: str) -> None:
    """Put the session of an agent that has left aside."""
    path = session_path(folder, agent, session_id)
    place = _ended(folder, path)
    if not os.path.exists(path):
        return
    os.makedirs(os.path.dirname(place), 0o700, exist_ok=True)
    try:
        os.rename(path, place)
        os.utime(place)
    except FileNotFoundError:
        return


def revive(folder: str, agent: str, session_id: str) -> None:
    """Bring back a session that is resumed. One that is active is left as it is."""
    path = session_path(folder, agent, session_id)
    place = _ended(folder, path)
    if not os.path.exists(place):
        return
    os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
    try:
        os.link(place, path)  # unlike a rename, never over a file that is there
        os.unlink(place)
        os.utime(path)
    except (FileNotFoundError, FileExistsError):
        return


def list_ended(folder: str) -> "Iterator[tuple[str, str]]":
    return list_sessions(folder, "ended")


def change_ended(folder: str, agent: str, session_id: str, change: "Callable[[Session], Session]") -> None:
    """Change a session that was put aside, if it is there; one that is resumed meanwhile does not notice."""
    place = _ended(folder, session_path(folder, agent, session_id))
    if os.path.exists(place):
        write_whole(place, encode(to_json(change(load_file(place)))))


def is_alive(process: str) -> bool:
    """Whether the process "PID:START" still runs: the same one, not another with its number."""
    pid, _, start = process.partition(":")
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return not start or file.read().rpartition(")")[2].split()[19] == start
    except (OSError, IndexError):
        pass
    if os.path.isdir("/proc/self") or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except OSError:
        return False
    return True


def _ended(folder: str, path: str) -> str:
    return f"{folder}/ended/{path.removeprefix(f'{folder}/sessions/')}"
