"""The views of the book in a checkout, `state.json` and `TODO.md`: generated, never edited, always whole.

The ledger is the truth. Every command brings the views to it, under a lock of the checkout; one that comes later and
finds that another has written its change as well does nothing. A view that cannot be written stops no command.
"""

import contextlib
import os
import time
import zlib
from mmap import ACCESS_READ, mmap

from planrail.base.crash_points import reach
from planrail.base.records import record
from planrail.base.settings import load_tasks
from planrail.base.whole_files import read_whole
from planrail.store.places import ledger_folder
from planrail.tasks.book import task_view_files as files
from planrail.tasks.book.task_rows import Stand, TaskBook, read_book, read_needs
from planrail.tasks.book.task_view_files import refresh_prime, save_prime
from planrail.tasks.statuses import TERMINAL, marker
from planrail.tasks.views.order import TaskLine, render_order
from planrail.tasks.views.splicing import Change, Data, Pieces, splice_state, splice_todo
from planrail.tasks.views.todo import plain_line, render_archive, render_frame, render_front, render_state, render_todo

FIX = "planrail task check --fix"
STATE, TODO, ARCHIVE = "state.json", "TODO.md", "archive/state.json"
MOST_SPLICES = 40  # tasks that are changed one by one; for more, all is rendered
_TEXTS = "FROM tasks t JOIN task_texts x ON x.repository = t.repository AND x.id = t.id WHERE t.repository = ?"


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
        if settings.prime:  # also where nothing was written: the process that did may have died
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
        names = (STATE, TODO, *((ARCHIVE,) if _has_archive(book) else ()))
        for name in names if stand.revision else ():
            path = os.path.join(root, folder, name)
            if not files.is_plain(path) or read_whole(path) != render_view(book, stand, name).encode():
                what = "is not what the ledger says" if os.path.exists(path) else "is missing"
                found.append(f"{folder}/{name} {what}")
    return found


def find_foreign(root: str) -> list[int]:
    """The numbers of tasks that came into `state.json` without planrail, by a pull for one, and are in no ledger
    here. A view that planrail wrote itself is not even read."""
    path = os.path.join(root, load_tasks(root).folder, STATE)
    if not files.is_plain(path):
        return []

    with read_book(root) as book:
        note = files.load_note(os.path.join(ledger_folder(root), "views", _name(root)))
        if files.recognise(path, note.prints.get(STATE, ())) is not None:
            return []
        from planrail.tasks.book.foreign_views import unknown_tasks

        return unknown_tasks(book, path)


class _Writing:
    """Brings the views to what the ledger says, once, in the process that has the lock."""

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
        drafts: list[tuple[files.ViewDraft, files.Print | None]] = []
        if not self._is_inside(self._path("")):  # then it is not ours
            self._problems.append(f"{self._folder} leads out of the project, so that no view is written there: {FIX}")
        else:
            known = self._recognise(STATE)
            has_gone = known is None or known.revision < self._stand.placed  # a task
            for name in (*((ARCHIVE,) if with_archive or has_gone else ()), STATE, TODO):
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

    def _draft(self, name: str) -> list[tuple[files.ViewDraft, files.Print | None]]:
        path = self._path(name)
        if os.path.lexists(path) and not files.is_plain(path):
            raise OSError(0, "it is a link" if os.path.islink(path) else "it is no file")
        if not self._is_inside(os.path.dirname(path)):
            raise OSError(0, "its folder leads out of the project")
        known = self._recognise(name)
        oldest = self._stand.placed if name == ARCHIVE else self._stand.revision
        if known is not None and oldest <= known.revision <= self._stand.revision:  # it is up to date
            return []
        if name == ARCHIVE and known is None and not _has_archive(self._book):
            return []
        if known is None and os.path.lexists(path) and not self._give_way(name, path):
            return []
        pieces = self._splice(name, path, known)
        if pieces is None:
            pieces = [render_view(self._book, self._stand, name).encode()]
        draft = files.draft_view(name, path, self._stand.revision, pieces)
        return [(draft, known)]

    def _give_way(self, name: str, path: str) -> bool:
        """Whether a file that planrail did not write may be replaced; a person's is kept aside."""
        if read_whole(path) == render_view(self._book, self._stand, name).encode():
            return True
        from planrail.tasks.book import foreign_views as foreign

        committed = foreign.is_committed(self._root, path)
        unknown = foreign.unknown_tasks(self._book, self._path(STATE)) if committed or self._is_first else []
        if unknown:
            self._is_foreign = True
            told = foreign.tell_unknown(self._folder, unknown)
            self._problems.append(f"the views are left as they are, since {told}: planrail task import")
            return False
        if not committed:
            self._kept.append(foreign.keep_aside(self._ledger, path))
        return True

    def _splice(self, name: str, path: str, known: files.Print | None) -> Pieces | None:
        if known is None or name == ARCHIVE or not self._stand.placed <= known.revision < self._stand.revision:
            return None
        with open(path, "rb") as file:
            data = mmap(file.fileno(), 0, access=ACCESS_READ)  # it lives as long as the pieces of it
        return splice_view(self._book, self._stand, name, data, known.revision)

    def _put(self, drafts: list[tuple[files.ViewDraft, files.Print | None]]) -> None:
        """Keep on record what comes and what was, then let readers see it. A writer that dies in between is made good
        by the next one, which finds each view as one of the two."""
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


# ---- what the views have to say, from the rows of the book ----


def render_view(book: TaskBook, stand: Stand, name: str) -> str:
    if name == TODO:
        rows = book.tables.rows(f"SELECT t.number, x.section {_TEXTS} AND t.is_archived = 0", book.repository)
        sections = [section for _, section in sorted(rows, reverse=True)]
        return render_todo(stand.next_number, render_order_of(book, stand), sections)
    archived = int(name == ARCHIVE)
    sql = f"SELECT t.number, t.revision, t.id, x.entry {_TEXTS} AND t.is_archived = ?"
    entries = [entry for _, _, _, entry in sorted(book.tables.rows(sql, book.repository, archived))]
    return render_archive(entries) if archived else render_state(stand.next_number, stand.fields, entries)


def splice_view(book: TaskBook, stand: Stand, name: str, data: Data, since: int) -> Pieces | None:
    """A view that was whole at a revision, as it has to be now; None where it has to be rendered.

    Only where no task has gone since then, and none has come between others: see `Stand.placed`.
    """
    sql = f"SELECT t.number, t.status, x.{'entry' if name == STATE else 'section'} {_TEXTS}"
    rows = book.tables.rows(
        f"{sql} AND t.revision > ? AND t.is_archived = 0 ORDER BY t.number LIMIT ?",
        *(book.repository, since, MOST_SPLICES + 1),
    )
    if len(rows) > MOST_SPLICES:
        return None
    if name == STATE:
        frame = render_frame(stand.next_number, stand.fields)
        return splice_state(data, frame, [(number, entry) for number, _, entry in rows])
    order = render_order_of(book, stand) if since < stand.ordered else None
    changes = [Change(number, text, marker(status), status not in TERMINAL) for number, status, text in reversed(rows)]
    return splice_todo(data, render_front(stand.next_number), _day(stand), changes, order)


def render_order_of(book: TaskBook, stand: Stand) -> str:
    sql = "SELECT number, status, topic, dependencies, gist FROM tasks WHERE repository = ? AND is_archived = 0"
    rows = book.tables.rows(f"{sql} AND status NOT IN (?, ?, ?)", book.repository, *TERMINAL)
    lines = [
        TaskLine(number, status, topic, read_needs(needs) if needs else (), gist)
        for number, status, topic, needs, gist in sorted(rows)
    ]
    named = stand.fields.get("active_topics")
    topics = [plain_line(topic) for topic in named if isinstance(topic, str)] if isinstance(named, list) else []
    return render_order(lines, list(filter(None, topics)), _day(stand))


def _day(stand: Stand) -> str:
    """The day of the last change, by which the view says when it was written: the same however often it is."""
    return time.strftime("%Y-%m-%d", time.gmtime(stand.updated))
