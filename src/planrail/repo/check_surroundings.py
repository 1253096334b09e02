"""What checks depend on and no commit holds: the programs on the PATH, files in the home folder that steer tools, and
what git's settings say about files. A check means the same before and after an agent's work only if these stayed.
"""

import contextlib
import glob
import hashlib
import json
import os

from planrail.repo.git_writing import ask_git
from planrail.repo.workspace_git import locate_home
from planrail.runs.surroundings import PROGRAMS, is_about_files, judge_surroundings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from planrail.runs.model import Finding

# In the home folder: what a tool reads by itself, before it does what it is told.
_STEERING = (
    *(".npmrc", ".yarnrc", ".yarnrc.yml", ".bunfig.toml", ".cargo/config.toml", ".cargo/config", ".curlrc", ".pdbrc"),
    *(".local/lib/python3*/site-packages/*.pth", ".local/lib/python3*/site-packages/*customize.py"),
    *(".config/git/attributes", ".config/git/ignore"),
)
_OF_A_REPOSITORY = ("info/attributes", "info/exclude", "info/grafts")
_SETTINGS = "git's settings about files"
_PATH = "PATH"  # that of whoever began the run: who resumes it may have another one, and the checks mean the same
_SMALL = 100_000  # bytes of a file whose content counts: tools write their own small programs anew, as they were


class Surroundings:
    """How things stood when a run began, and whether they still do. `record` is a file that a resumed run finds."""

    def __init__(self, root: str, environment: "Mapping[str, str]", words: "Iterable[str]", record: str) -> None:
        self._root, self._words, self._record = root, tuple(words), record
        self._home = environment.get("HOME", "")
        self._origins: dict[str, str] = {}  # the files of git's settings, as they were when git was last asked
        self._settings = ""
        self._before = self._load()
        given = environment.get("PATH", os.defpath)
        self.path = given if self._before is None else self._before.get(_PATH, given)
        self._folders = [place for place in self.path.split(os.pathsep) if os.path.isabs(place)]

    def judge(self) -> "list[Finding]":
        """What changed since the run began; the first look is the one that others are compared with."""
        now = self._look()
        if self._before is None:
            self._before = now
            with open(self._record, "w", encoding="utf-8", errors="surrogateescape") as file:
                json.dump(now, file)
        return judge_surroundings(self._before, now)

    def _look(self) -> dict[str, str]:
        seen = {_PATH: self.path}
        seen |= {f"the program {name}": self._locate(name) for name in {*PROGRAMS, *self._words}}
        patterns = [os.path.join(glob.escape(self._home), name) for name in _STEERING] if self._home else []
        places = [place for pattern in patterns for place in glob.glob(pattern)]
        places += [os.path.join(locate_home(self._root).common, name) for name in _OF_A_REPOSITORY]
        seen |= {place: _describe(place) for place in places}
        return {name: what for name, what in seen.items() if what} | {_SETTINGS: self._read_settings()}

    def _locate(self, name: str) -> str:
        """The file that a program's name stands for."""
        for folder in self._folders:
            place = os.path.join(folder, name)
            if os.path.isfile(place) and os.access(place, os.X_OK):
                return f"{place} {_describe(place)}"
        return ""

    def _read_settings(self) -> str:
        """The settings that say what a file's content is. git is asked again only where one of their files changed."""
        if self._origins and all(_describe(place) == what for place, what in self._origins.items()):
            return self._settings
        fields = (ask_git(self._root, "config", "--list", "--show-origin", "-z") or "").split("\0")
        entries = list(zip(fields[::2], fields[1::2], strict=False))
        origins = {os.path.join(self._root, origin.removeprefix("file:")) for origin, _ in entries}
        usual = {os.path.join(self._home, name) for name in (".gitconfig", ".config/git/config")}
        self._origins = {place: _describe(place) for place in origins | usual}
        self._settings = "\n".join(sorted(entry for _, entry in entries if is_about_files(entry.partition("\n")[0])))
        return self._settings

    def _load(self) -> dict[str, str] | None:
        with contextlib.suppress(OSError, ValueError), open(self._record, encoding="utf-8") as file:
            known = json.load(file)
            return known if isinstance(known, dict) else None
        return None


def _describe(place: str) -> str:
    """A file by what is in it; a large one by its status. "" where there is none."""
    try:
        status = os.stat(place)
        if status.st_size > _SMALL:
            return f"{status.st_ino} {status.st_size} {status.st_mtime_ns}"
        with open(place, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return ""
