"""Judging symbols: does a class, a function or a method that the plan relies on occur anywhere in the tree?

Plans name many things that they will make, and many of other people's libraries. So absence alone says little: a
symbol is reported where the plan speaks of it as existing, or where something of nearly the same name is there.
"""

from planrail.plans.lint.document import Tree
from planrail.plans.lint.grounding.citations import Citation, Intentions
from planrail.plans.lint.grounding.file_types import PROPER_NAMES
from planrail.plans.lint.grounding.files import FileIndex, Names, is_slip_of
from planrail.plans.lint.grounding.shapes import Stance, SymbolShape
from planrail.plans.lint.problems import Severity, Verdict

_MAX_WORDS = 2_000  # in one search; a plan that cites more symbols is not a plan


class SymbolJudge:
    """Judges the symbols of one plan. They are looked up together, in one search of the tree."""

    def __init__(
        self, tree: Tree, index: FileIndex, intentions: Intentions, plan_path: str, citations: list[Citation]
    ) -> None:
        self._tree, self._plan_path = tree, plan_path
        self._modules = {name.split(".")[0] for name in index.names} | index.folder_names.keys()
        self._made = intentions.names
        self._candidates = self._collect(citations)
        self._known = self._search(self._candidates)
        self._similar = self._search_similar(citations)
        self._beginning: dict[str, Names] = {}

    def _collect(self, citations: list[Citation]) -> set[str]:
        wanted: set[str] = set()
        for citation in citations:
            if isinstance(citation.shape, SymbolShape) and citation.is_open and citation.shape.last not in self._made:
                wanted.update(citation.shape.parts[-2:])
        return {word for word in wanted - PROPER_NAMES if word.isascii()}

    def _search(self, words: set[str]) -> set[str] | None:
        if not words or len(words) > _MAX_WORDS:
            return set() if not words else None
        return self._tree.find_words("|".join(sorted(words)), excluding=self._plan_path)

    def judge(self, citation: Citation, symbol: SymbolShape) -> Verdict | None:
        """What is wrong with a cited symbol; None where nothing is, or nothing certain."""
        name = self._missing_part(symbol) if citation.is_open and self._known is not None else ""
        if not name:
            return None
        suggestion = self._closest(name)
        severity = _severity(citation, is_slip=bool(suggestion) and is_slip_of(name, suggestion))
        message = f"`{citation.text}`: nothing in the repository is named {name}"
        return Verdict(severity, message, suggestion) if severity is not None else None

    def _missing_part(self, symbol: SymbolShape) -> str:
        """The last name of a symbol, where it occurs nowhere and what stands before its dot is known."""
        if symbol.last in self._made or symbol.last not in self._candidates or self._occurs(symbol.last):
            return ""
        if len(symbol.parts) == 1:
            return symbol.last
        owner = symbol.parts[-2]
        if owner[0].isupper():
            return symbol.last if self._occurs(owner) else ""
        return symbol.last if owner in self._modules else ""

    def _occurs(self, name: str) -> bool:
        return self._known is not None and name in self._known

    def _search_similar(self, citations: list[Citation]) -> set[str]:
        if self._known is None:
            return set()
        shapes = [citation.shape for citation in citations if isinstance(citation.shape, SymbolShape)]
        missing = {name for shape in shapes if (name := self._missing_part(shape))}
        if not missing or len(missing) > _MAX_WORDS:
            return set()
        expression = "|".join(sorted({f"{_beginning(name)}[A-Za-z0-9_]*" for name in missing}))
        return self._tree.find_words(expression, excluding=self._plan_path) or set()

    def _closest(self, name: str) -> str:
        beginning = _beginning(name)
        if beginning not in self._beginning:
            near = [word for word in self._similar if word.startswith(beginning)]
            self._beginning[beginning] = Names(near)
        return self._beginning[beginning].closest(name)


def _beginning(name: str) -> str:
    return name[: max(3, len(name) // 3)]


def _severity(citation: Citation, *, is_slip: bool) -> Severity | None:
    """How certain a missing symbol is a mistake. What the plan may be about to make is one only as a slip."""
    match citation.stance:
        case Stance.CREATED | Stance.EXCUSED:
            return None
        case Stance.PLANNED:
            return Severity.WARNING if is_slip else None
        case Stance.EXISTS:
            return Severity.ERROR
        case _:
            return Severity.WARNING
