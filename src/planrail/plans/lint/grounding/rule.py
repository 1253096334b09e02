"""The rule about grounding: each broken citation, once, with what may have been meant."""

import json
import re
from collections.abc import Iterator

from planrail.base.records import replace
from planrail.plans.lint.document import Document, Tree
from planrail.plans.lint.grounding.citations import Citation, Intentions, find_citations
from planrail.plans.lint.grounding.files import FileIndex, Names
from planrail.plans.lint.grounding.paths import PathJudge, SymbolJudge
from planrail.plans.lint.grounding.shapes import PathShape, Reference, Stance, SymbolShape
from planrail.plans.lint.problems import Problem, Severity
from planrail.plans.words.words import words

_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_TARGET = re.compile(r"^(?P<names>[^\s#:=][^#:=\n]*?)\s*::?(?!=)", re.MULTILINE)
# Rules and files that a reader of this one Makefile does not see, and programs that write one.
_OPAQUE = re.compile(r"^(?:-?include|sinclude)\s|^[^\s#]*%[^\n]*:|\$\(eval|^\$[({][^\n]*:", re.MULTILINE)
_WRITES_MAKEFILE = words("CMakeLists.txt|configure|configure.ac|configure.in|meson.build|Makefile.am|Makefile.in")


class CommandJudge:
    """Judges what commands need in one tree."""

    def __init__(
        self, tree: Tree, index: FileIndex, intentions: Intentions, paths: PathJudge, citations: list[Citation]
    ) -> None:
        self._tree, self._index, self._intentions, self._paths = tree, index, intentions, paths
        touching = (Stance.CREATED, Stance.EXISTS, Stance.PLANNED)
        shapes = [citation.shape for citation in citations if citation.stance in touching]
        self._touched = {shape.path.rsplit("/", 1)[-1] for shape in shapes if isinstance(shape, PathShape)}
        self._known: dict[str, set[str] | None] = {}

    def judge(self, citation: Citation, reference: Reference) -> Problem | None:
        """What a command needs and does not find; None where nothing is wrong, or nothing certain."""
        if reference.kind == "make":
            return self._judge_name(citation, reference, "target", _MAKEFILES)
        if reference.kind == "script":
            return self._judge_name(citation, reference, "script", ("package.json",))
        return self._judge_file(citation, reference.path, reference.name) if reference.path is not None else None

    def _judge_name(
        self, citation: Citation, reference: Reference, what: str, files: tuple[str, ...]
    ) -> Problem | None:
        """A target or a script. Where the plan changes the file that would hold it, it may be about to be added."""
        if reference.kind not in self._known:
            self._known[reference.kind] = self._make_targets() if reference.kind == "make" else self._scripts()
        known = self._known[reference.kind]
        is_made = f"{reference.kind} {reference.name}" in self._intentions.names
        if known is None or reference.name in known or is_made or not citation.is_open:
            return None
        severity = Severity.WARNING if self._touched & set(files) else Severity.ERROR
        message = f"`{citation.text}`: {files[0]} has no {what} {reference.name}"
        return citation.problem(severity, message, Names(sorted(known)).closest(reference.name))

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

    def _judge_file(self, citation: Citation, path: PathShape, name: str) -> Problem | None:
        """The file that is run. A test that is to be written is cited like one that is there."""
        verdict = self._paths.judge_run(citation, path)
        if verdict is not None or not name or not citation.is_open:
            return verdict
        text = self._tree.read(path.path)
        if text is None or name in self._intentions.names or path.path.rsplit("/", 1)[-1] in self._touched:
            return None
        if re.search(rf"\b{re.escape(name)}\b", text):
            return None
        closest = Names(sorted(set(re.findall(r"(?:def|class)\s+(\w+)", text)))).closest(name)
        return citation.problem(Severity.WARNING, f"`{citation.text}`: {path.path} has no test {name}", closest)


def find_broken_citations(document: Document) -> Iterator[Problem]:
    tree = document.tree if document.is_markdown else None
    citations = find_citations(document) if tree is not None else []
    if tree is None or not citations:
        return
    index = FileIndex(tree.files())
    plan_path = _locate(document.source.path, index)
    intentions = Intentions(document, citations, index)
    paths = PathJudge(tree, index, intentions, plan_path.rpartition("/")[0], document.settings.ignore_paths)
    symbols = SymbolJudge(tree, index, intentions, plan_path, citations)
    commands = CommandJudge(tree, index, intentions, paths, citations)
    found: dict[str, list[Problem]] = {}
    for citation in citations:
        shape = citation.shape
        if isinstance(shape, PathShape):
            problem = paths.judge(citation, shape)
        elif isinstance(shape, SymbolShape):
            problem = symbols.judge(citation, shape)
        else:
            problem = commands.judge(citation, shape)
        if problem is not None:
            found.setdefault(problem.message, []).append(problem)
    for places in found.values():
        first = places[0]
        severity = min((other.severity for other in places), key=lambda one: one is not Severity.ERROR)
        lines = {other.line for other in places} - {first.line}
        more = f" (cited on {len(lines)} more line{'s' if len(lines) > 1 else ''})" if lines else ""
        closest = f"; closest: {first.suggestion}" if first.suggestion else ""
        yield replace(first, severity=severity, message=f"{first.message}{more}{closest}")


def _locate(path: str, index: FileIndex) -> str:
    """The plan's own path in the tree: the longest end of the path it was read from that is a file there."""
    parts = path.replace("\\", "/").split("/")
    for at in range(len(parts)):
        candidate = "/".join(parts[at:])
        if candidate in index.files:
            return candidate
    return ""
