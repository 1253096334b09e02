"""Marks: what a cell, a tag, a status line or the end of a title says about the state of work.

A mark is recognised or it is not: text that is no known mark gives None here, and the caller reports it. Nothing is
ever guessed to be done.
"""

import re
from functools import lru_cache
from itertools import islice

from planrail.base.patterns import pattern
from planrail.base.records import record
from planrail.plans.states import State
from planrail.plans.words import words as known
from planrail.plans.words.phrases import GROUPED, LATER
from planrail.plans.words.words import BOXES, GLYPHS, NOT_IN_TITLES, STATUS


@record
class Mark:
    """A state, and the span of the text that states it."""

    state: State
    start: int
    end: int


_MANY = 12  # signs in one text: an author who writes more is not stating a status
GLYPH = pattern("[" + "".join(GLYPHS) + "]\ufe0f?")
_PICTURE = pattern(f"(?:[{known.PICTURES}]\ufe0f?[ \\t]*)+")
EDGE = " \t*_`~:：.!|\u3000"
_CUT = pattern(r"\s[-–—·•|@/]+\s|[(（,，;；。<]|\s`|[-–—]{2}|\.\s|:\s|：|\s\d{4}-|\s\[|—")
_FRACTION = pattern(r"(\d{1,6})\s*(?:/|of|из|von|de|／)\s*(\d{1,6})(?![\d/])")
_TAKEN_BACK = pattern(
    r"\b(?:revert\w*|reopen\w*|rolled back|untested|unverified|not (?:tested|verified|pushed|merged|deployed|working)|"
    r"fail(?:s|ed|ing)|broken|in theory|spec only|todo|wip|rewrite needed)\b"
)
_PERCENT = pattern(r"(\d{1,3})(?:\.\d+)?\s*%")
_CLOSING = {")": "(", "]": "[", "）": "（", "】": "【"}
_COMMENT = pattern(r"<!--.*?(?:-->|$)")
_WORD_SIGN = pattern(r"[^\W\d_]")
_LONGEST_SENTENCE = 20  # words
_FIRST_WORDS = frozenset(phrase.partition(" ")[0] for phrase in STATUS) | known.QUALIFIERS | known.NEGATIONS
_BEYOND_LATIN = pattern(r"[^\x00-\x7f–—‘’“”…]")  # what authors of English texts type as well
_ASCII = pattern(r"[a-z][a-z'_-]*")
_CHECKPOINT = pattern(r"checkpoint:?\s*[0-9a-f]{6,40}$", re.IGNORECASE)
_WORD = pattern(r"[^\W_]+(?:['’-][^\W_]+)*", re.UNICODE)


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
    head_start = len(text) - len(text.lstrip(EDGE + "["))
    glyph = GLYPH.match(text, head_start)
    if glyph is None and not text.isascii() and (picture := _PICTURE.match(text, head_start)):
        head_start = picture.end()  # behind pictures that state nothing: "🎉 Done", "⚠️ Deferred"
        glyph = GLYPH.match(text, head_start)
    word_start = glyph.end() if glyph else head_start
    while word_start < len(text) and text[word_start] in EDGE + "[":
        word_start += 1
    word = leading_words(text, word_start)
    if word:
        start = glyph.start() if glyph else word.start
        return Mark(word.state, start, word.end)
    if glyph:
        return _glyph_mark(text, glyph)
    if text.lstrip(EDGE).startswith("→"):
        return Mark(State.SKIPPED, 0, len(text))  # moved elsewhere
    if text.strip() in ("[x]", "[X]", "[ ]", "[~]", "[-]", "[/]", "[!]"):
        at = text.index("[")
        return Mark(BOXES[text[at + 1]], at, at + 3)
    signs = [sign for sign in GLYPH.finditer(text) if sign[0].rstrip("\ufe0f") not in known.DECORATIONS]
    behind = Mark(GLYPHS[signs[0][0].rstrip("\ufe0f")], *signs[0].span()) if len(signs) == 1 else None
    return read_amount(text) or behind


def read_waiting(text: str) -> Mark | None:
    """The mark of a status that says what a thing waits for: "ready-for-agent", "needs triage"."""
    first = _WORD.search(text)
    is_waiting = first is not None and (first[0].lower().partition("-")[0] in known.WAITING or first[0][0] in "待未")
    return Mark(State.TODO, first.start(), len(text.rstrip(EDGE))) if first and is_waiting else None


def sign_state(sign: str) -> State | None:
    """What a sign alone states; None for a picture that only decorates."""
    return GLYPHS.get(sign.rstrip("\ufe0f"))


def without_comments(text: str) -> str:
    """The text with its comments blanked out, offset for offset."""
    return _COMMENT.sub(lambda comment: " " * len(comment[0]), text) if "<!--" in text else text


def _glyph_mark(text: str, glyph: re.Match[str]) -> Mark | None:
    """The mark of a sign without a word: less what is excepted, and nothing where a second sign says the opposite."""
    state = GLYPHS[glyph[0].rstrip("\ufe0f")]
    if glyph[0][0] in known.LIGHTS and _WORD.match(text[glyph.end() :].lstrip(EDGE)):
        return None  # "🟢 On track": a light says how things go, not how far they are
    other = GLYPH.match(text, len(text) - len(text[glyph.end() :].lstrip(" /|")))
    if other:
        words = leading_words(text, len(text) - len(text[other.end() :].lstrip(EDGE)))
        if words:
            return Mark(words.state, glyph.start(), words.end)
        if GLYPHS[other[0].rstrip("\ufe0f")] is not state:
            return None
    return less_exceptions(Mark(state, glyph.start(), glyph.end()), text)


def less_exceptions(mark: Mark, text: str) -> Mark:
    """A mark in the light of what follows: "done, except the docs" is partial, and all of it is the mark."""
    if mark.state is not State.DONE:
        return mark
    following = _WORD.search(text, mark.end)
    is_excepted = following is not None and following[0].lower() in known.EXCEPTIONS
    if not is_excepted and not _takes_back(text[mark.end : mark.end + 80]):
        return mark
    end = len(text.rstrip(EDGE))
    while end > mark.end and (opening := _CLOSING.get(text[end - 1])):
        if text.count(text[end - 1], mark.start, end) <= text.count(opening, mark.start, end):
            break  # what it ends with was opened in it
        end -= 1
    return Mark(State.PARTIAL, mark.start, end)


def _takes_back(rest: str) -> bool:
    """Whether a text that begins with "done" goes on to say that it is not: 3/5, reverted, untested."""
    amount = read_amount(rest)
    is_less = amount is not None and amount.state is not State.DONE and not _WORD_SIGN.search(rest[: amount.start])
    other = GLYPH.search(rest)
    opens = (State.TODO, State.IN_PROGRESS, State.BLOCKED)
    is_listed = other is not None and "," in rest[: other.start()] and sign_state(other[0]) in opens
    return is_less or is_listed or _TAKEN_BACK.search(rest.lower()) is not None


def leading_words(text: str, start: int) -> Mark | None:
    """The mark that the words at a place make: as many of them as name a state together."""
    cut = _CUT.search(text, start)
    end = cut.start() if cut else len(text)
    phrase = text[start:end].rstrip(EDGE + "])）")
    state = read_phrase(phrase)
    if state:
        answer = _WORD.match(text, cut.end()) if cut and cut[0].strip() in (":", "：") else None
        if state is State.DONE and answer and answer[0].lower() in known.NEGATIONS:
            return None  # "Done: no"
        return less_exceptions(Mark(state, start, start + len(phrase)), text)
    words = list(_WORD.finditer(phrase))[:5]
    for count in range(len(words) - 1, 0, -1):
        part = phrase[: words[count - 1].end()]
        state = read_phrase(part) if len(part) > 1 else None
        if state:
            if state is State.DONE and words[count][0].lower() in known.CONDITIONS:
                return None  # "done when the tests pass"
            return less_exceptions(Mark(state, start, start + len(part)), text)
    return None


def may_state(text: str) -> bool:
    """Whether a text can state something in words; a quick look, before its places are gone through."""
    if not text.isascii() and _BEYOND_LATIN.search(text):
        return True
    return not _FIRST_WORDS.isdisjoint(_ASCII.findall(text.lower()))


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
    if state is State.DONE and first in known.QUALIFIERS:
        return State.PARTIAL
    if (state is State.DONE or state is State.IN_PROGRESS) and first in known.NEGATIONS:
        return State.TODO
    return None


def read_amount(text: str) -> Mark | None:
    """The mark that an amount makes: "3/8", "8 of 8", "60 %"."""
    match = _FRACTION.search(text) or _PERCENT.search(text)
    if match is None:
        return None
    part, whole = int(match[1]), int(match[2]) if match.re.groups > 1 else 100
    state = State.TODO if part <= 0 else State.DONE if part >= whole else State.IN_PROGRESS
    return Mark(state, match.start(), match.end())


def read_statement(text: str) -> Mark | None:
    """The mark in running text that states an outcome: a glyph and a word that agree, as in "✅ ЗАВЕРШЕНО"."""
    if text.isascii():
        return None
    for glyph in islice(GLYPH.finditer(text), _MANY):
        state = GLYPHS[glyph[0].rstrip("\ufe0f")]
        mark = read_status(text[glyph.start() :])
        if mark and mark.state is state and mark.end > glyph.end() - glyph.start() + 1:
            return Mark(state, glyph.start(), glyph.start() + mark.end)
    return None


def read_sentence(text: str) -> Mark | None:
    """The mark of a longer status text whose words state something, though it does not begin with them.

    What is done in one part and open in another is partial. Words that only say "done" are not believed: they may speak
    of anything.
    """
    found = list(islice(_WORD.finditer(text), _LONGEST_SENTENCE))
    words = [word[0].lower() for word in found]
    cut = next((at for at, word in enumerate(words) if word in known.CONDITIONS and word not in STATUS), len(words))
    ends = [not text[word.end() :].lstrip("*_ ")[:1].isalnum() for word in found]  # the last words of their clauses
    stated = [word for word, is_last in zip(words[:cut], ends, strict=False) if is_last or word not in NOT_IN_TITLES]
    states = {state for word in stated if (state := STATUS.get(word))}
    if State.DONE in states and states & {State.TODO, State.IN_PROGRESS}:
        return Mark(State.PARTIAL, 0, len(text.rstrip()))
    states -= {State.DONE}
    return Mark(states.pop(), 0, len(text.rstrip())) if len(states) == 1 else None


def is_weak(state: State, text: str) -> bool:
    """Whether a mark says no more than that a unit is open: a bare sign, which is soon forgotten, or "ready"."""
    if state is not State.TODO:
        return False
    words = re.findall(r"[^\W\d_]+", text.lower())
    return not words or words[0] in known.PREPARED


def is_checkpoint(label: str) -> bool:
    """Whether a tag records the commit that finished a phase: `[checkpoint: 6955e26]`."""
    return bool(_CHECKPOINT.match(label.strip()))


_CUTS = str.maketrans(dict.fromkeys("(（:：[【—–", "\n"))
_GROUP_EDGE = ")）]】*_`~.,!'’-"


@lru_cache(maxsize=512)
def group_state(text: str) -> State | None:
    """The state that a heading states of what stands under it: a status, alone or with a word for work."""
    for part in text.lower().replace(" - ", "\n").translate(_CUTS).split("\n"):
        words = [word.strip(_GROUP_EDGE) for word in part.split()]
        state = _part_state(" ".join(word for word in words if any(map(str.isalpha, word))))
        if state is not None:
            return state
    return None


def is_later(text: str) -> bool:
    """Whether a heading stands over work that may be done some day."""
    return any(part.strip(" *_:").lower() in LATER for part in text.lower().translate(_CUTS).split("\n"))


def _part_state(name: str) -> State | None:
    if not name or len(name) > 40:
        return None
    if name in LATER:
        return State.TODO
    state = read_phrase(name) if name not in NOT_IN_TITLES else None
    if state is not None:
        return state
    for noun in GROUPED:
        if not noun.isascii() and name.endswith(noun):  # 完了済みの機能: without blanks
            state = read_phrase(name.removesuffix(noun).rstrip("の的"))
            if state is not None:
                return state
    words = name.split()
    for word, rest in ((words[0], words[1:]), (words[-1], words[:-1])):
        state = read_phrase(word) if rest and GROUPED.issuperset(rest) else None
        if state is not None:
            return state
    return None
