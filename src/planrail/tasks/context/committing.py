"""Commits of documents, and of those that could not be committed before since git was busy: they are owed.

What is owed is known by its content: once a person has changed such a document it is theirs to commit. One small file
for each of them, so that no two processes write the same.
"""

import contextlib
import hashlib
import os
from collections.abc import Sequence

from planrail.base.whole_files import read_whole, write_whole
from planrail.base.wording import quote
from planrail.git.git_writing import ask_git
from planrail.store.places import common_directory, ledger_folder, make_private
from planrail.tasks.context.context import Context, commit_task
from planrail.tasks.context.looks import from_here


def commit_documents(context: Context, message: str, paths: Sequence[str] = ()) -> tuple[str, str]:
    """Commit documents and the views as `commit_task` does, and with them what is owed.

    The commit, "" for none; and what a person is to know where these could not be committed, "" for nothing.
    """
    root = context.root
    if not context.commit or common_directory(root) is None:
        return "", ""
    wanted = [*paths, *list_owed(root)]
    commit = commit_task(context, message, wanted)
    left = _find_uncommitted(root, wanted)
    for path in dict.fromkeys(wanted):
        name = hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:32]
        if path in left:
            make_private(_folder(root))
            write_whole(os.path.join(_folder(root), name), f"{_digest(root, path)}\n{path}\n")
        else:
            _forget(root, name)
    typed = [from_here(context, path) for path in paths if path in left]
    if not typed:
        return commit, ""
    named, subject = " ".join(typed), quote(message.partition("\n")[0])
    return commit, (
        f"not committed yet: {', '.join(typed)}; the next commit about a task takes it along, "
        f"or by hand: git add -- {named} && git commit -m {subject} -- {named}"
    )


def settle_owed(context: Context) -> list[str]:
    owed = list_owed(context.root)
    if owed:
        commit_documents(context, "tasks: commit documents that had to wait")
    left = set(list_owed(context.root))
    return [path for path in owed if path not in left]


def list_owed(root: str) -> list[str]:
    folder = _folder(root)
    found = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if "." in name:  # a process is writing it
            continue
        digest, path = "", ""
        with (
            contextlib.suppress(OSError),
            open(os.path.join(folder, name), encoding="utf-8", errors="surrogatepass") as file,
        ):
            digest, _, path = file.read().removesuffix("\n").partition("\n")
        if path and digest == _digest(root, path):
            found.append(path)
        else:
            _forget(root, name)
    return found


def _find_uncommitted(root: str, paths: Sequence[str]) -> set[str]:
    """Those that differ from what is committed. What git ignores, or is not there, is nothing to commit."""
    if not paths:
        return set()
    asked = ("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--", *paths)
    prefix = (ask_git(root, "rev-parse", "--show-prefix") or "").strip()
    said = ask_git(root, "--literal-pathspecs", *asked) or ""
    changed = {entry[3:].removeprefix(prefix) for entry in said.split("\0") if entry}
    return {path for path in paths if path in changed and os.path.isfile(os.path.join(root, path))}


def _digest(root: str, path: str) -> str:
    data = read_whole(os.path.join(root, path))
    return "" if data is None else hashlib.sha256(data).hexdigest()


def _forget(root: str, name: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(_folder(root), name))


def _folder(root: str) -> str:
    return os.path.join(ledger_folder(root), "owed-commits")
