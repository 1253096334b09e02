"""The rule about wording: work and criteria in words that nobody can verify."""

import re

from planrail.plans.lint.document import Document, Line
from planrail.plans.lint.inline import without_code, without_quotations
from planrail.plans.lint.problems import Problem, warning
from planrail.plans.lint.vague_words import SPACED, UNSPACED
from planrail.plans.outline import is_aside, is_criteria

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def find_vague_wording(document: Document) -> "Iterator[Problem]":
    """Each open line of work or criteria, at most once, that says something which cannot be verified."""
    pattern = _pattern(document.settings.vague_words)
    for line in document.lines:
        if _is_work(line):
            yield from _judge(pattern, line.number, line.prose)
    if not document.is_markdown:
        for phase in document.plan.phases:
            for item in phase.items:
                if not item.is_done:
                    yield from _judge(pattern, item.line, without_code(item.text))


def _judge(pattern: re.Pattern[str], number: int, prose: str) -> "Iterator[Problem]":
    match = pattern.search(without_quotations(prose))
    if match:
        message = f"“{match[0].strip()}” cannot be verified: say what exactly, or how it is measured"
        yield warning("vague-wording", number, message)


def _is_work(line: Line) -> bool:
    """Whether a line states work or criteria that are still open; asides, titles and tables state other things."""
    if line.is_finished or line.kind in ("heading", "row"):
        return False
    if _stands_in_aside(line):
        return False
    return line.phase is not None or _stands_in_criteria(line)


def _stands_in_aside(line: Line) -> bool:
    titles = [line.label[:80]] if line.label else []
    section = line.section
    while section.parent is not None and (line.phase is None or section.line > line.phase.first_line):
        titles.append(section.text)
        section = section.parent
    return any(is_aside(title) and not is_criteria(title) and not _VERIFIES.search(title) for title in titles)


def _stands_in_criteria(line: Line) -> bool:
    return is_criteria(line.section.text) or bool(line.label and is_criteria(line.label[:80]))


_VERIFIES = re.compile("verif|valid|test|check|검증|验证|検証", re.IGNORECASE)


def _pattern(extra: list[str]) -> re.Pattern[str]:
    """All vague words; the user's own count as words of their own where their script has spaces."""
    spaced = "|".join([*SPACED, *(re.escape(word) for word in extra if word.isascii())])
    unspaced = "|".join([*UNSPACED, *(re.escape(word) for word in extra if not word.isascii())])
    return re.compile(rf"(?<![\w/-])(?:{spaced})(?![\w-])|{unspaced}", re.IGNORECASE)
