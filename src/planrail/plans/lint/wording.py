"""The rule about wording: work and criteria in words that nobody can verify."""

import re
from collections.abc import Iterator

from planrail.plans.lint.document import Document, Line
from planrail.plans.lint.inline import without_code, without_quotations
from planrail.plans.lint.problems import Problem, warning
from planrail.plans.lint.vague_words import SPACED, UNSPACED
from planrail.plans.text.outline import is_aside, is_criteria


def find_vague_wording(document: Document) -> Iterator[Problem]:
    """Each open line of work or criteria, at most once, that says something which cannot be verified."""
    vague = _Vague(document.settings.vague_words)
    for line in document.lines:
        if _is_work(line):
            yield from _judge(vague, line.number, line.prose)
    if not document.is_markdown:
        for phase in document.plan.phases:
            for item in phase.items:
                if not item.is_done:
                    yield from _judge(vague, item.line, without_code(item.text))


def _judge(vague: "_Vague", number: int, prose: str) -> Iterator[Problem]:
    match = vague.search(prose)
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


class _Vague:
    """All vague words, the user's own included; a line of plain ASCII is only searched for those that are."""

    def __init__(self, extra: list[str]) -> None:
        own = [re.escape(word.lower()) for word in extra]
        spaced = [*SPACED, *(word for word in own if word.isascii())]
        unspaced = [*UNSPACED, *(word for word in own if not word.isascii())]
        plain = [part for entry in spaced for part in ([entry] if entry.isascii() else entry.split("|"))]
        self._plain = _compile([part for part in plain if part.isascii()], [])
        self._all = _compile(spaced, unspaced)

    def search(self, prose: str) -> re.Match[str] | None:
        """The first vague word, in lower case."""
        text = without_quotations(prose).lower()
        return (self._plain if text.isascii() else self._all).search(text)


def _compile(spaced: list[str], unspaced: list[str]) -> re.Pattern[str]:
    return re.compile("|".join([rf"(?<![\w/-])(?:{'|'.join(spaced)})(?![\w-])", *unspaced]))
