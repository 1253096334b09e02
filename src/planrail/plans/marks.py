"""Marks: what a cell, a tag, a status line or the end of a title says about the state of work.

A mark is recognised or it is not: text that is no known mark gives None here, and the caller reports it. Nothing is
ever guessed to be done.
"""

import re
from functools import lru_cache

from planrail.plans.states import State
from planrail.plans.words import (
    BOXES,
    CONDITIONS,
    DECORATIONS,
    EXCEPTIONS,
    GLYPHS,
    NEGATIONS,
    NOT_IN_TITLES,
    QUALIFIERS,
    STATUS,
)
from planrail.records import record


@record
class Mark:
    """A state, and the span of the text that states it."""

    state: State
    start: int
    end: int


_GLYPH = re.compile("[" + "".join(GLYPHS) + "]\ufe0f?")
_EDGE = " \t*_`~:：.!|\u3000"
_CUT = re.compile(r"\s[-–—·•|@/]+\s|[(（,，;；。<]|\s`|[-–—]{2}|\.\s|:\s|：|\s\d{4}-|\s\[|—")
_FRACTION = re.compile(r"(\d{1,6})\s*(?:/|of|из|von|de|／)\s*(\d{1,6})(?![\d/])")
_PERCENT = re.compile(r"(\d{1,3})(?:\.\d+)?\s*%")
_TAG = re.compile(r"\[([^\[\]\n]{1,60})\]")
_PARENTHESIS = re.compile(r"[(（]([^()（）\n]{1,60})[)）]\s*$")
_DASHES = "-–—:：|"
_CHECKPOINT = re.compile(r"checkpoint:?\s*[0-9a-f]{6,40}$", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*", re.UNICODE)


def read_box(box: str) -> State | None:
    """The state of a check box by the character in it; None where the character is unknown."""
    if len(box) > 2:
        return STATUS.get(box.lower())
    return BOXES.get(box.rstrip("\ufe0f") if len(box) > 1 else box)


@lru_cache(maxsize=1024)  # a tracker repeats a handful of texts
def read_status(text: str) -> Mark | None:
    """The mark that a whole status text states: a tracker cell, the value of a status line, a tag.

    The word decides before the glyph ("⏳ Pending" is not started), the beginning before the rest ("✅ Complete,
    dashboard pending" is done). Empty text is no mark.
    """
    head_start = len(text) - len(text.lstrip(_EDGE + "["))
    glyph = _GLYPH.match(text, head_start)
    word_start = glyph.end() if glyph else head_start
    while word_start < len(text) and (text[word_start] in _EDGE + "[" or _GLYPH.match(text, word_start)):
        word_start += 1
    word = _leading_words(text, word_start)
    if word:
        start = glyph.start() if glyph else word.start
        return Mark(word.state, start, word.end)
    if glyph:
        return Mark(GLYPHS[glyph[0].rstrip("\ufe0f")], glyph.start(), glyph.end())
    if text.lstrip(_EDGE).startswith("→"):
        return Mark(State.SKIPPED, 0, len(text))  # moved elsewhere
    if text.strip() in ("[x]", "[X]", "[ ]", "[~]", "[-]", "[/]", "[!]"):
        at = text.index("[")
        return Mark(BOXES[text[at + 1]], at, at + 3)
    return _read_amount(text) or _trailing_glyph(text)


def _leading_words(text: str, start: int) -> Mark | None:
    cut = _CUT.search(text, start)
    end = cut.start() if cut else len(text)
    phrase = text[start:end].rstrip(_EDGE + "]")
    state = read_phrase(phrase)
    if state:
        return Mark(state, start, start + len(phrase))
    words = list(_WORD.finditer(phrase))[:5]
    for count in range(len(words) - 1, 0, -1):
        part = phrase[: words[count - 1].end()]
        state = read_phrase(part) if len(part) > 1 else None
        if state:
            state = _reconsider(state, words[count][0].lower())
            return Mark(state, start, start + len(part)) if state else None
    return None


def _reconsider(state: State, following: str) -> State | None:
    """A state in the light of the word behind it: "done but untested", "done when the tests pass"."""
    if state is State.DONE and following in CONDITIONS:
        return None
    return State.PARTIAL if state is State.DONE and following in EXCEPTIONS else state


def read_phrase(phrase: str) -> State | None:
    """The state that a phrase names, with "not" and "mostly" taken into account; None for any other phrase."""
    words = " ".join(phrase.lower().split())
    state = STATUS.get(words)
    if state is None and ("_" in words or "-" in words or "’" in words):
        words = words.replace("_", " ").replace("-", " ").replace("’", "'")
        state = STATUS.get(words)
    if state:
        return state
    first, _, rest = words.partition(" ")
    state = STATUS.get(rest)
    if state is State.DONE and first in QUALIFIERS:
        return State.PARTIAL
    if state is State.DONE and first in NEGATIONS:
        return State.TODO
    return None


def _read_amount(text: str) -> Mark | None:
    match = _FRACTION.search(text)
    if match:
        return Mark(_share(int(match[1]), int(match[2])), match.start(), match.end())
    match = _PERCENT.search(text)
    return Mark(_share(int(match[1]), 100), match.start(), match.end()) if match else None


def _share(part: int, whole: int) -> State:
    if part <= 0:
        return State.TODO
    return State.DONE if part >= whole else State.IN_PROGRESS


def _trailing_glyph(text: str) -> Mark | None:
    found = [match for match in _GLYPH.finditer(text) if match[0].rstrip("\ufe0f") not in DECORATIONS]
    if len(found) != 1:
        return None
    return Mark(GLYPHS[found[0][0].rstrip("\ufe0f")], found[0].start(), found[0].end())


def read_title(text: str) -> tuple[Mark | None, list[str]]:
    """The mark that a title carries, and its tags that are no marks.

    A tag in brackets, a glyph, a word in parentheses at the end or behind a dash at the end. Ordinary words of a title
    are not marks: "Phase 2: Review" is not in progress.
    """
    labels: list[str] = []
    mark = _title_tag(text, labels) if "[" in text else None
    if mark is None and not text.isascii():
        mark = _title_glyph(text)
    return mark or _title_words(text), labels


def _title_tag(text: str, labels: list[str]) -> Mark | None:
    for tag in reversed(list(_TAG.finditer(text))):
        inside = tag[1].strip()
        if len(inside) == 1 and tag.start() == 0 and inside in BOXES:
            return Mark(BOXES[inside], tag.start(), tag.end())
        mark = read_status(inside)
        if mark and mark.end - mark.start >= min(len(inside), 4) and not inside.isdigit():
            return Mark(mark.state, tag.start(), tag.end())
        labels.append(inside)
    return None


def _title_glyph(text: str) -> Mark | None:
    for glyph in _GLYPH.finditer(text):
        if glyph[0].rstrip("\ufe0f") in DECORATIONS and not _names_state(text[glyph.end() :]):
            continue
        mark = read_status(text[glyph.start() :])
        if mark:
            return Mark(mark.state, glyph.start() + mark.start, glyph.start() + mark.end)
    return None


def _names_state(text: str) -> bool:
    return read_phrase(text.strip(_EDGE + ")")) is not None


def _title_words(text: str) -> Mark | None:
    if text.endswith((")", "）")):
        match = _PARENTHESIS.search(text)
        if match and match.start() > 0:
            mark = _closing_words(match[1], match.start(1), is_whole=False)
            if mark:
                return mark
    at = max(map(text.rfind, _DASHES)) + 1
    if not 1 < at < len(text) or len(text) - at > 40 or not (text[at] == " " or text[at - 1] in "—：:"):
        return None
    return _closing_words(text[at:], at, is_whole=True) if text[: at - 1].strip() else None


def _closing_words(phrase: str, offset: int, *, is_whole: bool) -> Mark | None:
    """The status that a title ends with; in parentheses, more words may follow it ("completed 2026-01-02")."""
    bare = phrase.strip(_EDGE)
    if not bare or (bare.lower() in NOT_IN_TITLES and not bare.isupper()):
        return None
    lead = len(phrase) - len(phrase.lstrip(_EDGE))
    if is_whole:
        state = read_phrase(bare)
        return Mark(state, offset + lead, offset + lead + len(bare)) if state else None
    mark = _leading_words(phrase, lead)
    return Mark(mark.state, offset + mark.start, offset + mark.end) if mark else None


def read_statement(text: str) -> Mark | None:
    """The mark in running text that states an outcome: a glyph and a word that agree, as in "✅ ЗАВЕРШЕНО"."""
    if text.isascii():
        return None
    for glyph in _GLYPH.finditer(text):
        state = GLYPHS[glyph[0].rstrip("\ufe0f")]
        mark = read_status(text[glyph.start() :])
        if mark and mark.state is state and mark.end > glyph.end() - glyph.start() + 1:
            return Mark(state, glyph.start(), glyph.start() + mark.end)
    return None


def is_checkpoint(label: str) -> bool:
    """Whether a tag records the commit that finished a phase: `[checkpoint: 6955e26]`."""
    return bool(_CHECKPOINT.match(label.strip()))
