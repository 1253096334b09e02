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
    from planrail.plans.files import lifecycle  # only where it is needed: `planrail next` waits for this

    known = lifecycle.load(state_folder(), place)
    return project_root(known.project if known is not None and known.project else os.getcwd())


def project_root(folder: str) -> str:
    """The repository that a folder lies in, else the project as the hooks see it."""
    return find_above(os.path.realpath(folder), ".git") or find_project(folder)
