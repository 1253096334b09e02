"""The files under `specs/`: which folder belongs to which task, and where a document lies that was named."""

import re
from collections.abc import Iterable

from planrail.base.records import record
from planrail.tasks.model import FOLDERS

_FOLDER = re.compile(r"(?P<prefix>[A-Za-z]{1,6}[_-])?(?P<number>\d{1,9})[_-](?P<name>.+)")
_KINDS = {folder: type_ for type_, folder in FOLDERS.items()}


@record
class Folder:
    """The folder of a task: its place, the number and name in it, whether it is in the archive, and its files."""

    path: str
    number: int
    name: str
    is_archived: bool
    is_canonical: bool  # three digits and nothing before them
    files: tuple[str, ...] = ()


@record
class Shelf:
    """All files under `specs/`, and the folders of tasks among their places."""

    files: frozenset[str]
    folders: tuple[Folder, ...]
    by_number: dict[int, tuple[Folder, ...]]


def read_shelf(files: Iterable[str], base: str = "specs", empty: Iterable[str] = ()) -> Shelf:
    """Sort the files of a folder. `empty` are folders in it that have no file."""
    grouped: dict[str, list[str]] = {path: [] for path in empty}
    everything = sorted(files)
    for path in everything:
        place = _task_folder(path, base)
        if place:
            grouped.setdefault(place, []).append(path)
    made = (_make_folder(path, base, tuple(inside)) for path, inside in sorted(grouped.items()))
    folders = tuple(folder for folder in made if folder is not None)
    numbers: dict[int, list[Folder]] = {}
    for folder in folders:
        numbers.setdefault(folder.number, []).append(folder)
    return Shelf(frozenset(everything), folders, {number: tuple(found) for number, found in numbers.items()})


def type_by_place(path: str) -> str:
    """The type of a document by the folder that it lies in; "" where that says nothing."""
    return next((_KINDS[part] for part in reversed(path.split("/")[:-1]) if part in _KINDS), "")


def documents(folder: Folder) -> list[tuple[str, str]]:
    """The documents of a task's folder: type and path of each Markdown file directly in one of the three folders."""
    found = []
    for path in folder.files:
        inside = path[len(folder.path) + 1 :].split("/")
        if len(inside) == 2 and inside[0] in _KINDS and inside[1].lower().endswith(".md"):
            found.append((_KINDS[inside[0]], path))
    return found


def locate_document(path: str, number: int, shelf: Shelf, base: str = "specs") -> str | None:
    """Where a document lies that was named so: there, in the archive, or in the task's folder under another name."""
    wanted = clean_path(path, base)
    if wanted in shelf.files:
        return wanted
    inside = wanted.removeprefix(f"{base}/").removeprefix("archive/")
    for place in (f"{base}/archive/{inside}", f"{base}/{inside}"):
        if place in shelf.files:
            return place
    return _locate_in_folders(inside, number, shelf)


def clean_path(path: str, base: str = "specs") -> str:
    """A path as planrail writes it: from the root on, with slashes; `x/reports/1.md` lies in the folder of tasks."""
    parts = [part for part in path.strip().replace("\\", "/").split("/") if part not in ("", ".")]
    if path.startswith("/") or ".." in parts:
        return path
    if parts and parts[0] != base and _FOLDER.fullmatch(parts[0]) and len(parts) > 1:
        parts.insert(0, base)
    return "/".join(parts)


def _locate_in_folders(inside: str, number: int, shelf: Shelf) -> str | None:
    """The folder may have lost its prefix or its padding, or got another name: the rest of the path decides."""
    parts = inside.split("/")
    match = _FOLDER.fullmatch(parts[0])
    said = int(match["number"]) if match is not None else number
    tail = "/".join(parts[1:]) if match is not None else inside
    folders = [*shelf.by_number.get(said, ()), *(shelf.by_number.get(number, ()) if said != number else ())]
    if match is not None:
        folders.sort(key=lambda folder: folder.name != match["name"])
    places = [f"{folder.path}/{tail}" for folder in folders]
    return next((place for place in places if place in shelf.files), None)


def _task_folder(path: str, base: str) -> str:
    """The folder under `specs/` or `specs/archive/` that a file lies in; "" for files beside them."""
    parts = path.removeprefix(f"{base}/").split("/")
    depth = 2 if parts[0] == "archive" else 1
    return "/".join([base, *parts[:depth]]) if len(parts) > depth else ""


def _make_folder(path: str, base: str, files: tuple[str, ...]) -> Folder | None:
    last = path.rsplit("/", 1)[-1]
    match = _FOLDER.fullmatch(last)
    if match is None:
        return None
    number = int(match["number"])
    is_archived = path.startswith(f"{base}/archive/")
    canonical = last == f"{number:03d}_{match['name']}"
    return Folder(path, number, match["name"], is_archived, canonical, files)
