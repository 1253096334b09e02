"""The rule about arithmetic: sums, line ranges and counts of phases in the text that do not add up.

Precision before recall: a number that is approximate, a percentage, part of a version, a date or a longer expression
says nothing certain and is passed over, as is everything in code.
"""

import re
from collections.abc import Iterator

from planrail.base.wording import plural
from planrail.plans.lint.document import Document, Problem, error, without_quotations
from planrail.plans.words.names import NUMBER_WORDS, UNIT_WORDS

_NUMBER = r"\d{1,3}(?:,\d{3})+(?!\d)|\d+(?:\.\d+)?"
_NOUNS = r"(?:\s+[^\W\d_][\w'-]*){0,3}"
_TERM = rf"(?:{_NUMBER}){_NOUNS}"
_OPERATOR = r"\s*\+\s*|\s+[-−–]\s+|\s*[×]\s*|\s+[*x]\s+"
# Not inside a name, a version, a date, a range or a longer expression; nothing approximate before it.
_BEFORE = r"(?<![\w.,:/#$€£+*×^=<>~≈≤≥(\-−–])(?<![+*×/=<>~≈≤≥\-−–(] )"
_AFTER = r"(?!\s*[+*×/^%]|[\w]|[.,:]\d|\.\w|\s*[-−–]\s*\d|\s*(?:mod|%|percent)\b)"
_SUM = re.compile(rf"{_BEFORE}(?P<sum>{_TERM}(?:(?:{_OPERATOR})(?:{_TERM}))+)\s*=\s*\**(?P<total>{_NUMBER}){_AFTER}")
_PARTS = re.compile(rf"[(（](?P<sum>{_TERM}(?:\s*\+\s*{_TERM})+)[)）]{_AFTER}")
_STATED = re.compile(rf"(?P<total>(?<![\w.,/])(?:{_NUMBER}))(?P<noun>(?:\s+[^\W\d_][\w'-]*){{0,3}}):?\**\s*$")
_RANGE = re.compile(
    r"(?:(?<![\w])lines?\s+|\bL|:)(?P<first>\d+)\s*(?:-|–|—|\.\.|to|through)\s*L?(?P<last>\d+)`?\s*"
    r"[(（](?P<count>\d+)\s+(?:lines?|LOC)\s*[)）]",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"~|≈|\babout|\baround|\bapprox|\broughly|\bup to|\bat least|\bat most|\bmax|\bmin|\bover\b|\bunder\b|\?", re.I
)
_LABELS = re.compile(
    rf"(?:{'|'.join(map(re.escape, UNIT_WORDS))}|section|line|page|issue|pr|v|version|table|figure|day|week|"
    r"node|python|java|port|line)s?\s*#?$",
    re.I,
)


def find_wrong_sums(document: Document) -> Iterator[Problem]:
    for line in document.lines:
        prose = without_quotations(line.prose)
        for match in _SUM.finditer(prose) if "=" in prose else ():
            actual = _evaluate(match["sum"])
            if not _agree(actual, match["total"]):
                yield error("arithmetic", line.number, f"{_squeeze(match[0])}: the sum is {_show(actual)}")
        if "+" in prose:
            yield from _wrong_totals(line.number, prose)
        if "lines" in prose:
            yield from _wrong_ranges(line.number, line.text, prose)
    yield from _wrong_counts(document)


def _wrong_totals(number: int, prose: str) -> Iterator[Problem]:
    """A number with its parts in brackets: "12 files (5 + 4 + 2)"."""
    for parts in _PARTS.finditer(prose):
        stated = _STATED.search(prose, max(0, parts.start() - 60), parts.start())
        before = prose[max(0, stated.start() - 24) : stated.start()] if stated else ""
        # Not what counts nothing exactly: "Phase 3 (1 + 2)", "about 12 files (5 + 4)".
        if stated is None or _LABELS.search(before.rstrip()) or _HEDGED.search(before + parts["sum"]):
            continue
        if not stated["noun"].strip() and "total" not in before.lower():
            continue
        actual = _evaluate(parts["sum"])
        if not _agree(actual, stated["total"]):
            text = _squeeze(prose[stated.start() : parts.end()])
            yield error("arithmetic", number, f"{text}: the parts add up to {_show(actual)}")


def _wrong_ranges(number: int, text: str, prose: str) -> Iterator[Problem]:
    """A range of lines with its length in brackets; the range may stand in code, the length may not."""
    for match in _RANGE.finditer(text):
        if prose[match.start("count")].isspace():
            continue
        actual = int(match["last"]) - int(match["first"]) + 1
        if actual > 0 and actual != int(match["count"]):
            stated = f"lines {match['first']}-{match['last']} ({match['count']} lines)"
            yield error("arithmetic", number, f"{stated}: that is {plural(actual, 'line')}")


_COUNT_WORDS = "|".join(sorted((re.escape(word) for word in NUMBER_WORDS if len(word) > 1), key=len, reverse=True))
_SUBJECT = (
    r"(?:this|the|our) (?:implementation |migration |refactoring |project |work )?"
    r"(?:plan|roadmap|work|project|implementation|effort)"
)
_VERB = (
    r"(?:has|have|contains|consists of|comprises|includes|spans|covers|defines|proceeds in|runs in|"
    r"(?:is|are|was|will be) "
    r"(?:split|divided|broken|organi[sz]ed|structured|implemented|executed|delivered|done|carried out)"
    r"(?: down| up| out)? (?:in|into|as|across|over)|in)"
)


def _wrong_counts(document: Document) -> Iterator[Problem]:
    phases = document.plan.phases
    words = {phase.word for phase in phases}
    if len(words) != 1 or not words <= UNIT_WORDS.keys():
        return
    pattern = _count_pattern(words.pop())
    # Inserted ones (2.1, 3b) and a phase 0 may or may not have been counted.
    ids = [phase.id for phase in phases]
    whole = [name for name in ids if name.isdigit()]
    groups = {re.match(r"\D*\d*", name)[0] for name in ids}  # type: ignore[index] # it matches every text
    accepted = {len(ids), len(whole), len(groups), len([name for name in whole if int(name)])}
    for line in document.lines:
        may_count = line.phase is None and line.kind in ("text", "item")  # only what stands above speaks of all phases
        match = pattern.search(without_quotations(line.prose)) if may_count else None
        if match is None:
            continue
        stated = match["all"] or match["sub"] or match["total"]
        count = int(NUMBER_WORDS.get(stated.lower(), stated))
        if count not in accepted:
            yield error("arithmetic", line.number, f"“{_squeeze(match[0])}”, but the plan has {len(phases)}")


def _count_pattern(word: str) -> re.Pattern[str]:
    """Sentences that count the plan's phases; "all 7 steps" may be the steps of anything, "all 7 phases" are not."""
    count = rf"\d{{1,2}}|{_COUNT_WORDS}"
    unit = re.escape(word)
    whole = "all|total of|in total|altogether" if UNIT_WORDS[word] < 2 else "(?!)"
    return re.compile(
        rf"\b{_SUBJECT} {_VERB} (?P<sub>{count}) (?:[a-z]+ )?{unit}s\b|"
        rf"\b(?:{whole}) (?P<all>{count}) {unit}s\b(?! of)|"
        rf"(?:^|[.;:,] |\bin |\binto )(?P<total>{count}) {unit}s (?:in total|total|overall|altogether)\b",
        re.IGNORECASE,
    )


def _evaluate(text: str) -> float:
    total, sign = 0.0, 1
    for part in re.split(r"(\s*\+\s*|\s+[-−–]\s+)", text):
        if part.strip() in ("+", "-", "−", "–"):
            sign = 1 if part.strip() == "+" else -1
            continue
        product = 1.0
        for factor in re.split(r"\s*×\s*|\s+[*x]\s+(?=\d)", part):
            product *= _value(factor)
        total += sign * product
    return total


def _value(text: str) -> float:
    match = re.match(rf"\s*({_NUMBER})", text)
    return float(match[1].replace(",", "")) if match else 0.0


def _agree(actual: float, stated: str) -> bool:
    decimals = len(stated.partition(".")[2])
    tolerance = 0.5 / 10.0**decimals if decimals else 1e-6
    return abs(actual - _value(stated)) <= tolerance


def _show(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def _squeeze(text: str) -> str:
    return " ".join(text.strip(" *").split())
