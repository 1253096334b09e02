"""What checks depend on and no commit holds: the programs on the PATH, files in the home folder that steer tools, those
above the rooms that tools find when they look upwards, and what git's settings say about files. A check means the same
before and after an agent's work only if these stayed.
"""

import contextlib
import hashlib
import json
import os
import shutil
import threading

from planrail.repo.above_rooms import Above, describe_entry
from planrail.repo.git_writing import ask_git
from planrail.repo.workspace_git import locate_home
from planrail.runs.evidence.surroundings import PROGRAMS, is_about_files, judge_surroundings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from planrail.runs.model import Finding

# In the home folder: what a tool reads by itself, before it does what it is told.
_STEERING = (
    *(".npmrc", ".yarnrc", ".yarnrc.yml", ".bunfig.toml", ".cargo/config.toml", ".cargo/config", ".curlrc", ".pdbrc"),
    *(".config/git/attributes", ".config/git/ignore", ".node_modules", ".node_libraries", ".config/pip/pip.conf"),
    *(
        ".pip/pip.conf",
        ".pydistutils.cfg",
        ".config/uv/uv.toml",
        ".config/ruff/ruff.toml",
        ".config/ruff/pyproject.toml",
    ),
    *(".mypy.ini", ".config/mypy/config", ".flake8", ".config/flake8", ".pylintrc", ".config/pylintrc", ".isort.cfg"),
    *(".rspec", ".config/rspec/options", ".gemrc", ".bundle/config", ".rubocop.yml", ".config/rubocop/config.yml"),
    *(".m2/settings.xml", ".m2/extensions.xml", ".gradle/gradle.properties", ".gradle/init.gradle", ".gradle/init.d"),
    *(".config/go/env", ".proverc", ".nuget/NuGet/NuGet.Config", ".config/rustfmt/rustfmt.toml", ".rustfmt.toml"),
    *(".lein/profiles.clj", ".clojure/deps.edn", ".ghci", ".stack/config.yaml", ".cabal/config", ".shellcheckrc"),
)
_PYTHONS = ".local/lib"  # where each Python has packages of the person's own, and what it runs when it starts
_RUN_BY_PYTHON = (".pth", "customize.py")
_OF_A_REPOSITORY = ("info/attributes", "info/exclude", "info/grafts")
_SETTINGS = "git's settings about files"
_PATH = "PATH"  # that of whoever began the run: who resumes it may have another one, and the checks mean the same
_SMALL = 100_000  # bytes of a file whose content counts: tools write their own small programs anew, as they were


class Surroundings:
    """How things stood when a run began, and whether they still do. `record` is a file that a resumed run finds.

    `confirm` hears what is in it, and says whether that is the first that it heard: a file can be rewritten.
    """

    def __init__(
        self,
        root: str,
        environment: "Mapping[str, str]",
        words: "Iterable[str]",
        record: str,
        confirm: "Callable[[object], bool]",
        rooms: str,
    ) -> None:
        self._confirm = confirm
        self._root, self._names, self._record = root, sorted({*PROGRAMS, *words}), record
        self._home = environment.get("HOME", "")
        # The folders of the PATH, as they were when the programs were last looked for.
        self._folders: list[tuple[int, ...] | None] = []
        self._programs: dict[str, str] = {}
        self._origins: dict[str, str] = {}  # the files of git's settings, as they were when git was last asked
        self._settings = ""
        self._files = Files()
        self._above = Above(rooms)
        self._lock = threading.Lock()  # phases may run side by side
        self._before = self._load()
        given = environment.get("PATH", os.defpath)
        self.path = given if self._before is None else self._before.get(_PATH, given)
        self._places = [place for place in self.path.split(os.pathsep) if os.path.isabs(place)]

    def judge(self) -> "list[Finding]":
        """What changed since the run began; the first look is the one that others are compared with."""
        with self._lock:
            return self._judge()

    def _judge(self) -> "list[Finding]":
        now = self._look()
        if self._before is None:
            self._before = now
            with open(self._record, "w", encoding="utf-8", errors="surrogateescape") as file:
                json.dump(now, file)
            self._confirm(now)
        return judge_surroundings(self._before, now)

    def _look(self) -> dict[str, str]:
        programs = {f"the program {name}": place for name, place in self._locate().items()}
        seen = {name: f"{place} {self._files.describe(place)}" for name, place in programs.items()}
        places = [os.path.join(locate_home(self._root).common, name) for name in _OF_A_REPOSITORY]
        places += self._list_steering() if self._home else []
        places += self._above.list_places()
        seen |= {place: what for place in places if (what := describe_entry(place, self._files.describe))}
        return seen | {_PATH: self.path, _SETTINGS: self._read_settings()}

    def _locate(self) -> dict[str, str]:
        """The files that the names of programs stand for. They are looked for again where a folder has changed."""
        folders = [_status(folder) for folder in self._places]
        if folders != self._folders:
            self._folders = folders
            found = ((name, shutil.which(name, path=os.pathsep.join(self._places))) for name in self._names)
            self._programs = {name: place for name, place in found if place}
        return self._programs

    def _list_steering(self) -> list[str]:
        places = [os.path.join(self._home, name) for name in _STEERING]
        for python in _list(os.path.join(self._home, _PYTHONS)):
            folder = os.path.join(self._home, _PYTHONS, python, "site-packages")
            places += [os.path.join(folder, name) for name in _list(folder) if name.endswith(_RUN_BY_PYTHON)]
        return places

    def _read_settings(self) -> str:
        """The settings that say what a file's content is. git is asked again only where one of their files changed."""
        if self._origins and all(self._files.describe(place) == what for place, what in self._origins.items()):
            return self._settings
        fields = (ask_git(self._root, "config", "--list", "--show-origin", "-z") or "").split("\0")
        entries = list(zip(fields[::2], fields[1::2], strict=False))
        origins = {os.path.join(self._root, origin.removeprefix("file:")) for origin, _ in entries}
        usual = {os.path.join(self._home, name) for name in (".gitconfig", ".config/git/config")}
        self._origins = {place: self._files.describe(place) for place in origins | usual}
        self._settings = "\n".join(sorted(entry for _, entry in entries if is_about_files(entry.partition("\n")[0])))
        return self._settings

    def _load(self) -> dict[str, str] | None:
        with (
            contextlib.suppress(OSError, ValueError),
            open(self._record, encoding="utf-8", errors="surrogateescape") as file,
        ):
            known = json.load(file)
            is_ours = isinstance(known, dict) and self._confirm(known)
            return known if is_ours else {}
        return None


class Files:
    """Files by what is in them, large ones by their status; each is read again only where its status has changed."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[object, str]] = {}

    def describe(self, place: str) -> str:
        """What would change with the file; "" where there is none."""
        status = _status(place)
        if place not in self._known or self._known[place][0] != status:
            self._known[place] = (status, _read(place, status) if status is not None else "")
        return self._known[place][1]


def _status(place: str) -> tuple[int, ...] | None:
    try:
        status = os.stat(place)
    except OSError:
        return None
    return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_mode)


def _read(place: str, status: tuple[int, ...]) -> str:
    if status[1] > _SMALL or not os.path.isfile(place):
        return repr(status[:3])
    try:
        with open(place, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return repr(status[:3])


def _list(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
