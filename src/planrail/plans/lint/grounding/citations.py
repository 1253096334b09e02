"""Citations: every path, symbol and command that a plan names in backticks or links to, with what it says about it."""

import re
from collections.abc import Iterator

from planrail.base.records import record
from planrail.plans.command_shapes import looks_runnable
from planrail.plans.lint.document import Document, PlanLine, Problem, Severity, code_spans, link_targets, titles_over
from planrail.plans.lint.grounding import shapes
from planrail.plans.lint.grounding.files import FileIndex
from planrail.plans.lint.grounding.shapes import PathShape, Reference, Stance, SymbolShape
from planrail.plans.lint.grounding.stance import stance_of

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
    line: PlanLine
    stance: Stance

    @property
    def is_open(self) -> bool:
        return not self.line.is_finished

    def problem(self, severity: Severity, message: str, suggestion: str) -> Problem:
        return Problem("grounding", severity, self.line.number, message, suggestion)


def find_citations(document: Document) -> list[Citation]:
    sections = document.outline.sections
    elsewhere = {section for section in sections if any(map(_ELSEWHERE.search, titles_over(section)))}
    return [citation for line in document.lines if line.section not in elsewhere for citation in _on_line(line)]


def _on_line(line: PlanLine) -> Iterator[Citation]:
    spans = code_spans(line.text)
    for span in spans:
        found = _shapes(span.text)
        stance = stance_of(line, span.start, span.end) if found else Stance.NEUTRAL
        for shape in found:
            yield Citation(span.text, shape, line, stance)
    for span in link_targets(line.text):
        path = span.text.partition("#")[0].partition("?")[0]
        target = shapes.read_path(path) if path and ":" not in path and not path.startswith("/") else None
        is_quoted = any(code.start < span.end and span.start < code.end for code in spans if code.text != span.text)
        if target is not None and not is_quoted:
            stance = stance_of(line, span.start, span.end)
            yield Citation(span.text, target, line, Stance.RELIED_ON if stance is Stance.NEUTRAL else stance)


def _shapes(code: str) -> list[PathShape | SymbolShape | Reference]:
    """What a piece of code names. A command may name several things, and a command that is not known none."""
    if len(code) > _MAX_CODE:
        return []
    if " " in code or looks_runnable(code):
        return list(shapes.read_command(code))
    found = shapes.read_path(code) or shapes.read_symbol(code)
    return [found] if found is not None else []


_WORD = re.compile(r"[A-Za-z_]\w+")
_PATH_TOKEN = re.compile(r"[\w.@-]+(?:/[\w.@\[\]()-]+)*\.\w+|[\w.@-]+(?:/[\w.@\[\]()-]+)+/?")
_TARGET = re.compile(r"\b(?:scripts?|targets?)\b", re.IGNORECASE)
_TARGET_NAME = re.compile(r"[A-Za-z][\w:.-]*\w")
_SHELL = re.compile(r"(?:sh|bash|shell|zsh|console|fish|pwsh|powershell)\b", re.IGNORECASE)


class Intentions:
    """Paths, folders and names that the plan creates, may create, or has dealt with in finished work."""

    def __init__(self, document: Document, citations: list[Citation], index: FileIndex) -> None:
        self._index = index
        self.names: set[str] = set()
        self._paths: dict[str, set[str]] = {}
        self._folders: set[str] = set()
        for prose in (line.prose for line in document.lines if _TARGET.search(line.prose)):
            for word in _TARGET_NAME.findall(prose):  # without backticks: "T021 Coverage wiring: test:coverage script"
                self.names.update((f"make {word}", f"script {word}"))
        for fence in document.fences:
            self.names.update(_WORD.findall(fence.body))
            if not _SHELL.match(fence.info):
                for token in _PATH_TOKEN.findall(fence.body):
                    self._note_path(token.strip("/"))
        for citation in citations:
            if self._is_dealt_with(citation):
                self._note(citation)

    def _is_dealt_with(self, citation: Citation) -> bool:
        """Made, excused or finished. What may be made counts unless it looks like a slip."""
        if citation.stance is Stance.CREATED or not citation.is_open:
            return True
        if citation.stance not in (Stance.PLANNED, Stance.EXCUSED):
            return False
        if not isinstance(citation.shape, PathShape):
            return citation.stance is Stance.EXCUSED
        closest = self._index.closest(citation.shape.path)
        return not (closest.is_typo or (closest.is_misplaced and citation.stance is Stance.PLANNED))

    def _note(self, citation: Citation) -> None:
        match citation.shape:
            case PathShape() as path:
                self._note_path(path.path)
                if not path.is_file and citation.stance is Stance.CREATED and not self._index.find(path.path, ""):
                    self._folders.add(path.path)
            case SymbolShape(parts=parts):
                self.names.update(parts)
            case Reference(kind="make" | "script" as kind, name=name):
                self.names.add(f"{kind} {name}")
            case Reference(path=path):
                self._note_path(path.path if path is not None else "")

    def _note_path(self, path: str) -> None:
        if self._index.find(path, ""):
            return  # it is there: nothing to make
        folder, _, name = path.rpartition("/")
        self._paths.setdefault(name, set()).add(path)
        if folder and not self._index.find(folder, ""):
            self._folders.add(folder)  # it is new, so whatever is in it is made by the plan

    def covers(self, path: str) -> bool:
        for made in self._paths.get(path.rsplit("/", 1)[-1], ()):
            if made == path or made.endswith("/" + path) or path.endswith("/" + made):
                return True
        if any(path.startswith(folder + "/") for folder in self._folders):
            return True
        inside = path + "/"
        return any(made.startswith(inside) or f"/{inside}" in made for group in self._paths.values() for made in group)
