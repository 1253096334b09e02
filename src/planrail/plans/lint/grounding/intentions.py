"""Intentions: what a plan makes itself. A citation of it is not broken, wherever in the plan it stands."""

import re

from planrail.plans.lint.document import Document
from planrail.plans.lint.grounding.citations import Citation
from planrail.plans.lint.grounding.commands import Reference
from planrail.plans.lint.grounding.files import FileIndex
from planrail.plans.lint.grounding.shapes import PathShape, SymbolShape
from planrail.plans.lint.grounding.stances import Stance

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
        self._filled: set[str] = set()  # they are there, and files are moved into them
        for line in document.lines:
            self._note_announced(line.prose)
        for fence in document.fences:
            self.names.update(_WORD.findall(fence.body))
            if not _SHELL.match(fence.info):
                for token in _PATH_TOKEN.findall(fence.body):
                    self._note_path(token.strip("/"))
        for citation in citations:
            if self._is_dealt_with(citation):
                self._note(citation)

    def _note_announced(self, prose: str) -> None:
        """A target or a script that is spoken of without backticks: "T021 Coverage wiring: test:coverage script"."""
        if _TARGET.search(prose):
            for word in _TARGET_NAME.findall(prose):
                self.names.update((f"make {word}", f"script {word}"))

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

    def _note_folder(self, folder: str) -> None:
        (self._filled if self._index.find(folder, "") else self._folders).add(folder)

    def _note_path(self, path: str) -> None:
        if self._index.find(path, ""):
            return  # it is there: nothing to make
        folder, _, name = path.rpartition("/")
        self._paths.setdefault(name, set()).add(path)
        if folder and not self._index.find(folder, ""):
            self._folders.add(folder)  # it is new, so whatever is in it is made by the plan

    def covers(self, path: str) -> bool:
        """Whether the plan makes this file, something in this folder, or the folder that it lies in."""
        for made in self._paths.get(path.rsplit("/", 1)[-1], ()):
            if made == path or made.endswith("/" + path) or path.endswith("/" + made):
                return True
        if any(path.startswith(folder + "/") for folder in self._folders):
            return True
        if path.rsplit("/", 1)[-1] in self._index.names and any(path.startswith(f"{to}/") for to in self._filled):
            return True
        inside = path + "/"
        return any(made.startswith(inside) or f"/{inside}" in made for group in self._paths.values() for made in group)
