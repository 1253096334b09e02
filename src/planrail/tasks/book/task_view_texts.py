"""What the views have to say, from the rows of the book: the whole text, or what has changed since a revision."""

import time

from planrail.base.decoding import decode
from planrail.tasks.book.task_looks import read_needs
from planrail.tasks.book.task_rows import Stand, TaskBook
from planrail.tasks.statuses import TERMINAL, marker
from planrail.tasks.views.order import Line, render_order
from planrail.tasks.views.splicing import Change, Data, Pieces, splice_state, splice_todo
from planrail.tasks.views.todo import plain_line, render_archive, render_frame, render_front, render_state, render_todo

STATE, TODO, ARCHIVE = "state.json", "TODO.md", "archive/state.json"
MOST_SPLICES = 40  # tasks that are changed one by one; for more, all is rendered
_TEXTS = "FROM tasks t JOIN task_texts x ON x.repository = t.repository AND x.id = t.id WHERE t.repository = ?"


def render_view(book: TaskBook, stand: Stand, name: str) -> str:
    if name == TODO:
        rows = book.tables.rows(f"SELECT t.number, x.section {_TEXTS} AND t.is_archived = 0", book.repository)
        sections = [section for _, section in sorted(rows, reverse=True)]
        return render_todo(stand.next_number, render_order_of(book, stand), sections)
    archived = int(name == ARCHIVE)
    sql = f"SELECT t.number, t.revision, t.id, x.entry {_TEXTS} AND t.is_archived = ?"
    entries = [entry for _, _, _, entry in sorted(book.tables.rows(sql, book.repository, archived))]
    return render_archive(entries) if archived else render_state(stand.next_number, read_head(stand), entries)


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
        frame = render_frame(stand.next_number, read_head(stand))
        return splice_state(data, frame, [(number, entry) for number, _, entry in rows])
    order = render_order_of(book, stand) if since < stand.ordered else None
    changes = [Change(number, text, marker(status), status not in TERMINAL) for number, status, text in reversed(rows)]
    return splice_todo(data, render_front(stand.next_number), _day(stand), changes, order)


def read_head(stand: Stand) -> dict[str, object]:
    head = decode(stand.head)
    return head if isinstance(head, dict) else {}


def render_order_of(book: TaskBook, stand: Stand) -> str:
    sql = "SELECT number, status, topic, dependencies, gist FROM tasks WHERE repository = ? AND is_archived = 0"
    rows = book.tables.rows(f"{sql} AND status NOT IN (?, ?, ?)", book.repository, *TERMINAL)
    lines = [
        Line(number, status, topic, read_needs(needs) if needs else (), gist)
        for number, status, topic, needs, gist in sorted(rows)
    ]
    named = read_head(stand).get("active_topics")
    topics = [plain_line(topic) for topic in named if isinstance(topic, str)] if isinstance(named, list) else []
    return render_order(lines, list(filter(None, topics)), _day(stand))


def _day(stand: Stand) -> str:
    """The day of the last change, by which the view says when it was written: the same however often it is."""
    return time.strftime("%Y-%m-%d", time.gmtime(stand.updated))
