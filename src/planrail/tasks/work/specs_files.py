"""The files of a `specs/` folder, read for an import or a check: texts, and the names of everything in it.

What is not read is told: links that lead out of the project, pipes, sockets, and what is too large.
"""

import contextlib
import os
import time
from collections.abc import Iterable, Mapping, Sequence

from planrail.base.records import record, replace
from planrail.base.whole_files import write_whole
from planrail.store.places import ledger_folder, make_private
from planrail.tasks.context.context import is_inside
from planrail.tasks.context.files import LARGEST, read_bytes, refuse_file, tell_size
from planrail.tasks.importing.documents import task_folder
from planrail.tasks.importing.model import Divergence, Specs
from planrail.tasks.importing.reading import named_elsewhere

FOLDER = "imported"
TEXTS = {"state": "state.json", "todo": "TODO.md", "archive": "archive/state.json"}
_DEEPEST = 20  # folders in folders; a document of a task lies four deep


@record
class Listing:
    files: tuple[str, ...]
    empty: tuple[str, ...]
    skipped: Mapping[str, str]


def load_specs(root: str, folder: str) -> Specs:
    texts: dict[str, str | None] = {}
    garbled, unread = list[str](), dict[str, str]()
    for field, name in TEXTS.items():
        path = f"{folder}/{name}"
        data = read_bytes(root, path)
        texts[field] = None if data is None else data.decode("utf-8-sig", "replace")
        if data is not None and data.decode(errors="ignore").encode() != data:  # it is no UTF-8
            garbled.append(path)
        elif data is None and os.path.lexists(os.path.join(root, path)):
            unread[path] = _refuse(root, path) or "cannot be read"
    listing = list_files(root, folder)
    specs = Specs(
        **texts,  # type: ignore[arg-type]
        files=listing.files,
        empty=listing.empty,
        folder=folder,
        garbled=tuple(garbled),
        skipped={**unread, **listing.skipped},
    )
    return replace(specs, others=tuple(path for path in sorted(named_elsewhere(specs)) if is_document(root, path)))


def list_files(root: str, folder: str) -> Listing:
    """All files below a folder, from the root on; links count where they lead to a file of the project."""
    if os.path.lexists(os.path.join(root, folder)) and not is_inside(root, folder):
        return Listing((), (), {folder: "leads out of the project"})
    files: list[str] = []
    skipped: dict[str, str] = {}
    places = [folder]
    for place in places:  # it grows
        for entry in _entries(root, place, skipped):
            path = f"{place}/{entry.name}"
            is_folder = entry.is_dir(follow_symlinks=False)
            is_deep = is_folder and place.count("/") - folder.count("/") >= _DEEPEST
            why = "is nested too deeply" if is_deep else "" if is_folder else _refuse_entry(root, path, entry)
            if why:
                skipped[path] = why
            elif is_folder:
                places.append(path)
            else:
                files.append(path)
    filled = {task_folder(path, folder) for path in files}
    empty = [place for place in places if task_folder(f"{place}/", folder) == place and place not in filled]
    for path in (path for path in files if path.endswith(".md")):
        with contextlib.suppress(OSError):
            size = os.stat(os.path.join(root, path)).st_size
            skipped |= {path: tell_size(size)} if size > LARGEST else {}
    return Listing(tuple(sorted(files)), tuple(sorted(empty)), skipped)


def load_texts(root: str, paths: Iterable[str]) -> dict[str, str]:
    found = {path: read_bytes(root, path) for path in paths}
    return {path: data.decode("utf-8-sig", "replace") for path, data in found.items() if data is not None}


def is_document(root: str, path: str) -> bool:
    return not _refuse(root, path)


def _refuse(root: str, path: str) -> str:
    """Why a file is left alone; "" where it is read."""
    place = os.path.join(root, path)
    try:
        return refuse_file(root, path, os.stat(place))
    except OSError as error:
        return "is a link that leads nowhere" if os.path.islink(place) else f"cannot be read ({error.strerror})"
    except ValueError:
        return "cannot be read"


def _refuse_entry(root: str, path: str, entry: os.DirEntry[str]) -> str:
    """The same for an entry of a folder. A link to another folder would show the same documents twice."""
    if entry.is_symlink() and os.path.isdir(entry.path) and is_inside(root, path):
        return "is a link to a folder"
    return "" if entry.is_file(follow_symlinks=False) else _refuse(root, path)


def _entries(root: str, place: str, skipped: dict[str, str]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(os.path.join(root, place)) as found:
            named = [entry for entry in found if not any("\udc80" <= sign <= "\udcff" for sign in entry.name)]
    except FileNotFoundError:
        return []
    except OSError as error:
        skipped[place] = f"cannot be read ({error.strerror})"
        return []
    return sorted(named, key=lambda entry: entry.name)


def keep_originals(root: str, folder: str) -> str:
    """Copy the files of a folder of tasks to a place of their own; that place, or the one that has the same already."""
    texts = {name: data for name in TEXTS.values() if (data := read_bytes(root, f"{folder}/{name}")) is not None}
    base = os.path.join(ledger_folder(root), FOLDER)
    for last in sorted(os.listdir(base))[-1:] if os.path.isdir(base) else ():
        if all(read_bytes(os.path.join(base, last), name) == data for name, data in texts.items()):
            return os.path.join(base, last)
    place = _new_place(base)
    for name, data in texts.items():
        make_private(os.path.dirname(os.path.join(place, name)))
        write_whole(os.path.join(place, name), data)
    return place


def keep_list(place: str, divergences: Sequence[Divergence]) -> str:
    path = os.path.join(place, "divergences.txt")
    rows = [(one.kind, str(one.number or "-"), one.text, *filter(None, [one.remedy])) for one in divergences]
    write_whole(path, "".join("\t".join(row) + "\n" for row in rows).encode("utf-8", "replace"))
    return path


def _new_place(base: str) -> str:
    make_private(base)
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    for count in range(1000):
        place = os.path.join(base, f"{stamp}-{count}" if count else stamp)
        try:
            os.mkdir(place, mode=0o700)
        except FileExistsError:
            continue
        return place
    raise FileExistsError(base)
