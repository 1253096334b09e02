"""The views of the book in a checkout, `state.json` and `TODO.md`: generated, never edited, always whole.

The ledger is the truth. Every command brings the views to it, under a lock of the checkout; who comes later and finds
that somebody has written its change along with their own does nothing. A view that cannot be written stops nobody.
"""

import contextlib
import os
import zlib
from mmap import ACCESS_READ, mmap

from planrail.base.crash_points import reach
from planrail.base.records import record
from planrail.base.settings import load_tasks
from planrail.store.places import ledger_folder
from planrail.tasks.book import task_view_files as files
from planrail.tasks.book import task_view_texts as texts
from planrail.tasks.book.primes import refresh_prime, save_prime
from planrail.tasks.book.task_rows import TaskBook, read_book
from planrail.tasks.views.splicing import Pieces

FIX = "planrail task check --fix"


@record
class Written:
    """What became of the views: those that were written, where a person's edit is kept, what could not be done.

    Paths are from the root on, those of kept files absolute. A problem is a sentence with what to do about it.
    """

    paths: tuple[str, ...]
    kept: tuple[str, ...]
    problems: tuple[str, ...] = ()


def write_views(root: str, *, archive: bool = False, afresh: bool = False) -> Written:
    """Bring the views of a checkout to what the ledger says. A project without tasks gets none.

    With `archive` that of the archive is looked at in any case, else where tasks have gone. With `afresh` no view is
    believed to be unchanged for the times of its file: each is read.
    """
    reach("views.begun")
    settings = load_tasks(root)
    ledger = ledger_folder(root)
    with read_book(root) as book:
        if not book.stand().revision:
            return Written((), ())
        place = os.path.join(ledger, "views", _name(root))
        try:
            with files.locked(f"{place}.lock"):
                writing = _Writing(book, root, settings.folder, ledger, place, is_afresh=afresh)
                written = writing.write(with_archive=archive)
        except OSError as error:  # the folder of the ledger, where the tasks are in a team's database
            return Written((), (), (_failure("the views", error),))
        if settings.prime:  # also where nothing was written: whoever did may have died
            refresh_prime(root, book)
        else:
            save_prime(root, "")
    return written


def check_views(root: str) -> list[str]:
    """In words, the views that do not say what the ledger says; nothing is written."""
    folder = load_tasks(root).folder
    found = []
    with read_book(root) as book:
        stand = book.stand()
        names = (texts.STATE, texts.TODO, *((texts.ARCHIVE,) if _has_archive(book) else ()))
        for name in names if stand.revision else ():
            path = os.path.join(root, folder, name)
            if not files.is_plain(path) or _read(path) != texts.render_view(book, stand, name).encode():
                what = "is not what the ledger says" if os.path.exists(path) else "is missing"
                found.append(f"{folder}/{name} {what}")
    return found


def find_foreign(root: str) -> list[int]:
    """The numbers of tasks that came into `state.json` by somebody else's hand, a pull for one, and are in no ledger
    here. A view that planrail wrote itself is not even read."""
    path = os.path.join(root, load_tasks(root).folder, texts.STATE)
    if not files.is_plain(path):
        return []

    with read_book(root) as book:
        note = files.load_note(os.path.join(ledger_folder(root), "views", _name(root)))
        if files.recognise(path, note.prints.get(texts.STATE, ())) is not None:
            return []
        from planrail.tasks.book.foreign_views import unknown_tasks

        return unknown_tasks(book, path)


class _Writing:
    """One bringing of the views to the ledger, by who has the lock."""

    def __init__(self, book: TaskBook, root: str, folder: str, ledger: str, place: str, *, is_afresh: bool) -> None:
        self._book, self._root, self._folder, self._ledger, self._place = book, root, folder, ledger, place
        self._is_afresh = is_afresh
        self._stand = book.stand()
        note = files.load_note(place)
        self._is_first = not note.book  # planrail has never written here
        self._prints = note.prints if note.book == self._stand.id else {}
        self._is_foreign = False
        self._kept: list[str] = []
        self._problems: list[str] = []

    def write(self, *, with_archive: bool) -> Written:
        """Write those that are behind, the archive first: while it is missing, the others are behind as well."""
        drafts: list[tuple[files.Draft, files.Print | None]] = []
        if not self._is_inside(self._path("")):  # then it is not ours
            self._problems.append(f"{self._folder} leads out of the project, so that no view is written there: {FIX}")
        else:
            known = self._recognise(texts.STATE)
            has_gone = known is None or known.revision < self._stand.placed  # a task
            for name in (*((texts.ARCHIVE,) if with_archive or has_gone else ()), texts.STATE, texts.TODO):
                try:
                    drafts += self._draft(name) if not self._is_foreign else []
                except OSError as error:
                    self._problems.append(_failure(f"{self._folder}/{name}", error))
        try:
            if drafts:
                self._put(drafts)
        except OSError as error:
            self._problems.append(_failure("the views", error))
            drafts = []
        paths = tuple(f"{self._folder}/{draft.name}" for draft, _ in drafts)
        return Written(paths, tuple(self._kept), tuple(self._problems))

    def _is_inside(self, folder: str) -> bool:
        return f"{os.path.realpath(folder)}/".startswith(f"{os.path.realpath(self._root)}/")

    def _recognise(self, name: str) -> files.Print | None:
        return files.recognise(self._path(name), self._prints.get(name, ()), by_text=self._is_afresh)

    def _draft(self, name: str) -> list[tuple[files.Draft, files.Print | None]]:
        path = self._path(name)
        if os.path.lexists(path) and not files.is_plain(path):
            raise OSError(0, "it is a link" if os.path.islink(path) else "it is no file")
        if not self._is_inside(os.path.dirname(path)):
            raise OSError(0, "its folder leads out of the project")
        known = self._recognise(name)
        oldest = self._stand.placed if name == texts.ARCHIVE else self._stand.revision
        if known is not None and oldest <= known.revision <= self._stand.revision:  # it is up to date
            return []
        if name == texts.ARCHIVE and known is None and not _has_archive(self._book):
            return []
        if known is None and os.path.lexists(path) and not self._give_way(name, path):
            return []
        pieces = self._splice(name, path, known)
        if pieces is None:
            pieces = [texts.render_view(self._book, self._stand, name).encode()]
        draft = files.draft_view(name, path, self._stand.revision, pieces)
        return [(draft, known)]

    def _give_way(self, name: str, path: str) -> bool:
        """Whether a file that planrail did not write may be replaced; a person's is kept aside."""
        if _read(path) == texts.render_view(self._book, self._stand, name).encode():
            return True
        from planrail.tasks.book import foreign_views as foreign

        committed = foreign.is_committed(self._root, path)
        unknown = foreign.unknown_tasks(self._book, self._path(texts.STATE)) if committed or self._is_first else []
        if unknown:
            self._is_foreign = True
            told = foreign.tell_unknown(self._folder, unknown)
            self._problems.append(f"the views are left as they are, since {told}: planrail task import")
            return False
        if not committed:
            self._kept.append(foreign.keep_aside(self._ledger, path))
        return True

    def _splice(self, name: str, path: str, known: files.Print | None) -> Pieces | None:
        if known is None or name == texts.ARCHIVE or not self._stand.placed <= known.revision < self._stand.revision:
            return None
        with open(path, "rb") as file:
            data = mmap(file.fileno(), 0, access=ACCESS_READ)  # it lives as long as the pieces of it
        return texts.splice_view(self._book, self._stand, name, data, known.revision)

    def _put(self, drafts: list[tuple[files.Draft, files.Print | None]]) -> None:
        """Keep on record what comes and what was, then let readers see it. Whoever dies in between is made good by the
        next one, who finds each view as one of the two."""
        new = {draft.name: [draft.print, *([known] if known is not None else [])] for draft, known in drafts}
        try:
            reach("views.drafted")
            files.save_note(self._place, files.ViewNote(self._stand.id, {**self._prints, **new}))
            reach("views.noted")
            for draft, _ in drafts:
                os.rename(draft.draft, draft.path)
                reach("views.placed")
        except BaseException:
            for draft, _ in drafts:
                with contextlib.suppress(OSError):
                    os.unlink(draft.draft)
            raise

    def _path(self, name: str) -> str:
        return os.path.join(self._root, self._folder, name)


def _failure(what: str, error: OSError) -> str:
    return f"{what} could not be written: {error.strerror or error}; the ledger has everything: {FIX}"


def _has_archive(book: TaskBook) -> bool:
    sql = "SELECT id FROM tasks WHERE repository = ? AND is_archived = 1 LIMIT 1"
    return bool(book.tables.rows(sql, book.repository))


def _name(root: str) -> str:
    """A name for a checkout: the ledger is shared by all of them, its views are not."""
    place = os.path.realpath(root).encode("utf-8", "surrogateescape")
    return f"{zlib.crc32(place):08x}-{zlib.adler32(place):08x}"


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
