"""What checks run and load by any name: the programs on the PATH, and the packages that interpreters load for them, as
far as this user can change them.

Environments and packages of the person's own are looked at whole. An interpreter that all projects share has too many
files for that: there the names of its packages count, what it runs at its start, how plugins are found, and the test
runners. Only status is read, but for files that have several names and small ones, which tools write anew as they were.
"""

import contextlib
import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from itertools import chain

from planrail.runs.checks import environment as known_places
from planrail.runs.checks.check_places import FolderNames, status_of
from planrail.runs.checks.environment import BYTECODE

# Bytes of a file whose content counts. Version managers write their own small programs anew, as they were.
_SMALL, _SMALL_PROGRAM = 100_000, 4_000
_HEAD = 500  # bytes of a program in which its interpreter is named
_INTERPRETER = re.compile(rb"(?:#!\s*|exec'? ['\"]?)(/[^\n'\"]*?/bin/python)")
_COMPILED = "__pycache__"
# In a folder of packages that is not looked at whole: what runs at each start, and what says which plugins there are.
_AT_START = re.compile(r".*\.(?:pth|egg-link)|.*customize\.py|site\.py|.*pytest.*\.py")
_PLUGINS = (".dist-info", ".egg-info")
_RUNNERS = re.compile(r"_?pytest|pluggy|xdist|pytest_\w+|nose2")


class Files:
    """Files by what is in them, large ones of one name by their status; read again only where that has changed."""

    def __init__(self, small: int = _SMALL) -> None:
        self._small = small
        self._known: dict[str, tuple[object, str]] = {}

    def describe(self, place: str) -> str:
        """What would change with the file; "" where there is none."""
        found = status_of(place)
        if found is None:
            return ""
        status = (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_mode)
        known = self._known.get(place)
        if known is None or known[0] != status:
            told = "folder" if stat.S_ISDIR(found.st_mode) else repr(status[:-1])
            if (found.st_size <= self._small or found.st_nlink > 1) and stat.S_ISREG(found.st_mode):
                with contextlib.suppress(OSError), open(place, "rb") as file:
                    told = f"{found.st_mode & 0o111:o} {hashlib.file_digest(file, 'sha256').hexdigest()}"
            known = self._known[place] = (status, told)
        return known[1]


class Programs:
    """Looks at the folders of a PATH and at what is beside them. `named` are folders that are not on it, each with a
    pattern below it."""

    def __init__(self, places: list[str], home: str, named: Iterable[tuple[str, str]] = ()) -> None:
        self._named = list(named)
        self._path, self._home = list(dict.fromkeys(places)), home
        self._places: list[str] = []  # those of the PATH, and of the environments that programs there belong to
        self._programs, self._linked = Files(_SMALL_PROGRAM), Files()
        self._names = FolderNames(lambda names: [name for name in names if name != _COMPILED])
        # What was found, and what the answer rests on: looking at all of it anew would cost each phase 20 ms.
        self._folders: dict[str, tuple[list[str], list[int], dict[str, str]]] = {}
        self._packages: dict[str, tuple[list[str], dict[str, str]]] = {}
        self._known_prefixes: tuple[list[list[str]] | None, list[str]] = (None, [])
        self._environments: dict[str, tuple[list[str], list[str]]] = {}
        self._seen: dict[str, str] = {}

    def look(self, *, is_thorough: bool) -> dict[str, str]:
        """All that is there, by its path, with what would change with it. A look that is not thorough sees what was
        added, removed or replaced, and not what was edited in its place."""
        if is_thorough or not self._seen or self._names.has_changed():
            self._seen = self._look()
        return self._seen

    def _look(self) -> dict[str, str]:
        seen: dict[str, str] = {}
        choosing = [os.path.dirname(folder) for folder in self._path if os.path.basename(folder) == "shims"]
        named = [*self._named, *((above, pattern) for above in choosing for pattern in known_places.CHOOSERS)]
        beside = (folder for above, pattern in named for folder in self._expand(above, pattern))
        environments = (f"{place}/bin" for place in self._list_environments())
        self._places = list(dict.fromkeys((*self._path, *environments, *beside)))
        compiled = hashlib.sha256()
        apart = {os.path.realpath(folder): folder for folder in reversed(self._places)}  # /bin is /usr/bin, mostly
        for folder in filter(_can_change, apart.values()):
            seen |= self._look_at_programs(folder)
        found = [self._look_at_packages(folder, is_whole=is_whole) for folder, is_whole in self._list_packages()]
        for place, what in chain(*found, self._look_at_settings(choosing)):
            if place == BYTECODE:
                compiled.update(what.encode())
            else:
                seen[place] = what
        return seen | {BYTECODE: compiled.hexdigest()}

    def _look_at_programs(self, folder: str) -> dict[str, str]:
        """Each file, by its content or its status; nothing is described again where no time of a change is new."""
        places = [f"{folder}/{name}" for name in self._names.list(folder)]
        times = [found.st_ctime_ns if (found := status_of(place)) else 0 for place in places]
        known = self._folders.get(folder)
        if known is None or known[:2] != (places, times):
            told = {place: what for place in places if (what := self._programs.describe(place))}
            known = self._folders[folder] = (places, times, told)
        return known[2]

    def _list_environments(self) -> Iterator[str]:
        """The virtual environments to which programs on the PATH lead: pipx and uv put links there."""
        for folder in self._path:
            names = self._names.list(folder)
            known = self._environments.get(folder)
            if known is None or known[0] is not names:
                found = dict.fromkeys(place for name in names for place in _lead_to(f"{folder}/{name}"))
                known = self._environments[folder] = (names, list(found))
            yield from known[1]

    def _look_at_settings(self, choosing: list[str]) -> Iterator[tuple[str, str]]:
        """What programs obey because of where they are installed, and what stand-ins choose a version by."""
        places = [f"{prefix}/{name}" for prefix in self._list_prefixes() for name in known_places.SETTINGS]
        for place in (*places, *(f"{above}/{known_places.CHOICE}" for above in choosing)):
            if what := self._linked.describe(place):
                yield place, what
        for above in filter(_can_change, choosing):
            for pattern in known_places.CHOOSING:
                for folder in self._expand(above, pattern):
                    yield from self._walk(folder)

    def _list_packages(self) -> Iterator[tuple[str, bool]]:
        """The folders of packages, and whether all of it counts."""
        patterns = [(prefix, pattern) for prefix in self._list_prefixes() for pattern in known_places.PACKAGES]
        patterns += [(self._home, pattern) for pattern in known_places.GEMS if self._home]
        known = set()  # lib64 is lib, mostly
        for prefix, pattern in patterns:
            is_whole = prefix == os.path.join(self._home, known_places.OWN) or os.path.exists(f"{prefix}/pyvenv.cfg")
            for folder in self._expand(prefix, pattern):
                real = os.path.realpath(folder)
                if real not in known and _can_change(folder):
                    known.add(real)
                    yield folder, is_whole and folder.endswith("-packages")

    def _list_prefixes(self) -> list[str]:
        listed = [self._names.list(folder) for folder in self._places]
        if listed == self._known_prefixes[0]:
            return self._known_prefixes[1]
        found = [os.path.join(self._home, known_places.OWN)] if self._home else []
        for folder, names in zip(self._places, listed, strict=True):
            programs = [f"{folder}/{name}" for name in known_places.INTERPRETERS if name in names]
            found.append(os.path.dirname(os.path.realpath(folder)))
            found += [os.path.dirname(os.path.dirname(os.path.realpath(program))) for program in programs]
            if os.path.basename(folder) == "shims":
                above = os.path.dirname(folder)
                found += [place for rest in known_places.SHIMMED for place in self._expand(above, rest)]
        self._known_prefixes = (listed, list(dict.fromkeys(found)))
        return self._known_prefixes[1]

    def _expand(self, folder: str, pattern: str) -> Iterator[str]:
        first, _, rest = pattern.partition("/")
        if not first:
            yield folder
        elif "*" in first:
            for name in self._names.list(folder):
                if fnmatchcase(name, first):
                    yield from self._expand(f"{folder}/{name}", rest)
        elif os.path.isdir(place := f"{folder}/{first}"):
            yield from self._expand(place, rest)

    def _look_at_packages(self, folder: str, *, is_whole: bool) -> Iterator[tuple[str, str]]:
        names = self._names.list(folder)
        if is_whole:
            for name in names:
                yield from self._walk(f"{folder}/{name}")
            return
        known = self._packages.get(folder)
        if known is None or known[0] is not names:
            found = {f"{folder}/{name}": status_of(f"{folder}/{name}", follow=False) for name in names}
            entries = {place: str(one.st_ino) if one is not None else "" for place, one in found.items()}
            known = self._packages[folder] = (names, entries)
        yield from known[1].items()
        for name in names:
            place = f"{folder}/{name}"
            read = f"{place}/entry_points.txt" if name.endswith(_PLUGINS) else place
            if (read != place or _AT_START.fullmatch(name)) and (what := self._programs.describe(read)):
                yield read, what
            if _RUNNERS.fullmatch(name):
                yield from self._walk(place)

    def _walk(self, top: str) -> Iterator[tuple[str, str]]:
        """A file or a whole folder; what Python has compiled in it apart."""
        plain: list[object] = []
        compiled: list[object] = []
        self._collect(top, plain, compiled)
        yield top, _hash(plain)
        if compiled:
            yield BYTECODE, f"{top} {_hash(compiled)}"

    def _collect(self, place: str, plain: list[object], compiled: list[object]) -> None:
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        self._collect(entry.path, compiled if entry.name == _COMPILED else plain, compiled)
                    else:
                        plain.append(self._describe(entry.path, entry.stat(follow_symlinks=False)))
        except NotADirectoryError:
            plain.append(self._describe(place, os.lstat(place)))
        except OSError as error:
            plain.append((place, error.errno))

    def _describe(self, place: str, found: os.stat_result) -> tuple[object, ...]:
        """By its status, which nobody can set back. Another name for a file (uv gives its files many) sets its time."""
        if found.st_nlink > 1 or stat.S_ISLNK(found.st_mode):
            return (place, found.st_mode, self._linked.describe(place))
        return (place, found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def list_newer_programs(environment: Mapping[str, str], since: float) -> list[str]:
    """What checks run and load, and was changed or put there since a time."""
    places = [place for place in environment.get("PATH", "").split(os.pathsep) if os.path.isabs(place)]
    named = known_places.named_folders(environment)
    seen = Programs(places, environment.get("HOME", ""), named).look(is_thorough=True)
    # When the system saw the last change of a file: nobody can set that back.
    known = [(place, status_of(place)) for place in seen if place != BYTECODE]
    return sorted(place for place, found in known if found is not None and found.st_ctime_ns > since * 1e9)


def _lead_to(program: str) -> Iterator[str]:
    """The virtual environment that a link leads into, or that a small program has its interpreter from."""
    try:
        found = os.lstat(program)
        if stat.S_ISLNK(found.st_mode):
            program = os.path.realpath(program)
            yield from _environment(program)
            found = os.stat(program)
        if stat.S_ISREG(found.st_mode) and found.st_size <= _SMALL_PROGRAM:
            with open(program, "rb") as file:
                for match in _INTERPRETER.finditer(file.read(_HEAD)):
                    yield from _environment(os.fsdecode(match[1]))
    except OSError:
        return


def _environment(program: str) -> Iterator[str]:
    place = os.path.dirname(os.path.dirname(program))
    if os.path.exists(f"{place}/pyvenv.cfg"):
        yield place


def _hash(lines: list[object]) -> str:
    return hashlib.sha256("\n".join(sorted(map(repr, lines))).encode("utf-8", "surrogateescape")).hexdigest()


def _can_change(folder: str) -> bool:
    found = status_of(folder)
    return found is not None and (found.st_uid == os.geteuid() or os.access(folder, os.W_OK))
