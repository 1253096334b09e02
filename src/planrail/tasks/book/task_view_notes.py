"""What planrail wrote into the views of a checkout, so that a person's edit is known from its own work.

The note is kept before a view is put in its place, with what stood there: whoever dies in between leaves a view that
is known all the same.
"""

import contextlib
import os
import zlib
from collections.abc import Mapping, Sequence

from planrail.base.records import record, replace

_FORMAT = "planrail-views-1"
_PIECE = 1 << 20


@record
class Print:
    """A view as it was written: of which revision, and how it is known again."""

    revision: int
    inode: int
    size: int
    changed: int  # nanoseconds
    checksum: int


@record
class ViewNote:
    """The prints of each view: the last one, and the one before. `book` is the book that they show."""

    book: str
    prints: Mapping[str, Sequence[Print]]


def load_note(path: str) -> ViewNote:
    """The note of a checkout; an empty one where there is none, or where it cannot be read."""
    try:
        with open(path, encoding="utf-8") as file:
            first, *lines = file.read().split("\n")
        format_, book = first.split(" ")
        prints: dict[str, list[Print]] = {}
        for line in lines[:-1]:
            name, *numbers = line.split(" ")
            prints.setdefault(name, []).append(Print(*map(int, numbers)))
    except (OSError, ValueError, TypeError):
        return ViewNote("", {})
    return ViewNote(book, prints) if format_ == _FORMAT else ViewNote("", {})


def save_note(path: str, note: ViewNote) -> None:
    """Keep the note of a checkout."""
    lines = [f"{_FORMAT} {note.book}"]
    for name, prints in note.prints.items():
        lines += [f"{name} {p.revision} {p.inode} {p.size} {p.changed} {p.checksum}" for p in prints]
    draft = f"{path}.new"
    with open(draft, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    os.rename(draft, path)


def recognise(path: str, prints: Sequence[Print], *, by_text: bool = False) -> Print | None:
    """The print that a file bears; None where planrail did not write what it holds.

    One that nobody has touched is known without being read, unless `by_text`.
    """
    with contextlib.suppress(OSError):
        found = os.stat(path)
        for known in () if by_text else prints:
            if (known.inode, known.size, known.changed) == (found.st_ino, found.st_size, found.st_mtime_ns):
                return known
        if found.st_size in [known.size for known in prints]:
            return _recognise_text(path, found, prints)
    return None


def _recognise_text(path: str, found: os.stat_result, prints: Sequence[Print]) -> Print | None:
    """Touched, copied or checked out again, it is the same."""
    checksum = sum_file(path)
    for known in prints:
        if (known.size, known.checksum) == (found.st_size, checksum):
            return replace(known, inode=found.st_ino, changed=found.st_mtime_ns)
    return None


def sum_file(path: str) -> int:
    """The checksum of what a file holds."""
    checksum = 0
    with open(path, "rb") as file:
        while piece := file.read(_PIECE):
            checksum = zlib.crc32(piece, checksum)
    return checksum
