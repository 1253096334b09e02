"""Documents that could not be committed, since git was busy: the next commit about a task takes them along.

What is owed is known by its content: once somebody has changed such a document it is theirs to commit. One small file
for each of them, so that no two processes write the same.
"""

import contextlib
import hashlib
import os
from collections.abc import Sequence

from planrail.base.whole_files import write_whole
from planrail.base.wording import quote
from planrail.git.git_writing import ask_git
from planrail.store.places import common_directory, ledger_folder, make_private
from planrail.tasks.desk.desk import Desk, commit_task
from planrail.tasks.desk.looks import from_here


def commit_documents(desk: Desk, message: str, paths: Sequence[str] = ()) -> tuple[str, str]:
    """Commit documents and the views as `commit_task` does, and with them what is owed.

    The commit, "" for none; and what a person is to know where these could not be committed, "" for nothing.
    """
    if not desk.commit or common_directory(desk.root) is None:
        return "", ""
    owed = list_owed(desk.root)
    commit = commit_task(desk, message, [*paths, *owed])
    left = _find_uncommitted(desk.root, [*paths, *owed])
    for path in {*owed, *paths} - left:
        _remove(_marker(desk.root, path))
    for path in left:
        make_private(_folder(desk.root))
        write_whole(_marker(desk.root, path), f"{_digest(desk.root, path)}\n{path}\n")
    mine = [path for path in paths if path in left]
    return commit, _tell(desk, message, mine) if mine else ""


def settle_owed(desk: Desk) -> list[str]:
    owed = list_owed(desk.root)
    if not owed:
        return []
    commit_documents(desk, "tasks: commit documents that had to wait")
    left = set(list_owed(desk.root))
    return [path for path in owed if path not in left]


def list_owed(root: str) -> list[str]:
    folder = _folder(root)
    found = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if "." in name:  # somebody is writing it
            continue
        path, digest = _read(os.path.join(folder, name))
        if path and digest == _digest(root, path):
            found.append(path)
        else:
            _remove(os.path.join(folder, name))
    return found


def _tell(desk: Desk, message: str, paths: Sequence[str]) -> str:
    typed = [from_here(desk, path) for path in paths]
    named = " ".join(typed)
    subject = quote(message.partition("\n")[0])
    return (
        f"not committed yet: {', '.join(typed)}; the next commit about a task takes it along, "
        f"or by hand: git add -- {named} && git commit -m {subject} -- {named}"
    )


def _find_uncommitted(root: str, paths: Sequence[str]) -> set[str]:
    """Those that differ from what is committed. What git ignores, or is not there, is nothing to commit."""
    if not paths:
        return set()
    asked = ("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--", *paths)
    prefix = (ask_git(root, "rev-parse", "--show-prefix") or "").strip()
    said = ask_git(root, "--literal-pathspecs", *asked) or ""
    changed = {entry[3:].removeprefix(prefix) for entry in said.split("\0") if entry}
    return {path for path in paths if path in changed and os.path.isfile(os.path.join(root, path))}


def _remove(marker: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(marker)


def _read(marker: str) -> tuple[str, str]:
    try:
        with open(marker, encoding="utf-8", errors="surrogatepass") as file:
            digest, _, path = file.read().partition("\n")
    except OSError:
        return "", ""
    return path.removesuffix("\n"), digest


def _digest(root: str, path: str) -> str:
    try:
        with open(os.path.join(root, path), "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return ""


def _marker(root: str, path: str) -> str:
    name = hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return os.path.join(_folder(root), name)


def _folder(root: str) -> str:
    return os.path.join(ledger_folder(root), "owed-commits")
