"""Labels: the word, the id and the title by which a heading, a row or a list item names a unit of work.

Ids may have any shape: `4`, `3.10`, `3b-iii`, `P1.A`, `WP07`, `IV`, `Two`, `第三阶段`, `Фаза 6.1`. They are kept as
written and never treated as numbers.
"""

import re
from collections.abc import Collection

from planrail.base.patterns import pattern
from planrail.base.records import record
from planrail.plans.words.marks import Mark, may_state, read_phrase
from planrail.plans.words.names import NUMBER_WORDS, UNIT_WORDS


@record
class Label:
    """How a text names a unit. `word` is the unit word, a code's letters ("WP"), "number", or "" for a bare title."""

    word: str
    id: str
    title: str
    mark: Mark | None
    tags: list[str]


# "Phase 12: Title", with nothing in the title that could be a mark: what most headings look like, read in one step.
_SIMPLE = pattern(r"([A-Za-z]+) (\d+(?:\.\d+)*): ++([A-Za-z0-9 .,;'\"/&+]+)$")
_EMPHASIS = pattern(r"\*\*|__|~~|`|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")
_EMPTY_PAIR = pattern(r"\(\s*\)|（\s*）|\[\s*\]|【\s*】")
_SLOTS = pattern(r"[^\w\s.,'\"/&+]")  # a mark needs more than words
_LOOSE_END = pattern(r"[\s,;，–—-]+([)）])")  # what a mark leaves behind in parentheses
_LONGEST_STATUS = 32
_LINK = pattern(r"\[([^\[\]]+)\]\([^()\s]*\)")
_LETTERS = pattern(r"[^\W\d_]+")
_SEPARATORS = pattern(r"(?:\s*(?:[:：.)）、,，|/→»]|[-–—]+(?=\s|[^\W\d]|$)))*\s*")
_END = r"(?=\s|$|[:：.,，)）、|/\[(（–—-])"
# What may stand behind a unit word: 4, 3.10, 4a, 3b-iii, 1+2; A3a, P1.A, WP07; IV; B2; 三; ③
_ID = pattern(
    r"[#№]?((?:\d{1,6}(?:[.\-–]\d{1,4})*(?:[a-zа-я]{1,2}(?![^\W\d_]))?(?:-[ivx]+\b|\.[A-Za-z]\b|-[A-Z]\b)?"
    r"|[A-Z]{1,4}-?\d+(?:[.\-]\w{1,6})*[a-z]?|[IVX]{1,5}\b(?:\.\d+)?|[A-ZА-Я](?:\d|\.\d+)*\b"
    rf"|[一二三四五六七八九十]{{1,3}}|[①-⑩])(?:\s*[+&/]\s*\d[\w.]*)?){_END}"
)
_GAP = pattern(r"s?(\s*+[-#:]?+\s*+)(?=[#№\d①-⑩一二三四五六七八九十])|s?(\s+)")
_ORDINAL = pattern(r"第\s*(\d+(?:\.\d+)?|[一二三四五六七八九十]{1,3})\s*[个個]?\s*")
_CODE = pattern(
    r"((?:([A-Z]{1,6})|(v)(?=\d))[-_]?\d{1,5}(?:[.\-]\d{1,4})*(?:\.x\b|\.[A-Z]\b|[a-z]|-[A-Z][a-z]+|\+)?)(?![\w+])"
    r"(?=\s*(?:$|[:：)\].–—|（(-])|\s)"
)
_COUNT = pattern(
    r"(\d{1,6}(?:[.\-]\d{1,4})*(?:[A-Za-z](?![A-Za-z]))?(?:-[ivx]+\b)?(?:[+]\d+(?:\.\d+)*)?|[IVX]{1,5}(?=[.)]))"
    r"(?:[.)]?[-–—]?[йяе]?[ºª]?(?=\s|$|[:：)）、,，|/→–—-])|[.)]|$)"
)
_DIGITS = frozenset("0123456789")
_ROMAN = frozenset("IVX")
_ROMAN_NEXT = frozenset("IVX.)")
_EARLY_DIGIT = pattern(r"\d")
_DATE = pattern(r"(?:19|20)\d\d(?:[-.]\d\d?){0,2}(?=\W|$)|\d{1,2}\.? (?:de )?[^\W\d_]{3,10}\.? (?:de )?(?:19|20)\d\d\b")


def read_label(text: str, own: Collection[str] = ()) -> Label:
    """The label of a title. Every text has one; a bare title has no id. `own` are words for units of the document."""
    simple = _SIMPLE.match(text)
    if simple and simple[1].lower() in UNIT_WORDS and (len(simple[3]) > _LONGEST_STATUS or not read_phrase(simple[3])):
        return Label(simple[1].lower(), simple[2], simple[3].rstrip(), None, [])
    mark: Mark | None = None
    tags: list[str] = []
    is_amount = "%" in text or ("/" in text and "(" in text)
    if _SLOTS.search(text) and (is_amount or "[" in text or "~~" in text or may_state(text)):  # a quick look
        from planrail.plans.words.titles import read_title  # fewer titles can carry a mark than cannot

        mark, tags = read_title(text)
    plain = _plain(text if mark is None else _without(text, mark))
    word, identity, at = _name(plain)
    if not identity and own:
        lower = plain.lower()
        first = next((word for word in own if word and lower.startswith(word)), "")
        word, identity, at = _named(plain, first, len(first)) if first else ("", "", 0)
    if not identity:
        return Label("", "", plain, mark, tags)
    return Label(word, identity, title_behind(plain, at), mark, tags)


def title_behind(text: str, at: int) -> str:
    return text[_SEPARATORS.match(text, at).end() :]  # type: ignore[union-attr] # it matches every text


def read_name(text: str) -> tuple[str, str, str]:
    """The word, id and title of a list item: like a label, without a look for marks, which its box makes."""
    plain = _plain(text)
    word, identity, at = _name(plain)
    return (word, identity, title_behind(plain, at)) if identity else ("", "", plain)


def may_name_unit(text: str) -> bool:
    """Whether a text can begin with a unit word; a quick look, before a label is read."""
    if text[:1] in _DIGITS and text.isascii():
        return False
    head = text[:24].lstrip("*_ ")
    return head.partition(" ")[0].lower().rstrip("s:") in UNIT_WORDS or not head.isascii() or "-" in head


def may_be_named(text: str) -> bool:
    """Whether a text can begin with an id of any kind; a quick look as well."""
    return may_name_unit(text) or _EARLY_DIGIT.search(text, 0, 10) is not None or _is_roman(text)


def _is_roman(text: str) -> bool:
    return text[:1] in _ROMAN and text[1:2] in _ROMAN_NEXT


def _plain(text: str) -> str:
    """The text without emphasis, links and the ornaments in front."""
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if "*" in text or "`" in text or "~" in text or " _" in text or text[:1] == "_":
        text = _EMPHASIS.sub("", text)
    if "\u20e3" in text:
        text = text.replace("\ufe0f\u20e3", "").replace("\u20e3", "")  # digits on a key
    text = text.strip()
    at = 0
    while at < len(text) and not (text[at].isalnum() or text[at] in "①②③④⑤⑥⑦⑧⑨⑩"):
        at += 1
    return text[at:] if at < len(text) else text


def _without(text: str, mark: Mark) -> str:
    end = mark.end
    if text[mark.start - 1 : mark.start] in ("(", "（"):
        end = next((at for at in range(mark.end, len(text)) if text[at] in ")）"), mark.end)
    rest = _EMPTY_PAIR.sub("", _LOOSE_END.sub(r"\1", f"{text[: mark.start].rstrip()} {text[end:].lstrip()}")).strip()
    return rest.rstrip("-–—:：( ").strip() or text


def _name(text: str) -> tuple[str, str, int]:
    """The word and the id that a plain title begins with, and where they end."""
    first = text[:1]
    if first.isdecimal():
        return _counted(text)
    if first == "第":
        counted = _ORDINAL.match(text)
        word, length = _unit_word(text[counted.end() :]) if counted else ("", 0)
        number = NUMBER_WORDS.get(counted[1], counted[1]) if counted else ""
        return (word, number, counted.end() + length) if counted and word else ("", "", 0)
    word, end = _unit_word(text)
    if word:
        named = _named(text, word, end)
        if named[1]:
            return named
    if first.isupper() or first == "v":
        code = _CODE.match(text) if _EARLY_DIGIT.search(text, 0, 10) else None
        if code:
            return code[2] or code[3], code[1], code.end()
        return _counted(text) if _is_roman(text) else ("", "", 0)
    return ("number", NUMBER_WORDS[first], 1) if "①" <= first <= "⑩" else ("", "", 0)


def _unit_word(text: str) -> tuple[str, int]:
    run = _LETTERS.match(text)
    if not run:
        return "", 0
    end = run.end()
    word = run[0].lower()
    pair = _LETTERS.match(text, end + 1) if text[end : end + 1] == " " else None
    if pair and f"{word} {pair[0].lower().removesuffix('s')}" in UNIT_WORDS:
        return f"{word} {pair[0].lower().removesuffix('s')}", pair.end()
    if word in UNIT_WORDS:
        return word, end
    if word.endswith("s") and word[:-1] in UNIT_WORDS:
        return word[:-1], end
    if not word.isascii():
        for length in range(min(len(word) - 1, 8), 1, -1):
            if word[:length] in UNIT_WORDS:
                return word[:length], length
    return "", 0


def _named(text: str, word: str, end: int) -> tuple[str, str, int]:
    gap = _GAP.match(text, end)
    match = _ID.match(text, gap.end()) if gap else None
    if match:
        found = "".join(match[1].split())
        if gap and gap[0] == "-" and text[:end].isupper():
            found = f"{text[:end]}-{found}"
        return word, NUMBER_WORDS.get(found, found), match.end()
    spelled = _LETTERS.match(text, gap.end()) if gap and gap[0] else None
    number = NUMBER_WORDS.get(spelled[0].lower()) if spelled else None
    if spelled and number is not None and not text[spelled.end() : spelled.end() + 1].strip(" :：.–—(-"):
        return word, number, spelled.end()
    return "", "", 0


def _counted(text: str) -> tuple[str, str, int]:
    """A text that begins with a number: `1. Setup`, `4b — API`, `3단계`, `2-й этап`."""
    if _DATE.match(text):
        return "", "", 0
    match = _COUNT.match(text)
    end = match.end() if match else len(text) - len(text.lstrip("0123456789."))
    is_joined = text[end : end + 1] != " "
    at = end if is_joined else end + 1
    word, length = _unit_word(text[at : at + 16]) if at < len(text) else ("", 0)
    follower = text[at + length : at + length + 1]
    is_chapter = match is not None and match[0][-1] in ".)" and not is_joined and not follower
    if is_chapter or text[at : at + length].lower() == f"{word}s":
        word = ""  # "3. Release" and "4. Steps" are chapters of those names
    if word and (not follower or follower in ":：.–—(" or (is_joined and follower == " ")):
        number = text[: len(text) - len(text.lstrip("0123456789."))].rstrip(".")
        return word, number, at + length
    return ("number", match[1], match.end()) if match else ("", "", 0)


def slug(title: str) -> str:
    """An id made of a title that carries none."""
    all_words = re.findall(r"\w+", title.lower())
    words = [word for word in all_words if word not in ("the", "of", "and")] or all_words
    if len(words) > 1 and words[-1] in ("priority", "tasks", "items"):
        words.pop()
    return "-".join(words[:6]) or title.strip() or "untitled"
