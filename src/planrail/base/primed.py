"""What a project's tasks come to in a few lines, kept in a file: a session that lost its context is told of them.

Hooks open no database, so the command that changes a task writes the lines. One file for each project that has open
tasks, found by git's common directory, which all worktrees share; git is not asked for it: `.git` is a folder, or a
file that names one, and that is all there is to know.
"""

import os

from planrail.base.projects import find_project
from planrail.base.whole_files import read_whole

FOLDER = "primed"
MARK = "planrail/primed"  # in git's common directory: the mark that the lines begin with
UNMARKED = "-"  # all state was moved elsewhere, and goes by the place alone
_LONGEST = 4_096  # bytes of a file that names a folder
_LONGEST_NAME = 200  # bytes of a file name; 255 fit, and a temporary one is longer
_MOST = 16_384  # bytes of the lines


def primed_path(folder: str, place: str) -> str:
    """The file of a place (see `find_place`) in the state folder; its name can be read back by `place_of`."""
    name = place.replace("%", "%25").replace("/", "%2F")
    if len(os.fsencode(name)) > _LONGEST_NAME:
        import hashlib  # for places that are deeper than most

        name = "%%" + hashlib.sha256(os.fsencode(place)).hexdigest()
    return f"{folder}/{FOLDER}/{name}.md"


def place_of(name: str) -> str:
    """The place that a file is named after; "" where the name was too long to tell."""
    is_known = name.endswith(".md") and not name.startswith("%%")
    return name.removesuffix(".md").replace("%2F", "/").replace("%25", "%") if is_known else ""


def find_place(cwd: str) -> str:
    """What a folder belongs to: the root of its project, or its repository where the root is one."""
    folder = find_project(cwd)
    return common_directory(folder) or folder


def load_primed(folder: str, cwd: str) -> str:
    """The lines for a session that works in a folder; "" where its project has no open tasks.

    They begin with a mark that the project has as well: another one may have come to lie at the same place.
    """
    place = find_place(cwd)
    found = (read_whole(primed_path(folder, place), _MOST) or b"").decode("utf-8", "replace")
    mark, _, text = found.partition("\n")
    is_its_own = mark == UNMARKED or mark == _read(f"{place}/{MARK}")
    return text.strip() if is_its_own else ""


def common_directory(root: str) -> str | None:
    """The git common directory of a working tree; None where there is none."""
    place = os.path.join(os.path.realpath(root), ".git")
    if not os.path.isdir(place):
        named = _read(place)
        if not named.startswith("gitdir:"):
            return None
        place = os.path.join(os.path.dirname(place), named.removeprefix("gitdir:").strip())
    shared = _read(os.path.join(place, "commondir")).strip()
    common = os.path.realpath(os.path.join(place, shared) if shared else place)
    return common if os.path.isfile(os.path.join(common, "HEAD")) else None


def _read(path: str) -> str:
    return (read_whole(path, _LONGEST) or b"").decode("utf-8", "surrogateescape")
