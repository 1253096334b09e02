"""Edits: one status of a plan changed, and not one other byte. Marking a phase as done in its document: its mark, the
boxes of its work items, its commit, and not one other byte.

An edit is a span and the text that takes its place. It is decided here and carried out elsewhere; `change_status` reads
the result again and refuses an edit that would not say what was asked for, or would change another phase.

A commit cannot hold its own name. So the cell of a phase is filled with the next change of the plan: the landing of
the phase after it, or the mark that says that all is complete.
"""

import re
from collections.abc import Iterator, Mapping

from planrail.base.errors import PlanrailError, UnreadablePlan
from planrail.base.patterns import pattern
from planrail.base.records import record
from planrail.plans.canonical.canonical import canonicalise
from planrail.plans.canonical.markdown import COMMIT_COLUMNS
from planrail.plans.claims import Kind
from planrail.plans.editing.spellings import is_sign, spell, spell_box, spell_header, spell_word
from planrail.plans.formats.dialects import dialect_of
from planrail.plans.model import Phase, Plan
from planrail.plans.reading import read
from planrail.plans.states import PlanStatus, State
from planrail.plans.text.blocks import Cell, Item, cells_under
from planrail.plans.text.outline import outline
from planrail.plans.text.scanning import scan
from planrail.plans.text.source import PlanSource
from planrail.plans.words.marks import read_status


@record
class Edit:
    """A span of the text, what stands there and what takes its place. `was` and `now` name the states."""

    start: int
    end: int
    old: str
    new: str
    was: State
    now: State

    def apply(self, text: str) -> str:
        return text[: self.start] + self.new + text[self.end :]


def change_status(source: PlanSource, plan: Plan, phase: Phase, state: State, remembered: str | None = None) -> Edit:
    """The edit that gives a phase another status.

    `remembered` is how this status of this phase was spelled before, "" where it had no mark; so that setting a status
    and setting it back gives the file that was there. It is used only where it still says what is asked for.
    """
    for start, end, text in _candidates(source, plan, phase, state, remembered):
        edit = Edit(start, end, source.text[start:end], text, phase.status, state)
        if _says(source, plan, phase, edit):
            return edit
    raise PlanrailError(
        f"phase {phase.id} of {source.path} cannot be set to {state} by changing one mark; nothing was written",
        remedy=f"edit line {phase.line} by hand: {phase.reason}",
    )


def _candidates(
    source: PlanSource, plan: Plan, phase: Phase, state: State, remembered: str | None
) -> Iterator[tuple[int, int, str]]:
    """The edits that may do it, best first."""
    claim, locate = phase.claim, dialect_of(plan).locate
    start, end = (claim.start, claim.end) if claim is not None and claim.kind is not Kind.COMPANION else (-1, -1)
    if locate is not None and start >= 0:
        start, end = locate(source.text, start)
    if start < 0:  # no single mark states it
        if phase.insert_at >= 0 and state is not State.UNKNOWN:  # a mark behind the heading, as others have it
            examples = _examples(source, plan, Kind.SIGN) | _examples(source, plan, Kind.TITLE)
            marks = spell(state, next(iter(examples.values()), "[DONE]"), examples)
            for text in [*marks, *spell(state, "[DONE]", {})]:
                yield phase.insert_at, phase.insert_at, f" {text}"
        return
    if remembered is not None:
        is_tag = claim is not None and claim.kind in (Kind.TITLE, Kind.SIGN)
        if not remembered and is_tag and source.text[start - 1] == " ":
            yield start - 1, end, ""
        yield start, end, remembered
    for text in _spellings(source, plan, phase, state, source.text[start:end]):
        yield start, end, text


def _spellings(source: PlanSource, plan: Plan, phase: Phase, state: State, old: str) -> list[str]:
    """How the document may write a state where `old` stands; none where its vocabulary has no word for it."""
    kind = phase.claim.kind if phase.claim else Kind.TITLE
    if state is State.UNKNOWN:
        return []
    if plan.dialect != "markdown":
        word = spell_word(dialect_of(plan).words, state, old)
        return [word if old else f" {word}"] if word else []
    if kind in (Kind.BOX, Kind.INDEX) and not is_sign(old):
        return spell_box(state, old, source.text)
    return spell(state, old, _examples(source, plan, kind))


def _examples(source: PlanSource, plan: Plan, kind: Kind) -> dict[State, str]:
    found: dict[State, str] = {}
    for phase in plan.phases:
        claim = phase.claim
        if claim and claim.kind is kind and 0 <= claim.start < claim.end:
            text = source.text[claim.start : claim.end]
            bare = text.strip("[]【】")
            mark = read_status(bare)
            # A status and nothing else: what is remarked on one phase is not true of another.
            if mark is not None and not any(map(str.isalnum, bare[mark.end :])):
                found.setdefault(claim.state, text)
    return found


def _says(source: PlanSource, plan: Plan, phase: Phase, edit: Edit) -> bool:
    """Whether the edited text marks the phase with the new state and leaves every other phase as it was.

    A box that is opened over ticked ones says "todo", although the phase then counts as in progress.
    """
    try:
        after = read(PlanSource(source.path, edit.apply(source.text)))
    except UnreadablePlan:
        return False
    changed = after.phase(phase.id)
    if changed is None or not leaves_others(plan, after, phase.id):
        return False
    claim = changed.claim
    is_seen = dialect_of(plan).locate is not None or (claim and edit.start <= claim.start < edit.start + len(edit.new))
    if edit.new.strip() and not is_seen:
        return False  # the reader would not see the mark
    is_opened_box = claim is not None and claim.is_counted and edit.now is State.TODO
    return changed.status is edit.now or is_opened_box


def leaves_others(before: Plan, after: Plan, phase_id: str) -> bool:
    """Whether every other phase is as it was. One that nobody can tell may read as open beside a mark, never done."""
    if [phase.id for phase in before.phases] != [phase.id for phase in after.phases]:
        return False
    pairs = [(old, new) for old, new in zip(before.phases, after.phases, strict=True) if old.id != phase_id]
    changed = [{old.status, new.status} for old, new in pairs if old.status is not new.status]
    # The first mark of a plan tells that marks are kept, and the last one that is taken away tells so no more.
    return all(State.UNKNOWN in states and not any(state.is_terminal for state in states) for states in changed)


def change_plan_status(source: PlanSource, plan: Plan, status: PlanStatus) -> Edit:
    """The edit that changes what the plan says about itself as a whole."""
    now = {PlanStatus.COMPLETE: State.DONE, PlanStatus.IN_PROGRESS: State.IN_PROGRESS}.get(status, State.TODO)
    if not dialect_of(plan).has_header:
        raise PlanrailError(
            f"{source.path} has no status of its own: its tasks decide", remedy=f"planrail show {source.path}"
        )
    if plan.header:
        header = plan.header
        text = spell_header(now, header.text)
        old = source.text[header.start : header.end]
        return Edit(header.start, header.end, old, text, header.state or State.UNKNOWN, now)
    newline = "\r\n" if "\r\n" in source.text else "\n"
    line = f"status: {spell_header(now, 'active')}{newline}"
    at = 1 if source.text.startswith("\ufeff") else 0
    if source.text.startswith(("---\n", "---\r\n"), at):
        at = source.text.index("\n", at) + 1
        return Edit(at, at, "", line, State.UNKNOWN, now)
    return Edit(at, at, "", f"---{newline}{line}---{newline}{newline}", State.UNKNOWN, now)


_COMPLETED = pattern(r"^completed:[ \t]*(?P<date>[^\r\n]*)", re.M)
_TICKABLE = (State.TODO, State.IN_PROGRESS, State.PARTIAL)


@record
class Marked:
    """A text in which a phase is marked. `ticked` counts boxes; `was` and `spelling` are what its mark was."""

    text: str
    ticked: int
    was: State
    spelling: str | None  # None where there was no need to change the mark


def mark_done(source: PlanSource, phase_id: str) -> Marked:
    """The text in which a phase is done. Raises `PlanrailError` where no single mark can say so."""
    ticked, plan, count = _tick_items(source, phase_id)
    phase = plan.phase(phase_id)
    assert phase is not None  # boxes that are ticked change no names
    if phase.status is State.DONE:
        return Marked(ticked, count, phase.status, None)
    edit = change_status(PlanSource(source.path, ticked), plan, phase, State.DONE)
    return Marked(edit.apply(ticked), count, edit.was, edit.old)


def mark_complete(source: PlanSource, date: str) -> str:
    """The text in which the plan says of itself that it is complete, and since when, if it says anything of itself."""
    plan = read(source)
    if plan.header is None or plan.header.state is State.DONE or plan.dialect != "markdown":
        return source.text
    edit = change_plan_status(source, plan, PlanStatus.COMPLETE)
    text = edit.apply(source.text)
    dated = _write_date(text, edit.start + len(edit.new), date)
    before, after = read(PlanSource(source.path, text)), read(PlanSource(source.path, dated))
    is_a_mark = canonicalise(before, text).hash == canonicalise(after, dated).hash
    return dated if is_a_mark and after.status is PlanStatus.COMPLETE else text


def _write_date(text: str, status_end: int, date: str) -> str:
    """The text with a date: as a line of the front matter where there is one, else behind the status."""
    front_matter = scan(text)[0]
    if front_matter is None:
        return f"{text[:status_end]} ({date}){text[status_end:]}"
    known = _COMPLETED.search(text, front_matter.start, front_matter.end)
    if known is not None:
        return text[: known.end()] + f" {date}" + text[known.end() :] if not known["date"] else text
    newline = "\r\n" if "\r\n" in text else "\n"
    return f"{text[: front_matter.end]}completed: {date}{newline}{text[front_matter.end :]}"


def _tick_items(source: PlanSource, phase_id: str) -> tuple[str, Plan, int]:
    """The text with the open boxes of a phase's work items ticked, what it says then, and the number of the boxes.

    Boxes that say blocked or skipped were closed by an author who meant it. The text is read again: where ticking would
    change the state of another phase, no box is touched.
    """
    plan = read(source)
    phase = plan.phase(phase_id)
    items = phase.items if phase is not None and plan.dialect == "markdown" else ()
    boxes = [item for item in items if isinstance(item, Item) and item.box is not None and item.state in _TICKABLE]
    tick = "X" if "[X]" in source.text and "[x]" not in source.text else "x"
    text = source.text
    for item in sorted(boxes, key=lambda item: item.box_start, reverse=True):
        box, end = item.box or "", item.box_start + len(item.box or "")
        # In the spelling of what it replaces: a sign, a word in capitals, or a mark between brackets.
        mark = "✅" if is_sign(box) else "DONE:" if box.endswith((":", "：")) else tick
        text = text[: item.box_start] + mark + text[end:]
    after = read(PlanSource(source.path, text)) if boxes else plan
    return (text, after, len(boxes)) if leaves_others(plan, after, phase_id) else (source.text, plan, 0)


_EMPTY = pattern(r"[-–—]?")
_SHOWN = 12  # characters of a commit's name


def find_empty_cells(source: PlanSource) -> "dict[str, tuple[int, int]]":
    if not any(name in source.text.lower() for name in COMMIT_COLUMNS):
        return {}
    lines = {phase.claim.line: phase.id for phase in read(source).phases if phase.claim is not None}
    cells: dict[int, Cell] = {}
    for _, table in outline(scan(source.text)[1]).tables:
        for line, cell in cells_under(table, COMMIT_COLUMNS):
            cells.setdefault(line, cell)  # of several columns the first
    empty = {line: cell for line, cell in cells.items() if line in lines and _EMPTY.fullmatch(cell.text.strip())}
    return {lines[line]: (cell.start, cell.start + len(cell.text)) for line, cell in empty.items()}


def write_commits(source: PlanSource, commits: Mapping[str, str]) -> str:
    """The text with the commits of phases in the cells that are there for them and empty."""
    text = source.text
    for phase, (start, end) in sorted(find_empty_cells(source).items(), key=lambda cell: cell[1], reverse=True):
        if phase in commits:
            before = "" if text[start - 1 : start] == " " else " "
            after = "" if text[end : end + 1] == " " else " "
            text = f"{text[:start]}{before}`{commits[phase][:_SHOWN]}`{after}{text[end:]}"
    return text if read(source).states == read(PlanSource(source.path, text)).states else source.text
