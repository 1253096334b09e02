"""The environment that a project has in its user's checkout: used by workspaces as it is, and never changed.

It may have the project itself installed from the checkout. In a workspace the sources of the workspace come first, else
checks would say how the user's files are, and not the work.
"""

import contextlib
import glob
import os
import re
from collections.abc import Mapping

from planrail.base.settings import RunSettings
from planrail.runs.checks.environment import check_environment

_MARK = "pyvenv.cfg"
_LARGEST = 1_000_000  # bytes of a file that says what is loaded


def is_environment(folder: str) -> bool:
    return os.path.isfile(os.path.join(folder, _MARK)) and os.path.isdir(os.path.join(folder, "bin"))


def list_programs(root: str, run: RunSettings) -> tuple[str, ...]:
    """The folder of programs of the environment that the settings name; none where the checkout has no such one."""
    folder = os.path.normpath(os.path.join(root, run.environment)) if run.environment else ""
    is_inside = os.path.realpath(folder).startswith(os.path.realpath(root) + os.sep)
    return (os.path.join(folder, "bin"),) if folder and is_inside and is_environment(folder) else ()


def make_surroundings(root: str, run: RunSettings, given: Mapping[str, str]) -> dict[str, str]:
    """What checks see of an environment, with the programs of the project's own one first."""
    seen = check_environment(given)
    return {**seen, "PATH": os.pathsep.join((*list_programs(root, run), seen["PATH"]))}


def list_sources(root: str, workspace: str, path: str) -> list[str]:
    """The folders of a workspace that stand for those of the checkout which Python's environment on the PATH loads."""
    programs = next((place for place in path.split(os.pathsep) if os.access(f"{place}/python3", os.X_OK)), "")
    prefix = os.path.dirname(programs)
    if not programs or not is_environment(prefix) or os.path.realpath(prefix).startswith(os.path.realpath(workspace)):
        return []
    named = [os.path.join(root, "src")] if glob.glob(f"{glob.escape(workspace)}/src/*/__init__.py") else []
    for file in glob.glob(f"{glob.escape(prefix)}/lib/python3*/site-packages/*"):
        if file.endswith((".pth", ".egg-link")) or os.path.basename(file).startswith("__editable__"):
            named += _find_paths(file, root)
    inside = [os.path.relpath(place, root) for place in named if place.startswith(root)]
    return list(dict.fromkeys(os.path.normpath(os.path.join(workspace, name)) for name in inside))


def _find_paths(file: str, root: str) -> list[str]:
    """The folders below the root that a file names; of a package, the folder that it lies in."""
    text = ""
    with contextlib.suppress(OSError), open(file, encoding="utf-8", errors="replace") as opened:
        text = opened.read(_LARGEST)
    found = [place.rstrip("/") for place in re.findall(rf"{re.escape(root)}(?:/[^'\"\n]*)?(?=['\"\n]|$)", text)]
    folders = [place for place in found if os.path.isdir(place)]
    return [os.path.dirname(place) if os.path.exists(f"{place}/__init__.py") else place for place in folders]
