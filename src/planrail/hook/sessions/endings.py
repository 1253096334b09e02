"""What sessions leave when they end: a ticket after a clear, claimed once by the one that begins; else themselves.

Tickets lie beside the session files, so that one look tells the hook's wrapper whether there is anything to do.
Sessions that have ended and may be resumed are kept apart, so that they do not count as active.
"""

import os

from planrail.base.decoding import decode, encode
from planrail.base.records import replace
from planrail.base.whole_files import write_whole
from planrail.hook.sessions.state import Session, take, to_json
from planrail.hook.sessions.store import DAY, load_file, session_path, unlink
from planrail.hook.sessions.world import Ticket

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_SUFFIX = ".ticket"
_TAKEN = ".taken."  # not the name that a ticket has while it is written: a hook killed then must not leave two
_FIELDS: tuple[str, ...] = Ticket.__slots__  # type: ignore[attr-defined] # a record has them


def leave_ticket(folder: str, ticket: Ticket) -> None:
    """Put a ticket down. A session leaves one at most."""
    place = session_path(folder, ticket.agent, ticket.session, _SUFFIX)
    os.makedirs(os.path.dirname(place), 0o700, exist_ok=True)
    values = {name: getattr(ticket, name) for name in _FIELDS if name != "path"}
    write_whole(place, encode(values))


def drop_ticket(folder: str, agent: str, session_id: str) -> Ticket | None:
    """Take away the ticket of a session that was cleared; None where it has left none."""
    ticket = _load(session_path(folder, agent, session_id, _SUFFIX))
    if ticket is None or not claim_ticket(ticket):
        return None
    spend_ticket(ticket)
    return ticket


def list_tickets(folder: str, agent: str, *, now: int, lifetime: int = 3_600) -> list[Ticket]:
    """The tickets that are still good, newest first. Those that are not are swept away.

    One of a known process can be for nobody else, however long its next session takes to be heard of.
    """
    place = f"{folder}/sessions/{agent}"
    try:
        names = [name for name in os.listdir(place) if _is_free(name)]
    except OSError:
        return []
    good = []
    for ticket in filter(None, [_load(f"{place}/{name}") for name in names]):
        if now - ticket.at <= (DAY if ticket.process else lifetime):
            good.append(ticket)
        else:
            unlink(ticket.path)
    return sorted(good, key=lambda ticket: ticket.at, reverse=True)


def claim_ticket(ticket: Ticket) -> bool:
    """Take a ticket. Of several that try, one succeeds; until it calls `spend_ticket`, its death frees the ticket."""
    try:
        os.rename(ticket.path, _taken(ticket))
    except FileNotFoundError:
        return False
    return True


def spend_ticket(ticket: Ticket) -> None:
    """Destroy a ticket that was claimed, once what it brought is kept elsewhere."""
    unlink(_taken(ticket))


def _taken(ticket: Ticket) -> str:
    folder, _, name = ticket.path.rpartition("/")
    return f"{folder}/.{name.lstrip('.').partition(_SUFFIX)[0]}{_SUFFIX}{_TAKEN}{os.getpid()}"


def _is_free(name: str) -> bool:
    """Whether a file is a ticket that can be claimed: no process has, or the one that did is dead."""
    stem, suffix, rest = name.partition(_SUFFIX)
    if not suffix or not stem:
        return False
    if not name.startswith("."):
        return not rest
    pid = rest.removeprefix(_TAKEN)
    if pid == rest or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except OSError as error:
        return isinstance(error, ProcessLookupError)
    return False


def _load(path: str) -> Ticket | None:
    try:
        with open(path, encoding="utf-8") as file:
            values = decode(file.read())
    except (OSError, ValueError):
        return None
    if not isinstance(values, dict) or not all(isinstance(values.get(name), str) for name in _FIELDS[:3]):
        return None
    return replace(take(Ticket("", "", ""), values), path=path)


def retire(folder: str, agent: str, session_id: str) -> None:
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
