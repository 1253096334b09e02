"""Codex's own plan mode: in which mode a turn is.

Its hooks tell the approval policy as their permission mode, whatever the turn is in (seen with 0.166.0). The mode is
named in the line of its record that begins the turn, which is written before its first hook is started.
"""

import posix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_CHUNK = 256 * 1024
_LIMIT = 64 * 1024 * 1024  # bytes of one turn; a turn that began before is not looked for
_LONGEST = 16 * 1024  # bytes of a line that begins a turn; they have 500
_BEGIN = b'"task_started"'
_NAMES = ("task_started", "turn_started")
_PLAN = "plan"


def is_plan_turn(transcript: str) -> bool:
    """Whether the newest turn of a record is in Codex's plan mode. Where it does not say, it is not."""
    from planrail.base.decoding import decode

    for line in _beginnings(transcript):
        try:
            entry = decode(line.decode("utf-8", "replace"))
        except ValueError:
            continue
        payload = entry.get("payload") if isinstance(entry, dict) and entry.get("type") == "event_msg" else None
        # What a tool returned can look like such a line, but only inside another one.
        if isinstance(payload, dict) and payload.get("type") in _NAMES:
            return payload.get("collaboration_mode_kind") == _PLAN
    return False


def _beginnings(path: str) -> "Iterator[bytes]":
    """The lines that may begin a turn, the last one first.

    Chunk by chunk from the end. The line that a chunk begins in the middle of is looked at with the one before.
    """
    try:
        descriptor = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC | posix.O_NONBLOCK)
    except (OSError, ValueError):
        return
    try:
        end = size = posix.fstat(descriptor).st_size
        rest = b""
        while end > max(0, size - _LIMIT):
            start = max(0, end - _CHUNK)
            data = posix.pread(descriptor, end - start, start) + rest + b"\n"
            first = data.find(b"\n") + 1 if start else 0
            place = data.rfind(_BEGIN, first)
            while place >= 0:
                begin = data.rfind(b"\n", 0, place) + 1
                yield data[begin : data.find(b"\n", place)]
                place = data.rfind(_BEGIN, first, begin)
            end, rest = start, data[:first][:_LONGEST].rstrip(b"\n")
    except OSError:
        return
    finally:
        posix.close(descriptor)
