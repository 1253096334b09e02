"""Commits of exactly the files that are named: nobody stages, and what a person has staged or changed stays theirs.

A commit is built beside the user's index, in the user's name and signed where they sign. It moves the branch only if
that is where it was; of the index only the entries of the committed files are brought up to date.
"""

import os
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence

from planrail.base.errors import PlanrailError, ToolFailed
from planrail.git.checkouts import UNDER_WAY
from planrail.git.git_writing import ask_git, clean_environment, encode_name, hold, join_paths, list_tree, run_git

_SECONDS = 120
_TRIES, _PAUSE = 20, 0.1  # while a person commits, or has git's lock of the index


def find_busy(root: str) -> str:
    """What git is in the middle of, so that nobody else should commit; "" for nothing."""
    folder = (ask_git(root, "rev-parse", "--absolute-git-dir") or "").rstrip("\n")
    busy = next((what for name, what in UNDER_WAY.items() if os.path.exists(os.path.join(folder, name))), "")
    return busy or ("a conflict" if run_git(root, "ls-files", "--unmerged", "-z") else "")


def commit_paths(
    root: str,
    lock: str,
    paths: Sequence[str],
    message: str,
    moved: Mapping[str, str] | None = None,
    reason: str = "planrail task",
) -> str:
    """Commit these files (from the root on) as they are now; one that is gone is removed. The commit, "" for nothing.

    `moved` are files that have another place, by their old one: they are committed as they were committed before, and
    one that never was is left out. So are files that git ignores, or that lie in another repository or behind a link.
    `reason` is for the reflog.
    Where git is in the middle of something a `PlanrailError` says so.
    """
    busy = find_busy(root)
    if busy:
        raise PlanrailError(f"git is in the middle of {busy}; nothing was committed", remedy="finish or abort it")
    with hold(lock):
        for _ in range(_TRIES):
            inside = [path for path in dict.fromkeys(paths) if _is_reached(root, path)]
            ignored = find_ignored(root, inside)
            taken = [path for path in inside if path not in ignored]
            made = _try_commit(root, taken, dict(moved or {}), message, reason)
            if made is not None:
                return made
            time.sleep(_PAUSE)
    raise ToolFailed("the branch moved again and again, or its index is locked", remedy="git status")


def new_files(root: str, paths: Sequence[str]) -> list[str]:
    """Those of the files that git has never heard of: in what it knows, a person may have work under way."""
    known = set((ask_git(root, "ls-files", "-z", "--", *paths) or "").split("\0")) if paths else set()
    return [path for path in paths if path not in known]


def _try_commit(root: str, paths: Sequence[str], moved: Mapping[str, str], message: str, reason: str) -> str | None:
    """The commit, "" where there is nothing to commit; None where another process was faster."""
    head = (ask_git(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}") or "").strip()
    with tempfile.TemporaryDirectory(prefix="planrail-") as folder:
        index = os.path.join(folder, "index")
        run_git(root, *(("read-tree", head) if head else ("read-tree", "--empty")), index=index)
        before = run_git(root, "write-tree", index=index)
        null = "0" * len(before.strip())
        changes = _describe_moves(root, head, moved) | {path: _describe(root, path) for path in paths}
        lines = [index_line(path, about, null) for path, about in sorted(changes.items())]
        run_git(root, "update-index", "-z", "--index-info", index=index, data=b"".join(lines))
        tree = run_git(root, "write-tree", index=index)
    if tree == before:
        return ""
    commit = make_commit(root, tree.strip(), head, message)
    try:
        move_head(root, commit, head, list(changes), reason)
    except ToolFailed:
        return None
    return commit


def find_ignored(root: str, paths: Sequence[str]) -> set[str]:
    """Those of the files that git ignores, and so leaves out of a commit."""
    said = ask_git(root, "check-ignore", "-z", "--stdin", data=join_paths(paths)) if paths else None
    return set((said or "").split("\0")) - {""}  # it fails where it ignores none


def _is_reached(root: str, path: str) -> bool:
    """Whether no folder on the way is a link, or another repository: a commit of ours must not reach in there."""
    folder = os.path.dirname(path)
    while folder:
        place = os.path.join(root, folder)
        if os.path.islink(place) or os.path.lexists(os.path.join(place, ".git")):
            return False
        folder = os.path.dirname(folder)
    return True


def _describe_moves(root: str, head: str, moved: Mapping[str, str]) -> dict[str, str | None]:
    """The old places gone, and the new ones as the old ones were committed; what never was committed stays so."""
    if not moved or not head:
        return {}
    known = {path: f"{mode} {oid}" for path, (mode, oid) in list_tree(root, head).items()}
    changes: dict[str, str | None] = {}
    for old, new in moved.items():
        if old in known:
            changes |= {old: None, new: known[old]}
    return changes


def describe_files(root: str, paths: Iterable[str]) -> list[bytes]:
    """Files as they are now, as lines for `update-index --index-info`; their contents are among git's objects then."""
    return [index_line(path, _describe(root, path)) for path in sorted(set(paths))]  # none of them is gone


def _describe(root: str, path: str) -> str | None:
    place = os.path.join(root, path)
    if not os.path.isfile(place) or os.path.islink(place):
        return None
    blob = run_git(root, "hash-object", "-w", f"--path={path}", "--", place).strip()
    return f"{'100755' if os.access(place, os.X_OK) else '100644'} {blob}"


def index_line(name: str, about: str | None, null: str = "0" * 40) -> bytes:
    """A line for `update-index --index-info`; without anything known of it the file is taken out.

    `null` is the name of no object, which is longer in some repositories.
    """
    return (about or f"0 {null}").encode() + b"\t" + encode_name(name) + b"\0"


def make_commit(root: str, tree: str, head: str, message: str) -> str:
    """A commit by the user, in their name and signed where they sign: planrail only types it."""
    parents = ("-p", head) if head else ()
    is_signed = (ask_git(root, "config", "--type=bool", "--get", "commit.gpgSign") or "").strip() == "true"
    command = ["git", "-C", root, "commit-tree", tree, *parents, *(("-S",) if is_signed else ()), "-F", "-"]
    given = dict(os.environ)
    kept = {name: given[name] for name in given if name.startswith(("GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG"))}
    words = message.replace("\0", "").encode("utf-8", "replace")
    try:
        done = subprocess.run(
            command, input=words, env=clean_environment() | kept, capture_output=True, timeout=_SECONDS
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ToolFailed(f"git commit-tree failed: {error}", remedy="git status") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        remedy = "say who you are: git config user.name NAME; git config user.email ADDRESS"
        if is_signed:
            remedy = "commits are signed here (commit.gpgSign): see to the key, or: git config commit.gpgSign false"
        raise ToolFailed(f"git could not make the commit: {said[-1] if said else done.returncode}", remedy=remedy)
    return done.stdout.decode().strip()


def move_head(root: str, commit: str, head: str, paths: Iterable[str], reason: str) -> None:
    """Let the branch follow, if it is where it was. The caller has the lock of the repository.

    The index first: a process that dies in between leaves the files staged, and not their reverse.
    """
    given = ("--pathspec-from-file=-", "--pathspec-file-nul")
    run_git(root, "reset", "--quiet", *given, commit, data=join_paths(paths))
    run_git(root, "update-ref", "-m", reason, "HEAD", commit, head)  # "": there must be none
