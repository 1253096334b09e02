"""A seal on the room of the checks: by it planrail sees that somebody touched what no commit can put back.

Tracked files are brought back from the objects before each check. What was installed there is not, and git believes the
index about what need not be looked at; so of both is remembered, in this process alone, how planrail left them.
"""

import hashlib
import itertools
import os
import stat
from collections.abc import Iterator, Sequence


def make_seal(folder: str, kept: Sequence[str], index: str) -> str:
    """How the kept paths of a folder and its index look now. Whoever changes one of them changes this."""
    digest = hashlib.sha256()
    for line in _describe(index):
        digest.update(line)
    for name in kept:
        for line in _describe(os.path.join(folder, name)):
            digest.update(line)
    return digest.hexdigest()


def describe_tree(place: str, most: int) -> str:
    """How a file or a folder looks, with so many entries of it at most."""
    digest = hashlib.sha256()
    for line in itertools.islice(_describe(place), most):
        digest.update(line)
    return digest.hexdigest()


def _describe(place: str) -> Iterator[bytes]:
    """A file by its status, which nobody can set back: the time of its last change is the system's."""
    try:
        status = os.lstat(place)
        facts = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
        is_folder = stat.S_ISDIR(status.st_mode)
        yield os.fsencode(f"{place} {facts[0] if is_folder else facts}\n")
        for name in sorted(os.listdir(place)) if is_folder else ():
            yield from _describe(f"{place}/{name}")
    except OSError as error:
        yield os.fsencode(f"{place} {error.errno}\n")
