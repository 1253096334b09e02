"""Tickets on disk: left by a session that was cleared, claimed once by the one that begins.

They lie beside the session files, so that one look tells the hook's wrapper whether there is anything to do.
"""

import os

from planrail.base.decoding import decode, encode
from planrail.base.records import replace
from planrail.base.whole_files import write_whole
from planrail.hook.sessions.store import DAY, file_name, unlink
from planrail.hook.sessions.world import Ticket

_SUFFIX = ".ticket"
_TAKEN = ".taken."  # not the name that a ticket has while it is written: a hook killed then must not leave two
_FIELDS: tuple[str, ...] = Ticket.__slots__  # type: ignore[attr-defined] # a record has them


def leave_ticket(folder: str, ticket: Ticket) -> None:
    """Put a ticket down. A session leaves one at most."""
    place = _path(folder, ticket.agent, ticket.session)
    os.makedirs(os.path.dirname(place), 0o700, exist_ok=True)
    values = {name: getattr(ticket, name) for name in _FIELDS if name != "path"}
    write_whole(place, encode(values))


def drop_ticket(folder: str, agent: str, session_id: str) -> Ticket | None:
    """Take away the ticket of a session that was cleared; None where it has left none."""
    ticket = _load(_path(folder, agent, session_id))
    if ticket is None or not claim_ticket(ticket):
        return None
    spend_ticket(ticket)
    return ticket


def _path(folder: str, agent: str, session_id: str) -> str:
    return f"{folder}/sessions/{agent}/{file_name(session_id)}{_SUFFIX}"


def list_tickets(folder: str, agent: str, *, now: int, lifetime: int) -> list[Ticket]:
    """The tickets that are still good, newest first. Those that are not are swept away.

    One of a known process can be for nobody else, however long its next session takes to be heard of.
    """
    place = f"{folder}/sessions/{agent}"
    try:
        names = [name for name in os.listdir(place) if _is_free(name)]
    except OSError:
        return []
    found = [_load(f"{place}/{name}") for name in names]
    good = []
    for ticket in found:
        if ticket is not None and now - ticket.at <= (DAY if ticket.process else lifetime):
            good.append(ticket)
        elif ticket is not None:
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
    """Whether a file is a ticket that can be claimed: nobody has, or whoever did is dead."""
    stem, suffix, rest = name.partition(_SUFFIX)
    if not suffix or not stem:
        return False
    if not name.startswith("."):
        return not rest
    pid = rest.removeprefix(_TAKEN)
    return pid != rest and pid.isdigit() and not _is_running(int(pid))


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _load(path: str) -> Ticket | None:
    blank = Ticket("", "", "")
    try:
        with open(path, encoding="utf-8") as file:
            values = decode(file.read())
    except (OSError, ValueError):
        return None
    if not isinstance(values, dict):
        return None
    known = {name: values[name] for name in _FIELDS if type(values.get(name)) is type(getattr(blank, name))}
    if not {"agent", "session", "project"} <= known.keys():
        return None
    return replace(Ticket(**known), path=path)
