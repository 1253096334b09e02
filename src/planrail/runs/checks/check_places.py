"""Where the workspaces of checks lie. Tools look for settings and packages in all folders above theirs, so a workspace
lies where as little as possible is above it: not in the home folder if it can be avoided, in a folder of its own.
"""

import contextlib
import hashlib
import itertools
import os
import pwd
import stat
import sys
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping

from planrail.base.errors import PlanrailError
from planrail.base.state_folder import state_folder
from planrail.git.tree_removal import remove_tree

_NAMES = frozenset(
    (
        # packages, and the manifests that name what to run
        *("node_modules", "package.json", "pnpm-workspace.yaml", "lerna.json", "nx.json", "turbo.json", "rush.json"),
        *(".pnp.cjs", ".pnp.js", ".pnp.loader.mjs", "pyproject.toml", "setup.cfg", "setup.py", "pipfile", "uv.toml"),
        *("pdm.toml", "pixi.toml", "hatch.toml", "cargo.toml", "go.mod", "go.work", "pom.xml"),
        *("gemfile", "gems.rb", "composer.json", "mix.exs", "package.swift", "pubspec.yaml", "build.sbt", "build.xml"),
        *("stack.yaml", "dune-project", "dune-workspace", "deps.edn", "project.clj", "rebar.config", "shard.yml"),
        *("directory.build.props", "directory.build.targets", "directory.packages.props", "directory.build.rsp"),
        *("global.json", "nuget.config", "flake.nix", "devbox.json", "project.toml", "pants.toml"),
        *("workspace", "workspace.bazel", "module.bazel", "repo.bazel", ".bazelrc", ".buckconfig", ".buckroot"),
        # test runners
        *("conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini", ".coveragerc"),
        *("bunfig.toml", "deno.json", "deno.jsonc", ".rspec", "phpunit.xml", "phpunit.xml.dist"),
        # recipes that are looked for upwards
        *("justfile", ".justfile", "rakefile", "rakefile.rb", "thorfile", "vagrantfile", "fastfile", "makefile.toml"),
        # linters, formatters, type checkers
        *("ruff.toml", ".ruff.toml", "mypy.ini", ".mypy.ini", ".flake8", "pylintrc", ".pylintrc", ".isort.cfg"),
        *("pyrightconfig.json", ".editorconfig", ".clang-format", "_clang-format", ".clang-tidy", ".clangd"),
        *("compile_commands.json", "rustfmt.toml", ".rustfmt.toml", "clippy.toml", ".clippy.toml", "tslint.json"),
        *("jsconfig.json", "biome.json", "biome.jsonc", ".hadolint.yaml", ".shellcheckrc", "shellcheckrc", ".pep8"),
        *(".scalafmt.conf", ".scalafix.conf", ".ocamlformat", ".golangci.yml", ".golangci.yaml", ".golangci.toml"),
        # which version of a tool runs, with which variables
        *(".python-version", ".python-versions", ".node-version", ".nvmrc", ".ruby-version", ".java-version"),
        *(".go-version", ".php-version", ".terraform-version", ".swift-version", ".sdkmanrc", ".tool-versions"),
        *("rust-toolchain", "rust-toolchain.toml", ".envrc", ".npmrc", "pyvenv.cfg", ".git", ".hg", ".svn", ".jj"),
        *(".dir-locals.el", ".lvimrc", ".exrc", ".gdbinit", ".lldbinit"),
    )
)
# A name that begins so: the rest says the kind of file.
_BEGINNINGS = (
    *("tsconfig.", ".eslintrc", "eslint.config.", ".babelrc", "babel.config.", "jest.config.", "vitest.config."),
    *("vite.config.", "vitest.workspace.", ".mocharc", ".nycrc", "ava.config.", "karma.conf.", "playwright.config."),
    *(".prettierrc", "prettier.config.", ".stylelintrc", "stylelint.config.", ".postcssrc", "postcss.config."),
    *(".browserslistrc", "tailwind.config.", ".swcrc", ".yarnrc", "settings.gradle", "build.gradle"),
    *("gradle.properties", ".rubocop", ".standard.yml", ".swiftlint", "mise.", ".mise.", ".env", "taskfile."),
    *(".lintstagedrc", "lint-staged.config.", ".commitlintrc", "commitlint.config.", ".huskyrc", "ct.config."),
)
# Folders of which tools read a few files: much else in them changes every day.
INSIDE = {
    ".cargo": ("config", "config.toml"),
    ".config": ("dotnet-tools.json", "mise.toml", "mise/config.toml", "nextest.toml"),
    ".mvn": ("maven.config", "extensions.xml", "jvm.config", "settings.xml"),
    ".mise": ("config.toml",),
    ".yarn": ("plugins", "releases"),
}
_CUSTOM = "customize.py"  # sitecustomize.py, usercustomize.py

SCRATCH = "/var/tmp"  # on disk, and hardly used by other programs: unlike /tmp
OWN = "planrail-"  # how the folders begin that planrail makes there
_PEOPLE = range(500, 60_000)  # the numbers of users that are people, on Linux and macOS
_NOBODYS = ("nologin", "false", "sync", "shutdown", "halt")  # the shells of users that are not

_SETTLED = 2.0  # seconds after which a folder's time shows each change of its names


# Which names do tools look for in every folder above the one they run in, as far as `/`? As data. Pure. No such list
# is complete. It is for the folders that belong to others as well (a home folder, `/tmp`), where new files are
# everyday; in the folders that planrail made for workspaces alone, any name at all is seen.


def is_read_upwards(name: str) -> bool:
    """Whether a tool that runs further below looks for an entry of this name; letter case is no difference."""
    low = name.lower()
    return low in _NAMES or low.startswith(_BEGINNINGS) or low.endswith(_CUSTOM)


def choose_check_folder(moved: str, prefix: str = "", environment: Mapping[str, str] | None = None) -> str:
    """A new name for the folder of a run's check workspaces. `moved` is the folder that the settings say, or ""."""
    values = os.environ if environment is None else environment
    name = prefix + uuid.uuid4().hex[:12]  # short: tests make sockets below it, whose paths have 107 bytes at most
    if moved:
        return os.path.join(os.path.abspath(os.path.expanduser(moved)), "rooms", name)
    if values.get("PLANRAIL_STATE_DIR"):  # a user who moves all of planrail's state moves this too
        return os.path.join(state_folder(values), "rooms", name)
    return choose_between(SCRATCH, os.path.join(state_folder(values), "rooms"), name)


def choose_between(scratch: str, own: str, name: str) -> str:
    """The folder of this name in the first of two places above which nothing steers checks. Other people's files would,
    so where there are other people on this machine, a folder that they may write to is none of them."""
    if can_hold(scratch) and not list_steering(scratch, with_hidden=True) and is_alone():
        return os.path.join(scratch, f"{OWN}{name}")
    found = list_steering(own)
    if not found:
        return os.path.join(own, name)
    top = os.path.dirname(found[0])
    message = f"{found[0]} stands above the folder in which checks would run, and tools that look upwards would obey it"
    raise PlanrailError(
        f"{message}; nothing was begun",
        remedy=f'move it away, or set [run] workspaces = "FOLDER", to one that is not below {top}',
    )


def list_steering(folder: str, *, with_hidden: bool = False) -> list[str]:
    """What stands in a folder or above it that tools would obey. Hidden files in a home folder are settings of the
    person, who has them there for all projects."""
    return [
        os.path.join(place, name)
        for place in (folder, *folders_above(folder))
        for name in list_names(place)
        if is_read_upwards(name) and (with_hidden or not name.startswith("."))
    ]


def can_hold(folder: str) -> bool:
    """Whether programs can be written to a folder, and run there; and nobody can take away what others made."""
    if not is_for_all(folder) or not os.access(folder, os.W_OK | os.X_OK):
        return False
    return not os.statvfs(folder).f_flag & getattr(os, "ST_NOEXEC", 0)


def is_for_all(folder: str) -> bool:
    """Whether every user may put files into a folder, and none may take away those of others."""
    found = status_of(folder)
    return found is not None and bool(found.st_mode & stat.S_ISVTX)


def status_of(place: str, *, follow: bool = True) -> os.stat_result | None:
    """What the system says of a file; None where it says nothing."""
    try:
        return os.stat(place, follow_symlinks=follow)
    except (OSError, ValueError):
        return None


def is_alone() -> bool:
    """Whether no other person has an account here. Accounts that the machine does not list itself are of others."""
    me, known = os.geteuid(), list[tuple[int, str]]()
    if sys.platform == "darwin":
        known = [(account.pw_uid, account.pw_shell) for account in pwd.getpwall()]
    else:
        with contextlib.suppress(OSError), open("/etc/passwd", encoding="utf-8", errors="replace") as file:
            fields = [line.rstrip("\n").split(":") for line in file]
            known = [(int(parts[2]), parts[6]) for parts in fields if len(parts) == 7 and parts[2].isdigit()]
    people = {number for number, shell in known if number in _PEOPLE and not shell.endswith(_NOBODYS)}
    return people <= {me} and any(number == me for number, _ in known)


def make_check_folder(folder: str) -> None:
    """The folder, new and empty: what was there before is gone."""
    remove_tree(folder)
    os.makedirs(os.path.dirname(folder), mode=0o700, exist_ok=True)
    os.mkdir(folder, 0o700)


def folders_above(folder: str) -> Iterable[str]:
    while (parent := os.path.dirname(folder)) != folder:
        yield parent
        folder = parent


def list_names(folder: str) -> list[str]:
    """The names in a folder; none where it cannot be looked into."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


class FolderNames:
    """The names in folders, as `select` makes them. A folder is read again only where it has changed, or did so a
    moment ago; as long as the answer is the very same list, nothing in it was added, removed or replaced."""

    def __init__(self, select: Callable[[list[str]], list[str]]) -> None:
        self._select = select
        self._known: dict[str, tuple[tuple[int, ...] | None, list[str], bool]] = {}

    def list(self, folder: str) -> list[str]:
        """The names; none where there is no such folder."""
        status = _times(folder)
        known = self._known.get(folder)
        if known is None or known[0] != status or not known[2]:
            names = self._select(list_names(folder)) if status is not None else []
            is_settled = status is None or time.time() - status[1] / 1e9 >= _SETTLED
            known = self._known[folder] = (status, names, is_settled)
        return known[1]

    def has_changed(self) -> bool:
        """Whether any folder that was listed may have other names now."""
        return any(not is_settled or _times(folder) != was for folder, (was, _, is_settled) in self._known.items())


def _times(folder: str) -> tuple[int, ...] | None:
    found = status_of(folder)
    return (found.st_ino, found.st_mtime_ns, found.st_ctime_ns) if found is not None else None


# A seal on the workspace of checks: by it planrail sees that a process touched what no commit can put back. Tracked
# files are brought back from the objects before each check. What was installed there is not, and git believes the
# index about what need not be looked at; so of both is remembered, in this process alone, how planrail left them.


def make_seal(folder: str, kept: Iterable[str], index: str = "") -> str:
    """How the kept paths of a folder and its index look now. A change to one of them changes this."""
    places = [*([index] if index else []), *(os.path.join(folder, name) for name in kept)]
    return hashlib.sha256(b"".join(line for place in places for line in _describe(place))).hexdigest()


def describe_tree(place: str, most: int) -> str:
    """How a file or a folder looks, with so many entries of it at most."""
    return hashlib.sha256(b"".join(itertools.islice(_describe(place), most))).hexdigest()


def _describe(top: str) -> Iterator[bytes]:
    """A file by its status, which nobody can set back: the time of its last change is the system's."""
    waiting = [top]
    while waiting:
        place = waiting.pop()
        try:
            status = os.lstat(place)
            facts = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
            is_folder = stat.S_ISDIR(status.st_mode)
            yield os.fsencode(f"{place} {facts[0] if is_folder else facts}\n")
            waiting += [f"{place}/{name}" for name in sorted(os.listdir(place), reverse=True)] if is_folder else []
        except OSError as error:
            yield os.fsencode(f"{place} {error.errno}\n")
