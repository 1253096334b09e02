"""The verdicts of a critique: which principles it passes and which it fails, and what it says about each.

A verdict may stand on the line of its principle (`1. P3 (contracts) — **FAIL**: …`, a table row), on a line below it
(`### P3`, then `LessonVerdict: FAIL`), or above it, as a heading over a group (`## FAIL`).
"""

import re
from bisect import bisect
from collections.abc import Iterator
from functools import cached_property
from itertools import islice, product, takewhile

from planrail.memory.lessons import LessonVerdict
from planrail.planning.answers.page import Page
from planrail.planning.answers.words import SHIPPED, Words
from planrail.planning.principles import PRINCIPLES

_PRINCIPLE = re.compile(
    r"(?:p(?<!\wp)(?:rinciple\s?(?:#|no\.?)?\s?p?|[-\u2011])?|원칙\s?#?)0?(1[0-2]|[1-9])(?![\d.]\d|\d|\w)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"(?:^|[,;|/&+·(]|\.\s|\band\b|및|와|과)[\s*_`|(\[]*$", re.IGNORECASE)
_HEAD = re.compile(r"[\s>#*_`|\[(\-+•\d.)]*(?:[-–—:]\s*)?$")
_EITHER = re.compile(r"\bpass(?:es|ed)?\s*(?:/|or|\|)\s*\**fail(?:s|ed)?\b|통과\s*/\s*실패", re.IGNORECASE)
_MARKS = re.compile(r"^[\s>#*_`|\-+•\d.)\[(]*")
_LABEL = re.compile(r"^[\s>#*_`|\-+•\d.)]*(?:[^\W\d][\w ]{0,24}[*_]*\s*[:：]\s*)?[\s*_`\[(]*")
_NUMBERS = re.compile(
    r"\b[pP][-\u2011]?0?(?:1[0-2]|[1-9])\b|\b[Pp]rinciple\s*#?\d*|원칙\s*\d*|\b(?:[Vv]erdict|[Rr]esult)\b|판정|결과"
)
_NAMES = re.compile("|".join(sorted((re.escape(one.name) for one in PRINCIPLES), key=len, reverse=True)), re.IGNORECASE)
# Words that are a verdict only where they stand right behind a principle: "P1: OK", "P2 (files) - not OK, none".
_NEAR = re.compile(
    r"[^:：|–—\n]{0,60}(?:[:：|–—]|\s-\s)[\s*_`|]*"
    r"(?:(?P<passed>ok|okay|good|met)|(?P<failed>not ok|not okay|not met|weak|violated))[*_`]*(?=\s*(?:$|[-–—.,;:|(]))",
    re.IGNORECASE,
)
_LINES_BELOW = 12
_LONGEST_LINE = 20_000  # characters of a line that are looked at
_LONGEST_PIECE = 4_000
_MOST_LINES = 5000  # that name a principle; a critique has a few dozen
_MOST_PIECES = 100  # of one line


def read_verdicts(text: str) -> list[LessonVerdict]:
    """The verdicts of a critique, in its order. A principle may be judged more than once."""
    return read_from(Page(text).said, SHIPPED)


def read_from(unquoted: str, words: Words) -> list[LessonVerdict]:
    return list(_Reader(unquoted, words).read())


class _Reader:
    """Goes through the lines that name a principle."""

    def __init__(self, text: str, words: Words) -> None:
        failed, passed = _any_of(words.failed), _any_of(words.passed)
        self._verdict = re.compile(rf"(?P<failed>{failed})|(?P<passed>{passed})", re.IGNORECASE)
        if _NAMES.search(text):  # those that begin a line by name alone, with a verdict right behind, get their numbers
            behind = rf"[*_`\])]*\s*[:：|–—-][ \t*_`|:–—-]*+(?:{failed}|{passed}|(?:not )?(?:ok|okay|met)(?!\w))"
            named = re.compile(rf"(^[ \t>#*_`|\[(\-+•\d.)]*+)({_NAMES.pattern})(?={behind})", re.I | re.M)
            numbers = {principle.name: principle.id for principle in PRINCIPLES}
            text = named.sub(lambda match: f"{match[1]}{numbers[match[2].lower()]} {match[2]}", text)
        self._lines = [line[:_LONGEST_LINE] for line in text.split("\n")]
        found = ((number, _PRINCIPLE.search(line)) for number, line in enumerate(self._lines))
        self._named = dict(islice(((number, match) for number, match in found if match), _MOST_LINES))
        self._heads = {number for number, match in self._named.items() if _is_head(match)}

    def read(self) -> Iterator[LessonVerdict]:
        for number in self._named:
            line, below = _EITHER.sub(" ", self._lines[number]), self._below(number)
            waiting: list[str] = []
            for principle, piece in [*_pieces(line), ("", "")]:
                passed = self._judge(piece) if principle else self._judge_from_outside(number, below)
                waiting += [principle] if principle else []
                if passed is not None:
                    evidence = self._evidence(piece or line, below)
                    yield from (LessonVerdict(name, passed, evidence) for name in waiting)
                    waiting = []

    def _below(self, number: int) -> list[str]:
        following = self._lines[number + 1 : number + 1 + _LINES_BELOW]
        return list(takewhile(lambda line: not line.startswith("#") and not _PRINCIPLE.search(line), following))

    def _judge_from_outside(self, number: int, below: list[str]) -> bool | None:
        """The verdict on principles that have none behind them: before them on the line, below it, or above it."""
        passed = self._judge(self._lines[number][: self._named[number].start()])
        if passed is not None or number not in self._heads:
            return passed
        for line, opening in product(below, (_MARKS, _LABEL)):
            if found := self._verdict.match(opening.sub("", line, count=1)):
                return found["passed"] is not None
        above = bisect(self._groups, number, key=lambda group: group[0])
        return self._groups[above - 1][1] if above else None

    @cached_property
    def _groups(self) -> list[tuple[int, bool | None]]:
        """The headings that name no principle, and the verdict that each is."""
        marked = ((at, line) for at, line in enumerate(self._lines) if line.startswith(("#", "**")))
        others = ((at, line) for at, line in marked if at not in self._named)
        return [(at, None if _letters(self._verdict.sub(" ", line)) else self._judge(line)) for at, line in others]

    def _judge(self, text: str) -> bool | None:
        """The verdict in a piece of text: words in capitals count before others, then the first one."""
        found = list(self._verdict.finditer(text[:_LONGEST_PIECE])) or list(islice(_NEAR.finditer(text), 1))
        return min(found, key=lambda one: not one[0].isupper())["passed"] is not None if found else None

    def _evidence(self, piece: str, below: list[str]) -> str:
        said = " ".join([piece, *below])[:2000]
        rest = _NAMES.sub(" ", _NUMBERS.sub(" ", self._verdict.sub(" ", said)))
        return " ".join(said.strip(" |*_-—–:#").split()) if _letters(rest) else ""


def _is_head(principle: re.Match[str]) -> bool:
    """Whether a line begins with its principle, or is a heading or a row."""
    before = principle.string[: principle.start()].lower().replace("principle", "").replace("원칙", "")
    return _HEAD.match(before) is not None or principle.string.lstrip().startswith(("#", "**", "|"))


def _letters(text: str) -> bool:
    return any(char.isalpha() for char in text)


def _pieces(line: str) -> Iterator[tuple[str, str]]:
    """The principles that a line judges, each with its part of the line. Others are mentioned only.

    The first one has what stands before it as well: "1. Ordering (P1): FAIL", "FAIL P3: no contract".
    """
    marks = list(islice(_PRINCIPLE.finditer(line), _MOST_PIECES))
    judged = [mark for mark in marks if _BETWEEN.search(line[max(0, mark.start() - 40) : mark.start()])]
    judged = [*marks[:1], *(mark for mark in judged if mark is not marks[0])]
    ends = [*(mark.start() for mark in judged[1:]), len(line)]
    for at, (mark, end) in enumerate(zip(judged, ends, strict=True)):
        yield f"P{mark[1]}", line[mark.start() if at else 0 : end]


def _any_of(words: tuple[str, ...]) -> str:
    """A pattern for words, the longest first. Those of scripts without blanks are found inside others."""
    patterns = []
    for word in sorted(words, key=len, reverse=True):
        stem = re.escape(word.removesuffix("*"))
        is_inside, end = word[0] >= "\u1100", "" if word.endswith("*") else r"(?!\w)"
        patterns.append(stem if is_inside else rf"(?<!\w){stem}{end}")
    return "|".join(patterns)
