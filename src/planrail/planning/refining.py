"""Refining: what is left of a plan is revised, what is finished stays as it is, byte for byte.

A revision is an agent's answer, and agents retype what they should leave alone. So the finished phases, their rows in
a tracker, the front matter and the drift log are taken from the original; where that cannot be done without a
contradiction, the revision has problems and is handed back.
"""

import re
from collections import Counter

from planrail.base.errors import UnreadablePlan
from planrail.base.records import record
from planrail.planning.answers.drift_log import PhaseSpan, Stretch, keep_drift_log, locate_phases
from planrail.planning.answers.front_matter import split_front_matter, without_claims
from planrail.planning.answers.judging import AnswerProblem
from planrail.planning.answers.page import Page, read_page, top_level
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


def keep_finished(original: str, revised: str) -> str | list[AnswerProblem]:
    """The revision with the finished phases of the original in it, or what keeps them from being put there."""
    try:
        return _keep(original, revised)
    except UnreadablePlan as error:
        return [AnswerProblem("unreadable", error.message)]


def _keep(original: str, revised: str) -> str | list[AnswerProblem]:
    page, base = Page(original), Page(_with_original_frame(original, revised))
    before, after = _phases_of(page), _phases_of(base)
    problems = _conflicts(before, after)
    if problems:
        return problems
    gap = _newline(base.text)
    front = len(base.text) - len(split_front_matter(base.text).body)  # it is the original's already
    sections = {id_key(span.id): span.section for span in after if span.section}
    splices = _put_back([(span, span.section) for span in before], sections, _first_place(sections, base), gap * 2)
    # The same for rows of a tracker and entries of a list; a list that is gone cannot be filled.
    rows = {id_key(span.id): span.row for span in after if span.row}
    if rows:
        splices += _put_back([(span, span.row) for span in before], rows, min(row.start for row in rows.values()), gap)
    result = _apply(base.text, [splice for splice in splices if splice.start >= front])
    if result is None:
        return [
            AnswerProblem(
                "finished", "the phases of the revision lie inside each other; keep them as separate sections"
            )
        ]
    result_page = Page(result) if result != base.text else base
    return _repeats(page, result_page) or _differences(before, _phases_of(result_page)) or result


def _phases_of(page: Page) -> list[PhaseSpan]:
    return locate_phases(read_page(page), page.text)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _with_original_frame(original: str, revised: str) -> str:
    parts = split_front_matter(original)
    front = original[: len(original) - len(parts.body)] if parts.has_front_matter else parts.mark
    revised = _NEWLINE.sub(_newline(original), revised.removeprefix("\ufeff"))
    body = split_front_matter(revised).body if parts.has_front_matter else without_claims(revised)
    return keep_drift_log(original, front + body.lstrip("\r\n"))


# ---- what contradicts ----


def _conflicts(before: list[PhaseSpan], after: list[PhaseSpan]) -> list[AnswerProblem]:
    """Finished phases with another number or another work under theirs; and begun ones that the revision leaves out."""
    found = []
    by_key = {id_key(span.id): span for span in after}
    by_title = {_words(span.title): span for span in after}
    for span in (span for span in before if span.status.is_terminal):
        same, moved = by_key.get(id_key(span.id)), by_title.get(_words(span.title))
        if moved is not None and id_key(moved.id) != id_key(span.id) and _words(span.title):
            kept = f"phase {span.id} ({span.title}) is finished and keeps its number; the revision calls it {moved.id}"
            found.append(AnswerProblem("renumbered", kept))
        elif same is not None and not _is_same(span.title, same.title):
            message = (
                f"the id {span.id} belongs to a finished phase ({span.title}); the revision gives it to something else "
                f"({same.title}): use a new number"
            )
            found.append(AnswerProblem("reused-id", message))
    begun = [span for span in before if span.status in (State.IN_PROGRESS, State.PARTIAL)]
    # An answer that broke off looks like that.
    gone = [span for span in begun if id_key(span.id) not in by_key and _words(span.title) not in by_title]
    message = "phase {} ({}) was begun and is left out: keep it, with what is done in it, and change what is not"
    return found or [AnswerProblem("dropped", message.format(span.id, span.title)) for span in gone]


def _repeats(original: Page, result: Page) -> list[AnswerProblem]:
    now = Counter(_headed(result))
    again = [key for key in now - Counter(_headed(original)) if now[key] > 1]
    message = "the id {} is given to two phases; number each phase once"
    return [AnswerProblem("duplicate-id", message.format(key[1])) for key in again]


def _headed(page: Page) -> list[tuple[str, str]]:
    headings = [block.text for block in page.blocks if isinstance(block, Heading)]
    labels = [read_label(title) for title in headings if names_unit(title)]
    return [(label.word, id_key(label.id)) for label in labels]


def _words(title: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", title.lower()))


def _is_same(title: str, other: str) -> bool:
    mine, theirs = _words(title), _words(other)
    return mine == theirs or len(mine & theirs) * 2 >= len(mine | theirs)


# ---- putting the finished phases back ----


def _put_back(
    old: list[tuple[PhaseSpan, Stretch | None]], there: dict[str, Stretch], first: int, gap: str
) -> list[_Splice]:
    """The splices that put each finished phase in its place; a dropped one behind its predecessor."""
    splices: list[_Splice] = []
    at, is_behind = first, False
    for span, stretch in old:
        known = there.get(id_key(span.id)) if stretch else None
        if known is not None:
            at, is_behind = known.end, True
        if stretch is None or not span.status.is_terminal:
            continue
        if known is not None:
            splices.append(_Splice(known.start, known.end, stretch.text))
        else:
            splices.append(_Splice(at, at, gap + stretch.text if is_behind else stretch.text + gap))
    return splices


def _first_place(there: dict[str, Stretch], base: Page) -> int:
    """Where the first phase stands, or would: at the end of the steps, else of the text."""
    if there:
        return min(section.start for section in there.values())
    level = top_level(base.marks)
    tops = [mark for mark in base.marks if mark.level <= level]
    steps = next((mark.start for mark in tops if "Steps" in mark.names and mark.level == level), len(base.text))
    return next((mark.start for mark in tops if mark.start > steps), len(base.text))


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


def _differences(before: list[PhaseSpan], now: list[PhaseSpan]) -> list[AnswerProblem]:
    """What is not as it was, of the finished phases; and what is finished now although nobody did it."""
    after = {id_key(span.id): span for span in now}
    found = []
    for span in (span for span in before if span.status.is_terminal):
        same = after.pop(id_key(span.id), None)
        if same is None or _said(same) != _said(span):
            said = f"phase {span.id} ({span.title}) is finished and has to stay as it is, its marks and rows included"
            found.append(AnswerProblem("finished", said))
    claimed = [span for span in after.values() if span.status is State.DONE]
    found += [
        AnswerProblem("unearned", f"phase {span.id} is marked as done, which it is not: open it") for span in claimed
    ]
    return found


def _said(span: PhaseSpan) -> tuple[object, ...]:
    return span.id, span.title, span.status, *(part.text if part else "" for part in (span.section, span.row))
