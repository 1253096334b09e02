"""From which session a conversation was branched off: it goes on under a new id, and what held the first must hold it.

Claude Code's /branch names the parent in the lines that it copies. `--fork-session` names nobody, and its transcript is
not there before the first tool; but the lines that it copies keep their identity, so the parent is the session in whose
transcript the first of them stands.
"""

import os

from planrail.hook.late_lines import read_part
from planrail.hook.sessions.events import Event
from planrail.hook.sessions.state import Session

_HEAD = 262_144
_MOST = 4_000_000  # bytes of a parent's transcript


def list_relatives(folder: str, event: Event, project: str) -> list[Session]:
    """The other sessions of this agent in the project, those that have ended included."""
    from planrail.hook.neighbours import list_others

    others = list_others(folder, event, "sessions", "ended")
    return [other for other in others if other.agent == event.agent and other.project == project]


def find_parent(relatives: list[Session], transcript: str) -> Session | bool:
    """The session that a conversation comes from; False where it is none of these, True where nobody can tell yet.

    A branch of a branch has its first line from both: the name decides, and without one the stricter of them.
    """
    head = read_part(transcript, _HEAD)
    named = _field(head[head.find(b'"forkedFrom"') :], b"sessionId") if b'"forkedFrom"' in head else b""
    first = _field(head, b"uuid")
    if not named and not first:
        return True
    for other in relatives:
        if named == other.id.encode():
            return other
    sharing = _sharing(first, relatives, os.path.dirname(transcript))
    return next((other for other in sharing if other.is_gate), sharing[0] if sharing else False)


def _sharing(line: bytes, relatives: list[Session], folder: str) -> list[Session]:
    """The sessions in whose transcripts a line stands."""
    if not line:
        return []
    return [other for other in relatives if line in read_part(f"{folder}/{other.id}.jsonl", _MOST)]


def _field(data: bytes, name: bytes) -> bytes:
    start = data.find(b'"' + name + b'"')
    if start < 0:
        return b""
    return data[start + len(name) + 2 :][:200].partition(b'"')[2].partition(b'"')[0]
