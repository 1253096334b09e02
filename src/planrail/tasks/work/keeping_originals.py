"""Files that an import takes over are kept as they were, in the folder of the ledger, with what was found in them."""

import os
import time
from collections.abc import Sequence

from planrail.store.places import ledger_folder, make_private
from planrail.tasks.importing.divergences import Divergence
from planrail.tasks.work.specs_files import TEXTS, read_bytes

FOLDER = "imported"


def keep_originals(root: str, folder: str) -> str:
    """Copy the files of a folder of tasks to a place of their own; that place, or the one that has the same already."""
    texts = {name: data for name in TEXTS.values() if (data := read_bytes(root, f"{folder}/{name}")) is not None}
    base = os.path.join(ledger_folder(root), FOLDER)
    last = _last(base)
    if last and all(_read(os.path.join(last, name)) == data for name, data in texts.items()):
        return last
    place = _new_place(base)
    for name, data in texts.items():
        make_private(os.path.dirname(os.path.join(place, name)))
        _write(os.path.join(place, name), data)
    return place


def keep_list(place: str, divergences: Sequence[Divergence]) -> str:
    """Keep the whole list of divergences, a line each; where it is."""
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


def _last(base: str) -> str:
    try:
        names = sorted(os.listdir(base))
    except FileNotFoundError:
        return ""
    return os.path.join(base, names[-1]) if names else ""


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def _write(path: str, data: bytes) -> None:
    draft = f"{path}.new"
    with open(draft, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)
