"""The document as rules see it: lines with the section, the label, the list item and the phase they belong to.
Problems: what a rule has to say about a line of a plan.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Protocol

from planrail.base.records import record
from planrail.base.settings import LintSettings
from planrail.plans.model import Phase, Plan
from planrail.plans.text.blocks import Fence, Item, Table, Text, split_cells
from planrail.plans.text.outline import Outline, Section, outline
from planrail.plans.text.scanning import scan
from planrail.plans.text.source import PlanSource


@record
class Span:
    """A piece of a line: its text, where it starts and where it ends, the marks around it included."""

    text: str
    start: int
    end: int


_TICKS = re.compile(r"`+")
_LINK = re.compile(r"\[(?P<label>[^\[\]]*)\]\((?P<target><[^<>]*>|[^()\s]+)(?:\s+[\"'][^\"']*[\"'])?\)")
_COMMENT = re.compile(r"<!--.*?(?:-->|$)")
_URL = re.compile(r"\b(?:https?|ssh|git|ftp|file)://[^\s)>\]]+")
_QUOTED = re.compile(
    r"“[^“”]*”|«[^«»]*»|「[^「」]*」|『[^『』]*』|„[^„“]*“|(?<!\w)\"[^\"]*\"(?!\w)|(?<!\w)'[^']*'(?!\w)"
)


def code_spans(text: str) -> list[Span]:
    """The pieces of inline code, in order. As in CommonMark, a run of backticks is closed by one of its length."""
    runs = list(_TICKS.finditer(text)) if "`" in text else []
    spans: list[Span] = []
    at = 0
    while at < len(runs):
        later = range(at + 1, len(runs))
        closing = next((other for other in later if len(runs[other][0]) == len(runs[at][0])), None)
        if closing is None:
            at += 1
            continue
        start, end = runs[at].end(), runs[closing].start()
        spans.append(Span(text[start:end].strip(), runs[at].start(), runs[closing].end()))
        at = closing + 1
    return spans


def link_targets(text: str) -> list[Span]:
    if "](" not in text:
        return []
    return [Span(match["target"].strip("<>"), match.start(), match.end()) for match in _LINK.finditer(text)]


def without_code(text: str) -> str:
    """The line with its code, comments and addresses blanked; every offset stays what it was."""
    for span in code_spans(text):
        text = _blank(text, span.start, span.end)
    for pattern in (_COMMENT, _URL):
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    for match in _LINK.finditer(text) if "](" in text else ():
        text = _blank(text, match.start("target"), match.end("target"))
    return text


def without_quotations(text: str) -> str:
    """The line with what it quotes blanked as well: another author's words, or words that are talked about."""
    return _QUOTED.sub(lambda match: " " * len(match[0]), text)


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + " " * (end - start) + text[end:]


class FileTree(Protocol):
    """Files by their paths relative to a root, with `/` between the parts."""

    def files(self) -> Sequence[str]:
        """All paths, untracked files included and ignored ones left out."""

    def read(self, path: str) -> str | None:
        """The text of one of them; None where it is not a text of bearable size."""

    def find_words(self, expression: str, *, excluding: str) -> set[str] | None:
        """The distinct whole words in the texts that match an extended regular expression.

        The file `excluding` is not searched: a plan's own words prove nothing. None where the search was
        given up, so that nobody takes an unfinished one for proof of absence.
        """


_LABEL = re.compile(r"[*_]{2}[^*_]{2,80}[*_]{2}.{0,200}$|.{2,80}[:：][*_]{0,2}$")


@record
class PlanLine:
    """A line outside all code blocks and quotes. `prose` is its text with code blanked, at the same offsets."""

    number: int
    kind: str  # heading, item, text, row
    text: str
    prose: str
    section: Section
    label: str  # the line that announces this one: "**Files to create:**", the header of a table
    item: Item | None  # the list item that the line belongs to
    phase: Phase | None
    is_finished: bool  # the phase is, or the box of the item or of one above it


@record
class Document:
    """All that a rule may look at. `tree` is None where there is nothing to resolve citations in."""

    source: PlanSource
    plan: Plan
    outline: Outline
    lines: list[PlanLine]
    fences: list[Fence]
    settings: LintSettings
    tree: FileTree | None

    @property
    def is_markdown(self) -> bool:
        """Whether the plan is a text, and not the data file of another tool."""
        return not self.source.path.lower().endswith((".json", ".yaml", ".yml"))


def open_document(source: PlanSource, plan: Plan, settings: LintSettings, tree: FileTree | None) -> Document:
    document = Document(source, plan, outline([]), [], [], settings, tree)
    if not document.is_markdown:
        return document
    _, blocks = scan(source.text)
    sections = outline(blocks)
    fences = [block for block in blocks if isinstance(block, Fence)]
    return Document(source, plan, sections, list(_list_lines(sections, plan)), fences, settings, tree)


def _list_lines(document: Outline, plan: Plan) -> Iterator[PlanLine]:
    works = [item for phase in plan.phases for item in [*phase.items, *phase.criteria]]
    ticked = {item.line for item in works if item.is_done}
    lasts = [max([one.last_line, one.first_line, *(item.line for item in one.items)]) for one in plan.phases]
    spans = sorted(zip(lasts, plan.phases, strict=True), key=lambda span: span[1].first_line)
    starts = [phase.first_line for _, phase in spans]
    for section in document.sections:
        for number, kind, text, label, item in _section_lines(section):
            # The innermost phase around the line: the last of those that start above it and have not ended.
            above = (spans[at] for at in range(bisect_right(starts, number) - 1, -1, -1))
            phase = next((phase for last, phase in above if number <= last), None)
            around = (item, *item.above()) if item is not None else ()
            is_ticked = any(one.line in ticked or (one.box or "").lower() == "x" for one in around)
            is_finished = is_ticked or (phase is not None and phase.status.is_terminal)
            yield PlanLine(number, kind, text, without_code(text), section, label, item, phase, is_finished)


def _section_lines(section: Section) -> Iterator[tuple[int, str, str, str, Item | None]]:
    """The lines of a section: number, kind, text, label and the item that each belongs to."""
    if section.level:
        yield section.line, "heading", section.text, "", None
    label = ""
    item: Item | None = None
    for block in section.blocks:
        if isinstance(block, Item):
            item = block
            yield block.line, "item", block.text, label, item
        elif isinstance(block, Text):
            if block.depth == 0:
                item = None
                label = block.text if _LABEL.match(block.text) else ""
            around = (item, *item.above()) if item is not None else ()
            yield block.line, "text", block.text, label, next((one for one in around if one.depth < block.depth), None)
        elif isinstance(block, Table):
            header = " | ".join(cell.text for cell in block.header)
            for number, start, row in block.rows:
                yield number, "row", " | ".join(cell.text for cell in split_cells(row, start)), header, None


def titles_over(section: Section) -> list[str]:
    """The headings that what is in a section stands under, the nearest first, without the title of the document."""
    return [part.text for part in section.path() if part.level > 1]


class Severity(StrEnum):
    """An error is certain and fails the command; a warning is advice."""

    ERROR = "error"
    WARNING = "warning"


@record
class Problem:
    """One finding. `suggestion` is what may have been meant, "" where nothing comes close."""

    rule: str
    severity: Severity
    line: int
    message: str
    suggestion: str = ""


def error(rule: str, line: int, message: str, suggestion: str = "") -> Problem:
    return Problem(rule, Severity.ERROR, line, message, suggestion)


def warning(rule: str, line: int, message: str, suggestion: str = "") -> Problem:
    return Problem(rule, Severity.WARNING, line, message, suggestion)
