"""The rule about grounding: each broken citation, once, with what may have been meant."""

from collections.abc import Iterator

from planrail.plans.lint.document import Document
from planrail.plans.lint.grounding.citations import Citation, find_citations
from planrail.plans.lint.grounding.command_judge import CommandJudge
from planrail.plans.lint.grounding.commands import Reference
from planrail.plans.lint.grounding.files import FileIndex
from planrail.plans.lint.grounding.intentions import Intentions
from planrail.plans.lint.grounding.paths import PathJudge
from planrail.plans.lint.grounding.shapes import PathShape, SymbolShape
from planrail.plans.lint.grounding.symbols import SymbolJudge
from planrail.plans.lint.grounding.verdicts import Verdict
from planrail.plans.lint.problems import Problem, Severity


def find_broken_citations(document: Document) -> Iterator[Problem]:
    """Each path, symbol or command that the plan cites as existing and that is not there."""
    if document.tree is None or not document.is_markdown:
        return
    citations = find_citations(document)
    if not citations:
        return
    judges = _Judges(document, citations)
    found: dict[str, list[tuple[Citation, Verdict]]] = {}
    for citation in citations:
        verdict = judges.judge(citation)
        if verdict is not None:
            found.setdefault(verdict.message, []).append((citation, verdict))
    for places in found.values():
        yield _problem(places)


def _problem(places: list[tuple[Citation, Verdict]]) -> Problem:
    """One problem for all places of one broken citation, at the first, as severe as the most certain of them."""
    citation, verdict = places[0]
    severity = min((other.severity for _, other in places), key=lambda one: one is not Severity.ERROR)
    lines = {other.line.number for other, _ in places} - {citation.line.number}
    message = verdict.message
    if lines:
        message += f" (cited on {len(lines)} more line{'s' if len(lines) > 1 else ''})"
    if verdict.suggestion:
        message += f"; closest: {verdict.suggestion}"
    return Problem("grounding", severity, citation.line.number, message, verdict.suggestion)


class _Judges:
    """One judge for each kind of citation, over one tree."""

    def __init__(self, document: Document, citations: list[Citation]) -> None:
        tree = document.tree
        assert tree is not None
        index = FileIndex(tree.files())
        plan_path = _locate(document.source.path, index)
        beside = plan_path.rpartition("/")[0]
        intentions = Intentions(document, citations, index)
        self.paths = PathJudge(tree, index, intentions, beside, document.settings.ignore_paths)
        self.symbols = SymbolJudge(tree, index, intentions, plan_path, citations)
        self.commands = CommandJudge(tree, index, intentions, self.paths, citations)

    def judge(self, citation: Citation) -> Verdict | None:
        match citation.shape:
            case PathShape() as path:
                return self.paths.judge(citation, path)
            case SymbolShape() as symbol:
                return self.symbols.judge(citation, symbol)
            case Reference() as reference:
                return self.commands.judge(citation, reference)


def _locate(path: str, index: FileIndex) -> str:
    """The plan's own path in the tree: the longest end of the path it was read from that is a file there."""
    parts = path.replace("\\", "/").split("/")
    for at in range(len(parts)):
        candidate = "/".join(parts[at:])
        if candidate in index.files:
            return candidate
    return ""
