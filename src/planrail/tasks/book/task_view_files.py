"""Writing a view: beside its place, on the disk, then into its place, so that a reader always sees a whole one."""

import contextlib
import os
import stat
import zlib
from collections.abc import Iterator, Mapping, Sequence

from planrail.base.records import record, replace
from planrail.store import places
from planrail.store.places import make_private
from planrail.tasks.views.splicing import Pieces

_FORMAT = "planrail-views-1"
_PIECE = 1 << 20
_MODE = 0o666


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


@record
class ViewDraft:
    name: str
    path: str  # its place
    draft: str
    print: Print


@contextlib.contextmanager
def locked(path: str) -> Iterator[None]:
    """One writer of a checkout's views at a time; the lock goes with the process."""
    make_private(os.path.dirname(path))
    with places.locked(path):
        yield


def is_plain(path: str) -> bool:
    """Whether there is an ordinary file: no link, folder, pipe or device, which nobody reads or writes here."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def draft_place(path: str) -> str:
    """Where a view lies until it is whole; whatever else is there, the next writer removes."""
    folder, base = os.path.split(path)
    return os.path.join(folder, f".{base}.planrail")


def draft_view(name: str, path: str, revision: int, pieces: Pieces) -> ViewDraft:
    """Write a view, beside its place."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    place = draft_place(path)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(place)  # of a writer that died here
    target = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, _MODE)
    try:
        with open(target, "wb", buffering=0) as file:
            with contextlib.suppress(FileNotFoundError):
                os.fchmod(target, os.stat(path).st_mode & 0o777)  # as the user may have wanted the old one
            checksum = 0
            for piece in pieces:
                checksum, part = zlib.crc32(piece, checksum), memoryview(piece)
                while part:
                    part = part[file.write(part) :]
            os.fsync(target)
            found = os.fstat(target)
    except BaseException:
        os.unlink(place)
        raise
    return ViewDraft(name, path, place, Print(revision, found.st_ino, found.st_size, found.st_mtime_ns, checksum))


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
        if found.st_size in [known.size for known in prints]:  # touched, copied or checked out again, it is the same
            checksum = sum_file(path)
            for known in prints:
                if (known.size, known.checksum) == (found.st_size, checksum):
                    return replace(known, inode=found.st_ino, changed=found.st_mtime_ns)
    return None


def sum_file(path: str) -> int:
    checksum = 0
    with open(path, "rb") as file:
        while piece := file.read(_PIECE):
            checksum = zlib.crc32(piece, checksum)
    return checksum
