"""The other sessions that planrail knows: whose plan is whose, which of them are over although nobody said so, and from
which one a conversation was branched off."""

import os
import time

from planrail.hook.deciding.clears import CLEAR, MINUTE
from planrail.hook.late_lines import read_part
from planrail.hook.sessions import events
from planrail.hook.sessions.endings import is_alive, list_tickets
from planrail.hook.sessions.events import Event
from planrail.hook.sessions.state import Session
from planrail.hook.sessions.store import UnreadableState, last_heard, list_sessions, load_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD, _FORK_HEAD = 65_536, 262_144  # bytes of the beginning of a transcript
_MOST_OF_A_PARENT = 4_000_000


def list_others(folder: str, event: Event, *kinds: str) -> "Iterator[Session]":
    """The sessions beside the event's own, of all agents; one that cannot be read is left out."""
    for kind in kinds or ("sessions",):
        for agent, path in list_sessions(folder, kind):
            try:
                other = load_file(path)
            except UnreadableState:
                continue
            if (agent, other.id) != (event.agent, event.session):
                yield other


def is_taken(folder: str, event: Event, plan: str, now: int) -> bool:
    """Whether another session has this plan, or was cleared and left it for the next one of its process."""
    holders = (other.process for other in list_others(folder, event) if other.plan == plan)
    if any(process == "" or is_alive(process) for process in holders):
        return True
    left = (ticket.process for ticket in list_tickets(folder, event.agent, now=now) if ticket.plan == plan)
    return any(process not in ("", event.process) and is_alive(process) for process in left)


def silent_sessions(folder: str, event: Event, project: str, since: int) -> list[Session]:
    """Those of the agent in the project that have a plan, and told no process by which one could see that they live."""
    others = [other for other in list_relatives(folder, event, project, "sessions") if other.plan and not other.process]
    return [other for other in others if last_heard(folder, other.agent, other.id) >= since]


def missed_ends(folder: str, event: Event) -> list[tuple[Session, Event]]:
    """The ends, which nobody told, of the sessions that the agent's process had before: it has one at a time.

    After a clear what they had belongs to this one. A session that is started in another way is not their successor,
    nor is a conversation that was there before.
    """
    ends = []
    for other in list_others(folder, event):
        if other.agent == event.agent and other.process == event.process != "":
            is_resumed = began_before(event.transcript, int(last_heard(folder, other.agent, other.id)) - MINUTE)
            is_successor = (event.kind != events.START or event.source in (CLEAR, "compact")) and not is_resumed
            why = CLEAR if is_successor else "other"  # after which a session may be resumed
            end = Event(other.agent, events.END, other.id, cwd=event.cwd, source=why, process=event.process)
            ends.append((other, end))
    return ends


def began_before(transcript: str, moment: int) -> bool:
    """Whether a conversation was there before a moment, by the first time in its transcript; not where it has none."""
    head = read_part(transcript, _HEAD) if transcript else b""
    began = head.partition(b'"timestamp":')[2][:40].partition(b'"')[2].partition(b'"')[0]
    return b"" < began < time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment)).encode()


# Claude Code's /branch names the parent in the lines that it copies. `--fork-session` names nobody, and its transcript
# is not there before the first tool; but the lines that it copies keep their identity, so the parent is the session in
# whose transcript the first of them stands.


def list_relatives(folder: str, event: Event, project: str, *kinds: str) -> list[Session]:
    """The other sessions of this agent in the project; those that have ended included, if none of them is meant."""
    others = list_others(folder, event, *(kinds or ("sessions", "ended")))
    return [other for other in others if other.agent == event.agent and other.project == project]


def find_parent(relatives: list[Session], transcript: str) -> Session | bool:
    """The session that a conversation comes from; False where it is none of these, True where nobody can tell yet.

    A branch of a branch has its first line from both: the name decides, and without one the stricter of them.
    """
    head = read_part(transcript, _FORK_HEAD)
    named = _field(head[head.find(b'"forkedFrom"') :], b"sessionId") if b'"forkedFrom"' in head else b""
    first = _field(head, b"uuid")
    if not named and not first:
        return True
    for other in relatives:
        if named == other.id.encode():
            return other
    places = [(other, f"{os.path.dirname(transcript)}/{other.id}.jsonl") for other in relatives if first]
    sharing = [other for other, place in places if first in read_part(place, _MOST_OF_A_PARENT)]
    return next((other for other in sharing if other.is_gate), sharing[0] if sharing else False)


def _field(data: bytes, name: bytes) -> bytes:
    start = data.find(b'"' + name + b'"')
    if start < 0:
        return b""
    return data[start + len(name) + 2 :][:200].partition(b'"')[2].partition(b'"')[0]
