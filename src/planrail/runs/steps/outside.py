"""What an agent may have planted outside of its workspace: compared at the end of a phase, before anything lands.

People edit such files too. So a change undoes nothing and fails nothing: the run rests, says what changed, and goes on
when a person has looked and says so.
"""

import contextlib
import json
import os
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeVar

from planrail.base.records import replace
from planrail.base.run_model import Finding
from planrail.git.checkouts import locate_home
from planrail.git.git_writing import ask_git
from planrail.git.outside_names import CONFIG, HOME, KIND, MOVED, OUTSIDE, SYSTEM, ZSH, judge_outside, list_named, tell
from planrail.git.snapshots.controls import digest, hash_bytes, locate_settings
from planrail.runs.checks.check_places import list_names
from planrail.runs.steps.site import At, Paused, Site, hash_record
from planrail.runs.strength.files import fits

T = TypeVar("T")
_MOST = 5_000  # files below one folder
_MOST_NAMED = 200  # files that settings name
_LARGE = 1_000_000  # bytes of a file that is known by its status
_CRONTAB = "crontab"
_SECONDS = 10


class OutsideFiles:
    """Looks at what runs things for a person, and in their repository. The environment says where that is."""

    def __init__(self, root: str, environment: Mapping[str, str]) -> None:
        self._root, self._environment = root, environment
        self._home = environment.get("HOME") or os.path.expanduser("~")
        fields = (ask_git(root, "config", "--list", "--show-origin", "-z") or "").split("\0")
        names = {field.removeprefix("file:") for field in fields[::2] if field.startswith("file:")} - {".git/config"}
        own = os.path.join(locate_home(root).common, "config")
        self._origins = sorted({own, *(os.path.join(root, name) for name in names)})
        self._known: dict[str, tuple[tuple[int, ...], str]] = {}
        self._derived: dict[tuple[str, ...], tuple[str, object]] = {}
        self._on_path = {place.rstrip("/") for place in environment.get("PATH", "").split(os.pathsep)}
        self._rows = list(self._list_rows())
        self.what: dict[str, str] = {}  # by path: what runs it

    def look(self) -> dict[str, str]:
        seen = self._look_at_repository()
        for what, top, parts, keys in self._rows:
            for place in _expand(top, parts) if parts else (top,):
                pick = partial(_digest_keys, keys, tomllib.loads if place.endswith(".toml") else json.loads)
                if found := self._derive(place, pick, *keys) if keys else self._digest(place):
                    seen[place], self.what[place] = found, what
        for place, is_ssh in self._list_named():
            if found := self._digest(place):
                seen[place], self.what[place] = found, f"{'ssh' if is_ssh else 'git'} obeys it"
        if program := shutil.which(_CRONTAB, path=self._environment.get("PATH", os.defpath)):
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                done = subprocess.run([program, "-l"], stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS)
                seen |= {_CRONTAB: hash_bytes(done.stdout)} if done.returncode == 0 and done.stdout else {}
        return seen

    def _look_at_repository(self) -> dict[str, str]:
        """git's settings and hooks, as planning compares them, and the files that settings are taken from."""
        home = locate_home(self._root)
        # git is asked only where some file of settings speaks of another folder of hooks
        moves = any("hookspath" in _read(place).lower() for place in self._origins)
        hooks = ask_git(self._root, "config", "--type=path", "--get", "core.hooksPath") if moves else None
        below = _below(os.path.join(self._root, hooks.strip())) if hooks else ()
        places = [*locate_settings(home.git_dir, home.common).values(), *self._origins, *below]
        return {place: found for place in places if (found := self._digest(place))}

    def _digest(self, place: str) -> str:
        """The digest of a file; it is read again only where its status has changed."""
        try:
            link = os.lstat(place)
        except OSError:
            return ""
        try:
            file = os.stat(place)
        except OSError:  # a link that leads nowhere
            return digest(place)
        status = (link.st_ino, link.st_ctime_ns, file.st_ino, file.st_size, file.st_mtime_ns, file.st_ctime_ns)
        if self._known.get(place, ((), ""))[0] != status:
            self._known[place] = (status, digest(place) if file.st_size < _LARGE else repr(status))
        return self._known[place][1]

    def _derive(self, place: str, make: Callable[[str], T], *more: str) -> T:
        """What follows from the content of a file; it is looked for again only where the file has changed."""
        found = self._digest(place)
        if self._derived.get((place, *more), (None,))[0] != found:
            self._derived[place, *more] = (found, make(_read(place)))
        return self._derived[place, *more][1]  # type: ignore[return-value] # what the same call made before

    def _list_rows(self) -> Iterator[tuple[str, str, list[str], list[str]]]:
        """What runs it, the place, the parts of a pattern below it, the keys that count. A folder of the PATH is left
        out: it is compared with what checks run."""
        for what, folder, patterns in OUTSIDE:
            for pattern in patterns:
                name, _, keys = pattern.partition("#")
                place = os.path.join(self._locate(folder), name)
                is_pattern = "*" in name or name.endswith("/")
                if place.rstrip("/") not in self._on_path:
                    top, parts = (self._locate(folder), name.split("/")) if is_pattern else (place, [])
                    yield what, top, parts, keys.split()

    def _list_named(self) -> list[tuple[str, bool]]:
        """The files that settings of git and ssh name, and those that these name."""
        own = [self._at(".gitconfig"), os.path.join(self._locate(CONFIG), "git/config"), *self._origins]
        todo = [(place, False) for place in own] + [(self._at(".ssh/config"), True)]
        for place, is_ssh in todo:  # it grows
            base = self._at(".ssh") if is_ssh else os.path.dirname(place)
            for name in self._derive(place, partial(list_named, is_ssh=is_ssh)):
                found = os.path.join(base, self._at(name[2:]) if name.startswith("~/") else name)
                new = ((other, is_ssh) for other in _expand(SYSTEM, os.path.normpath(found).strip("/").split("/")))
                todo += [one for one in new if one not in todo][: _MOST_NAMED - len(todo)]
        return todo[len(own) + 1 :]

    def _locate(self, folder: str) -> str:
        if folder == SYSTEM:
            return SYSTEM
        return self._environment.get(MOVED.get(folder, ""), "") or self._at(HOME if folder == ZSH else folder)

    def _at(self, name: str) -> str:
        return os.path.join(self._home, name) if name else self._home


def _expand(folder: str, parts: list[str]) -> Iterator[str]:
    first, rest = parts[0], parts[1:]
    if not first:
        yield from _below(folder)
        return
    names = [name for name in list_names(folder) if fits(name, first)] if "*" in first else [first]
    for name in names:
        place = os.path.join(folder, name)
        if rest:
            yield from _expand(place, rest)
        else:
            yield place


def _below(folder: str) -> list[str]:
    """The files below a folder; a link to another folder is one of them."""
    found: list[str] = []
    for place, folders, names in os.walk(folder) if os.path.isdir(folder) else ():
        links = [name for name in folders if os.path.islink(os.path.join(place, name))]
        found += [os.path.join(place, name) for name in (*names, *links)]
        if len(found) > _MOST:
            break
    return found[:_MOST]


def _digest_keys(keys: list[str], read: Callable[[str], object], text: str) -> str:
    """A digest of what stands under some keys of a JSON or TOML file, wherever they are; "" where there is nothing.

    A first key with a `!` says that all count but these; then a text that cannot be read counts as it is.
    """
    is_without = keys[0].startswith("!")
    try:
        value = read(text)
        if is_without and isinstance(value, dict):
            found: object = {name: part for name, part in value.items() if name not in (keys[0][1:], *keys[1:])}
        else:
            found = value if is_without else list(_pick(value, keys, ""))
    except (ValueError, RecursionError):
        return hash_bytes(text.encode("utf-8", "surrogateescape")) if is_without and text else ""
    return hash_bytes(json.dumps(found, sort_keys=True, default=str).encode()) if found else ""


def _pick(value: object, keys: list[str], at: str) -> Iterator[tuple[str, object]]:
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        if name in keys and part:
            yield f"{at}/{name}", part
        elif name not in keys:
            yield from _pick(part, keys, f"{at}/{name}")


def _read(place: str) -> str:
    try:
        with open(place, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return ""


class OutsideWatch:
    """Remembers how things stood when an attempt began, and asks where they do not.

    Idle where no agent can change them; but a run that is resumed may have had other settings before.
    """

    def __init__(self, site: Site, *, holds_agents: bool) -> None:
        self._site, self._is_idle = site, holds_agents and not site.is_resumed
        self._files = OutsideFiles(site.root, site.environment)
        self._before: dict[str, dict[str, str]] = {}  # by attempt
        self._accepted: dict[str, list[Finding]] = {}

    def remember(self, at: At) -> None:
        """An attempt begins. Called again after a crash, the first look is the one that counts."""
        if self._is_idle or at.key("") in self._before:
            return
        record, name = os.path.join(self._site.folder, f"outside-{at.name}.json"), f"outside/{at.phase.id}/{at.attempt}"
        told_of = self._site.read("surroundings") if self._site.is_resumed else ()
        if any(fact.id == f"{name}:{self._site.order.run}" for fact in told_of):
            told = None  # what an earlier process wrote down counts, if the ledger says the same of it
            with contextlib.suppress(ValueError):
                told = json.loads(_read(record))
            known = told if isinstance(told, dict) and self._site.confirm_record(name, told) else {}
        else:
            known = self._files.look()
            with open(record, "w", encoding="utf-8", errors="surrogateescape") as file:
                json.dump(known, file)
            self._site.confirm_record(name, known)
        self._before[at.key("")] = known

    def ask(self, at: At) -> None:
        """Rest where something has changed, until a person has said that it may stay."""
        if self._is_idle:
            return
        self.remember(at)
        now = self._files.look()
        found = judge_outside(self._before[at.key("")], now, self._files.what)
        if not found:
            return
        if not self._site.was_told(KIND, at, hash_record(now)):
            raise Paused("paused", tell(found), self._site.resume)
        self._before[at.key("")] = now
        self._accepted.setdefault(at.key(""), []).extend(
            replace(finding, is_failure=False, text=f"{finding.text}: a person has seen it, and went on")
            for finding in found
        )

    def notes(self, at: At) -> list[Finding]:
        """What was changed in this attempt, and a person let stay."""
        return self._accepted.get(at.key(""), [])
