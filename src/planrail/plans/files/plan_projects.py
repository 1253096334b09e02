"""Which project does a plan belong to? The ledger of that one knows its phases and what people said to it."""

import os

from planrail.base.projects import find_above, find_project
from planrail.base.state_folder import state_folder


def find_root(path: str) -> str:
    """The project that a plan lies in, else the one that it was written for, else the one here.

    A home folder that is a repository is none here: agents keep the plans of all projects there.
    """
    place = os.path.realpath(path)
    own = find_above(os.path.dirname(place), ".git")
    if own is not None and own != os.path.realpath(os.path.expanduser("~")):
        return own
    return project_root(_find_remembered(place) or os.getcwd())


def _find_remembered(place: str) -> str:
    """The project that a plan is remembered to be written for; "" where nothing is. `planrail next` waits for this."""
    if not os.path.isdir(os.path.join(state_folder(), "plans")):
        return ""
    from planrail.plans.files import lifecycle

    known = lifecycle.load(state_folder(), place)
    return known.project if known is not None else ""


def project_root(folder: str) -> str:
    """The repository that a folder lies in, else the project as the hooks see it."""
    return find_above(os.path.realpath(folder), ".git") or find_project(folder)
