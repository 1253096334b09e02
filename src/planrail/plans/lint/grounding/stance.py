"""Stance: what the text around a citation says about it. Is it there, is it made by this plan, or is that left open?"""

import re

from planrail.plans.lint.document import Line
from planrail.plans.lint.grounding import stance_words as words
from planrail.plans.lint.grounding.stances import Stance


def _spaced(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])", re.IGNORECASE)


_TELLING = (
    (Stance.CREATED, words.CREATES, words.CREATES_UNSPACED),
    (Stance.EXISTS, words.EXISTS, words.EXISTS_UNSPACED),
    (Stance.RELIED_ON, words.RELIES, words.RELIES_UNSPACED),
    (Stance.PLANNED, words.LEAVES_OPEN, words.LEAVES_OPEN_UNSPACED),
    (Stance.EXCUSED, words.EXCUSES, words.EXCUSES_UNSPACED),
)
# One pattern for all, over text in lower case: five that ignore case took eight times as long.
_BEFORE = re.compile(
    "|".join(rf"(?P<{stance.name}>(?<![\w-])(?:{spaced})(?![\w-])|{other})" for stance, spaced, other in _TELLING)
)
_LEAD = r"^[\s)*_]{0,4}(?:[-–—:：(（\[|→]+[\s*_]*)?(?:the |a |an )?"


def _leading(pattern: str, unspaced: str = "") -> re.Pattern[str]:
    other = f"|{unspaced}" if unspaced else ""
    return re.compile(rf"{_LEAD}(?:(?:{pattern})(?![\w-]){other})", re.IGNORECASE)


_AFTER = (
    (Stance.RELIED_ON, _leading(words.AFTER_RELIES)),
    (Stance.EXCUSED, re.compile(rf"{_LEAD}(?:{words.AFTER_EXCUSES})", re.IGNORECASE)),
    (Stance.CREATED, _leading(words.AFTER_CREATES, words.AFTER_CREATES_UNSPACED)),
    (Stance.EXISTS, _leading(words.AFTER_EXISTS, words.AFTER_EXISTS_UNSPACED)),
    (Stance.PLANNED, re.compile(rf"{_LEAD}(?:{words.AFTER_OPEN})", re.IGNORECASE)),
)
_OVER = (
    (Stance.PLANNED, _spaced(words.LISTS_OPEN)),
    (Stance.CREATED, _spaced(words.LISTS_NEW)),
    (Stance.EXISTS, _spaced(words.LISTS_EXISTING)),
)
_CLAUSE_END = re.compile(r"(?<!e\.g)(?<!i\.e)[.;!?。；！？](?=\s|$)|\s[–—]\s|\s--\s")
_REACH = 300  # characters: what stands farther off says nothing about a citation
_TO = re.compile(r"(?:\bto|\binto|→|->|=>)\s*(?:the |a |an |new )?[*_(\"]*$", re.IGNORECASE)
_FROM = re.compile(r"\bfrom\s*(?:the |a |an |existing )?[*_(\"]*$", re.IGNORECASE)
_PREPOSITION = re.compile(
    r"\b(?:in|at|under|inside|within|as|for|via|by|with|of|on|to|into|from|using|against|that|which|and then)\b",
    re.IGNORECASE,
)
_ADDS = re.compile(r"^(?:add|append|insert|register)", re.IGNORECASE)
_MOVES = re.compile(r"^(?:renam|mov|cop|extract|split|mirror|port|migrat|replac)", re.IGNORECASE)
_IF_THERE = re.compile(
    r"\bif (?:it )?(?:is )?(?:present|exists?|applicable|any)\b|\bor (?:a )?new file\b|\bor wherever\b", re.I
)
_LINE_OF = re.compile(r"\blines? \d+(?:\s?[-–]\s?\d+)? (?:of|in)\s*(?:the )?[*_(]*$", re.IGNORECASE)


def stance_of(line: Line, start: int, end: int) -> Stance:
    """What is said about the citation between two offsets of a line: on the line, else by what it stands under."""
    around = line.prose[max(0, start - _REACH) : end + _REACH]
    stance = Stance.EXCUSED if _IF_THERE.search(around) else _said_behind(line, end)
    if stance is None:
        stance = _said_before(line.prose[max(0, start - _REACH) : start])
    if stance is None and line.kind == "row":
        stance = _said_in_row(line.prose)
    if stance is None:
        stance = _said_above(line)
    return Stance.PLANNED if stance is Stance.NEUTRAL and _is_listed(line, start) else stance


def _is_listed(line: Line, start: int) -> bool:
    """An item that is headed by the citation, in a phase: what the phase delivers, there or not."""
    if line.kind != "item" or line.phase is None or start > _REACH:
        return False
    return not line.prose[:start].strip(" ,;/&+*_[]")


def _said_behind(line: Line, end: int) -> Stance | None:
    rest = line.prose[end : end + 60]
    for stance, pattern in _AFTER:
        if pattern.match(rest):
            return stance
    return None


def _said_before(before: str) -> Stance | None:
    """The last telling word in the clause before the citation decides, with the preposition that joins the two."""
    if _LINE_OF.search(before):
        return Stance.RELIED_ON
    clause = _CLAUSE_END.split(before)[-1]
    lower = clause.lower()
    last: re.Match[str] | None = None
    for match in _BEFORE.finditer(lower if len(lower) == len(clause) else clause):
        last = match
    return _joined(Stance[last.lastgroup or "NEUTRAL"], last[0], clause[last.end() :]) if last else None


def _joined(stance: Stance, word: str, between: str) -> Stance:
    """The stance of a word, corrected by what stands between it and the citation: "add a test to", "copied from"."""
    if _MOVES.match(word):
        return Stance.CREATED if _TO.search(between) else Stance.EXCUSED
    if stance is not Stance.CREATED:
        return stance
    if _FROM.search(between):
        return Stance.RELIED_ON
    if _TO.search(between) and _ADDS.match(word):
        return Stance.EXISTS
    return Stance.PLANNED if _PREPOSITION.search(between) else Stance.CREATED


def _said_in_row(prose: str) -> Stance | None:
    """A cell that is an action: "| `a.py` | Create |"."""
    for cell in prose.split("|"):
        for stance, pattern in _AFTER:
            if len(cell.strip()) < 24 and pattern.match(cell):
                return stance
    return None


def _said_above(line: Line) -> Stance:
    """What the items, the label and the headings over a line say, the nearest first."""
    item = line.item.parent if line.item is not None and line.kind == "item" else line.item
    while item is not None:
        stance = _announced(item.text)
        if stance is not None:
            return stance
        item = item.parent
    titles = [line.label] if line.label and line.label != line.text else []
    section = line.section
    while section.parent is not None and section.level > 1:
        titles.append(section.text)
        section = section.parent
    for title in titles:
        stance = _announced(title)
        if stance is not None:
            return stance
    return Stance.NEUTRAL


def _announced(title: str) -> Stance | None:
    """What a label or a short title says about what is listed under it; a long text announces nothing."""
    head = re.split(r"[:：]", title, maxsplit=1)[0]
    if len(head) > 60:
        return None
    for stance, pattern in _OVER:
        if pattern.search(head):
            return stance
    return None
