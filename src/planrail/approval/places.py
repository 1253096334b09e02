"""Where the plans of the ledger lie now: a plan that has an id may have been renamed or moved."""

import os
import re
from collections.abc import Iterable

from planrail.approval.book import PlanFile, open_plan_file
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
        plan_file = self.open(plan, path)
        return plan_file.source.path if plan_file is not None else ""

    def open(self, plan: str, path: str) -> PlanFile | None:
        """The plan itself. Of several files with its id none is taken: nobody could say which one is meant."""
        there = self._read(plan, os.path.join(self._root, path))
        if there is not None or plan == path:  # without an id a plan is its path
            return there
        if self._by_id is None:
            self._by_id = _index(self._root, open_folder(self._root).files())
        folder = os.path.dirname(os.path.join(self._root, path))
        beside = _index(folder, os.listdir(folder) if os.path.isdir(folder) else ())
        found = {os.path.realpath(place): place for place in (*self._by_id.get(plan, ()), *beside.get(plan, ()))}
        moved = [plan_file for other in found.values() if (plan_file := self._read(plan, other)) is not None]
        return moved[0] if len(moved) == 1 else None

    def _read(self, plan: str, place: str) -> PlanFile | None:
        try:
            plan_file = open_plan_file(place, self._root)
        except PlanrailError:
            return None
        return plan_file if plan_file.id == plan else None


def _index(folder: str, names: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for place in (os.path.join(folder, name) for name in names if name.endswith(".md")):
        try:
            with open(place, encoding="utf-8", errors="replace") as file:
                head = file.read(_HEAD)
        except OSError:
            continue
        for match in _ID.finditer(head) if head.removeprefix("\ufeff").startswith("---") else ():
            found.setdefault(match["id"], []).append(place)
    return found
