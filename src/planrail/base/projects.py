"""Which project is this? Cheap to import: every command about tasks and every event asks it."""

import os


def find_project(folder: str) -> str:
    """The root of a project: the nearest folder upwards that is a repository or has settings, else the folder."""
    place = os.path.realpath(folder)
    while True:
        if os.path.exists(f"{place}/.git") or os.path.exists(f"{place}/planrail.toml"):
            return place
        parent = os.path.dirname(place)
        if parent == place:
            return os.path.realpath(folder)
        place = parent
