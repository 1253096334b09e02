"""Citations: every path, symbol and command that a plan names in backticks or links to, with what it says about it."""

import re
from collections.abc import Iterator

from planrail.base.records import record
from planrail.plans.command_shapes import looks_runnable
from planrail.plans.lint.document import Document, Line
from planrail.plans.lint.grounding.commands import Reference, read_command
from planrail.plans.lint.grounding.shapes import PathShape, SymbolShape, read_path, read_symbol
from planrail.plans.lint.grounding.stance import stance_of
from planrail.plans.lint.grounding.stances import Stance
from planrail.plans.lint.inline import Span, code_spans, link_targets

_ELSEWHERE = re.compile(
    r"\b(?:history|changelog|change log|drift|log|round \d|revisions?|plan review|plan quality|"
    r"review (?:findings|history)|"
    r"out of scope|non-?goals?|non-scope|not doing|alternatives?|rejected|future|follow-?ups?|glossary|"
    r"retrospective|lessons|surprises|disposition|resolutions?|completion notes|прогресс|история)\b|"
    r"变更记录|更新履歴|변경 이력",
    re.IGNORECASE,
)
_MAX_CODE = 500  # characters: longer code is not a name of anything


@record
class Citation:
    """A thing that is cited: as it is written, as it is understood, where, and what is said about it."""

    text: str
    shape: PathShape | SymbolShape | Reference
    line: Line
    stance: Stance

    @property
    def is_open(self) -> bool:
        """Whether it stands in work that is still to be done, or outside all work."""
        return not self.line.is_finished


def find_citations(document: Document) -> list[Citation]:
    """The citations of a plan, in document order, without those of its history and of what it will not do."""
    return [citation for line in document.lines if not _is_elsewhere(line) for citation in _on_line(line)]


def _is_elsewhere(line: Line) -> bool:
    section = line.section
    while section.parent is not None and section.level > 1:
        if _ELSEWHERE.search(section.text):
            return True
        section = section.parent
    return False


def _on_line(line: Line) -> Iterator[Citation]:
    spans = code_spans(line.text)
    for span in spans:
        shapes = _shapes(span.text)
        stance = _stance(line, span) if shapes else Stance.NEUTRAL
        for shape in shapes:
            yield Citation(span.text, shape, line, stance)
    for span in link_targets(line.text):
        target = _linked(span)
        is_quoted = any(code.start < span.end and span.start < code.end for code in spans if code.text != span.text)
        if target is not None and not is_quoted:
            stance = _stance(line, span)
            yield Citation(span.text, target, line, Stance.RELIED_ON if stance is Stance.NEUTRAL else stance)


def _stance(line: Line, span: Span) -> Stance:
    return stance_of(line, span.start, span.end)


def _shapes(code: str) -> list[PathShape | SymbolShape | Reference]:
    """What a piece of code names. A command may name several things, and a command that is not known none."""
    if len(code) > _MAX_CODE:
        return []
    if " " in code or looks_runnable(code):
        return list(read_command(code))
    path = read_path(code)
    if path is not None:
        return [path]
    symbol = read_symbol(code)
    return [symbol] if symbol is not None else []


def _linked(span: Span) -> PathShape | None:
    target = span.text.partition("#")[0].partition("?")[0]
    if not target or ":" in target or target.startswith("/"):
        return None
    return read_path(target)
