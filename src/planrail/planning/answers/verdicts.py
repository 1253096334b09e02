"""The verdicts of a critique: which principles it passes and which it fails, and what it says about each.

A verdict may stand on the line of its principle (`1. P3 (contracts) — **FAIL**: …`, a table row), on a line below it
(`### P3`, then `Verdict: FAIL`), or above it, as a heading over a group (`## FAIL`).
"""

import re
from bisect import bisect
from collections.abc import Iterator
from itertools import islice

from planrail.base.records import record
from planrail.planning.answers.page import Page
from planrail.planning.answers.words import SHIPPED, Words
from planrail.planning.principles import IDS, PRINCIPLES

_PRINCIPLE = re.compile(
    r"(?:p(?<!\wp)(?:rinciple\s?(?:#|no\.?)?\s?p?|[-\u2011])?|원칙\s?#?)0?(1[0-2]|[1-9])(?![\d.]\d|\d|\w)"
)
_BETWEEN = re.compile(r"(?:^|[,;|/&+·(]|\.\s|\band\b|및|와|과)[\s*_`|(\[]*$")
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


@record
class Verdict:
    """What a critique says about one principle. `evidence` is its words beyond the number and the verdict."""

    principle: str
    passed: bool
    evidence: str


def read_verdicts(text: str) -> list[Verdict]:
    """The verdicts of a critique, in its order. A principle may be judged more than once."""
    return read_from(Page(text).said, SHIPPED)


def read_from(unquoted: str, words: Words) -> list[Verdict]:
    return list(_Reader(unquoted, words).read())


class _Reader:
    """Goes through the lines that name a principle."""

    def __init__(self, text: str, words: Words) -> None:
        self._failed = _alternatives(words.failed)
        self._passed = _alternatives(words.passed)
        self._text = self._with_numbers(text)
        self._lines = [line[:_LONGEST_LINE] for line in self._text.split("\n")]
        self._named: list[int] = []
        self._groups: list[tuple[int, bool | None]] | None = None  # headings, and the verdict that each is

    def read(self) -> Iterator[Verdict]:
        self._named = list(islice(self._lines_with_principles(), _MOST_LINES))
        heads = {number for number in self._named if self._begins_with_principle(number)}
        for number in self._named:
            yield from self._on_line(number, heads)

    def _with_numbers(self, text: str) -> str:
        """The text with numbers for the principles that begin a line by name alone, with a verdict right behind."""
        if not _NAMES.search(text):
            return text
        verdict = rf"{self._failed.pattern}|{self._passed.pattern}|(?:not )?(?:ok|okay|met)(?!\w)"
        named = rf"(^[ \t>#*_`|\[(\-+•\d.)]*+)({_NAMES.pattern})(?=[*_`\])]*\s*[:：|–—-][ \t*_`|:–—-]*+(?:{verdict}))"
        numbers = {principle.name: principle.id for principle in PRINCIPLES}
        return re.sub(
            named,
            lambda match: f"{match[1]}{numbers[match[2].lower()]} {match[2]}",
            text,
            flags=re.IGNORECASE | re.MULTILINE,
        )

    def _lines_with_principles(self) -> Iterator[int]:
        lowered = self._text.lower()
        number, at = 0, 0
        while match := _PRINCIPLE.search(lowered, at):
            number += lowered.count("\n", at, match.start())
            yield number
            at = lowered.find("\n", match.end())
            if at < 0:
                return

    def _on_line(self, number: int, heads: set[int]) -> Iterator[Verdict]:
        line = _EITHER.sub(" ", self._lines[number])
        below = self._below(number, heads)
        waiting: list[str] = []
        for principle, piece in _pieces(line):
            passed = self._judge(piece)
            waiting.append(principle)
            if passed is not None:
                yield from (Verdict(name, passed, self._evidence(piece, below)) for name in waiting)
                waiting = []
        if waiting:
            passed = self._judge_from_outside(number, below, is_head=number in heads)
            if passed is not None:
                yield from (Verdict(name, passed, self._evidence(line, below)) for name in waiting)

    def _judge_from_outside(self, number: int, below: list[str], *, is_head: bool) -> bool | None:
        """The verdict on principles that have none behind them: before them on the line, below it, or above it."""
        line = self._lines[number]
        first = _PRINCIPLE.search(line.lower())
        passed = self._judge(line[: first.start()]) if first else None
        if passed is None and is_head:
            passed = self._judge_below(below)
            passed = self._judge_group(number) if passed is None else passed
        return passed

    def _begins_with_principle(self, number: int) -> bool:
        line = self._lines[number]
        match = _PRINCIPLE.search(line.lower())
        if match is None:
            return False
        before = line.lower()[: match.start()].replace("principle", "").replace("원칙", "")
        return _HEAD.match(before) is not None or line.lstrip().startswith(("#", "**", "|"))

    def _below(self, number: int, heads: set[int]) -> list[str]:
        found: list[str] = []
        for later in range(number + 1, min(number + 1 + _LINES_BELOW, len(self._lines))):
            line = self._lines[later]
            if later in heads or line.startswith("#") or _PRINCIPLE.search(line.lower()):
                break
            found.append(line)
        return found

    def _judge(self, text: str) -> bool | None:
        """The verdict in a piece of text: words in capitals count before others, then the first one."""
        text = text[:_LONGEST_PIECE]
        found = [(match, False) for match in self._failed.finditer(text)]
        spans = [match.span() for match, _ in found]
        for match in self._passed.finditer(text):
            if not any(start <= match.start() < end for start, end in spans):
                found.append((match, True))
        if not found:
            near = _NEAR.match(text)
            return near["passed"] is not None if near else None
        return min(found, key=lambda one: (not one[0][0].isupper(), one[0].start()))[1]

    def _judge_below(self, lines: list[str]) -> bool | None:
        for line in lines:
            for opening in (_MARKS, _LABEL):
                rest = opening.sub("", line, count=1)
                if self._failed.match(rest) or self._passed.match(rest):
                    return self._failed.match(rest) is None
        return None

    def _judge_group(self, number: int) -> bool | None:
        if self._groups is None:
            named = set(self._named)
            marked = (at for at, line in enumerate(self._lines) if line.startswith(("#", "**")) and at not in named)
            self._groups = [(at, self._judge_whole(self._lines[at])) for at in marked]
        above = bisect(self._groups, number, key=lambda group: group[0])
        return self._groups[above - 1][1] if above else None

    def _judge_whole(self, line: str) -> bool | None:
        return None if _letters(self._without_verdicts(line)) else self._judge(line)

    def _evidence(self, piece: str, below: list[str]) -> str:
        said = " ".join([piece, *below])[:2000]
        rest = _NAMES.sub(" ", _NUMBERS.sub(" ", self._without_verdicts(said)))
        return " ".join(said.strip(" |*_-—–:#").split()) if _letters(rest) else ""

    def _without_verdicts(self, text: str) -> str:
        return self._passed.sub(" ", self._failed.sub(" ", text))


def _letters(text: str) -> bool:
    return any(char.isalpha() for char in text)


def _pieces(line: str) -> Iterator[tuple[str, str]]:
    """The principles that a line judges, each with its part of the line. Others are mentioned only.

    The first one has what stands before it as well: "1. Ordering (P1): FAIL", "FAIL P3: no contract".
    """
    lowered = line.lower()
    lowered = lowered if len(lowered) == len(line) else line
    marks = [match for match in islice(_PRINCIPLE.finditer(lowered), _MOST_PIECES) if f"P{match[1]}" in IDS]
    judged = [
        mark
        for at, mark in enumerate(marks)
        if not at or _BETWEEN.search(lowered[max(0, mark.start() - 40) : mark.start()])
    ]
    for at, mark in enumerate(judged):
        start = mark.start() if at else 0
        end = judged[at + 1].start() if at + 1 < len(judged) else len(line)
        yield f"P{mark[1]}", line[start:end]


def _alternatives(words: tuple[str, ...]) -> re.Pattern[str]:
    ordered = sorted(words, key=len, reverse=True)
    return re.compile("|".join(map(_pattern, ordered)), re.IGNORECASE)


def _pattern(word: str) -> str:
    stem = word.removesuffix("*")
    if stem[0] >= "\u1100":
        return re.escape(stem)
    end = "" if word.endswith("*") else r"(?!\w)"
    return rf"(?<!\w){re.escape(stem)}{end}"
