"""Trees with some entries changed, without an index and without a checkout.

Only the folders on the way to a change are read and written, so the size of the repository does not matter.
"""

from collections.abc import Iterable, Mapping

from planrail.base.records import mutable_record
from planrail.git.git_writing import decode_name, encode_name
from planrail.git.object_store import NewObjects, Stored, read_objects, require
from planrail.git.tree_merging import Entry

Edit = tuple[list[str], Entry | None]

FOLDER = "40000"


class Clash(Exception):
    """A path would have to be a file and a folder at once."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


@mutable_record
class Trees:
    """The trees of a repository that were read so far, by name."""

    root: str
    known: dict[str, dict[str, Entry]]

    def read(self, oid: str) -> dict[str, Entry]:
        """The entries of a tree: mode and object of each name."""
        if oid not in self.known:
            self.keep([require(read_objects(self.root, [oid])[0], f"the tree {oid}")])
        return self.known[oid]

    def keep(self, objects: Iterable[Stored | None]) -> None:
        for stored in objects:
            if stored is not None and stored.kind == "tree":
                self.known[stored.oid] = parse_tree(stored.content, len(stored.oid) // 2)


def folder_names(tree: str, paths: Iterable[str]) -> list[str]:
    """How `read_objects` is asked for the folders above these paths. One with a line break in it is read later."""
    found = {""}
    for path in paths:
        parts = path.split("/")[:-1]
        found.update("/".join(parts[:depth]) for depth in range(1, len(parts) + 1))
    return [f"{tree}:{folder}" if folder else tree for folder in sorted(found) if "\n" not in folder]


def edit_tree(trees: Trees, tree: str, changes: Mapping[str, Entry | None], new: NewObjects) -> str:
    """The tree with these entries set (None: taken out). Raises `Clash` where a file would have to be a folder."""
    edits = [(path.split("/"), entry) for path, entry in changes.items()]
    return _edit(trees, tree, edits, new, "") or new.add("tree", b"")


def _edit(trees: Trees, tree: str, edits: list[Edit], new: NewObjects, place: str) -> str:
    """The same for one folder; "" where nothing is left in it."""
    rows = dict(trees.read(tree)) if tree else {}
    for name, (own, inner) in _by_name(edits).items():
        row = _edit_row(trees, rows.get(name), own, inner, new, f"{place}{name}")
        if row is None:
            rows.pop(name, None)
        else:
            rows[name] = row
    return new.add("tree", format_tree(rows)) if rows else ""


def _by_name(edits: list[Edit]) -> dict[str, tuple[list[Entry | None], list[Edit]]]:
    """For each name in a folder: what happens to a file of that name, and what in a folder of that name."""
    found: dict[str, tuple[list[Entry | None], list[Edit]]] = {}
    for parts, entry in edits:
        own, inner = found.setdefault(parts[0], ([], []))
        if len(parts) == 1:
            own.append(entry)
        else:
            inner.append((parts[1:], entry))
    return found


def _edit_row(
    trees: Trees, row: Entry | None, own: list[Entry | None], inner: list[Edit], new: NewObjects, place: str
) -> Entry | None:
    is_folder = row is not None and row[0] == FOLDER
    inside = _edit(trees, row[1] if row and is_folder else "", inner, new, f"{place}/") if inner else ""
    if row and is_folder and not inner:
        inside = row[1]
    file = own[-1] if own else (None if is_folder else row)
    if file and inside:
        raise Clash(place)
    return (FOLDER, inside) if inside else file


def parse_tree(content: bytes, width: int) -> dict[str, Entry]:
    """The entries of a tree as git stores it; `width` is that of an object's name in bytes."""
    rows: dict[str, Entry] = {}
    place = 0
    while place < len(content):
        space, end = content.index(b" ", place), content.index(b"\0", place)
        name = decode_name(content[space + 1 : end])
        rows[name] = (content[place:space].decode(), content[end + 1 : end + 1 + width].hex())
        place = end + 1 + width
    return rows


def format_tree(rows: Mapping[str, Entry]) -> bytes:
    """A tree as git stores it: by name, a folder as if its name ended in a slash."""
    named = [(encode_name(name), mode, oid) for name, (mode, oid) in rows.items()]
    named.sort(key=lambda row: row[0] + (b"/" if row[1] == FOLDER else b""))
    return b"".join(mode.encode() + b" " + name + b"\0" + bytes.fromhex(oid) for name, mode, oid in named)
