"""Where the plans of the ledger lie now: a plan that has an id may have been renamed or moved."""

import os
import re

from planrail.approval.book import Paper, open_paper
from planrail.base.errors import PlanrailError
from planrail.git.working_files import open_folder

_ID = re.compile(r"^id[ \t]*:[ \t]*[\"']?(?P<id>[\w.-]{1,80})", re.M)
_HEAD = 4096  # characters in which an id has to stand to be looked for


class Places:
    """The places of the plans of one project. Its files are looked through once, when the first plan is not found."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._by_id: dict[str, list[str]] | None = None

    def find(self, plan: str, path: str) -> str:
        """Where the plan with an identity lies, which was last seen at a path; "" where it is gone."""
        paper = self.open(plan, path)
        return paper.source.path if paper is not None else ""

    def open(self, plan: str, path: str) -> Paper | None:
        """The plan itself. Of several files with its id none is taken: nobody could say which one is meant."""
        there = self._read(plan, os.path.join(self._root, path))
        if there is not None or plan == path:  # without an id a plan is its path
            return there
        moved = [paper for other in self._candidates(plan, path) if (paper := self._read(plan, other)) is not None]
        return moved[0] if len(moved) == 1 else None

    def _read(self, plan: str, place: str) -> Paper | None:
        try:
            paper = open_paper(place, self._root)
        except PlanrailError:
            return None
        return paper if paper.id == plan else None

    def _candidates(self, plan: str, path: str) -> list[str]:
        if self._by_id is None:
            self._by_id = _index(_files_of(self._root))
        beside = _index(_files_beside(os.path.join(self._root, path)))
        found = [*self._by_id.get(plan, ()), *beside.get(plan, ())]
        return list({os.path.realpath(place): place for place in found}.values())


def _files_of(root: str) -> list[str]:
    return [os.path.join(root, name) for name in open_folder(root).files() if name.endswith(".md")]


def _files_beside(place: str) -> list[str]:
    folder = os.path.dirname(place)
    try:
        return [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".md")]
    except OSError:
        return []


def _index(places: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for place in places:
        for match in _ID.finditer(_head(place)):
            found.setdefault(match["id"], []).append(place)
    return found


def _head(place: str) -> str:
    try:
        with open(place, encoding="utf-8", errors="replace") as file:
            head = file.read(_HEAD)
    except OSError:
        return ""
    return head if head.removeprefix("\ufeff").startswith("---") else ""
