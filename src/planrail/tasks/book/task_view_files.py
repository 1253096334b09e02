"""Writing a view: beside its place, on the disk, then into its place, so that a reader always sees a whole one. The
lines about a project's tasks, put where a hook finds them: see `base.primed`.

They are written at each change of a task, so they are made of an excerpt: what a change costs must not grow with the
number of tasks.
"""

import contextlib
import os
import stat
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

from planrail.base.primed import FOLDER, MARK, UNMARKED, find_place, place_of, primed_path
from planrail.base.records import record, replace
from planrail.base.state_folder import state_folder
from planrail.base.whole_files import read_whole
from planrail.store import places
from planrail.store.places import ledger_folder, make_private
from planrail.tasks.book.task_rows import BRIEF, TaskBook, read_brief
from planrail.tasks.model import Brief
from planrail.tasks.priming import Excerpt, render_prime
from planrail.tasks.statuses import IMPLEMENTING, IN_HAND, PARTIAL, TERMINAL
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


_MOST = 200  # tasks that are looked at, of those in hand and of the others
_MOST_LOOKS = 5  # tasks in hand of which more is told than their state
_MOST_VALUES = 500  # of one question: databases have a limit


def refresh_prime(root: str, book: TaskBook) -> None:
    """Bring the lines to what the ledger says. Of several that do so at once, the last one has read the newest."""
    with contextlib.suppress(OSError), locked(os.path.join(state_folder(), FOLDER, ".lock")):
        tasks = load_excerpt(book)
        save_prime(root, render_prime(tasks, look_closer(book, tasks.briefs)))


def load_excerpt(book: TaskBook) -> Excerpt:
    held = _select(book, "IN", IN_HAND)
    others = _select(book, "NOT IN", (*IN_HAND, *TERMINAL))
    briefs = [*held[:_MOST], *others[:_MOST]]
    known = {brief.number for brief in briefs}
    needed = {number for brief in briefs for number in brief.dependencies} - known
    in_order = sorted(briefs, key=lambda brief: brief.number)
    states = _load_states(book, needed)
    return Excerpt(in_order, states, has_all_in_hand=len(held) <= _MOST, has_all_others=len(others) <= _MOST)


def look_closer(book: TaskBook, briefs: Iterable[Brief]) -> dict[int, str]:
    begun = [brief.number for brief in briefs if brief.status in (IMPLEMENTING, PARTIAL)]
    tasks = filter(None, map(book.find, begun[:_MOST_LOOKS]))
    return {task.number: f"at phase {task.resume_phase}" for task in tasks if task.resume_phase}


def _select(book: TaskBook, relation: str, statuses: tuple[str, ...]) -> list[Brief]:
    marks = ", ".join("?" * len(statuses))
    sql = (
        f"SELECT {BRIEF} WHERE repository = ? AND is_archived = 0"
        f" AND status {relation} ({marks}) ORDER BY number LIMIT {_MOST + 1}"
    )
    rows = book.tables.rows(sql, book.repository, *statuses)
    return list(map(read_brief, rows))


def _load_states(book: TaskBook, numbers: Iterable[int]) -> dict[int, str]:
    wanted = sorted(numbers)
    states: dict[int, str] = {}
    for start in range(0, len(wanted), _MOST_VALUES):
        some = wanted[start : start + _MOST_VALUES]
        marks = ", ".join("?" * len(some))
        sql = f"SELECT number, status FROM tasks WHERE repository = ? AND is_archived = 0 AND number IN ({marks})"
        states.update(book.tables.rows(sql, book.repository, *some))
    return states


def save_prime(root: str, text: str) -> None:
    """Keep what a session in this project is told after a clear; where there is nothing to say, nothing is kept.

    The lines can be written again at any time, so a disk that is full or read-only stops nobody's work.
    """
    state, place = state_folder(), find_place(root)
    path = primed_path(state, place)
    with contextlib.suppress(OSError):
        if not text:
            os.unlink(path)
            return
        text = f"{_mark(root, place)}\n{text}"
        if _load(path) != text:
            is_new = not os.path.exists(path)
            make_private(os.path.dirname(path))
            _replace(path, text)
            for name in os.listdir(os.path.dirname(path)) if is_new else ():
                gone = place_of(name)  # another project may come to lie where one was
                if gone and not os.path.exists(gone):
                    os.unlink(os.path.join(os.path.dirname(path), name))


def _mark(root: str, place: str) -> str:
    """What says that the lines are this project's: a word beside its ledger, which goes when the project goes."""
    if os.path.dirname(ledger_folder(root)) != place:
        return UNMARKED
    path = os.path.join(place, MARK)
    if not (known := _load(path)):
        make_private(os.path.dirname(path))
        known = os.urandom(8).hex()
        _replace(path, known)
    return known


def _load(path: str) -> str:
    return (read_whole(path) or b"").decode("utf-8", "replace")


def _replace(path: str, text: str) -> None:
    temporary = os.path.join(os.path.dirname(path), f".{os.getpid()}")
    with open(temporary, "w", encoding="utf-8", errors="replace", newline="") as file:
        file.write(text)
    os.rename(temporary, path)
