"""Bare repositories among a project's own files: whoever runs git in one runs the programs that its settings name.

A tree can carry one (git does not commit a `.git`, but nothing keeps a folder with HEAD, objects and refs out), and a
reader such as `git status` follows `core.fsmonitor` of whatever repository it finds itself in.
"""

import os

from planrail.repo.git import list_files, read_protected_setting


def find_embedded(root: str) -> str:
    """The first bare repository below a root; "" where there is none, or git was told to leave such alone."""
    files = list_files(root, with_ignored=True)  # packages are ignored, and somebody else's work all the same
    folders = {os.path.dirname(path) for path in files if os.path.basename(path) == "HEAD"}
    found = sorted(folder for folder in folders if _is_bare(os.path.join(root, folder)))
    if not found or read_protected_setting(root, "safe.bareRepository") == "explicit":
        return ""
    return found[0] or "."


def _is_bare(folder: str) -> bool:
    """As git decides it: with a file `commondir`, it looks for the rest, and for the settings, where that says."""
    if os.path.isfile(os.path.join(folder, "commondir")):
        return True
    return all(os.path.isdir(os.path.join(folder, name)) for name in ("objects", "refs"))
