"""Intentions: what a plan makes itself. A citation of it is not broken, wherever in the plan it stands."""

import re

from planrail.plans.blocks import Fence
from planrail.plans.lint.grounding.citations import Citation
from planrail.plans.lint.grounding.commands import Reference
from planrail.plans.lint.grounding.shapes import PathShape, SymbolShape
from planrail.plans.lint.grounding.stance import Stance

_WORD = re.compile(r"[A-Za-z_]\w+")
_PATH_TOKEN = re.compile(r"[\w.@-]+(?:/[\w.@\[\]()-]+)*\.\w+|[\w.@-]+(?:/[\w.@\[\]()-]+)+/?")
_MAKES = (Stance.CREATED, Stance.PLANNED)


class Intentions:
    """Paths, folders and names that the plan creates, may create, or has dealt with in finished work."""

    def __init__(self, citations: list[Citation], fences: list[Fence]) -> None:
        self.names: set[str] = set()
        self._paths: dict[str, set[str]] = {}
        self._folders: set[str] = set()
        for fence in fences:
            self.names.update(_WORD.findall(fence.body))
            for token in _PATH_TOKEN.findall(fence.body):
                self._note_path(token.strip("/"))
        for citation in citations:
            if citation.stance in _MAKES or not citation.is_open:
                self._note(citation)

    def _note(self, citation: Citation) -> None:
        match citation.shape:
            case PathShape() as path:
                self._note_path(path.path)
                if not path.is_file and citation.stance is Stance.CREATED:
                    self._folders.add(path.path)
            case SymbolShape(parts=parts):
                self.names.update(parts)
            case Reference(kind="make" | "script" as kind, name=name):
                self.names.add(f"{kind} {name}")
            case Reference(path=path):
                self._note_path(path.path if path is not None else "")

    def _note_path(self, path: str) -> None:
        self._paths.setdefault(path.rsplit("/", 1)[-1], set()).add(path)

    def covers(self, path: str) -> bool:
        """Whether the plan makes this file, something in this folder, or the folder that it lies in."""
        for made in self._paths.get(path.rsplit("/", 1)[-1], ()):
            if made == path or made.endswith("/" + path) or path.endswith("/" + made):
                return True
        if any(path.startswith(folder + "/") for folder in self._folders):
            return True
        inside = path + "/"
        return any(
            made.startswith(inside) or f"/{inside}" in made
            for group in self._paths.values()
            for made in group
        )
