"""Marks: what a cell, a tag, a status line or the end of a title says about the state of work.

A mark is recognised or it is not: text that is no known mark gives None here, and the caller reports it. Nothing is
ever guessed to be done.
"""

import re
from functools import lru_cache
from itertools import islice

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


_MANY = 12  # signs in one title: whoever writes more is not stating a status
_GLYPH = re.compile("[" + "".join(GLYPHS) + "]\ufe0f?")
_EDGE = " \t*_`~:：.!|\u3000"
_CUT = re.compile(r"\s[-–—·•|@/]+\s|[(（,，;；。<]|\s`|[-–—]{2}|\.\s|:\s|：|\s\d{4}-|\s\[|—")
_FRACTION = re.compile(r"(\d{1,6})\s*(?:/|of|из|von|de|／)\s*(\d{1,6})(?![\d/])")
_TAKEN_BACK = re.compile(
    r"\b(?:revert\w*|reopen\w*|rolled back|untested|unverified|not (?:tested|verified|pushed|merged|deployed|working)|"
    r"fail(?:s|ed|ing)|broken|in theory|spec only|todo|wip|rewrite needed)\b"
)
_AMOUNT = re.compile(r"\d{1,6}\s*/\s*\d{1,6}|\d{1,3}(?:\.\d+)?\s*%")
_PERCENT = re.compile(r"(\d{1,3})(?:\.\d+)?\s*%")
_CLOSING = {")": "(", "]": "[", "）": "（", "】": "【"}
_LIGHTS = "🟢🟡🟠🔴🔵"
_TAG = re.compile(r"[\[【]([^\[\]【】\n]{1,60})[\]】]")
_COMMENT = re.compile(r"<!--.*?(?:-->|$)")
# What may stand before a mark in front of a title: nothing but signs, or the word and the number of the unit.
_FRONT = re.compile(r"[\W_]*(?:[^\W\d_]{0,12}\s*#?[\w.]{1,8}\s*[:：.)–—-]+\s*)?[\W_]*$")
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
    text = without_comments(text)
    head_start = len(text) - len(text.lstrip(_EDGE + "["))
    glyph = _GLYPH.match(text, head_start)
    word_start = glyph.end() if glyph else head_start
    while word_start < len(text) and text[word_start] in _EDGE + "[":
        word_start += 1
    word = _leading_words(text, word_start)
    if word:
        start = glyph.start() if glyph else word.start
        return Mark(word.state, start, word.end)
    if glyph:
        return _glyph_mark(text, glyph)
    if text.lstrip(_EDGE).startswith("→"):
        return Mark(State.SKIPPED, 0, len(text))  # moved elsewhere
    if text.strip() in ("[x]", "[X]", "[ ]", "[~]", "[-]", "[/]", "[!]"):
        at = text.index("[")
        return Mark(BOXES[text[at + 1]], at, at + 3)
    return _read_amount(text) or _trailing_glyph(text)


def without_comments(text: str) -> str:
    """The text with its comments blanked out, offset for offset."""
    return _COMMENT.sub(_blank, text) if "<!--" in text else text


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _glyph_mark(text: str, glyph: re.Match[str]) -> Mark | None:
    """The mark of a sign without a word: less what is excepted, and nothing where a second sign says the opposite."""
    state = GLYPHS[glyph[0].rstrip("\ufe0f")]
    if glyph[0][0] in _LIGHTS and _WORD.match(text[glyph.end() :].lstrip(_EDGE)):
        return None  # "🟢 On track": a light says how things go, not how far they are
    other = _GLYPH.match(text, glyph.end() + len(text[glyph.end() :]) - len(text[glyph.end() :].lstrip(" /|")))
    if other:
        words = _leading_words(text, other.end() + len(text[other.end() :]) - len(text[other.end() :].lstrip(_EDGE)))
        if words:
            return Mark(words.state, glyph.start(), words.end)
        if GLYPHS[other[0].rstrip("\ufe0f")] is not state:
            return None
    return _less_exceptions(Mark(state, glyph.start(), glyph.end()), text)


def _less_exceptions(mark: Mark, text: str) -> Mark:
    """A mark in the light of what follows: "done, except the docs" is partial, and all of it is the mark."""
    if mark.state is not State.DONE:
        return mark
    following = _WORD.search(text, mark.end)
    is_excepted = following is not None and following[0].lower() in EXCEPTIONS
    if not is_excepted and not _is_taken_back(text, mark):
        return mark
    end = len(text.rstrip(_EDGE))
    while end > mark.end and text[end - 1] in _CLOSING and _is_unpaired(text[mark.start : end]):
        end -= 1
    return Mark(State.PARTIAL, mark.start, end)


def _is_unpaired(text: str) -> bool:
    """Whether the bracket that a text ends with was opened before it."""
    opening = _CLOSING[text[-1]]
    return text.count(text[-1]) > text.count(opening)


def _is_taken_back(text: str, mark: Mark) -> bool:
    """Whether a text that begins with "done" goes on to say that it is not: 3/5, reverted, untested."""
    rest = text[mark.end : mark.end + 80]
    if _TAKEN_BACK.search(rest.lower()):
        return True
    amount = _read_amount(rest)
    if amount is not None and amount.state is not State.DONE:
        return True
    other = _GLYPH.search(rest)
    return (
        other is not None
        and "," in rest[: other.start()]
        and GLYPHS[other[0].rstrip("\ufe0f")] in (State.TODO, State.IN_PROGRESS, State.BLOCKED)
    )


def _leading_words(text: str, start: int) -> Mark | None:
    cut = _CUT.search(text, start)
    end = cut.start() if cut else len(text)
    phrase = text[start:end].rstrip(_EDGE + "]")
    state = read_phrase(phrase)
    if state:
        answer = _WORD.match(text, cut.end()) if cut and cut[0].strip() in (":", "：") else None
        if state is State.DONE and answer and answer[0].lower() in NEGATIONS:
            return None  # "Done: no"
        return _less_exceptions(Mark(state, start, start + len(phrase)), text)
    words = list(_WORD.finditer(phrase))[:5]
    for count in range(len(words) - 1, 0, -1):
        part = phrase[: words[count - 1].end()]
        state = read_phrase(part) if len(part) > 1 else None
        if state:
            if state is State.DONE and words[count][0].lower() in CONDITIONS:
                return None  # "done when the tests pass"
            return _less_exceptions(Mark(state, start, start + len(part)), text)
    return None


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

    A tag in brackets or a sign, in front or at the end; a word in parentheses or behind a dash at the end. Ordinary
    words of a title are not marks, and what stands in its middle is what it is about: "Phase 2: Review", "Read [done]
    tags from files".
    """
    text = without_comments(text)
    labels: list[str] = []
    mark = _title_tag(text, labels) if "[" in text or "【" in text else None
    if mark is None and not text.isascii():
        mark = _title_glyph(text)
    return mark or _title_words(text), labels


def _title_tag(text: str, labels: list[str]) -> Mark | None:
    for tag in reversed(list(_TAG.finditer(text))):
        inside = tag[1].strip()
        mark = read_status(inside)
        if len(inside) == 1 and tag.start() == 0 and inside in BOXES:
            return Mark(BOXES[inside], tag.start(), tag.end())
        is_whole = mark is not None and mark.end - mark.start >= min(len(inside), 4) and not inside.isdigit()
        if mark and is_whole and _is_at_edge(text, tag.start(), tag.end()):
            return Mark(mark.state, tag.start(), tag.end())
        labels.append(inside)
    return None


def _title_glyph(text: str) -> Mark | None:
    for glyph in islice(_GLYPH.finditer(text), _MANY):
        if glyph[0].rstrip("\ufe0f") in DECORATIONS and not _names_state(text[glyph.end() :]):
            continue
        mark = read_status(text[glyph.start() :])
        if mark and _is_at_edge(text, glyph.start(), glyph.start() + mark.end):
            return Mark(mark.state, glyph.start() + mark.start, glyph.start() + mark.end)
    return None


def _is_at_edge(text: str, start: int, end: int) -> bool:
    """Whether a mark stands in front of the title, behind its number, or at its end."""
    if _FRONT.match(text[:start]):
        return True
    rest = _TAG.sub("", text[end:]).lstrip(")）]】*_ ")
    return not rest or (not rest[0].isalnum() and not (rest[0] in "/&+" or _GLYPH.match(rest)))


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
    mark = _leading_words(phrase, lead) or (_read_amount(phrase) if _AMOUNT.fullmatch(bare) else None)
    return Mark(mark.state, offset + mark.start, offset + mark.end) if mark else None


def read_statement(text: str) -> Mark | None:
    """The mark in running text that states an outcome: a glyph and a word that agree, as in "✅ ЗАВЕРШЕНО"."""
    if text.isascii():
        return None
    for glyph in islice(_GLYPH.finditer(text), _MANY):
        state = GLYPHS[glyph[0].rstrip("\ufe0f")]
        mark = read_status(text[glyph.start() :])
        if mark and mark.state is state and mark.end > glyph.end() - glyph.start() + 1:
            return Mark(state, glyph.start(), glyph.start() + mark.end)
    return None


def is_checkpoint(label: str) -> bool:
    """Whether a tag records the commit that finished a phase: `[checkpoint: 6955e26]`."""
    return bool(_CHECKPOINT.match(label.strip()))
