"""Names as a shared database can hold them. File names need not be UTF-8, and a text column takes nothing else; of
what only one at a time may do, each has the number of an advisory lock.
"""

import hashlib
import re

_ESCAPED = re.compile(r"\\(\\|u[0-9a-f]{4}|x00)")


def to_column(name: str) -> str:
    """A name for a text column; two names have two of them, and one that is plain is its own."""
    escaped = name.replace("\\", "\\\\").replace("\0", "\\x00")
    return escaped.encode("utf-8", "backslashreplace").decode()


def from_column(text: str) -> str:
    return _ESCAPED.sub(lambda found: "\\" if found[1] == "\\" else chr(int(found[1][1:], 16)), text)


def lock_number(*words: str) -> int:
    """The number of the lock with a name: the same on every machine, and hardly ever another one's."""
    digest = hashlib.sha256("\x00".join(("planrail", *words)).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


def channel_of(worker: str) -> str:
    """Where a worker listens."""
    return f"planrail_{hashlib.sha256(worker.encode()).hexdigest()[:16]}"


MIGRATIONS, QUEUE = lock_number("migrations"), lock_number("queue")
