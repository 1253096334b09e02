"""What planrail has written for agents, remembered in its state folder so that every byte can be given back.

`STATE/installs/KEY.json` holds the original bytes of each file, and is written before the first file is: whatever
interrupts an installation, running it again finishes it, and uninstalling takes it back.
"""

import base64
import contextlib
import hashlib
import json
import os
from collections.abc import Iterator

from planrail.base.errors import ToolFailed, refused_as
from planrail.install.steps import Entry
from planrail.install.targets import InstallPlace
from planrail.store import places

TEMPORARY = ".planrail-new"  # added to a file's name while it is being written


def record_path(state: str, place: InstallPlace) -> str:
    name = ("user:" if place.is_user else "project:") + os.path.realpath(place.root)
    key = hashlib.sha256(os.fsencode(name)).hexdigest()[:20]
    return os.path.join(state, "installs", f"{key}.json")


@contextlib.contextmanager
def locked(state: str) -> Iterator[None]:
    folder = os.path.join(state, "installs")
    with contextlib.ExitStack() as stack:
        remedy = "make it writable, or set PLANRAIL_STATE_DIR"
        with refused_as(f"{folder} cannot be written", remedy, "; nothing was changed"):
            os.makedirs(folder, 0o700, exist_ok=True)
            stack.enter_context(places.locked(os.path.join(folder, ".lock")))
        yield


def load_entries(state: str, place: InstallPlace) -> dict[str, Entry]:
    """What was written here, by path; empty where nothing was."""
    path = record_path(state, place)
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        files = [{**file, "original": _decode(file["original"])} for file in document["files"]]
        return {file["path"]: Entry(**file) for file in files}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ToolFailed(
            f"{path}, which says what planrail wrote here, cannot be read: {error}",
            remedy=f"move it away; then planrail uninstall takes out what it recognises: mv {path} {path}.old",
        ) from error


def save_entries(state: str, place: InstallPlace, entries: dict[str, Entry]) -> None:
    """Remember what is about to be written; nothing to remember removes the record."""
    path = record_path(state, place)
    if not entries:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        return
    files = [{name: getattr(entry, name) for name in Entry.__slots__} for entry in entries.values()]  # type: ignore[attr-defined]
    for file in files:
        file["original"] = None if file["original"] is None else base64.b64encode(file["original"]).decode()
    document = {
        "version": 1,
        "root": place.root,
        "scope": "user" if place.is_user else "project",
        "files": files,
    }
    with refused_as(f"{path} cannot be written", "make room, then again", "; nothing was changed"):
        replace_file(path, (json.dumps(document, indent=2) + "\n").encode(), 0o600)


def _decode(original: str | None) -> bytes | None:
    return None if original is None else base64.b64decode(original)


def replace_file(path: str, data: bytes, mode: int | None = None) -> None:
    """Replace a file in one step, its owner and mode kept; a link is followed. Raises OSError."""
    target = os.path.realpath(path)
    temporary = target + TEMPORARY
    remove_file(temporary)  # left by a process that was killed
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    descriptor = os.open(temporary, flags, 0o666 if mode is None else mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileNotFoundError):
            status = os.stat(target)
            if os.geteuid() == 0:
                os.chown(temporary, status.st_uid, status.st_gid)
            os.chmod(temporary, status.st_mode & 0o7777)
        os.replace(temporary, target)
    except BaseException:
        remove_file(temporary)
        raise


def remove_file(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
