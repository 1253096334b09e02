"""Private working trees: a clone that shares the user's objects, or a linked working tree where settings say so.

planrail checks files out by an index of its own, which lies outside of the workspace, and with the user's repository as
the git directory. So whatever an agent does to `.git`, its settings, hooks, filters or index, planrail never asks it.
A workspace is used again for the next phase: it is moved to another base at the price of the difference.
"""

import os
import stat
from collections.abc import Callable, Sequence

from planrail.base.crash_points import reach
from planrail.base.errors import ToolFailed
from planrail.base.run_model import Workspace
from planrail.base.whole_files import read_whole
from planrail.git.checkouts import Home, locate_home
from planrail.git.git_writing import hold, run_git
from planrail.git.loose_objects import read_kind
from planrail.git.tree_removal import is_real_folder, open_folders, remove_except, remove_tree
from planrail.git.workspaces.workspace_git import (
    check_place,
    find_view,
    is_linked,
    knows_no_case,
    link_folder,
    link_name,
    load_settings,
    make_view,
    view_of,
    write_clone,
    write_link,
)
from planrail.plans.files.plan_files import is_inside

_SECONDS = 1800  # a checkout of a large repository, with files from a server
_GIT, _ATTRIBUTES = ".git", ".gitattributes"


def open_workspace(root: str, place: str, base: str, index: str, keep: Sequence[str] = ()) -> Workspace:
    """A clone at `place` whose files are exactly those of the commit `base`; what was there before is gone.

    `keep` are paths inside of it that stay, such as packages that were installed from the base.
    """
    return _open(locate_home(root), Workspace(place, base, index), keep, write_clone)


def open_worktree(root: str, place: str, base: str, index: str, keep: Sequence[str] = ()) -> Workspace:
    """The same as a linked working tree of the user's repository, with a detached HEAD."""
    return _open(locate_home(root), Workspace(place, base, index), keep, write_link)


def move_to(root: str, workspace: Workspace, tree_or_commit: str, keep: Sequence[str] = ()) -> None:
    """Make the files of a workspace exactly those of a tree or commit, but for what is kept; HEAD follows."""
    home = locate_home(root)
    kind = read_kind(home.common, tree_or_commit) or run_git(home.root, "cat-file", "-t", tree_or_commit).strip()
    base = tree_or_commit if kind == "commit" else workspace.base
    write = write_link if is_linked(workspace.path) else write_clone
    check_place(workspace.path)
    _refuse_dangerous(home, workspace.path)
    with hold(_lock(workspace.index)):
        make_view(home, workspace.index, base)
        _fill(home, workspace, tree_or_commit, keep)
        write(home, workspace.path, base, workspace.index)


def close_workspace(place: str, *, root: str = "", index: str = "") -> None:
    """Remove a workspace with all that belongs to it. Nothing there is nothing to do; no link is followed."""
    path = _real_place(place)
    if index:
        remove_index(index)
    admin = _find_link(root, path)
    reach("workspace.closing")
    remove_tree(path)
    reach("workspace.removed")
    if admin:
        remove_tree(admin)


def remove_index(index: str) -> None:
    """Remove planrail's own index of a workspace, with what lies beside it."""
    for place in (index, f"{index}.lock", view_of(index), _lock(index)):
        remove_tree(place)


def _open(
    home: Home, wanted: Workspace, keep: Sequence[str], write: Callable[[Home, str, str, str], None]
) -> Workspace:
    workspace = Workspace(_real_place(wanted.path), wanted.base, os.path.abspath(wanted.index))
    with hold(_lock(workspace.index)):
        _make_folder(home, workspace)
        make_view(home, workspace.index, workspace.base)
        reach("workspace.made")
        _fill(home, workspace, workspace.base, keep)
        reach("workspace.filled")
        write(home, workspace.path, workspace.base, workspace.index)
        reach("workspace.opened")
    return workspace


def _make_folder(home: Home, workspace: Workspace) -> None:
    """A real folder; whatever else has the name is removed."""
    path, index = workspace.path, workspace.index
    _refuse_dangerous(home, path)
    os.makedirs(os.path.dirname(index), mode=0o700, exist_ok=True)
    if os.path.lexists(path) and not stat.S_ISDIR(os.lstat(path).st_mode):
        remove_tree(path)
    if not os.path.isdir(path):
        remove_index_alone(index)
        os.makedirs(path, mode=0o700)


def remove_index_alone(index: str) -> None:
    """Forget what planrail knew of the files."""
    remove_tree(index)
    remove_tree(f"{index}.lock")


def _fill(home: Home, workspace: Workspace, tree: str, keep: Sequence[str]) -> None:
    """Clean first, then check out: git would take a folder behind a link for the folder that the link replaced."""
    remove_tree(f"{workspace.index}.lock")  # of a git that was killed; a live one would hold our lock
    try:
        is_new, had_attributes = not os.path.exists(workspace.index), _has_attributes(workspace.index)
        if had_attributes and _changes_attributes(home, workspace, tree):
            remove_index_alone(workspace.index)  # what is the same file in git may be another one here then
        _clean(home, workspace, keep)
        _check_out(home, workspace, tree)
        if not is_new and not had_attributes and _has_attributes(workspace.index):
            remove_index_alone(workspace.index)
            _clean(home, workspace, keep)
            _check_out(home, workspace, tree)
    except ToolFailed:
        open_folders(workspace.path)
        remove_index_alone(workspace.index)
        _clean(home, workspace, keep)
        _check_out(home, workspace, tree)


def _has_attributes(index: str) -> bool:
    """Whether files are tracked that say how others are checked out. Git is asked only where there are any."""
    return _ATTRIBUTES.encode() in (read_whole(index) or b"")


def _changes_attributes(home: Home, workspace: Workspace, tree: str) -> bool:
    command = ("diff-index", "--cached", "--name-only", "-z", tree)
    view = find_view(home, workspace.index)
    changed = run_git(workspace.path, *command, index=workspace.index, view=view, seconds=_SECONDS).split("\0")
    return any(os.path.basename(name) == _ATTRIBUTES for name in changed)


def _check_out(home: Home, workspace: Workspace, tree: str) -> None:
    is_new = not os.path.exists(workspace.index)
    view = find_view(home, workspace.index)
    command = ("read-tree", "--reset", "-u", "--no-recurse-submodules", tree)
    run_git(workspace.path, *command, index=workspace.index, view=view, seconds=_SECONDS)
    if is_new:
        _refuse_twins(home, workspace)


def _refuse_twins(home: Home, workspace: Workspace) -> None:
    """Two names that differ in case alone are one file on some systems, and git says so in its settings."""
    if not knows_no_case(load_settings(home, workspace.index)):
        return
    names = _ask_files(home, workspace, "--cached").split("\0")
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.casefold(), name)
        if other != name:
            message = f"{other} and {name} cannot both be checked out here: this file system knows no case"
            raise ToolFailed(message, remedy="rename one of them")


def _clean(home: Home, workspace: Workspace, keep: Sequence[str]) -> None:
    path = workspace.path
    kept = [os.path.join(path, name) for name in keep]
    if not os.path.exists(workspace.index):
        for name in os.listdir(path):
            if name != _GIT:
                remove_except(os.path.join(path, name), kept)
        return
    tracked, others = _list_files(home, workspace)
    for name in others:
        remove_except(os.path.join(path, name), kept)
    for name in _list_unseen(path, tracked):
        remove_tree(os.path.join(path, name))


def _list_files(home: Home, workspace: Workspace) -> tuple[list[str], list[str]]:
    answer = _ask_files(home, workspace, "-t", "--cached", "--others", "--directory")
    entries = [entry for entry in answer.split("\0") if entry]
    others = [entry[2:].rstrip("/") for entry in entries if entry[0] == "?"]
    return [entry[2:] for entry in entries if entry[0] != "?"], others


def _list_unseen(path: str, tracked: Sequence[str]) -> list[str]:
    """What git never speaks of in a tracked folder: a `.git`, and what is neither file, link nor folder."""
    folders = {""}
    for name in tracked:
        folder = os.path.dirname(name)
        while folder not in folders:
            folders.add(folder)
            folder = os.path.dirname(folder)
    known: dict[str, bool] = {}
    real = (folder for folder in folders if is_real_folder(path, folder, known))
    found = []
    for folder in real:
        with os.scandir(os.path.join(path, folder)) as entries:
            found += [os.path.join(folder, entry.name) for entry in entries if _is_unseen(entry, is_top=not folder)]
    return found


def _is_unseen(entry: os.DirEntry[str], *, is_top: bool) -> bool:
    if entry.name == _GIT:
        return not is_top
    return not (entry.is_file(follow_symlinks=False) or entry.is_symlink() or entry.is_dir(follow_symlinks=False))


def _ask_files(home: Home, workspace: Workspace, *what: str) -> str:
    view = find_view(home, workspace.index)
    return run_git(workspace.path, "ls-files", "-z", *what, index=workspace.index, view=view)


def _refuse_dangerous(home: Home, path: str) -> None:
    """A workspace is emptied; it must not be the user's repository, or hold it, or lie in its `.git`."""
    is_within = is_inside(path, home.common) or is_inside(path, home.git_dir)
    for place in (home.root, home.common, home.git_dir):
        if is_within or is_inside(place, path):
            raise ToolFailed(f"{path} is no place for a workspace", remedy="change [run] workspaces in the settings")


def _real_place(place: str) -> str:
    """The place without links above it; a link at the place itself is not followed."""
    whole = os.path.abspath(place)
    return os.path.join(os.path.realpath(os.path.dirname(whole)), os.path.basename(whole))


def _find_link(root: str, path: str) -> str:
    """What the user's repository keeps for a linked workspace; "" for a clone."""
    if root:
        return link_folder(locate_home(root), path)
    if not os.path.isfile(os.path.join(path, _GIT)):
        return ""
    with open(os.path.join(path, _GIT), "rb") as file:
        admin = os.fsdecode(file.read(4096)).removeprefix("gitdir:").strip()
    return admin if _is_ours(admin, path) else ""


def _is_ours(admin: str, path: str) -> bool:
    """Whether a folder is what `write_link` made for this place: an agent may have written another name there."""
    folder, name = os.path.split(admin)
    return name == link_name(path) and os.path.basename(folder) == "worktrees" and not os.path.islink(admin)


def _lock(index: str) -> str:
    return f"{index}.hold"
