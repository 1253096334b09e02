"""Submodules of a project whose repository lies among its files: git enters them from the project's own.

`git status` asks each submodule for its own status, and follows what that one's settings name. Those that git made have
their repository inside the project's own, where no tree can put a file. Another one is a folder from elsewhere.
"""

import functools
import os

from planrail.base.projects import find_project
from planrail.git.git import list_submodules
from planrail.guard.judging import GuardPolicy
from planrail.guard.repositories import Repositories, describe_danger, is_own, own_repository, repository_at


def planning_policy(folder: str) -> GuardPolicy:
    """What an agent may do that plans in a folder and has no plan file yet."""
    return GuardPolicy((), folder, os.path.expanduser("~"), look_at(find_project(folder)))


def look_at(root: str) -> Repositories:
    """What git would find, for an agent that only reads in the project at `root`."""
    return Repositories(root, functools.cache(lambda: find_foreign_module(root)))


def find_foreign_module(root: str) -> str:
    """The first submodule, at any depth, whose own settings could make git run a program; "" where there is none."""
    own = own_repository(root)
    waiting = [root]
    while waiting:
        folder = waiting.pop(0)
        for name in list_submodules(folder):
            place = os.path.join(folder, name)
            found = repository_at(place)
            if found and not is_own(found, own) and describe_danger(found):
                return os.path.relpath(place, root)
            if found and is_own(found, own):
                waiting.append(place)
    return ""
