"""Numbers that a phase expects and numbers that it derives: do its criteria still say what its own rules give?

A rule stands in the design of the phase: a sum (`417 - 153 + 13 lines`) or a range of lines (`lines 20-59`). It speaks
of a criterion where both name the same file and count the same thing; where that is not certain, nothing is said.
"""

import re
from collections.abc import Iterator, Sequence

from planrail.base.records import record
from planrail.plans.editing.corrections import find_bullets
from planrail.plans.editing.quantities import evaluate, measure
from planrail.plans.model import Phase
from planrail.plans.text.blocks import Item, Text
from planrail.plans.text.outline import Section

_DESIGN = re.compile(r"design|constraint", re.IGNORECASE)
_FILE = re.compile(r"(?<![\w/.-])[\w./-]*\w\.[A-Za-z]\w{0,9}(?![\w/])")
_SUM = re.compile(r"(?<![\w.,/-])\d+(?:\s+[-−]\s+\d+|\s*\+\s*\d+)+(?![\w/]|[.,]\d|\s*[*×/^%])")
_LINES = re.compile(r"\blines?\s+(?P<first>\d+)\s*(?:\.\.|-|–|to)\s*(?P<last>\d+)\b", re.IGNORECASE)
_STATED = re.compile(
    r"(?P<stated>(?:(?:≤|<=|≥|>=|~)\s*|(?:at most|at least|approximately|expected|exactly)\s+)?\d+(?:[-–]\d+)?)"
    r"\s+(?:[a-z-]+\s+)?(?P<unit>lines?|tests?|cases?|files?|commits?|functions?|rows?|entries|entry)\b"
)
_UNIT = re.compile(r"\b(lines?|tests?|cases?|files?|commits?|functions?|rows?|entries|entry)\b", re.IGNORECASE)


@record
class Derived:
    """A value that a rule gives: for which files, of what, and how it is written."""

    files: frozenset[str]
    unit: str
    value: int
    rule: str


@record
class Contradiction:
    """A criterion that says something else than the rule, by so many per cent."""

    bullet: int
    line: int
    stated: str
    derived: int
    rule: str
    percent: int


def find_contradictions(text: str, phase: Phase) -> list[Contradiction]:
    """The criteria of a phase that its own rules contradict."""
    rules = list(_rules(list(phase.sections)))
    found: list[Contradiction] = []
    for bullet in find_bullets(text, phase) if rules else ():
        stated = _STATED.search(bullet.text)
        rule = _rule_for(bullet.text, _singular(stated["unit"]), rules) if stated else None
        if stated is None or rule is None:
            continue
        says = re.sub(r"\s+", " ", stated["stated"]).strip()
        percent = measure(says, str(rule.value))
        if percent:
            found.append(Contradiction(bullet.number, bullet.line, says, rule.value, rule.rule, percent))
    return found


def _rule_for(bullet: str, unit: str, rules: Sequence[Derived]) -> Derived | None:
    """The one rule that speaks of the same file and counts the same thing; None where several do and disagree."""
    files = _files(bullet)
    fitting = [rule for rule in rules if rule.unit == unit and rule.files & files]
    return fitting[0] if len({rule.value for rule in fitting}) == 1 else None


def _rules(sections: list[Section]) -> Iterator[Derived]:
    for section in sections[1:]:
        for block in section.blocks if _DESIGN.search(section.text) else ():
            if isinstance(block, Item | Text):
                yield from _rules_in(block.text)


def _rules_in(line: str) -> Iterator[Derived]:
    files = _files(line)
    for match in _SUM.finditer(line):
        value = evaluate(match[0].replace("−", "-"))
        unit = _UNIT.search(line, match.end()) or _UNIT.search(line)
        if value is not None and unit is not None:
            yield Derived(files, _singular(unit[0]), value, match[0])
    for match in _LINES.finditer(line):
        count = int(match["last"]) - int(match["first"]) + 1
        if count > 0:
            yield Derived(files, "line", count, match[0])


def _files(line: str) -> frozenset[str]:
    """The names of the files that a line speaks of, without their folders."""
    return frozenset(match[0].rpartition("/")[2].lower() for match in _FILE.finditer(line))


def _singular(unit: str) -> str:
    word = unit.lower()
    return "entry" if word == "entries" else word.removesuffix("s")
