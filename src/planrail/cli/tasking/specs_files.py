"""The files of a `specs/` folder, read for an import or a check: texts, and the names of everything in it."""

import os

from planrail.records import replace
from planrail.tasks.importing.model import Specs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

TEXTS = {"state": "state.json", "todo": "TODO.md", "archive": "archive/state.json", "errors": "errors.json"}
_LARGEST = 256 * 1024 * 1024  # bytes of one file; the largest that was seen has 1.5 million


def load_specs(root: str, folder: str) -> Specs:
    """The folder as it is on the disk, without its plans."""
    from planrail.tasks.importing.reading import named_elsewhere

    found = {field: _load(os.path.join(root, folder, name)) for field, name in TEXTS.items()}
    files, empty = list_files(root, folder)
    specs = Specs(
        state=found["state"][0],
        todo=found["todo"][0],
        archive=found["archive"][0],
        errors=found["errors"][0],
        files=files,
        empty=empty,
        folder=folder,
        garbled=tuple(f"{folder}/{TEXTS[field]}" for field, (_, is_clean) in found.items() if not is_clean),
    )
    others = (path for path in sorted(named_elsewhere(specs)) if os.path.isfile(os.path.join(root, path)))
    return replace(specs, others=tuple(others))


def list_files(root: str, folder: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """All files below a folder, from the root on; and the folders of tasks in which there is none."""
    files: list[str] = []
    empty: list[str] = []
    for place, names, inside in os.walk(os.path.join(root, folder)):
        names.sort()
        where = os.path.relpath(place, root).replace(os.sep, "/")
        files += [f"{where}/{name}" for name in inside]
        depth = where.removeprefix(folder).count("/") - where.removeprefix(folder).startswith("/archive/")
        if depth == 1 and not _has_file(place):
            empty.append(where)
    return tuple(sorted(_decodable(files))), tuple(sorted(_decodable(empty)))


def load_texts(root: str, paths: "Iterable[str]") -> dict[str, str]:
    """The texts of documents, as far as they can be read."""
    found = {path: _load(os.path.join(root, path))[0] for path in paths}
    return {path: text for path, text in found.items() if text is not None}


def _load(path: str) -> tuple[str | None, bool]:
    """The text of a file, and whether it is UTF-8; None where there is no file."""
    try:
        if os.path.getsize(path) > _LARGEST or not os.path.isfile(path):
            return None, True
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return None, True
    try:
        return data.decode("utf-8-sig"), True
    except UnicodeDecodeError:
        return data.decode("utf-8-sig", "replace"), False


def _has_file(place: str) -> bool:
    return any(inside for _, _, inside in os.walk(place))


def _decodable(paths: list[str]) -> list[str]:
    """Names that are text; one that is not cannot be a document of ours."""
    return [path for path in paths if not any("\udc80" <= sign <= "\udcff" for sign in path)]
