"""The files of a `specs/` folder, read for an import or a check: texts, and the names of everything in it.

Nothing is followed that leads out of the project, and nobody is waited for: such links, pipes, sockets and what is too
large are left alone, and told.
"""

import contextlib
import os
import stat
import time
from collections.abc import Iterable, Mapping, Sequence

from planrail.base.records import record, replace
from planrail.store.places import ledger_folder, make_private
from planrail.tasks.importing.documents import task_folder
from planrail.tasks.importing.model import Divergence, Specs
from planrail.tasks.importing.reading import named_elsewhere

FOLDER = "imported"
TEXTS = {"state": "state.json", "todo": "TODO.md", "archive": "archive/state.json", "errors": "errors.json"}
_LARGEST = 50 * 1024 * 1024  # bytes of one file; the largest that was seen has 1.5 million
_DEEPEST = 20  # folders in folders; a document of a task lies four deep
_KINDS = {stat.S_IFDIR: "is a folder", stat.S_IFIFO: "is a pipe", stat.S_IFSOCK: "is a socket"}


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
        if data is not None and not _is_text(data):
            garbled.append(path)
        elif data is None and os.path.lexists(os.path.join(root, path)):
            unread[path] = _tell_refusal(root, path)
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


def _is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def list_files(root: str, folder: str) -> Listing:
    """All files below a folder, from the root on; links count where they lead to a file of the project."""
    if os.path.lexists(os.path.join(root, folder)) and not _is_inside(root, folder):
        return Listing((), (), {folder: "leads out of the project"})
    files: list[str] = []
    skipped: dict[str, str] = {}
    places = [folder]
    for place in places:  # it grows
        for entry in _entries(root, place, skipped):
            path = f"{place}/{entry.name}"
            is_folder = entry.is_dir(follow_symlinks=False)
            is_deep = is_folder and place.count("/") - folder.count("/") >= _DEEPEST
            why = "is nested too deeply" if is_deep else "" if is_folder else _refuse(root, path, entry)
            if why:
                skipped[path] = why
            elif is_folder:
                places.append(path)
            else:
                files.append(path)
    filled = {task_folder(path, folder) for path in files}
    empty = [place for place in places if task_folder(f"{place}/", folder) == place and place not in filled]
    return Listing(tuple(sorted(files)), tuple(sorted(empty)), {**_find_large(root, files), **skipped})


def load_texts(root: str, paths: Iterable[str]) -> dict[str, str]:
    found = {path: read_bytes(root, path) for path in paths}
    return {path: data.decode("utf-8-sig", "replace") for path, data in found.items() if data is not None}


def is_document(root: str, path: str) -> bool:
    try:
        return not _refuse_file(root, path, os.stat(os.path.join(root, path)))
    except (OSError, ValueError):
        return False


def read_bytes(root: str, path: str) -> bytes | None:
    """What a file of the project holds; None where it is none that is read. Nobody is waited for."""
    try:
        found = os.open(os.path.join(root, path), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        if _refuse_file(root, path, os.fstat(found)):
            return None
        with open(found, "rb", closefd=False) as file:
            return file.read()
    except OSError:
        return None
    finally:
        os.close(found)


def _tell_refusal(root: str, path: str) -> str:
    place = os.path.join(root, path)
    try:
        found = os.stat(place)
    except OSError as error:
        return "is a link that leads nowhere" if os.path.islink(place) else f"cannot be read ({error.strerror})"
    return _refuse_file(root, path, found) or "cannot be read"


def _refuse_file(root: str, path: str, found: os.stat_result) -> str:
    """Why a file is left alone; "" where it is read."""
    if not _is_inside(root, path):
        return "leads out of the project"
    if not stat.S_ISREG(found.st_mode):
        return _KINDS.get(stat.S_IFMT(found.st_mode), "is a device")
    return _tell_size(found.st_size) if found.st_size > _LARGEST else ""


def _refuse(root: str, path: str, entry: os.DirEntry[str]) -> str:
    """The same for an entry of a folder. A link to another folder would show the same documents twice."""
    if entry.is_symlink():
        is_folder = os.path.isdir(entry.path) and _is_inside(root, path)
        return "is a link to a folder" if is_folder else "" if is_document(root, path) else _tell_refusal(root, path)
    if entry.is_file(follow_symlinks=False):
        return ""
    return _KINDS.get(stat.S_IFMT(entry.stat(follow_symlinks=False).st_mode), "is a device")


def _find_large(root: str, files: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in files:
        if path.endswith(".md"):
            with contextlib.suppress(OSError):
                size = os.stat(os.path.join(root, path)).st_size
                found |= {path: _tell_size(size)} if size > _LARGEST else {}
    return found


def _tell_size(size: int) -> str:
    return f"has {size // 1024**2} MB, more than the {_LARGEST // 1024**2} that are read"


def _is_inside(root: str, path: str) -> bool:
    top = os.path.realpath(root)
    return os.path.realpath(os.path.join(root, path)).startswith(f"{top.rstrip('/')}/")


def _entries(root: str, place: str, skipped: dict[str, str]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(os.path.join(root, place)) as found:
            return sorted(
                (entry for entry in found if (not any("\udc80" <= sign <= "\udcff" for sign in entry.name))),
                key=lambda entry: entry.name,
            )
    except FileNotFoundError:
        return []
    except OSError as error:
        skipped[place] = f"cannot be read ({error.strerror})"
        return []


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
        _write(os.path.join(place, name), data)
    return place


def keep_list(place: str, divergences: Sequence[Divergence]) -> str:
    path = os.path.join(place, "divergences.txt")
    lines = [
        f"{one.kind}\t{one.number or '-'}\t{one.text}" + (f"\t{one.remedy}" if one.remedy else "")
        for one in divergences
    ]
    _write(path, ("\n".join(lines) + "\n").encode("utf-8", "replace"))
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


def _write(path: str, data: bytes) -> None:
    draft = f"{path}.new"
    with open(draft, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)
