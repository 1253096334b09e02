"""What `git status` prints, as values."""

from planrail.base.records import record
from planrail.git.git_writing import ask_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_SUBMODULE = "160000"


@record
class Difference:
    """A path that differs from an index: `M`, `D`, `T` or `?`, with the modes and the object it has there.

    `!` is a path that is ignored: a file, or with a slash at its end a whole folder.
    """

    path: str
    letter: str
    was_mode: str = ""
    now_mode: str = ""
    oid: str = ""

    @property
    def is_repository(self) -> bool:
        """Whether it is a submodule, or a repository of its own inside this one."""
        return self.was_mode == _SUBMODULE or self.path.endswith("/")


def list_differences(root: str, index: str) -> list[Difference]:
    """The paths that differ from an index file, in the order of git."""
    return parse_status(ask_status(root, index))


def parse_status(entries: "Iterable[str]") -> list[Difference]:
    """The differences between index and files, out of what `git status --porcelain=v2 -z --no-renames` prints."""
    return [difference for difference in map(_parse, entries) if difference is not None]


def _parse(entry: str) -> Difference | None:
    match entry[:1]:
        case "?" | "!" as letter:
            return Difference(entry[2:], letter)
        case "1":
            _, states, _, _, was, now, _, oid, path = entry.split(" ", 8)
            return Difference(path, states[1], was, now, oid) if states[1] != "." else None
        case "u":  # a conflict that nobody has resolved; only in a user's index
            return Difference(entry.split(" ", 10)[10], "M")
        case _:
            return None
