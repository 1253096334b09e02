"""Bare repositories among a project's own files: whoever runs git in one runs the programs that its settings name.

A tree can carry one (git does not commit a `.git`, but nothing keeps a folder with HEAD, objects and refs out), and a
reader such as `git status` follows `core.fsmonitor` of whatever repository it finds itself in.
"""

import os

from planrail.repo.git import list_files, read_setting


def find_embedded(root: str) -> str:
    """The first bare repository below a root; "" where there is none, or git was told to leave such alone."""
    folders = {os.path.dirname(path) for path in list_files(root) if os.path.basename(path) == "HEAD"}
    found = sorted(folder for folder in folders if _is_bare(os.path.join(root, folder)))
    if not found or read_setting(root, "safe.bareRepository") == "explicit":
        return ""
    return found[0] or "."


def _is_bare(folder: str) -> bool:
    return all(os.path.isdir(os.path.join(folder, name)) for name in ("objects", "refs"))
