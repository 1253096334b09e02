"""What lies at some paths of a checkout: in its index and on the disk. And bringing them to another state.

Only the paths that a landing touches are looked at, so a large checkout costs no more than a small one. What is
untracked or ignored is seen by looking at the disk itself.
"""

import os
import stat
from collections.abc import Iterable, Mapping

from planrail.base.errors import ToolFailed
from planrail.base.records import record
from planrail.git.checkouts import Checkout
from planrail.git.git_writing import ask_git, encode_name, join_paths, run_git
from planrail.git.index_locks import copy_index, private_index
from planrail.git.object_store import object_id, read_objects
from planrail.git.status import Row, parse_status
from planrail.git.tree_merging import Changes, Entry

FOREIGN = "?"  # what is neither the old nor the new content
_STATUS = ("status", "--porcelain=v2", "-z", "--untracked-files=no", "--no-renames", "--ignore-submodules=none")
_MOST_NAMED = 60_000  # bytes of paths in one call; beyond that git looks at everything
_NOT_FRESH = "not uptodate"
_LARGEST = 512 * 1024 * 1024
_FILES = ("100644", "100755")
_LINK = "120000"
_PLAIN = ("N...", "S...")  # no submodule, or one in which nothing has changed


@record
class CheckoutState:
    """The paths of a checkout that are not as they were committed.

    `dirty` is for `decide_checkout`; `fresh` are those whose index entry is still to be set, since the file is new
    already; `torn` those that an interrupted checkout left half written.
    """

    dirty: dict[str, str]
    fresh: list[str]
    torn: list[str]


def identify(entry: Entry | None) -> str:
    """The identity of a content; "" for none."""
    return f"{entry[0]} {entry[1]}" if entry else ""


def look(checkout: Checkout, changes: Changes, *, is_resumed: bool = False) -> CheckoutState:
    """Compare a checkout with the old and the new content of these paths.

    With `is_resumed`, an interrupted landing was writing there: what is missing, or a beginning of the new content,
    is its doing. Such a file is torn, and not the user's work.
    """
    rows = _read_status(checkout.folder, list(changes))
    standing = CheckoutState({}, [], [])
    for path, (old, new) in changes.items():
        row = rows.get(path)
        if row is None and (old is not None or not _exists(checkout.folder, path)):
            continue
        index = _index_entry(row) if row else None
        # Files can be marked to look unchanged. git itself does not believe that before it writes, and a resumed
        # landing writes by force, so they are read then. And of what is not in the index any more git says nothing.
        is_told = (
            row is not None and index is not None and row.later == "." and row.submodule in _PLAIN and not is_resumed
        )
        file = index if is_told else read_entry(checkout.folder, path, (new, old))
        _judge(checkout, path, (old, new), index, file, standing, is_resumed=is_resumed)
    _look_around(checkout.folder, changes, standing)
    return standing


def _judge(
    checkout: Checkout,
    path: str,
    change: tuple[Entry | None, Entry | None],
    index: Entry | None,
    file: Entry | None,
    standing: CheckoutState,
    *,
    is_resumed: bool,
) -> None:
    old, new = change
    if index not in (old, new):
        standing.dirty[path] = FOREIGN  # the user has staged something
    elif file == new:
        standing.dirty[path] = identify(new)
        if index != new:
            standing.fresh.append(path)
    elif is_resumed and index == old and (file == old or _is_torn(checkout.folder, path, file, new)):
        standing.torn.append(path)
    elif file != old or index != old:
        standing.dirty[path] = identify(file) or ("" if new is None else FOREIGN)


def _look_around(folder: str, changes: Changes, standing: CheckoutState) -> None:
    """Files where a folder must be, and files in a folder that must become a file."""
    gone = {path for path, (_, new) in changes.items() if new is None}
    seen: set[str] = set()
    for path, (_, new) in changes.items():
        if new is None:
            continue
        parts = path.split("/")
        for above in ("/".join(parts[:depth]) for depth in range(1, len(parts))):
            at = os.path.join(folder, above)
            is_folder = os.path.isdir(at) and not os.path.islink(at)
            if above not in seen and above not in gone and os.path.lexists(at) and not is_folder:
                standing.dirty[above] = FOREIGN
            seen.add(above)
        place = os.path.join(folder, path)
        if os.path.isdir(place) and not os.path.islink(place) and new[0] in (*_FILES, _LINK):
            walked = (os.path.join(inner, name) for inner, _, names in os.walk(place) for name in names)
            standing.dirty.update(dict.fromkeys({os.path.relpath(file, folder) for file in walked} - gone, FOREIGN))


def _exists(folder: str, path: str) -> bool:
    return os.path.lexists(os.path.join(folder, path))


def _is_torn(folder: str, path: str, file: Entry | None, new: Entry | None) -> bool:
    """Whether a file is what git leaves that was killed while it wrote the new one: nothing, or a beginning of it."""
    if file is None:
        return True
    if new is None or new[0] not in _FILES or file[0] not in _FILES:
        return False
    with open(os.path.join(folder, path), "rb") as stream:
        beginning = stream.read(_LARGEST)
    wanted = read_objects(folder, [new[1]])[0]
    if wanted is not None and wanted.content.startswith(beginning):
        return True
    written = ask_git(folder, "cat-file", "--filters", f"--path={path}", new[1])  # line ends and filters considered
    return written is not None and encode_name(written).startswith(beginning)


def _read_status(folder: str, paths: list[str]) -> dict[str, Row]:
    """What git says of these paths; those that are as committed, and those it does not know, are not in it."""
    named = ("--", *paths) if sum(len(path) + 1 for path in paths) < _MOST_NAMED else ()
    wanted = set(paths)
    rows = parse_status(run_git(folder, *_STATUS, *named).split("\0"))
    return {row.path: row for row in rows if row.path in wanted}


def _index_entry(row: Row) -> Entry | None:
    if row.later == "U":
        return ("unmerged", "")
    return None if row.index_mode == "000000" else (row.index_mode, row.oid)


def read_entry(folder: str, path: str, known: Iterable[Entry | None]) -> Entry | None:
    """A file as git would store it; the way its bytes are converted is asked of git only where it may matter."""
    place = os.path.join(folder, path)
    try:
        status = os.lstat(place)
        if stat.S_ISLNK(status.st_mode):
            return (_LINK, _hash(os.fsencode(os.readlink(place)), known))
        if not stat.S_ISREG(status.st_mode):
            return None if stat.S_ISDIR(status.st_mode) and not _exists(place, ".git") else (FOREIGN, "")
        if status.st_size > _LARGEST:
            return (FOREIGN, "")
        with open(place, "rb") as stream:
            oid = _hash(stream.read(), known)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return (FOREIGN, "")
    mode = _FILES[bool(status.st_mode & 0o100)]
    oids = [entry[1] for entry in known if entry]
    return (mode, oid if oid in oids or not oids else _ask_hash(folder, path) or oid)


def _hash(content: bytes, known: Iterable[Entry | None]) -> str:
    like = next((entry[1] for entry in known if entry and entry[1]), "0" * 40)
    return object_id("blob", content, like=like)


def _ask_hash(folder: str, path: str) -> str:
    """The object that git would make of a file, line ends and filters considered."""
    if any(sign in path for sign in '\n\r"\\'):
        return ""
    answer = ask_git(folder, "hash-object", "--stdin-paths", data=encode_name(path) + b"\n")
    return (answer or "").strip()


def bring_along(checkout: Checkout, old: str, new: str, changes: Changes, standing: CheckoutState) -> None:
    """Lead the files of a checkout, and a copy of its index, from the old to the new commit.

    The user's own changes stay as they are. The caller holds the index, and puts the copy in its place.
    """
    folder, index = checkout.folder, copy_index(checkout)
    if standing.fresh:
        set_index(checkout, {path: changes[path][1] for path in standing.fresh})
    command = (*_sparseness(checkout), "read-tree", "-m", "-u", old, new)
    try:
        run_git(folder, *command, index=index)
    except ToolFailed as error:
        if _NOT_FRESH not in error.message:
            raise
        _refresh(checkout)  # files that were only touched look changed until then
        run_git(folder, *command, index=index)
    if standing.fresh:
        _refresh(checkout)


def _sparseness(checkout: Checkout) -> tuple[str, ...]:
    """A checkout that leaves files out goes on doing so; elsewhere in planrail git is told to see everything."""
    if not os.path.lexists(os.path.join(checkout.git_dir, "info", "sparse-checkout")):
        return ()
    own = os.path.join(checkout.git_dir, "config.worktree")
    config = own if os.path.exists(own) else os.path.join(checkout.git_dir, "config")
    answer = ask_git(checkout.folder, "config", "--file", config, "--bool", "core.sparseCheckout") or ""
    return ("-c", "core.sparseCheckout=true") if answer.strip() == "true" else ()


def settle(checkout: Checkout, entries: Mapping[str, Entry | None]) -> None:
    """Set these paths, files and the copy of the index, to these entries: for paths that are nobody's work."""
    if not entries:
        return
    folder = checkout.folder
    for path, entry in entries.items():
        if entry is None:
            _remove(folder, path)
    set_index(checkout, entries)
    written = [path for path, entry in entries.items() if entry and entry[0] != "160000"]
    command = ("checkout-index", "-f", "-u", "-q", "-z", "--stdin")
    run_git(folder, *command, index=private_index(checkout), data=join_paths(written))
    _refresh(checkout)


def set_index(checkout: Checkout, entries: Mapping[str, Entry | None]) -> None:
    """Set these entries in the copy of the index, and nothing on disk."""
    if not entries:
        return
    width = next((len(entry[1]) for entry in entries.values() if entry), 40)
    gone = [f"0 {'0' * width}\t{path}" for path, entry in entries.items() if entry is None]
    set_to = [f"{entry[0]} {entry[1]}\t{path}" for path, entry in entries.items() if entry]
    data = join_paths([*gone, *set_to])
    run_git(checkout.folder, "update-index", "-z", "--index-info", index=private_index(checkout), data=data)


def _refresh(checkout: Checkout) -> None:
    ask_git(checkout.folder, "update-index", "-q", "--refresh", index=private_index(checkout))


def _remove(folder: str, path: str) -> None:
    """Remove a file, and the folders that are empty then."""
    try:
        os.unlink(os.path.join(folder, path))
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return
    except OSError as error:
        raise ToolFailed(
            f"{path} cannot be removed: {error.strerror}", remedy="check the rights of its folder"
        ) from error
    above = os.path.dirname(path)
    while above:
        try:
            os.rmdir(os.path.join(folder, above))
        except OSError:
            return
        above = os.path.dirname(above)
