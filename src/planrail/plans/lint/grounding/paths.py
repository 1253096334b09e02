"""Judging paths and symbols: is the file there, with the line that is cited; does the name occur in the tree?"""

import re
from fnmatch import fnmatchcase

from planrail.plans.lint.document import Tree
from planrail.plans.lint.grounding.citations import Citation, Intentions
from planrail.plans.lint.grounding.files import PROPER_NAMES, Closest, FileIndex, Names, is_slip_of
from planrail.plans.lint.grounding.shapes import PathShape, Stance, SymbolShape
from planrail.plans.lint.problems import Problem, Severity
from planrail.plans.states import State

_MAX_WORDS = 2_000  # in one search; a plan that cites more symbols is not a plan


class SymbolJudge:
    """Judges the symbols of one plan. They are looked up together, in one search of the tree.

    Plans name many things that they will make, and many of other people's libraries. So absence alone says little: a
    symbol is reported where the plan speaks of it as existing, or where something of nearly the same name is there.
    """

    def __init__(
        self, tree: Tree, index: FileIndex, intentions: Intentions, plan_path: str, citations: list[Citation]
    ) -> None:
        self._tree, self._plan_path = tree, plan_path
        self._modules = {name.split(".")[0] for name in index.names} | index.folder_names.keys()
        self._made = intentions.names
        shapes = [one.shape for one in citations if isinstance(one.shape, SymbolShape) and one.is_open]
        wanted = {part for shape in shapes if shape.last not in self._made for part in shape.parts[-2:]}
        self._candidates = {word for word in wanted - PROPER_NAMES if word.isascii()}
        self._known = self._search(self._candidates)
        self._similar = self._search_similar(citations)
        self._beginning: dict[str, Names] = {}

    def _search(self, words: set[str]) -> set[str] | None:
        if not words or len(words) > _MAX_WORDS:
            return set() if not words else None
        return self._tree.find_words("|".join(sorted(words)), excluding=self._plan_path)

    def judge(self, citation: Citation, symbol: SymbolShape) -> Problem | None:
        """What is wrong with a cited symbol; None where nothing is, or nothing certain."""
        name = self._missing_part(symbol) if citation.is_open and self._known is not None else ""
        if not name:
            return None
        beginning = _beginning(name)
        if beginning not in self._beginning:
            self._beginning[beginning] = Names(word for word in self._similar if word.startswith(beginning))
        suggestion = self._beginning[beginning].closest(name)
        is_slip = bool(suggestion) and is_slip_of(name, suggestion)
        if citation.stance in (Stance.CREATED, Stance.EXCUSED) or (citation.stance is Stance.PLANNED and not is_slip):
            return None  # what the plan may be about to make is a mistake only as a slip
        severity = Severity.ERROR if citation.stance is Stance.EXISTS else Severity.WARNING
        return citation.problem(severity, f"`{citation.text}`: nothing in the repository is named {name}", suggestion)

    def _missing_part(self, symbol: SymbolShape) -> str:
        """The last name of a symbol, where it occurs nowhere and what stands before its dot is known."""
        known = self._known or set()
        if symbol.last in self._made or symbol.last not in self._candidates or symbol.last in known:
            return ""
        if len(symbol.parts) == 1:
            return symbol.last
        owner = symbol.parts[-2]
        return symbol.last if owner in (known if owner[0].isupper() else self._modules) else ""

    def _search_similar(self, citations: list[Citation]) -> set[str]:
        if self._known is None:
            return set()
        shapes = [citation.shape for citation in citations if isinstance(citation.shape, SymbolShape)]
        missing = {name for shape in shapes if (name := self._missing_part(shape))}
        if not missing or len(missing) > _MAX_WORDS:
            return set()
        expression = "|".join(sorted({f"{_beginning(name)}[A-Za-z0-9_]*" for name in missing}))
        return self._tree.find_words(expression, excluding=self._plan_path) or set()


def _beginning(name: str) -> str:
    return name[: max(3, len(name) // 3)]


_TEST = re.compile(
    r"(?:^|/)(?:tests?|spec|specs|__tests__|e2e|fixtures|testdata)/|(?:^|/)test[_-]|[._-](?:test|spec)\.\w+$|Tests?\.\w+$"
)


class PathJudge:
    """Judges citations of paths in one tree."""

    def __init__(self, tree: Tree, index: FileIndex, intentions: Intentions, beside: str, ignored: list[str]) -> None:
        self._tree, self._index, self._intentions, self._beside = tree, index, intentions, beside
        # With the plain patterns of .gitignore; what they name is in no list of files.
        lines = (tree.read(".gitignore") or "").splitlines()
        plain = [line.strip().strip("/") for line in lines if line.strip() and not line.startswith(("#", "!"))]
        self._ignored = [*ignored, *filter(None, plain), *(f"*/{pattern}" for pattern in plain if "/" not in pattern)]
        self._texts: dict[str, str] = {}

    def judge(self, citation: Citation, path: PathShape) -> Problem | None:
        """What is wrong with a cited path; None where nothing is, or nothing certain."""
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

    def judge_run(self, citation: Citation, path: PathShape) -> Problem | None:
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
            return citation.problem(Severity.ERROR, f"`{citation.text}`: {places[0]} has only {length} lines", "")
        name = path.name.rsplit(":", 1)[-1].rsplit(".", 1)[-1]
        word = re.compile(rf"\b{re.escape(name)}\b")
        if not name or name in self._intentions.names or any(name in one and word.search(one) for one in texts):
            return None
        severity = Severity.WARNING if citation.stance is Stance.PLANNED else Severity.ERROR
        is_asserted = citation.stance not in (Stance.CREATED, Stance.EXCUSED)
        return citation.problem(severity, f"`{citation.text}`: {places[0]} has no {name}", "") if is_asserted else None

    def _is_excused(self, path: PathShape) -> bool:
        """Not a file of the repository: ignored, generated, in a folder that neither exists nor has an ending."""
        if any(fnmatchcase(path.path, glob) or fnmatchcase(path.path, f"{glob}/*") for glob in self._ignored):
            return True
        if self._index.is_generated(path.path):
            return True
        if path.is_file:
            return False
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
