"""The worker's side of its door: who knocks is heard at once, and nobody can keep it waiting."""

import json
import socket
from collections.abc import Callable

from planrail.team.waking import HEALTH

_SECONDS = 0.02  # that a knocker gets to say what it wants: it says it with its knock


def answer_one(door: socket.socket, describe: Callable[[], dict[str, object]]) -> bool:
    """Hear whoever knocks next, and answer where that was a question; False where nobody is at the door."""
    try:
        line, _ = door.accept()
    except OSError:
        return False
    with line:
        line.settimeout(_SECONDS)
        try:
            if line.recv(64) == HEALTH:
                line.sendall(json.dumps(describe()).encode() + b"\n")
        except OSError:  # it has left, or says nothing
            pass
    return True
