"""What checks depend on and no commit holds: programs and the packages that they load, files in the home folder that
steer tools, those above workspaces that tools find when they look upwards, and what git's settings say about files. A
check means the same before and after an agent's work only if these stayed.
"""

import contextlib
import json
import os
import stat
import threading
from collections.abc import Callable, Mapping

from planrail.base.run_model import Finding
from planrail.git.checkouts import locate_home
from planrail.git.git_writing import ask_git
from planrail.runs.checks.check_places import (
    INSIDE,
    OWN,
    FolderNames,
    describe_tree,
    folders_above,
    is_for_all,
    is_read_upwards,
    list_names,
    status_of,
)
from planrail.runs.checks.environment import is_about_files, judge_surroundings, named_folders, places_of
from planrail.runs.checks.programs import Files, Programs

_ROOMS = ("room", "t-")  # how the names of workspaces begin, and of the temporary folders of checks
_MOST = 20_000  # entries of one folder that are looked at
_VERSIONED = (".git", ".hg", ".svn", ".jj")  # they change all day, and `git` is told where to stop

# In the home folder: what a tool reads by itself, before it does what it is told.
_STEERING = (
    *(".npmrc", ".yarnrc", ".yarnrc.yml", ".bunfig.toml", ".cargo/config.toml", ".cargo/config", ".curlrc", ".pdbrc"),
    *(".config/git/attributes", ".config/git/ignore", ".node_modules", ".node_libraries", ".config/pip/pip.conf"),
    *(".pip/pip.conf", ".pydistutils.cfg", ".config/uv/uv.toml", ".config/ruff/ruff.toml"),
    *(".config/ruff/pyproject.toml", ".mypy.ini", ".config/mypy/config", ".flake8", ".config/flake8", ".pylintrc"),
    *(".config/pylintrc", ".isort.cfg", ".rspec", ".config/rspec/options", ".gemrc", ".bundle/config", ".rubocop.yml"),
    *(".config/rubocop/config.yml", ".m2/settings.xml", ".m2/extensions.xml", ".gradle/gradle.properties"),
    *(".gradle/init.gradle", ".gradle/init.d", ".config/go/env", ".proverc", ".nuget/NuGet/NuGet.Config"),
    *(".config/rustfmt/rustfmt.toml", ".rustfmt.toml", ".lein/profiles.clj", ".clojure/deps.edn", ".ghci"),
    *(".stack/config.yaml", ".cabal/config", ".shellcheckrc", ".tool-versions", ".asdfrc", ".config/mise/config.toml"),
    *(".config/mise/conf.d", ".jq", ".mavenrc", ".bazelrc", ".rustup/settings.toml", ".config/black"),
    ".julia/config/startup.jl",
)
_OF_A_REPOSITORY = ("info/attributes", "info/exclude", "info/grafts")
_OF_GIT = (".gitconfig", ".config/git/config")
_SETTINGS = "git's settings about files"
_PATH = "PATH"  # that of the process that began the run: one that resumes it may have another; the checks mean the same


# What stands above a workspace, as far as tools that look upwards may obey it. The folders that planrail made for
# workspaces hold nothing else: any other name is seen there. The one that they lie in may be open to all users; what
# this user has put there is seen by any name, too. Further above, where people and programs make files all day, the
# names count that tools look for.


class Above:
    """Looks at the folder of a run's check workspaces and at all folders above it."""

    def __init__(self, check_folder: str, can_see: Callable[[str], bool] = lambda path: True) -> None:
        self._check_folder, self._can_see = os.path.realpath(check_folder), can_see
        self._further = list(filter(can_see, folders_above(self._check_folder)))
        self._names = FolderNames(_select)

    def list_places(self) -> list[str]:
        """The paths of all that is there."""
        names = list_names(self._check_folder) if self._can_see(self._check_folder) else ()
        inside = {name: os.path.join(self._check_folder, name) for name in names}
        own = {name for name, place in inside.items() if os.path.isdir(place) and not os.path.islink(place)}
        found = [place for name, place in inside.items() if name not in own or not name.startswith(_ROOMS)]
        beside = os.path.dirname(self._check_folder)
        if self._can_see(beside) and is_for_all(beside):  # what this user has put there counts by any name
            places = [os.path.join(beside, name) for name in list_names(beside) if not name.startswith(OWN)]
            found += [place for place in places if (known := _status(place)) and known.st_uid == os.geteuid()]
        for folder in self._further:
            found += [os.path.join(folder, name) for name in self._names.list(folder)]
        return list(dict.fromkeys(found))


def watch_above(check_folder: str) -> Callable[[], list[Finding]]:
    above = Above(check_folder)

    def look() -> dict[str, str]:
        return {place: describe_entry(place, lambda file: describe_tree(file, most=1)) for place in above.list_places()}

    before = look()
    return lambda: judge_surroundings(before, look())


def list_newer(folder: str, since: float) -> list[str]:
    """What stands above a folder, may be obeyed by tools that run in it, and was changed or put there since a time."""
    places = [os.path.join(place, name) for place in folders_above(folder) for name in _select(list_names(place))]
    # When the system saw the last change: nobody can set that back.
    return [place for place in places if (found := _status(place)) and found.st_ctime > since]


def _status(place: str) -> os.stat_result | None:
    return status_of(place, follow=False)


def _select(names: list[str]) -> list[str]:
    """Of the names in a folder, those that tools look for; where they read a part of a folder, that part."""
    found = [name for name in names if is_read_upwards(name)]
    return found + [f"{name}/{part}" for name in names for part in INSIDE.get(name.lower(), ())]


def describe_entry(place: str, describe: Callable[[str], str]) -> str:
    """What would change with an entry: a file's content, a folder's whole tree."""
    found = _status(place)
    if found is None:
        return ""
    if os.path.basename(place) in _VERSIONED:
        return "a repository"
    if stat.S_ISLNK(found.st_mode):
        return f"a link to {os.readlink(place)} {describe(place)}"
    return describe_tree(place, most=_MOST) if stat.S_ISDIR(found.st_mode) else describe(place) or "there"


class Surroundings:
    """How things stood when a run began, and whether they still do. `record` is a file that a resumed run finds.

    `confirm` hears what is in it, and says whether that is the first that it heard: a file can be rewritten. `can_see`:
    whether checks can read a path; what is hidden from them is not looked at.
    """

    def __init__(
        self,
        root: str,
        environment: Mapping[str, str],
        record: str,
        confirm: Callable[[object], bool],
        check_folder: str,
        can_see: Callable[[str], bool] = lambda path: True,
    ) -> None:
        self._confirm = confirm
        self._root, self._record = root, record
        self._origins: dict[str, str] = {}  # the files of git's settings, as they were when git was last asked
        self._settings = ""
        self._files = Files()
        self._above = Above(check_folder, can_see)
        self._is_thorough = True  # whether the next look is one at everything
        self._lock = threading.Lock()  # phases may run side by side
        self._before: dict[str, str] | None = None
        with (
            contextlib.suppress(OSError, ValueError),
            open(record, encoding="utf-8", errors="surrogateescape") as file,
        ):
            known = json.load(file)
            self._before = known if isinstance(known, dict) and confirm(known) else {}
            self._before = {place: what for place, what in self._before.items() if can_see(place)}
        given = environment.get("PATH", os.defpath)
        self.path = given if self._before is None else self._before.get(_PATH, given)
        places = [place for place in self.path.split(os.pathsep) if os.path.isabs(place)]
        self._programs = Programs(places, environment.get("HOME", ""), named_folders(environment))
        self._usual = [place for name in _OF_GIT for place in places_of(name, environment)]
        self._steering = [place for name in _STEERING for place in places_of(name, environment) if can_see(place)]

    def distrust(self) -> None:
        """An agent has been at work: the next look is thorough."""
        self._is_thorough = True

    def judge(self) -> list[Finding]:
        """What changed since the run began; the first look is the one that others are compared with."""
        with self._lock:
            places = [os.path.join(locate_home(self._root).common, name) for name in _OF_A_REPOSITORY]
            places += [*self._steering, *self._above.list_places()]
            seen = {place: what for place in places if (what := describe_entry(place, self._files.describe))}
            is_thorough, self._is_thorough = self._is_thorough, False
            programs = self._programs.look(is_thorough=is_thorough)
            now = programs | seen | {_PATH: self.path, _SETTINGS: self._read_settings()}
            if self._before is None:
                self._before = now
                with open(self._record, "w", encoding="utf-8", errors="surrogateescape") as file:
                    json.dump(now, file)
                self._confirm(now)
            return judge_surroundings(self._before, now)

    def _read_settings(self) -> str:
        """The settings that say what a file's content is. git is asked again only where one of their files changed."""
        if self._origins and all(self._files.describe(place) == what for place, what in self._origins.items()):
            return self._settings
        fields = (ask_git(self._root, "config", "--list", "--show-origin", "-z") or "").split("\0")
        entries = list(zip(fields[::2], fields[1::2], strict=False))
        origins = {os.path.join(self._root, origin.removeprefix("file:")) for origin, _ in entries}
        self._origins = {place: self._files.describe(place) for place in origins.union(self._usual)}
        self._settings = "\n".join(sorted(entry for _, entry in entries if is_about_files(entry.partition("\n")[0])))
        return self._settings
