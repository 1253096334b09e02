"""How what runs things outside of a workspace looks now: as digests, by path. Contents are never kept."""

import json
import os
import shutil
import subprocess

from planrail.repo.git_writing import ask_git
from planrail.repo.snapshot_controls import digest, hash_bytes, locate_settings
from planrail.repo.workspace_git import locate_home
from planrail.runs.evidence.outside_files import HOME, MOVED, OUTSIDE, PARTS, SYSTEM, ZSH
from planrail.runs.strength.files import fits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MOST = 5_000  # files below one folder
_CRONTAB = "crontab"
_SECONDS = 10


class OutsideFiles:
    """Looks at what runs things for a person, and in their repository. The environment says where that is."""

    def __init__(self, root: str, environment: "Mapping[str, str]") -> None:
        self._root, self._environment = root, environment
        self._home = environment.get("HOME") or os.path.expanduser("~")
        self._origins = self._list_origins()
        self._known: dict[str, tuple[tuple[int, ...], str]] = {}
        self.what: dict[str, str] = {}  # by path: what runs it

    def look(self) -> dict[str, str]:
        """What is there, each with a digest."""
        seen = self._look_at_repository()
        for what, folder, patterns in OUTSIDE:
            for place in (place for pattern in patterns for place in _expand(self._locate(folder), pattern)):
                if found := self._digest(place):
                    seen[place], self.what[place] = found, what
        seen |= {place: found for name, key in PARTS.items() if (found := _digest_part(place := self._at(name), key))}
        crontab = self._read_crontab()
        return seen | ({_CRONTAB: crontab} if crontab else {})

    def _look_at_repository(self) -> dict[str, str]:
        """git's settings and hooks, as planning compares them, and the files that settings are taken from."""
        home = locate_home(self._root)
        hooks = ask_git(self._root, "config", "--type=path", "--get", "core.hooksPath") if self._moves_hooks() else None
        below = os.path.join(self._root, hooks.strip()) if hooks else ""
        own = locate_settings(home.git_dir, home.common).values()
        places = [*own, *self._origins, *(_below(below) if below else ())]
        return {place: found for place in places if (found := self._digest(place))}

    def _digest(self, place: str) -> str:
        """The digest of a file; it is read again only where its status has changed."""
        try:
            link, file = os.lstat(place), os.stat(place)
        except OSError:
            return digest(place)
        status = (link.st_ino, link.st_ctime_ns, file.st_ino, file.st_size, file.st_mtime_ns, file.st_ctime_ns)
        if self._known.get(place, ((), ""))[0] != status:
            self._known[place] = (status, digest(place))
        return self._known[place][1]

    def _moves_hooks(self) -> bool:
        """Whether some file of settings speaks of another folder of hooks: only then git is asked."""
        return any("hookspath" in _read(place).lower() for place in self._origins)

    def _list_origins(self) -> list[str]:
        fields = (ask_git(self._root, "config", "--list", "--show-origin", "-z") or "").split("\0")
        names = {field.removeprefix("file:") for field in fields[::2] if field.startswith("file:")}
        own = os.path.join(locate_home(self._root).common, "config")
        names = {name for name in names if name != ".git/config"}
        return sorted({own, *(os.path.join(self._root, name) for name in names)})

    def _locate(self, folder: str) -> str:
        if folder == SYSTEM:
            return SYSTEM
        return self._environment.get(MOVED.get(folder, ""), "") or self._at(HOME if folder == ZSH else folder)

    def _at(self, name: str) -> str:
        return os.path.join(self._home, name) if name else self._home

    def _read_crontab(self) -> str:
        program = shutil.which(_CRONTAB, path=self._environment.get("PATH", os.defpath))
        if program is None:
            return ""
        try:
            done = subprocess.run([program, "-l"], stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS)
        except (OSError, subprocess.TimeoutExpired):
            return ""
        return hash_bytes(done.stdout) if done.returncode == 0 and done.stdout else ""


def _expand(folder: str, pattern: str) -> "Iterator[str]":
    """The files that a pattern of the table stands for."""
    place = os.path.join(folder, pattern.rstrip("/"))
    if pattern.endswith("/"):
        yield from _below(place)
    elif "*" in pattern:
        above, glob = os.path.split(place)
        yield from (os.path.join(above, name) for name in _list(above) if fits(name, glob))
    else:
        yield place


def _below(folder: str) -> list[str]:
    """The files below a folder; a link to another folder is one of them."""
    found: list[str] = []
    for place, folders, names in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(place, name))]
        found += [os.path.join(place, name) for name in (*names, *links)]
        if len(found) > _MOST:
            break
    return found[:_MOST]


def _digest_part(place: str, key: str) -> str:
    """A digest of one part of a JSON file; "" where it has no such part."""
    try:
        part = json.loads(_read(place)).get(key)
    except (ValueError, AttributeError):
        return ""
    return hash_bytes(json.dumps(part, sort_keys=True).encode()) if part else ""


def _list(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _read(place: str) -> str:
    try:
        with open(place, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return ""
