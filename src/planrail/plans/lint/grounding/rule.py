"""The rule about grounding: each broken citation, once, with what may have been meant.

Is the file there, with the line that is cited; does the name occur in the tree; does a command find what it needs?
"""

import json
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from planrail.base.records import replace
from planrail.base.wording import plural
from planrail.plans.lint.document import Document, FileTree, Problem, Severity
from planrail.plans.lint.grounding.citations import Citation, Intentions, find_citations
from planrail.plans.lint.grounding.files import PROPER_NAMES, Closest, FileIndex, Names, is_slip_of
from planrail.plans.lint.grounding.shapes import PathShape, Reference, Stance, SymbolShape
from planrail.plans.states import State
from planrail.plans.words.words import words

_MAX_WORDS = 2_000  # in one search; a plan that cites more symbols is not a plan
_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_TARGET = re.compile(r"^(?P<names>[^\s#:=][^#:=\n]*?)\s*::?(?!=)", re.MULTILINE)
# Rules and files that a reader of this one Makefile does not see, and programs that write one.
_OPAQUE = re.compile(r"^(?:-?include|sinclude)\s|^[^\s#]*%[^\n]*:|\$\(eval|^\$[({][^\n]*:", re.MULTILINE)
_WRITES_MAKEFILE = words("CMakeLists.txt|configure|configure.ac|configure.in|meson.build|Makefile.am|Makefile.in")
_README = re.compile(r"readme(?:\.\w+)?\Z", re.IGNORECASE)
_NAME = re.compile(r"[\w.@/-]+")
_TEST = re.compile(
    r"(?:^|/)(?:tests?|spec|specs|__tests__|e2e|fixtures|testdata)/|(?:^|/)test[_-]|[._-](?:test|spec)\.\w+$|Tests?\.\w+$"
)


class Judge:
    """Judges the citations of one plan in a tree.

    Symbols are looked up together, in one search. Plans name many things that they will make, and many of other
    people's libraries. So absence alone says little: a symbol is reported where the plan speaks of it as existing, or
    where something of nearly the same name is there.
    """

    def __init__(self, document: Document, tree: FileTree, citations: list[Citation]) -> None:
        self._tree, self._index = tree, FileIndex(tree.files())
        self._plan_path = _locate(document.source.path, self._index)
        self._beside = self._plan_path.rpartition("/")[0]
        self._intentions = Intentions(document, citations, self._index)
        # With the plain patterns of .gitignore; what they name is in no list of files.
        lines = (tree.read(".gitignore") or "").splitlines()
        plain = [line.strip().strip("/") for line in lines if line.strip() and not line.startswith(("#", "!"))]
        anywhere = [f"*/{pattern}" for pattern in plain if "/" not in pattern]
        self._ignored = [*document.settings.ignore_paths, *filter(None, plain), *anywhere]
        readme = "\n".join(tree.read(name) or "" for name in sorted(self._index.files) if _README.match(name))
        self._documented = {name.rstrip(".") for name in _NAME.findall(readme)}
        self._texts: dict[str, str] = {}
        touching = [one.shape for one in citations if one.stance in (Stance.CREATED, Stance.EXISTS, Stance.PLANNED)]
        self._touched = {shape.path.rsplit("/", 1)[-1] for shape in touching if isinstance(shape, PathShape)}
        self._known: dict[str, set[str] | None] = {}
        self._modules = {name.split(".")[0] for name in self._index.names} | self._index.folder_names.keys()
        symbols = [one.shape for one in citations if isinstance(one.shape, SymbolShape) and one.is_open]
        made = self._intentions.names
        wanted = {part for shape in symbols if shape.last not in made for part in shape.parts[-2:]}
        self._candidates = {word for word in wanted - PROPER_NAMES if word.isascii()}
        self._words = self._find_words(self._candidates)
        self._similar = self._search_similar(citations)
        self._alike: dict[str, Names] = {}

    def judge(self, citation: Citation) -> Problem | None:
        """What is wrong with a citation; None where nothing is, or nothing certain."""
        match citation.shape:
            case PathShape() as path:
                return self._judge_path(citation, path)
            case SymbolShape() as symbol:
                return self._judge_symbol(citation, symbol)
            case reference:
                return self._judge_command(citation, reference)

    def _find_words(self, candidates: set[str]) -> set[str] | None:
        if not candidates or len(candidates) > _MAX_WORDS:
            return set() if not candidates else None
        return self._tree.find_words("|".join(sorted(candidates)), excluding=self._plan_path)

    def _judge_symbol(self, citation: Citation, symbol: SymbolShape) -> Problem | None:
        name = self._missing_part(symbol) if citation.is_open and self._words is not None else ""
        if not name:
            return None
        beginning = _beginning(name)
        if beginning not in self._alike:
            self._alike[beginning] = Names(word for word in self._similar if word.startswith(beginning))
        suggestion = self._alike[beginning].closest(name)
        is_slip = bool(suggestion) and is_slip_of(name, suggestion)
        if citation.stance in (Stance.CREATED, Stance.EXCUSED) or (citation.stance is Stance.PLANNED and not is_slip):
            return None  # what the plan may be about to make is a mistake only as a slip
        severity = Severity.ERROR if citation.stance is Stance.EXISTS else Severity.WARNING
        return citation.problem(severity, f"`{citation.text}`: nothing in the repository is named {name}", suggestion)

    def _missing_part(self, symbol: SymbolShape) -> str:
        """The last name of a symbol, where it occurs nowhere and what stands before its dot is known."""
        known = self._words or set()
        if symbol.last in self._intentions.names or symbol.last not in self._candidates or symbol.last in known:
            return ""
        if len(symbol.parts) == 1:
            return symbol.last
        owner = symbol.parts[-2]
        return symbol.last if owner in (known if owner[0].isupper() else self._modules) else ""

    def _search_similar(self, citations: list[Citation]) -> set[str]:
        if self._words is None:
            return set()
        shapes = [citation.shape for citation in citations if isinstance(citation.shape, SymbolShape)]
        missing = {name for shape in shapes if (name := self._missing_part(shape))}
        if not missing or len(missing) > _MAX_WORDS:
            return set()
        expression = "|".join(sorted({f"{_beginning(name)}[A-Za-z0-9_]*" for name in missing}))
        return self._tree.find_words(expression, excluding=self._plan_path) or set()

    def _judge_path(self, citation: Citation, path: PathShape) -> Problem | None:
        if path.is_glob:
            return self._judge_glob(citation, path)
        places = self._index.find(path.path, self._beside)
        if places:
            return self._judge_inside(citation, path, places)
        if self._is_excused(path):
            return None
        if not citation.is_open:
            # Finished work may have moved what it cites; what it says it has made should be there.
            is_done = citation.line.phase is not None and citation.line.phase.status is State.DONE
            if not (is_done and citation.stance is Stance.CREATED and path.is_file and path.has_folder):
                return None
            message = f"`{citation.text}` is said to be made, but is not there"
            return citation.problem(Severity.WARNING, message, self._index.closest(path.path).path)
        if self._intentions.covers(path.path):
            return None
        closest = self._index.closest(path.path)
        severity = _severity(citation, path, closest)
        what = "file" if path.is_file else "folder" if path.is_folder else "file or folder"
        return (
            citation.problem(severity, f"there is no {what} `{path.path}`", closest.path)
            if severity is not None
            else None
        )

    def _judge_run(self, citation: Citation, path: PathShape) -> Problem | None:
        """What is wrong with a file that a command runs: it is there, or the plan makes it."""
        if path.is_glob or self._index.find(path.path, self._beside) or self._is_excused(path):
            return None
        if not citation.is_open or citation.stance is Stance.CREATED or self._intentions.covers(path.path):
            return None
        severity = Severity.ERROR if citation.stance is Stance.EXISTS else Severity.WARNING
        message = f"`{citation.text}`: there is no file `{path.path}`"
        return citation.problem(severity, message, self._index.closest(path.path).path)

    def _judge_inside(self, citation: Citation, path: PathShape, places: list[str]) -> Problem | None:
        for place in places if citation.is_open else ():
            if place not in self._texts:
                self._texts[place] = (self._tree.read(place) or "") if place in self._index.files else ""
        texts = [text for place in places if citation.is_open and (text := self._texts[place])]
        if not texts:
            return None
        if path.last and path.last > (length := max(len(text.splitlines()) for text in texts)):
            told = f"`{citation.text}`: {places[0]} has only {plural(length, 'line')}"
            return citation.problem(Severity.ERROR, told, "")
        name = path.name.rsplit(":", 1)[-1].rsplit(".", 1)[-1]
        word = re.compile(rf"\b{re.escape(name)}\b")
        if not name or name in self._intentions.names or any(name in one and word.search(one) for one in texts):
            return None
        severity = Severity.WARNING if citation.stance is Stance.PLANNED else Severity.ERROR
        is_asserted = citation.stance not in (Stance.CREATED, Stance.EXCUSED)
        return citation.problem(severity, f"`{citation.text}`: {places[0]} has no {name}", "") if is_asserted else None

    def _is_excused(self, path: PathShape) -> bool:
        """Not a file of the repository: ignored, generated, in a folder that neither exists nor has an ending.

        A file that the README names may be made when the program runs; one with a line that is cited was read.
        """
        if any(fnmatchcase(path.path, glob) or fnmatchcase(path.path, f"{glob}/*") for glob in self._ignored):
            return True
        if self._index.is_generated(path.path):
            return True
        if path.is_file:
            return path.path in self._documented and not path.first
        first = path.path.split("/")[0]
        return first not in self._index.folders or self._index.find_module(path.path)

    def _judge_glob(self, citation: Citation, path: PathShape) -> Problem | None:
        fixed = path.path.split("*")[0].rpartition("/")[0]
        if not fixed or not citation.is_open or citation.stance in (Stance.CREATED, Stance.PLANNED, Stance.EXCUSED):
            return None
        if self._index.matches(path.path) or self._intentions.covers(fixed) or self._is_excused(path):
            return None
        if not path.is_file and fixed not in self._index.folders:
            return None
        return citation.problem(Severity.WARNING, f"`{citation.text}` matches no file", self._index.closest(fixed).path)

    def _judge_command(self, citation: Citation, reference: Reference) -> Problem | None:
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
        verdict = self._judge_run(citation, path)
        if verdict is not None or not name or not citation.is_open:
            return verdict
        text = self._tree.read(path.path)
        if text is None or name in self._intentions.names or path.path.rsplit("/", 1)[-1] in self._touched:
            return None
        if re.search(rf"\b{re.escape(name)}\b", text):
            return None
        closest = Names(sorted(set(re.findall(r"(?:def|class)\s+(\w+)", text)))).closest(name)
        return citation.problem(Severity.WARNING, f"`{citation.text}`: {path.path} has no test {name}", closest)


def _beginning(name: str) -> str:
    return name[: max(3, len(name) // 3)]


def _severity(citation: Citation, path: PathShape, closest: Closest) -> Severity | None:
    """How certain a missing path is a mistake: what the plan says about it decides, then its shape."""
    stance = citation.stance
    if stance is Stance.CREATED:
        return None
    if path.first or path.name:
        return Severity.ERROR
    if stance is Stance.EXISTS and (path.is_file or path.is_folder):
        return Severity.ERROR
    if stance is Stance.RELIED_ON and (path.is_file or path.is_folder):
        return Severity.ERROR if path.has_folder and path.is_file else Severity.WARNING
    if not path.is_file:
        return Severity.WARNING if path.is_folder and stance is Stance.NEUTRAL and path.has_folder else None
    is_claim = stance is Stance.NEUTRAL and path.has_folder and not _TEST.search(path.path)
    is_misplaced = closest.is_misplaced and stance is not Stance.EXCUSED
    return Severity.WARNING if closest.is_typo or is_misplaced or is_claim else None


def find_broken_citations(document: Document) -> Iterator[Problem]:
    tree = document.tree if document.is_markdown else None
    citations = find_citations(document) if tree is not None else []
    judge = Judge(document, tree, citations) if tree is not None and citations else None
    found: dict[str, list[Problem]] = {}
    for problem in map(judge.judge, citations) if judge is not None else ():
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
