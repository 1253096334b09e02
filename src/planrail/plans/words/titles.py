"""The mark that a title carries: the end or the front of a heading, a list entry or a bold line.

A title is about something, and its words may be those of a status: "Phase 2: Review", "Completed orders". So a mark is
read in few places only: a tag in brackets, a sign, a word in parentheses, behind a dash, or in capitals.
"""

import re
from itertools import islice

from planrail.base.patterns import pattern
from planrail.plans.states import State
from planrail.plans.words import marks
from planrail.plans.words.marks import EDGE, Mark
from planrail.plans.words.words import BOXES, DECORATIONS, GLYPHS, LIGHTS, NOT_IN_TITLES, PARTICIPLES, PICTURES

_MANY = 12  # signs in one title: an author who writes more is not stating a status
_TAG = pattern(r"[\[【]([^\[\]【】\n]{1,60})[\]】]")
_SIGN = pattern(f"[{PICTURES}]\ufe0f?|√")
# What may stand before a mark in front of a title: nothing but signs, or the word and the number of the unit.
_FRONT = pattern(r"[\W_]*(?:[^\W\d_]{0,12}\s*#?[\w.]{0,7}\d[\w.]{0,7}\s*[:：.)–—-]*\s*|第?\w{1,8}[:：]\s*)?[\W_]*$")
_INSIDE = pattern(r"([^)）]{0,60})[)）][*_`~ ]*")  # no further: it is looked for behind each parenthesis
_SLOT = pattern(r"[(（]|\s[-–—|]+\s|[—–]|[:：]|\s(?:<-+|←|→|=>|->)\s*|^(?=[A-Z]{3})|~~(?=\s)")
_DATED = r"\d|v\d|#\d|`|@"
_BEHIND = (
    r"on|in|at|by|to|for|until|till|as|via|since|into|see|per|from|with|am|bis|le|en|el|em|dal|w|z|в|до|с|до|на|"
    r"because|due|pending"
)
# What may follow a status in a title so that it still is one: nothing, a date, a reason.
_SETTLED = pattern(rf"\s*(?:$|[)）(（\[,，;；.。!+&]|[-–—:：]+\s|\s(?:{_DATED})|\s(?:{_BEHIND})\b)", re.IGNORECASE)
_ENDED = pattern(rf"\s*(?:$|[(（\[.!]|\s(?:{_DATED}))")
_CLOSING = pattern(r".*(?:[-–—:：|]\s*|[(（]\s*)$", re.DOTALL)  # behind a dash or in parentheses
_FEW = pattern(r"(?:\s+[^\W\d_]+){1,3}[\s)）*_!.]*$")
_SHARE = pattern(r"(?:\d{1,6}\s*/\s*\d{1,6}|\d{1,3}(?:\.\d+)?\s*%)\s*([^\W\d_]*)$")
_LAST = pattern(r"[)）\]*_~`.! ]*(?:$|[(（]?\d{4}-)")
_LIST = pattern(r"\s*[,，/|]\s*([^\W\d_][^,，/|)）]*)")


def read_title(text: str) -> tuple[Mark | None, list[str]]:
    """The mark that a title carries, and its tags that are no marks.

    A tag in brackets or a sign, in front or at the end; a word in parentheses or behind a dash. Ordinary words of a
    title are not marks, and what stands in its middle is what it is about: "Phase 2: Review", "Read [done] tags from
    files". A name that is struck through was dropped, unless a mark says more.
    """
    text = marks.without_comments(text)
    labels: list[str] = []
    mark = _tag(text, labels) if "[" in text or "【" in text else None
    if mark is None and not text.isascii():
        mark = _signed(text)
    return mark or _worded(text) or _struck(text), labels


def ends_in(text: str, mark: Mark) -> bool:
    """Whether nothing but a date follows a mark."""
    return _LAST.match(text, mark.end) is not None


def _tag(text: str, labels: list[str]) -> Mark | None:
    for tag in reversed(list(_TAG.finditer(text))):
        inside = tag[1].strip()
        mark = marks.read_status(inside)
        if len(inside) == 1 and tag.start() == 0 and inside in BOXES:
            return Mark(BOXES[inside], tag.start(), tag.end())
        is_whole = mark is not None and mark.end - mark.start >= min(len(inside), 4) and not inside.isdigit()
        if mark and is_whole and _is_at_edge(text, tag.start(), tag.end()):
            return Mark(mark.state, tag.start(), tag.end())
        labels.append(inside)
    return None


def _signed(text: str) -> Mark | None:
    """The mark that a sign makes; a sign that states nothing itself makes one together with a word: "⚠️ DEFERRED"."""
    for sign in islice(_SIGN.finditer(text), _MANY):
        at = sign.end()
        while at < len(text) and text[at] in EDGE:
            at += 1
        words = marks.leading_words(text, at) if at < len(text) else None
        if words is not None and sign.start() == 0 and _is_ordinary(text[words.start : words.end]):
            words = None  # "✅ Error handling": the words are the title
        if marks.sign_state(sign[0]) is None or sign[0][0] in DECORATIONS:  # a picture, which words may make a mark
            if words is None or _is_ordinary(text[words.start : words.end]):
                continue
            is_mark = _is_at_edge(text, sign.start(), words.end) or _SETTLED.match(text, words.end)
            mark = Mark(words.state, sign.start(), words.end) if is_mark else None
        elif words is None and _FRONT.match(text[: sign.start()]):
            if sign[0][0] in LIGHTS:
                continue  # a light in front says how urgent a thing is
            return Mark(GLYPHS[sign[0][0]], sign.start(), sign.end())  # what follows is the title
        else:
            mark = _with_sign(text, sign, words)
        if mark:
            return mark
    return None


def _with_sign(text: str, sign: re.Match[str], words: Mark | None) -> Mark | None:
    """The mark of a sign that states something, and of the words behind it."""
    end = words.end if words else sign.end()
    # A title may end in a sign with a remark, which may be in an unknown language: "✅ VERIFIED DONE".
    rest = text[sign.end() :].strip()
    is_remark = rest[:1] in ("*", "_") and rest[-1:] == rest[:1]  # "⏳ _built, to be tested_"
    if not is_remark and words is None:
        is_remark = bool(_CLOSING.match(text[: sign.start()]) and _FEW.match(text, sign.end()))
    elif not is_remark and words is not None:
        is_remark = words.state is GLYPHS[sign[0][0]] and bool(_FEW.match(text, words.end))
    if is_remark:
        return Mark(words.state if words else GLYPHS[sign[0][0]], sign.start(), len(text.rstrip(")） ")))
    is_mark = _is_at_edge(text, sign.start(), end) or (words and _SETTLED.match(text, end))
    mark = marks.read_status(text[sign.start() :]) if is_mark else None
    return Mark(mark.state, sign.start(), sign.start() + mark.end) if mark else None


def _is_ordinary(words: str) -> bool:
    """Whether words that may state something are too ordinary for it, where they are not in capitals."""
    return words.lower() in NOT_IN_TITLES and not words.isupper()


def _is_at_edge(text: str, start: int, end: int) -> bool:
    """Whether a mark stands in front of the title, behind its number, or at its end."""
    if _FRONT.match(text[:start]):
        return True
    rest = _TAG.sub("", text[end:]).lstrip(")）]】*_~ ")
    return not rest or (not rest[0].isalnum() and not (rest[0] in "/&+" or marks.GLYPH.match(rest)))


def _worded(text: str) -> Mark | None:
    """The words of a title that state something, by the first of the places in which words do."""
    front, start = _skip_edge(text, 0), 0
    for slot in _SLOT.finditer(text):
        if slot[0] in ("(", "（"):
            mark = _in_parentheses(text, slot.end()) if slot.start() else None
        else:
            start = _skip_edge(text, max(start, slot.end()))  # of several slots in a row the words are the same
            mark = _behind(text, slot, start, is_front=slot.start() <= front)
        if mark:
            return mark
    return None


def _skip_edge(text: str, start: int) -> int:
    while start < len(text) and text[start] in EDGE:
        start += 1
    return start


def _behind(text: str, slot: re.Match[str], start: int, *, is_front: bool) -> Mark | None:
    """A status behind a dash, a colon, an arrow, or in front of the title in capitals; its words begin at `start`."""
    mark = marks.leading_words(text, start) if start < len(text) else None
    if mark is None:
        share = _SHARE.match(text, start)  # to the end of the title
        return _share(text, share) if share and "%" in share[0] and not is_front else None
    words = text[mark.start : mark.end].strip(EDGE)
    if _is_ordinary(words) or (is_front and not words.isupper()):
        return None
    if is_front:
        return mark if re.match(r"\s*[:：–—-]+\s", text[mark.end :]) else None
    is_name = slot[0][:1] in (":", "：")  # the words are the title itself
    follows = text[mark.end :].lstrip("*_`~")
    settled = _ENDED.match(follows) if is_name and not words.isupper() else _is_settled(words, follows)
    is_listed = _is_list(follows, mark.state)
    return mark if settled and not is_listed else None


def _is_settled(words: str, follows: str) -> bool:
    """Whether words still are a status in view of what follows: "deferred to v2", "merged into phase 3"."""
    return bool(_SETTLED.match(follows) or _SETTLED.match(" " + words.rpartition(" ")[2]))


def _is_list(rest: str, state: State) -> bool:
    """Whether states are listed, so that none of them is meant: "open, closed, cancelled"."""
    other = _LIST.match(rest)
    stated = marks.read_phrase(other[1].strip(EDGE)) if other else None
    return stated is not None and stated is not state


def _in_parentheses(text: str, start: int) -> Mark | None:
    closing = _INSIDE.match(text, start)
    if closing is None or text[closing.end() : closing.end() + 1].isalnum():
        return None
    inside, end = closing[1], closing.end(1)
    share = _SHARE.match(inside.strip(EDGE))
    if share:
        return _share(text, _SHARE.match(text[:end].rstrip(EDGE), start + len(inside) - len(inside.lstrip(EDGE))))
    return _parenthesised(inside, start) or _last_part(inside, start)


def _parenthesised(inside: str, offset: int) -> Mark | None:
    lead = len(inside) - len(inside.lstrip(EDGE))
    glyph = marks.GLYPH.match(inside, lead)
    mark = marks.read_status(inside) if glyph else marks.leading_words(inside, lead)
    if mark is None:
        return None
    words = inside[mark.start : mark.end].strip(EDGE)
    if _is_ordinary(words) and not (words.lower() in PARTICIPLES and words == inside.strip(EDGE)):
        return None
    follows = inside[mark.end :]
    if not _is_settled(words, follows) or _is_list(follows, mark.state):
        return None
    return Mark(mark.state, offset + mark.start, offset + mark.end)


def _last_part(inside: str, offset: int) -> Mark | None:
    """A status behind other remarks: "(2 days, done)"."""
    at = max(inside.rfind(","), inside.rfind(";"), inside.rfind("，"), inside.rfind("—")) + 1
    words = inside[at:].strip(EDGE)
    state = marks.read_phrase(words) if at and not _is_ordinary(words) else None
    before = [part.strip(EDGE) for part in re.split("[,;，—]", inside[: max(at - 1, 0)])]
    if state is None or any(part and marks.leading_words(part, 0) for part in before):
        return None
    start = offset + at + len(inside[at:]) - len(inside[at:].lstrip(EDGE))
    return marks.less_exceptions(Mark(state, start, start + len(words)), "")


def _share(text: str, share: re.Match[str] | None) -> Mark | None:
    """The mark of an amount, alone or of what is done: "3/5", "60% complete"."""
    if share is None or (share[1] and marks.read_phrase(share[1]) is not State.DONE):
        return None
    mark = marks.read_amount(share[0])
    return Mark(mark.state, share.start(), share.end()) if mark else None


def _struck(text: str) -> Mark | None:
    """A name that is struck through from its beginning was dropped."""
    bare, at = text.lstrip("*_ "), len(text.rstrip())
    _, closing, rest = bare[2:].partition("~~")
    is_struck = bare.startswith("~~") and closing and not rest.strip("*_ ")[:1].isalnum()
    return Mark(State.SKIPPED, at, at) if is_struck else None
