"""What `git status --porcelain=v2 -z --no-renames` prints, as values."""

from planrail.base.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

SUBMODULE = "160000"


@record
class Row:
    """A path that differs: `staged` from the commit, `later` from the index, by git's letters; "." says it does not.

    `later` is `?` for what is untracked, `!` for what is ignored (with a slash at its end a whole folder), `U` for a
    conflict that nobody has resolved.
    """

    path: str
    staged: str
    later: str
    index_mode: str = ""
    mode: str = ""  # on disk
    oid: str = ""  # in the index
    submodule: str = "N..."


def parse_status(entries: "Iterable[str]") -> list[Row]:
    found = []
    for entry in entries:
        if entry[:2] in ("? ", "! "):
            found.append(Row(entry[2:], ".", entry[0]))
        elif entry[:2] == "1 ":
            _, states, submodule, _, index_mode, mode, _, oid, path = entry.split(" ", 8)
            found.append(Row(path, states[0], states[1], index_mode, mode, oid, submodule))
        elif entry[:2] == "u ":
            found.append(Row(entry.split(" ", 10)[10], "U", "U"))
    return found
