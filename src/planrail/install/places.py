"""Where `init`, `uninstall` and `doctor` act: the project around a folder, or the user's own settings."""

import os
from collections.abc import Mapping

from planrail.base.errors import PlanrailError, UsageError
from planrail.base.settings import FILE_NAME
from planrail.git.git import top_level
from planrail.install.targets import AGENTS, Place, find_agents


def find_place(folder: str, environment: Mapping[str, str], *, is_user: bool) -> Place:
    """The project that a folder lies in, or the user's place; an error outside of every project."""
    if is_user:
        return Place(environment.get("HOME") or os.path.expanduser("~"), is_user=True)
    root = find_root(folder)
    if root is None:
        raise PlanrailError(
            f"{folder} is in no project: there is no git repository and no {FILE_NAME} here or above",
            remedy="git init, or for every project of yours: planrail init --user",
        )
    return Place(root)


def find_root(folder: str) -> str | None:
    """The root of the git working tree, else the nearest folder above with a `planrail.toml`."""
    root = top_level(folder)
    if root is not None:
        return root
    here = os.path.abspath(folder)
    while True:
        if os.path.isfile(os.path.join(here, FILE_NAME)):
            return here
        above = os.path.dirname(here)
        if above == here:
            return None
        here = above


def choose_agents(wanted: str | None, place: Place, environment: Mapping[str, str]) -> list[str]:
    """The agents that were named, else those that are there."""
    if wanted is None:
        return find_agents(place, environment)
    names = [name.strip().lower() for name in wanted.split(",") if name.strip()]
    unknown = [name for name in names if name not in AGENTS]
    if unknown or not names:
        what = f"{unknown[0]!r} is no agent that planrail knows" if unknown else "no agent was named"
        raise UsageError(what, remedy=f"planrail init --agent {','.join(AGENTS)}")
    return [agent for agent in AGENTS if agent in names]
