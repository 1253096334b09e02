"""The numbers of the advisory locks in a shared database: one for each thing that only one at a time may do."""

import hashlib


def lock_number(*words: str) -> int:
    """The number of the lock with a name: the same on every machine, and hardly ever another one's."""
    digest = hashlib.sha256("\x00".join(("planrail", *words)).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


MIGRATIONS, QUEUE = lock_number("migrations"), lock_number("queue")


def facts_lock(repository: str) -> int:
    """The lock of who adds facts of a repository."""
    return lock_number("facts", repository)
