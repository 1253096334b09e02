"""Tracker tables: which of a document's tables lists its units of work with their states.

Plans are full of tables. A tracker has a status column and a column that names units; a table inside a phase lists
that phase's items; every other table is a decoy.
"""

from functools import lru_cache

from planrail.base.patterns import pattern
from planrail.base.records import mutable_record, record, replace
from planrail.plans.states import State
from planrail.plans.text.blocks import Cell, Table, make_cell, split_cells, split_row
from planrail.plans.text.outline import Section
from planrail.plans.words import names
from planrail.plans.words.labels import read_label, read_name
from planrail.plans.words.marks import EDGE, Mark, read_phrase, read_status, read_waiting


@record
class TrackerRow:
    """A tracker row: the unit it names, its status cell (None where the row ends before it), its dependencies."""

    line: int
    word: str
    id: str
    title: str
    status: Cell | None
    depends_on: str
    is_tick: bool = False
    owner: str = ""  # the unit that a row of a table of tasks says it belongs to

    def read_mark(self) -> Mark | None:
        text = self.status.text if self.status else ""
        if self.is_tick and text.strip("*_ `").lower() in ("x", "y"):
            return Mark(State.DONE, 0, len(text))
        return read_status(text) or read_waiting(text)


@mutable_record
class Tracker:
    """A table that lists units. `is_named` says that its key column is headed by a word for units ("Phase")."""

    line: int
    section: Section
    rows: list[TrackerRow]
    is_named: bool
    key_header: str


@record
class _Columns:
    """Where a tracker keeps what."""

    header: tuple[str, ...]
    key: int
    status: int
    depends: int | None
    number: int | None  # the column that counts the rows
    owner: int | None  # the column that says which unit a task belongs to
    is_tick: bool  # the status column is headed "Done": an x in it is a tick
    is_named: bool  # the key column is headed by a word for units
    says_status: bool  # and the status column by one for status


_BARE_ID = pattern(r"(?:[A-Za-z]{1,5}-)?[A-Za-z]?\d{1,5}(?:[.\-]\w{1,6})*$|[A-Z]\d{0,3}$|[A-Z]{2}\d{1,3}$|[IVX]{1,6}$")
_NOWHERE = 1 << 20  # the column of a status that a table does not have
_DECORATION = pattern(r"[*_`~]")


def read_tracker(section: Section, table: Table) -> Tracker | None:
    """The tracker that a table is, or None for a decoy."""
    header = _header_of(table)
    columns = _columns_of(header, _status_column(header, table))
    if columns is None:
        return None
    status = _where_states_are(columns.status, len(header), table)
    if status != columns.status:
        columns = replace(columns, status=status)
    rows = _rows(table, columns)
    ids = [row.id for row in rows if row.id]
    beside = columns.key + 1
    if len(set(ids)) < len(ids) and beside < len(header) and beside not in (status, columns.depends):
        # The first column only groups the rows: what they are about stands beside it.
        rows = _rows(table, replace(columns, key=beside, number=None, owner=columns.key))
    filled = [row for row in rows if row.status is not None and row.status.text.strip(" -–—")]
    is_stated = columns.says_status or sum(1 for row in filled if row.read_mark()) * 2 >= len(filled)
    if not rows or not is_stated:  # more known marks than unknown words, empty cells not counted
        return None
    key = header[columns.key]
    return Tracker(table.line, section, rows, columns.is_named, unit_word(key) or key)


def _header_of(table: Table) -> tuple[str, ...]:
    return tuple([_DECORATION.sub("", cell.text).strip().lower() for cell in table.header])


def planned_rows(section: Section, table: Table) -> list[TrackerRow]:
    """The rows of a table that counts steps and says nothing about how far they are: "| Step | What | Risk |"."""
    header = _header_of(table)
    key, is_named = _key_column(header, len(header))
    if key is None or not (is_named or (_counts(header[key]) and is_tracker_title(section.text))):
        return []
    number = _number_column(header, key, len(header))
    columns = _Columns(header, key, _NOWHERE, None, number, None, is_tick=False, is_named=is_named, says_status=False)
    rows = _rows(table, columns)
    numbers = [row.id for row in rows]
    first = numbers[0] if numbers else ""
    counted = range(int(first), int(first) + len(rows)) if first in ("0", "1") else range(0)
    if len(rows) < 3 or numbers != [str(number) for number in counted]:
        return []
    texts = {line: (start, text) for line, start, text in table.rows}
    return [_marked_in_title(row, *texts[row.line]) for row in rows]


def _marked_in_title(row: TrackerRow, start: int, text: str) -> TrackerRow:
    """A row of a table without a column for the status, which is then stated behind the title."""
    from planrail.plans.words.titles import read_title

    cells = split_cells(text, start)
    cell = next((cell for cell in cells if row.title and read_name(cell.text)[2] == row.title), cells[0])
    mark, _ = read_title(cell.text)
    if mark is not None:
        status = Cell(cell.text[mark.start : mark.end], cell.start + mark.start)
        return replace(row, title=read_label(cell.text).title, status=status)
    end = cell.start + len(cell.text)
    return replace(row, status=Cell("", end + (text[end - start : end - start + 1] == " ")))


@lru_cache(maxsize=512)  # the headers of tables repeat
def _columns_of(header: tuple[str, ...], status: int | None) -> _Columns | None:
    """Where a table with this header keeps what; None where it is no tracker."""
    key, is_named = _key_column(header, status)
    if status is None or key is None:
        return None
    number = _number_column(header, key, status)
    depends = next((at for at, name in enumerate(header) if name in names.DEPENDENCY_KEYS), None)
    owner = next((at for at, name in enumerate(header) if at != key and unit_word(name) is not None), None)
    is_tick = header[status].rstrip("?") in names.TABLE_TICKS
    says_status = is_named and header[status] in names.STATUS_KEYS
    return _Columns(header, key, status, depends, number, owner, is_tick, is_named, says_status)


def _status_column(header: tuple[str, ...], table: Table) -> int | None:
    """The column headed by a word for status; the earlier word in the list of a heading such as "Status" wins."""
    found = [at for at, name in enumerate(header) if not names.TABLE_STATUS.isdisjoint((name, name.rstrip("?")))]
    if len(found) < 2:
        return found[0] if found else None
    plain = [at for at in found if header[at] in ("status", "state", "状态", "狀態", "статус", "状態", "상태")]
    if plain:
        return plain[0]
    rows = [split_cells(text, start) for _, start, text in table.rows[:40]]
    return max(found, key=lambda at: _count_states(rows, at))


def _count_states(rows: list[list[Cell]], at: int) -> int:
    return sum(1 for cells in rows if at < len(cells) and read_status(cells[at].text))


def _where_states_are(status: int, width: int, table: Table) -> int:
    """The column in which the states stand: behind the one headed "Status", where rows have more cells than the header.

    GFM drops the surplus; an author who left out a heading still means the cell that states something.
    """
    wide = [(start, text) for _, start, text in table.rows[:40] if text.count("|") >= width + 2 * (text[:1] == "|")]
    rows = [cells for start, text in wide if len(cells := split_cells(text, start)) > width]
    if len(rows) * 2 <= min(len(table.rows), 40):
        return status
    found = range(status, status + max(map(len, rows)) - width + 1)
    is_here = _count_states(rows, status) * 2 >= len(rows)
    return status if is_here else max(found, key=lambda at: _count_states(rows, at))


def _number_column(header: tuple[str, ...], key: int, status: int) -> int | None:
    """The column that counts the rows; else one of tickets, which name what nothing else does."""
    found = [at for at in range(len(header)) if at not in (key, status)]
    counting = [at for at in found if _counts(header[at])] or [at for at in found if header[at] in names.TABLE_TICKETS]
    return counting[0] if counting else None


def _key_column(header: tuple[str, ...], status: int | None) -> tuple[int | None, bool]:
    for at, name in enumerate(header):
        if at != status and unit_word(name) is not None:
            return at, True
    for at, name in enumerate(header):
        if at != status and (name in names.TABLE_KEYS or not name):
            return at, False
    return (0, False) if status else (None, False)


@lru_cache(maxsize=512)  # the headers of tables repeat
def unit_word(text: str) -> str | None:
    """The unit word that a header cell or a heading consists of, in singular or plural."""
    word = text.strip().rstrip(".:#").strip().lower()
    forms = [word.removesuffix(end) for end in ("", "s", "es", " #", " name")]
    return next((form for form in forms if form in names.UNIT_WORDS), None)


def _counts(name: str) -> bool:
    return name in names.TABLE_NUMBERS or name.endswith((" id", " #", " no", " no.", " nr"))


def _rows(table: Table, columns: _Columns) -> list[TrackerRow]:
    rows = [row for line, start, text in table.rows if (row := _row(line, start, text, columns))]
    if sum(1 for row in rows if row.id) * 2 <= len(rows):
        return rows
    # Where rows are counted, one that is not heads a group or adds up the others.
    return [row for row in rows if row.id or (row.read_mark() and row.title.lower() not in names.TOTALS)]


def _row(line: int, start: int, text: str, columns: _Columns) -> TrackerRow | None:
    """The row of a tracker. Only the cells that matter are made: trackers are long, and rows wide."""
    parts = split_row(text)
    shift = 1 if len(parts) > 1 and not parts[0].strip() else 0
    cells = parts[shift:]
    key, status, depends = columns.key, columns.status, columns.depends
    name = cells[key].strip(" \t") if key < len(cells) else ""
    if not name.strip("-–— *_"):
        return None
    word, identity, title = read_name(name)
    number = columns.number if columns.number is not None else len(cells)
    counted = cells[number].strip(" \t*_`") if number < len(cells) else ""
    if _BARE_ID.match(counted) and not (identity and columns.header[number] in names.TABLE_TICKETS):
        identity = counted
    elif not identity and _BARE_ID.match(name):
        identity, title = name, ""
    if not title and key + 1 < min(len(columns.header), len(cells)) and key + 1 not in (status, depends):
        title = read_name(cells[key + 1].strip())[2]
    needs = cells[depends].strip() if depends is not None and depends < len(cells) else ""
    if status < len(cells) and not read_status(cells[status].strip(" \t")):
        status = _stated_at(cells, columns)
    at = start + sum(map(len, parts[: status + shift])) + status + shift
    has_status = status < len(cells)  # what follows the last pipe is a cell that has not been filled in yet
    cell = make_cell(cells[status], at) if has_status else None
    owned = columns.owner is not None and columns.owner < len(cells)
    owner = read_name(cells[columns.owner].strip(" \t"))[1] if owned and columns.owner is not None else ""
    return TrackerRow(line, word, identity, title, cell, needs, columns.is_tick, owner)


def _stated_at(cells: list[str], columns: _Columns) -> int:
    """The cell that states something, where the status is no mark: one beside it, if an author skipped a cell."""
    status = columns.status
    if not cells[status].strip(" \t-–—"):
        return status
    beside = [at for at in (status - 1, status + 1) if at != columns.key and 0 <= at < len(cells)]
    return next((at for at in beside if read_phrase(cells[at].strip(EDGE))), status)


def is_tracker_title(text: str) -> bool:
    """Whether a heading announces a list of the plan's units."""
    lower = text.lower()
    return any(word in lower for word in names.TRACKER_TITLES)
