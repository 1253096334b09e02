"""Correcting a plan's number: which bullet, which splice, and what the plan said before.

A correction changes one number in one criterion of one phase, in running text, and says so in a comment behind it. A
number inside of code is a command or a part of one, and is never corrected. A measured value inside a stated range or
bound has not drifted; forms that nothing certain can be said about have no drift.
"""

import re
from collections.abc import Sequence

from planrail.base.errors import UnreadablePlan
from planrail.base.records import record
from planrail.plans.editing.edits import Edit
from planrail.plans.model import Phase, Plan
from planrail.plans.reading import read
from planrail.plans.text.blocks import Item, Text
from planrail.plans.text.outline import labelled_items
from planrail.plans.text.source import PlanSource

BAND = 5  # per cent to each side of a measured value, where a plan states a range
NEVER = 999  # the drift of a value that had to be exact and is not

_RANGE = re.compile(r"(?P<low>-?[0-9]+)(?P<dash>[-–])(?P<high>-?[0-9]+)")
_BOUND = re.compile(r"(?P<sign>≤|<=|at most |≥|>=|at least |~|approximately |expected |exactly |)\s*(?P<number>[0-9]+)")
_AT_MOST, _AT_LEAST = ("≤", "<=", "at most "), ("≥", ">=", "at least ")
_LEADING = re.compile(r"\s*(?P<number>[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+))")
_SUM = re.compile(r"\s*(?:[+-]\s*)*[0-9]+(?:\s*(?:[+-]\s*)+[0-9]+)*\s*")
_TERM = re.compile(r"(?P<signs>(?:[+-]\s*)*)(?P<number>[0-9]+)")
_LONGEST = 4000  # characters; Python refuses integers of more digits


@record
class Stated:
    """What a plan states: all values from `low` to `high`, of which `middle` was expected. None: no bound."""

    low: int | None
    high: int | None
    middle: int
    form: str  # range, bound, about, exactly


def read_stated(text: str) -> Stated | None:
    """What a plan states by `340-380`, `≤50`, `at least 3`, `~357`, `exactly 5`, `12`; None for all else."""
    plain = text.strip()
    found = _RANGE.fullmatch(plain) if len(plain) < _LONGEST else None
    if found:
        low, high = int(found["low"]), int(found["high"])
        middle = (low + high) // 2
        return Stated(low, high, middle, "range") if low <= high and middle > 0 else None
    bound = _BOUND.fullmatch(plain) if len(plain) < _LONGEST else None
    sign, number = (bound["sign"], int(bound["number"])) if bound else ("", 0)
    if sign == "exactly ":
        return Stated(number, number, number, "exactly")
    if number <= 0:
        return None  # nothing is a percentage of nothing
    if sign in _AT_MOST:
        return Stated(None, number, number, "bound")
    return Stated(number, None, number, "bound") if sign in _AT_LEAST else Stated(number, number, number, "about")


def read_actual(text: str) -> int | None:
    """A measured value: the whole number that a text begins with; None where it begins with none."""
    found = _LEADING.match(text) if len(text) < _LONGEST else None
    return int(found["number"].replace(",", "")) if found else None


def measure(stated: str, actual: str) -> int | None:
    """By how many per cent, rounded up, a measured value has drifted; None where that cannot be said."""
    expected, value = read_stated(stated), read_actual(actual)
    if expected is None or value is None:
        return None
    is_low = expected.low is not None and value < expected.low
    is_high = expected.high is not None and value > expected.high
    if not is_low and not is_high:
        return 0
    return NEVER if expected.form == "exactly" else -(-100 * abs(value - expected.middle) // expected.middle)


def restate(stated: str, actual: str) -> str:
    """What the plan should state, in its own form: a range becomes the measured value, 5 % to each side.

    Raises `ValueError` for what `measure` cannot judge.
    """
    expected, value = read_stated(stated), read_actual(actual)
    if expected is None or value is None:
        raise ValueError(f"no number can be derived from {stated!r} and {actual!r}")
    plain = stated.strip()
    found = _RANGE.fullmatch(plain)
    if found:
        low, high = value * (100 - BAND) // 100, -(-value * (100 + BAND) // 100)
        return f"{low}{found['dash']}{high}"
    return re.sub(r"[0-9]+$", str(value), plain)


def evaluate(expression: str) -> int | None:
    """The value of a sum or difference of whole numbers; None for everything else. Nothing is executed.

    Any number of signs may stand before a number, as in arithmetic: two minus signs are a plus.
    """
    if len(expression) > _LONGEST or not _SUM.fullmatch(expression):
        return None
    terms = _TERM.finditer(expression)
    return sum(-int(term["number"]) if term["signs"].count("-") % 2 else int(term["number"]) for term in terms)


Splice = tuple[int, int, str, str]

_DEEPEST = 3  # blanks before a bullet; one that stands deeper is a detail of the bullet over it
_HIDDEN = re.compile(r"(?<!`)(`+)(?!`)[^`]++(?<!`)\1(?!`)|<!--.*?-->")
_COMMENT = re.compile(r" <!-- Auto-corrected \d{4}-\d\d-\d\d: was (?P<was>.+?), arithmetic says (?P<says>.+?) -->")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f\u0085\u2028\u2029`]|--|<!|>\s*$")


@record
class Bullet:
    """A criterion with a number in it. `text` stands at `start`, with the lines that go on from its first."""

    number: int
    line: int
    start: int
    text: str


@record
class Correction:
    """A number that was corrected: what the plan said, and what it says now."""

    phase: str
    bullet: int
    was: str
    says: str


def refuse_text(text: str) -> str:
    """Why a text cannot be written into a plan as a number; "" where it can."""
    return f"{text!r} cannot stand in a plan's comment" if not text.strip() or _UNSAFE.search(text) else ""


def find_bullets(text: str, phase: Phase) -> list[Bullet]:
    """The criteria of a phase that have a number in them, counted from 1 as drift tokens count them."""
    found: list[Bullet] = []
    for section in phase.sections:
        for at, item, is_criterion in labelled_items(section, phase.sections[0]):
            before = text[text.rfind("\n", 0, item.start) + 1 : item.start].expandtabs(4)
            if is_criterion and len(before) - len(before.lstrip(" ")) <= _DEEPEST:
                last: Item | Text = item
                for block in section.blocks[at + 1 :]:  # the lines that go on from its first
                    is_inside = isinstance(block, Text) and (block.is_lazy or block.depth > item.depth)
                    if not isinstance(block, Text) or not is_inside or block.line > last.line + 1:
                        break
                    last = block
                end = text.find("\n", last.start)
                body = text[item.start : len(text) if end < 0 else end]
                if re.search(r"[0-9]", body):
                    found.append(Bullet(len(found) + 1, item.line, item.start, body))
    return found


def correct(text: str, plan: Plan, phase: Phase, bullet: int, stated: str, new: str, day: str) -> Edit | None:
    """The edit that puts `new` in the place of `stated` in a bullet, and says so behind it; None where it is not there.

    The result is read again: nothing but that number, its comment and what follows from them may have changed.
    """
    found = next((known for known in find_bullets(text, phase) if known.number == bullet), None)
    span = _find_number(found.text, stated) if found and not refuse_text(stated) and not refuse_text(new) else None
    if found is None or span is None or stated.strip() == new.strip():
        return None
    start, stop = found.start + span[0], found.start + span[1]
    end = stop + len(text[stop:].partition("\n")[0].rstrip(" \t\r"))
    comment = f" <!-- Auto-corrected {day}: was {text[start:stop]}, arithmetic says {new.strip()} -->"
    after = new.strip() + text[stop:end] + comment
    edit = Edit(start, end, text[start:end], after, phase.status, phase.status)
    return edit if _changes_only(PlanSource(plan.path, text), plan, phase.id, edit) else None


def _find_number(body: str, stated: str) -> tuple[int, int] | None:
    """Where a literal stands in running text as a whole number; either dash stands for the other."""
    visible = _HIDDEN.sub(lambda hidden: "\x00" * len(hidden[0]), body)
    plain = stated.strip()
    literal = re.sub(r"[-–]", "[-–]", re.escape(plain).replace(r"\-", "-"))
    before = r"(?<![0-9])(?<![0-9][.,\-–])" if plain[0].isdigit() else ""
    after = r"(?![0-9]|[.,\-–][0-9])" if plain[-1].isdigit() else ""
    match = re.search(before + literal + after, visible)
    return match.span() if match else None


def _changes_only(source: PlanSource, plan: Plan, phase_id: str, edit: Edit) -> bool:
    """Whether the edited plan has the same phases in the same states, and all bullets of the phase but one."""
    after = edit.apply(source.text)
    try:
        read_again = read(PlanSource(source.path, after))
    except UnreadablePlan:
        return False
    phase, changed = plan.phase(phase_id), read_again.phase(phase_id)
    if phase is None or changed is None or plan.states != read_again.states:
        return False
    old = [known.text for known in find_bullets(source.text, phase)]
    new = [known.text for known in find_bullets(after, changed)]
    return len(old) == len(new) and sum(left != right for left, right in zip(old, new, strict=True)) == 1


def splice_lines(before: str, after: str) -> tuple[Splice, ...]:
    """The splices that turn one text into another of as many lines: one for each line that differs."""
    splices: list[Splice] = []
    at = 0
    for old, new in zip(before.splitlines(keepends=True), after.splitlines(keepends=True), strict=True):
        if old != new:
            splices.append((at, at + len(old), old, new))
        at += len(old)
    return tuple(splices)


def apply_splices(text: str, splices: Sequence[Splice]) -> str:
    """The text after all splices, whose offsets are those of the text before. Raises `ValueError` if it is another."""
    for start, end, old, new in sorted(splices, reverse=True):
        if text[start:end] != old:
            raise ValueError(f"the text at {start} is not the one that was to be changed")
        text = text[:start] + new + text[end:]
    return text


def undo_corrections(text: str, plan: Plan) -> tuple[str, tuple[Correction, ...]]:
    """The plan as it was before its corrections, and these, the oldest of a bullet first.

    An approval that holds the earlier text stands as long as every correction is small: see `drift.leaves_approval`.
    Only comments behind criteria are heard, and only where the number that they name still stands before them.
    """
    found: list[Correction] = []
    bullets = [(phase.id, bullet) for phase in plan.phases for bullet in find_bullets(text, phase)]
    for phase, bullet in sorted(bullets, key=lambda pair: -pair[1].start):
        body, corrections = _undo_bullet(bullet.text)
        text = text[: bullet.start] + body + text[bullet.start + len(bullet.text) :]
        found = [Correction(phase, bullet.number, was, says) for was, says in corrections] + found
    return text, tuple(found)


def _undo_bullet(body: str) -> tuple[str, list[tuple[str, str]]]:
    undone: list[tuple[str, str]] = []
    while comments := list(_COMMENT.finditer(body)):
        last = comments[-1]
        before = body[: last.start()]
        line = before.rfind("\n") + 1
        span = _find_number(before[line:], last["says"])
        if span is None:
            return body, undone
        before = before[: line + span[0]] + last["was"] + before[line + span[1] :]
        body = before + body[last.end() :]
        undone.insert(0, (last["was"], last["says"]))
    return body, undone
