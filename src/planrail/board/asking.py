"""What a page asks for, of which project; and what it is told. Light: the server starts with this alone."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from planrail.base.errors import UsageError
from planrail.base.records import record
from planrail.base.visible import show_text

Document = Mapping[str, Any]
_HALF = re.compile("[\ud800-\udfff]")  # of a character, which has no bytes


@record
class BoardProject:
    key: str
    root: str

    @property
    def name(self) -> str:
        return os.path.basename(self.root)


@record
class PageRequest:
    """What a page asks for, in which project."""

    project: BoardProject
    given: Mapping[str, str]

    def get(self, name: str) -> str:
        return self.given.get(name, "")

    @property
    def plan(self) -> str:
        """The path of the plan that is meant, from the root on; it lies in the project, wherever a link leads."""
        top = os.path.realpath(self.project.root)
        path = os.path.realpath(os.path.join(top, self.get("plan")))
        if not path.startswith(f"{top}{os.sep}") or not os.path.isfile(path):
            raise UsageError("there is no such plan in this project", remedy="open it from the list of plans")
        return os.path.relpath(path, top)


@record
class Board:
    """The projects, and how a command is asked in one of them: with its words, for its document."""

    projects: Mapping[str, BoardProject]
    ask: Callable[[str, Sequence[str]], Document]
    read_only: str = ""
    patience: float = 5.0  # seconds in which a command that was started may say that it cannot

    def ask_of(self, given: Mapping[str, str]) -> PageRequest:
        key = given.get("project") or next(iter(self.projects))
        if key not in self.projects:
            raise UsageError("there is no such project here", remedy="reload the page")
        if any("\0" in value or (not value.isascii() and _HALF.search(value)) for value in given.values()):
            raise UsageError("no file and no text has such characters", remedy="reload the page")
        return PageRequest(self.projects[key], given)

    def tell(self, asked: PageRequest, *words: str) -> Document:
        return self.ask(asked.project.root, words)


def show_all(document: object) -> object:
    """A JSON document in which every character can be seen, and none steers a screen or turns a line around."""
    if isinstance(document, str):
        return show_text(document)
    if isinstance(document, dict):
        return {show_text(str(key)): show_all(value) for key, value in document.items()}
    if isinstance(document, list | tuple):
        return [show_all(value) for value in document]
    return document
