"""Refining: what is left of a plan is revised, what is finished stays as it is, byte for byte.

A revision is an agent's answer, and agents retype what they should leave alone. So the finished phases, their rows in
a tracker, the front matter and the drift log are taken from the original; where that cannot be done without a
contradiction, the revision has problems and is handed back.
"""

import re
from collections import Counter

from planrail.base.errors import UnreadablePlan
from planrail.base.records import record
from planrail.planning.answers.drift_log import keep_drift_log
from planrail.planning.answers.front_matter import split_front_matter, without_claims
from planrail.planning.answers.judging import Problem
from planrail.planning.answers.page import Page, read_page, top_level
from planrail.planning.answers.phase_spans import PhaseSpan, Stretch, locate_phases
from planrail.planning.answers.section_titles import names_unit
from planrail.plans.states import State
from planrail.plans.text.blocks import Heading
from planrail.plans.units.units import id_key
from planrail.plans.words.labels import read_label

_NEWLINE = re.compile(r"\r\n|\r|\n")


@record
class _Splice:
    """A piece of the revision, and what takes its place."""

    start: int
    end: int
    text: str


def keep_finished(original: str, revised: str) -> str | list[Problem]:
    """The revision with the finished phases of the original in it, or what keeps them from being put there."""
    try:
        return _keep(original, revised)
    except UnreadablePlan as error:
        return [Problem("unreadable", error.message)]


def _keep(original: str, revised: str) -> str | list[Problem]:
    page, base_page = Page(original), Page(_with_original_frame(original, revised))
    base = base_page.text
    before, after = _phases_of(page), _phases_of(base_page)
    finished = [span for span in before if span.status.is_terminal]
    problems = _conflicts(finished, after) or _dropped(before, after)
    if problems:
        return problems
    front = len(base) - len(split_front_matter(base).body)  # it is the original's already
    splices = [splice for splice in _sections(before, after, base_page) if splice.start >= front]
    splices += [splice for splice in _rows(before, after, base) if splice.start >= front]
    if not splices:
        return _repeats(page, base_page) or _differences(before, after) or base
    result = _apply(base, splices)
    if result is None:
        return [Problem("finished", "the phases of the revision lie inside each other; keep them as separate sections")]
    result_page = Page(result)
    return _repeats(page, result_page) or _differences(before, _phases_of(result_page)) or result


def _phases_of(page: Page) -> list[PhaseSpan]:
    return locate_phases(read_page(page), page.text)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _with_original_frame(original: str, revised: str) -> str:
    newline = _newline(original)
    parts = split_front_matter(original)
    front = original[: len(original) - len(parts.body)] if parts.has_front_matter else parts.mark
    revised = _NEWLINE.sub(newline, revised.removeprefix("\ufeff"))
    body = split_front_matter(revised).body if parts.has_front_matter else without_claims(revised)
    return keep_drift_log(original, front + body.lstrip("\r\n"))


# ---- what contradicts ----


def _conflicts(finished: list[PhaseSpan], after: list[PhaseSpan]) -> list[Problem]:
    found = []
    by_key = {id_key(span.id): span for span in after}
    by_title = {_words(span.title): span for span in after}
    for span in finished:
        same, moved = by_key.get(id_key(span.id)), by_title.get(_words(span.title))
        if moved is not None and id_key(moved.id) != id_key(span.id) and _words(span.title):
            found.append(_renumbered(span, moved))
        elif same is not None and not _is_same(span.title, same.title):
            message = (
                f"the id {span.id} belongs to a finished phase ({span.title}); the revision gives it to something else "
                f"({same.title}): use a new number"
            )
            found.append(Problem("reused-id", message))
    return found


def _dropped(before: list[PhaseSpan], after: list[PhaseSpan]) -> list[Problem]:
    """Phases in which work was done, and that the revision leaves out: an answer that broke off looks like that."""
    keys, titles = {id_key(span.id) for span in after}, {_words(span.title) for span in after}
    begun = [span for span in before if span.status in (State.IN_PROGRESS, State.PARTIAL)]
    gone = [span for span in begun if id_key(span.id) not in keys and _words(span.title) not in titles]
    message = "phase {} ({}) was begun and is left out: keep it, with what is done in it, and change what is not"
    return [Problem("dropped", message.format(span.id, span.title)) for span in gone]


def _repeats(original: Page, result: Page) -> list[Problem]:
    now = Counter(_headed(result))
    again = [key for key in now - Counter(_headed(original)) if now[key] > 1]
    message = "the id {} is given to two phases; number each phase once"
    return [Problem("duplicate-id", message.format(key[1])) for key in again]


def _headed(page: Page) -> list[tuple[str, str]]:
    headings = [block.text for block in page.blocks if isinstance(block, Heading)]
    titles = [title for title in headings if names_unit(title)]
    return [(label.word, id_key(label.id)) for label in map(read_label, titles)]


def _renumbered(span: PhaseSpan, moved: PhaseSpan) -> Problem:
    message = f"phase {span.id} ({span.title}) is finished and keeps its number; the revision calls it {moved.id}"
    return Problem("renumbered", message)


def _words(title: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", title.lower()))


def _is_same(title: str, other: str) -> bool:
    mine, theirs = _words(title), _words(other)
    return mine == theirs or len(mine & theirs) * 2 >= len(mine | theirs)


# ---- putting the finished phases back ----


def _sections(before: list[PhaseSpan], after: list[PhaseSpan], base: Page) -> list[_Splice]:
    """The splices that put the section of each finished phase in its place; a dropped one behind its predecessor."""
    old = [(span, span.section) for span in before if span.section]
    there = {id_key(span.id): span.section for span in after if span.section}
    return _put_back(old, there, _first_place(there, base), _newline(base.text) * 2)


def _rows(before: list[PhaseSpan], after: list[PhaseSpan], base: str) -> list[_Splice]:
    """The same for rows of a tracker and entries of a list; a list that is gone cannot be filled."""
    old = [(span, span.row) for span in before if span.row]
    there = {id_key(span.id): span.row for span in after if span.row}
    if not there:
        return []
    return _put_back(old, there, min(row.start for row in there.values()), _newline(base))


def _put_back(old: list[tuple[PhaseSpan, Stretch]], there: dict[str, Stretch], first: int, gap: str) -> list[_Splice]:
    splices: list[_Splice] = []
    at, is_behind = first, False
    for span, stretch in old:
        known = there.get(id_key(span.id))
        if known is not None:
            at, is_behind = known.end, True
        if known is not None and span.status.is_terminal:
            splices.append(_Splice(known.start, known.end, stretch.text))
        elif span.status.is_terminal:
            splices.append(_Splice(at, at, gap + stretch.text if is_behind else stretch.text + gap))
    return splices


def _first_place(there: dict[str, Stretch], base: Page) -> int:
    if there:
        return min(section.start for section in there.values())
    marks, end = base.marks, len(base.text)
    level = top_level(marks)
    steps = next((mark for mark in marks if "Steps" in mark.names and mark.level == level), None)
    if steps is None:
        return end
    return next((mark.start for mark in marks if mark.start > steps.start and mark.level <= level), end)


def _apply(text: str, splices: list[_Splice]) -> str | None:
    """The text after all splices, those at one place in their order; None where two of them overlap."""
    kept, at = [], 0
    for splice in sorted(splices, key=lambda splice: (splice.start, splice.end)):
        if splice.start < at:
            return None
        kept += [text[at : splice.start], splice.text]
        at = splice.end
    return "".join([*kept, text[at:]])


# ---- is it so? ----


def _differences(before: list[PhaseSpan], now: list[PhaseSpan]) -> list[Problem]:
    """What is not as it was, of the finished phases; and what is finished now although nobody did it."""
    after = {id_key(span.id): span for span in now}
    found = []
    for span in before:
        if span.status.is_terminal and not _is_kept(span, after.pop(id_key(span.id), None)):
            message = (
                f"phase {span.id} ({span.title}) is finished and has to stay as it is, its marks and rows included"
            )
            found.append(Problem("finished", message))
    claimed = [span for span in after.values() if span.status is State.DONE]
    found += [Problem("unearned", f"phase {span.id} is marked as done, which it is not: open it") for span in claimed]
    return found


def _is_kept(span: PhaseSpan, now: PhaseSpan | None) -> bool:
    if now is None:
        return False
    is_same = (now.id, now.title, now.status) == (span.id, span.title, span.status)
    return is_same and _bytes(now.section) == _bytes(span.section) and _bytes(now.row) == _bytes(span.row)


def _bytes(stretch: Stretch | None) -> str:
    return stretch.text if stretch else ""
