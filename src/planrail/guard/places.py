"""Where the commands of one line run: the folders that `cd` can have led to, and what git would find in them."""

from planrail.guard.shell.words import TOP_LEVEL, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class RepositoryLook(Protocol):
        """What the machine says: links followed, why git must not run in a folder ("" if it may), and CDPATH."""

        @property
        def search_path(self) -> str: ...

        def resolve(self, path: str) -> str: ...

        def refuse(self, folder: str, *, connects: bool = False) -> str: ...


_TOP = ""  # in place of a folder: the top of a repository that git was already allowed in
_MOST = 32
_UNKNOWN = (
    "git would run in a folder that is not written out, and a repository there may name programs in its settings; "
    "write git -C FOLDER with the folder itself, one command for each"
)


class Line:
    """One command line while it is judged.

    `folders` holds every folder that a command in it may run in, whichever `cd` before it worked: it only grows. None:
    any folder at all. Shells take `a/..` away as text and programs follow the links first, so both readings are in it.
    """

    __slots__ = ("_moved", "_repositories", "_runs", "folders", "home", "names", "nesting")

    def __init__(self, cwd: str, home: str, repositories: "RepositoryLook"):
        self.folders: set[str] | None = {tidied(cwd), repositories.resolve(cwd)}
        self.home = home
        self.names: set[str] = set()  # variables that are set: zsh may take `cd x` for one to the value of x
        self.nesting = 0
        self._repositories = repositories
        self._runs: list[list[Word]] = []
        self._moved = False

    def move(self, target: Word | None) -> None:
        """A `cd`, which may fail; None is one to an unknown place."""
        if target is None or self.folders is None or not (target.exact or target.stands_for == TOP_LEVEL):
            self.folders = None
        elif target.stands_for == TOP_LEVEL:
            self.folders.add(_TOP)
        elif not target.text.startswith("/") and (_TOP in self.folders or self._may_lead_elsewhere(target.text)):
            self.folders = None
        else:
            self._moved = self._moved or not target.text.startswith("/")
            paths = [_joined(folder, target.text) for folder in self.folders]
            self.folders.update(map(tidied, paths), map(self._repositories.resolve, paths))
            self.folders = self.folders if len(self.folders) <= _MOST else None

    def _may_lead_elsewhere(self, path: str) -> bool:
        """Whether the shell may look for a relative path in other folders, or take it for a variable."""
        first = path.split("/")[0]
        return first in self.names or (self._repositories.search_path != "" and first not in (".", ".."))

    def run_git(self, options: list[Word], *, connects: bool = False) -> str:
        """Why git, with these values of -C, must not run here, or not to connect to another place; "" if it may."""
        self._runs.append(options)
        places = self.folders
        for option in options:
            if option.stands_for == TOP_LEVEL:
                places = {_TOP}
            elif not option.exact or (not option.text.startswith("/") and (places is None or _TOP in places)):
                return _UNKNOWN
            else:
                places = {self._repositories.resolve(_joined(place, option.text)) for place in places or (_TOP,)}
        if places is None:
            return _UNKNOWN
        reasons = (self._repositories.refuse(place, connects=connects) for place in sorted(places) if place)
        return next(filter(None, reasons), "")

    def begin_loop(self) -> "tuple[int, set[str] | None]":
        """What `end_loop` needs to know."""
        return len(self._runs), None if self.folders is None else set(self.folders)

    def end_loop(self, begun: "tuple[int, set[str] | None]") -> str:
        """Judge the runs of git in a loop once more: a `cd` behind one counts in the next round."""
        first, folders = begun
        if self.folders == folders or first == len(self._runs):
            return ""
        if self._moved:
            self.folders = None  # each round may lead further down
        return next((reason for options in self._runs[first:] if (reason := self.run_git(options))), "")

    def anywhere(self) -> "Line":
        """The line as a command sees it that runs in folders nobody knows beforehand."""
        other = Line("/", self.home, self._repositories)
        other.folders = None
        other.nesting = self.nesting
        return other


def _joined(folder: str, path: str) -> str:
    return path if path.startswith("/") else f"{folder}/{path}"


def tidied(path: str) -> str:
    """An absolute path with . and .. taken away as text, as shells and some tools do before they open it."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)
