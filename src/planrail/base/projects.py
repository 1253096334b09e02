"""Which project is this? Cheap to import: every command about tasks and every event asks it."""

import os


def find_project(folder: str) -> str:
    """The root of a project: the nearest folder upwards that is a repository or has settings, else the folder."""
    place = os.path.realpath(folder)
    return find_above(place, ".git", "planrail.toml") or place


def find_above(folder: str, *names: str) -> str | None:
    """The nearest folder upwards that has a file or folder of such a name; None where none has."""
    while not any(os.path.exists(os.path.join(folder, name)) for name in names):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return folder
