"""Labels: the word, the id and the title by which a heading, a row or a list item names a unit of work.

Ids may have any shape: `4`, `3.10`, `3b-iii`, `P1.A`, `WP07`, `IV`, `Two`, `第三阶段`, `Фаза 6.1`. They are kept as
written and never treated as numbers.
"""

import re

from planrail.plans.marks import Mark, read_title
from planrail.plans.words import NUMBER_WORDS, UNIT_WORDS
from planrail.records import record


@record
class Label:
    """How a text names a unit. `word` is the unit word, a code's letters ("WP"), "number", or "" for a bare title."""

    word: str
    id: str
    title: str
    mark: Mark | None
    tags: list[str]


_EMPHASIS = re.compile(r"\*\*|__|~~|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")
_LINK = re.compile(r"\[([^\[\]]+)\]\([^()\s]*\)")
_NUMBER = r"\d{1,6}(?:[.\-]\d{1,4})*"
_WORDS = "|".join(sorted((re.escape(word) for word in UNIT_WORDS), key=len, reverse=True))
_ID = (
    rf"(?:[#№])?(?:{_NUMBER}(?:[a-zа-я]{{1,2}}(?![^\W\d_]))?(?:-[ivx]+\b|\.[A-Za-z]\b)?"  # 4, 3.10, 4a, 3b-iii
    r"|[A-Z]{1,4}-?\d+(?:[.\-]\w{1,6})*[a-z]?"  # A3a, P1.A, WP07, S1
    r"|[IVX]{1,5}\b(?:\.\d+)?|[A-ZА-Я](?:\d|\.\d+)*\b"  # IV, B, B2
    r"|[一二三四五六七八九十]{1,3}|[①-⑩])"
)
_SEPARATOR = r"\s*(?:[:：.)）、,，|/]|[-–—]+(?=\s|[^\W\d])|[→»])\s*"
_KEYWORD = re.compile(
    rf"(?P<word>{_WORDS})s?(?:\s*[-#:]?\s*(?=[#№\d①-⑩一二三四五六七八九十])|\s+)"
    rf"(?P<id>{_ID}(?:\s*[+&/]\s*\d[\w.]*)?)(?=\s|$|[:：.,，)）、|/\[(（–—-])",
    re.IGNORECASE,
)
_NUMBER_WORD = re.compile(rf"(?P<word>{_WORDS})\s+(?P<id>[^\W\d_]+)(?=\s*(?:$|[:：.–—(-]))", re.IGNORECASE)
_ORDINAL = re.compile(rf"第\s*(?P<id>\d+(?:\.\d+)?|[一二三四五六七八九十]{{1,3}})\s*(?:个|個)?\s*(?P<word>{_WORDS})", re.IGNORECASE)
_COUNTED = re.compile(rf"(?P<id>{_NUMBER})(?:\.|-?[йяе]|[ºª])?\s*(?P<word>{_WORDS})(?=\s|$|[:：.–—(-])", re.IGNORECASE)
_CODE = re.compile(
    r"(?P<id>(?P<word>[A-Z]{1,6}|v(?=\d))[-_]?\d{1,5}(?:[.\-]\d{1,4})*(?:\.[A-Z]\b|[a-z]|-[A-Z][a-z]+|\+)?)(?![\w+])(?=\s*(?:$|[:：)\].–—|（(-]|\s))"
)
_COUNT = re.compile(
    rf"(?P<id>{_NUMBER}(?:[A-Za-z](?![A-Za-z]))?(?:-[ivx]+\b)?(?:[+]{_NUMBER})?|[IVX]{{1,5}}(?=[.)]))(?:{_SEPARATOR}|\s+|$)"
)
_DATE = re.compile(r"(?:19|20)\d\d(?:[-.]\d\d?){0,2}(?=\W|$)")
_LEAD = re.compile(r"^[\s\W_]*(?=[\w第①-⑩])")
_CASED_ID = re.compile(r"^[a-z]{1,5}$")


def read_label(text: str) -> Label:
    """The label of a title. Every text has one; a bare title has no id."""
    mark, tags = read_title(text)
    plain = _without(text, mark)
    plain = _LINK.sub(r"\1", plain)
    plain = _EMPHASIS.sub("", plain).replace("`", "").strip()
    lead = _LEAD.match(plain)
    body = plain[lead.end() :] if lead else plain
    for pattern in (_KEYWORD, _ORDINAL, _COUNTED, _NUMBER_WORD, _CODE, _COUNT):
        match = pattern.match(body)
        if match:
            label = _label(pattern, match, body, mark, tags)
            if label:
                return label
    return Label("", "", plain, mark, tags)


def _without(text: str, mark: Mark | None) -> str:
    if not mark:
        return text
    left, right = text[: mark.start].rstrip(), text[mark.end :].lstrip()
    return f"{left} {right}".strip().rstrip("-–—:：( ").strip() or text


def _label(
    pattern: re.Pattern[str], match: re.Match[str], body: str, mark: Mark | None, tags: list[str]
) -> Label | None:
    rest = re.sub(rf"^(?:{_SEPARATOR})+", "", body[match.end() :]).strip()
    if pattern is _COUNT:
        if _DATE.match(body):
            return None
        return Label("number", match["id"].rstrip("."), rest or body[match.end() :].strip(), mark, tags)
    if pattern is _CODE:
        return Label(match["word"], match["id"].strip(), rest, mark, tags)
    word, found = match["word"].lower(), match["id"].strip()
    if match["word"].isupper() and match[0] == f"{match['word']}-{found}":
        found = match[0]
    if pattern is _NUMBER_WORD:
        number = NUMBER_WORDS.get(found.lower())
        return Label(word, number, rest, mark, tags) if number else None
    if _CASED_ID.match(found):
        return None
    found = NUMBER_WORDS.get(found, found).lstrip("#№")
    return Label(word, re.sub(r"\s+", "", found), rest, mark, tags)


def slug(title: str) -> str:
    """An id made of a title that carries none."""
    words = [word for word in re.findall(r"\w+", title.lower()) if word not in ("the", "a", "of", "and")]
    if len(words) > 1 and words[-1] in ("priority", "tasks", "items"):
        words.pop()
    return "-".join(words[:6])
