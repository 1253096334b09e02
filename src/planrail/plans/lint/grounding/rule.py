"""The rule about grounding: each broken citation, once, with what may have been meant."""

import json
import re
from collections.abc import Iterator

from planrail.plans.lint.document import Document, Tree
from planrail.plans.lint.grounding.citations import Citation, Intentions, find_citations
from planrail.plans.lint.grounding.files import FileIndex, Names
from planrail.plans.lint.grounding.paths import PathJudge, SymbolJudge
from planrail.plans.lint.grounding.shapes import PathShape, Reference, Stance, SymbolShape
from planrail.plans.lint.problems import Problem, Severity, Verdict

_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_TARGET = re.compile(r"^(?P<names>[^\s#:=][^#:=\n]*?)\s*::?(?!=)", re.MULTILINE)
# Rules and files that a reader of this one Makefile does not see, and programs that write one.
_OPAQUE = re.compile(r"^(?:-?include|sinclude)\s|^[^\s#]*%[^\n]*:|\$\(eval|^\$[({][^\n]*:", re.MULTILINE)
_WRITES_MAKEFILE = (
    *("CMakeLists.txt", "configure", "configure.ac", "configure.in", "meson.build", "Makefile.am", "Makefile.in"),
)


class CommandJudge:
    """Judges what commands need in one tree."""

    def __init__(
        self, tree: Tree, index: FileIndex, intentions: Intentions, paths: PathJudge, citations: list[Citation]
    ) -> None:
        self._tree, self._index, self._intentions, self._paths = tree, index, intentions, paths
        self._touched = _touched_files(citations)
        self._known: dict[str, set[str] | None] = {}

    def judge(self, citation: Citation, reference: Reference) -> Verdict | None:
        """What a command needs and does not find; None where nothing is wrong, or nothing certain."""
        match reference.kind:
            case "make":
                return self._judge_name(citation, reference, "target", _MAKEFILES)
            case "script":
                return self._judge_name(citation, reference, "script", ("package.json",))
            case _:
                return self._judge_file(citation, reference)

    def _judge_name(
        self, citation: Citation, reference: Reference, what: str, files: tuple[str, ...]
    ) -> Verdict | None:
        """A target or a script. Where the plan changes the file that would hold it, it may be about to be added."""
        known = self._names(reference.kind)
        is_made = f"{reference.kind} {reference.name}" in self._intentions.names
        if known is None or reference.name in known or is_made or not citation.is_open:
            return None
        severity = Severity.WARNING if self._touched & set(files) else Severity.ERROR
        message = f"`{citation.text}`: {files[0]} has no {what} {reference.name}"
        return Verdict(severity, message, Names(sorted(known)).closest(reference.name))

    def _names(self, kind: str) -> set[str] | None:
        if kind not in self._known:
            self._known[kind] = self._make_targets() if kind == "make" else self._scripts()
        return self._known[kind]

    def _make_targets(self) -> set[str] | None:
        """The targets of all Makefiles; None where there is none, or where they cannot be known by reading."""
        places = [place for name in _MAKEFILES for place in self._index.names.get(name, ())]
        if not places or any(name in self._index.names for name in _WRITES_MAKEFILE):
            return None
        targets: set[str] = set()
        for place in places:
            text = self._tree.read(place)
            if text is None or _OPAQUE.search(text):
                return None
            for match in _TARGET.finditer(text):
                targets.update(match["names"].split())
        return targets

    def _scripts(self) -> set[str] | None:
        scripts: set[str] = set()
        places = [place for place in self._index.names.get("package.json", ()) if "node_modules/" not in place]
        for place in places[:200]:
            try:
                package = json.loads(self._tree.read(place) or "")
                scripts.update(package.get("scripts", {}))
            except (ValueError, AttributeError, TypeError):
                return None
        return scripts if places else None

    def _judge_file(self, citation: Citation, reference: Reference) -> Verdict | None:
        """The file that is run. A test that is to be written is cited like one that is there."""
        if reference.path is None:
            return None
        verdict = self._paths.judge_run(citation, reference.path)
        if verdict is not None or not reference.name or not citation.is_open:
            return verdict
        return self._judge_test(citation, reference.name, reference.path)

    def _judge_test(self, citation: Citation, name: str, path: PathShape) -> Verdict | None:
        text = self._tree.read(path.path)
        if text is None or name in self._intentions.names or path.path.rsplit("/", 1)[-1] in self._touched:
            return None
        if re.search(rf"\b{re.escape(name)}\b", text):
            return None
        known = set(re.findall(r"(?:def|class)\s+(\w+)", text))
        return Verdict(
            Severity.WARNING, f"`{citation.text}`: {path.path} has no test {name}", Names(sorted(known)).closest(name)
        )


def _touched_files(citations: list[Citation]) -> set[str]:
    stances = (Stance.CREATED, Stance.EXISTS, Stance.PLANNED)
    shapes = [citation.shape for citation in citations if citation.stance in stances]
    return {shape.path.rsplit("/", 1)[-1] for shape in shapes if isinstance(shape, PathShape)}


def find_broken_citations(document: Document) -> Iterator[Problem]:
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
