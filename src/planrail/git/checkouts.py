"""Where a branch is checked out, and whether the user is in the middle of something there.

Read from the files of the git directory, as git itself does: for every worktree, each with the directory that is really
its own. git is asked only where those files do not say it all.
"""

import os

from planrail.base.errors import ToolFailed
from planrail.base.records import record
from planrail.base.whole_files import list_names, read_whole
from planrail.git.git_writing import ask_git, run_git

_LONGEST = 4096  # bytes of a file that names something
_MOST_NAMES = 5  # as in git
# What git keeps in its folder while it is in the middle of something.
UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "sequencer": "a cherry-pick or a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase, or the applying of mails",
    "BISECT_LOG": "a bisection",
}


@record
class Home:
    """The user's repository: a working tree, its git directory, and the one that all its working trees share."""

    root: str
    git_dir: str
    common: str

    @property
    def has_tables(self) -> bool:
        return os.path.isdir(os.path.join(self.common, "reftable"))


@record
class Checkout:
    """A working tree, and the git directory that is its own."""

    folder: str
    git_dir: str


@record
class Layout:
    """A repository: where it is shared, and all its working trees."""

    common: str
    checkouts: list[Checkout]


def locate_home(root: str) -> Home:
    """Where the repository of a root is. git is asked only where `.git` does not say it."""
    real = os.path.realpath(root)
    place = os.path.join(real, ".git")
    if not os.path.isdir(place):
        named = read_text(place)
        if not named.startswith("gitdir: "):
            return _ask_home(root)
        place = os.path.realpath(os.path.join(real, named.removeprefix("gitdir: ")))
    elif os.path.islink(place):
        place = os.path.realpath(place)
    shared = read_text(os.path.join(place, "commondir"))
    common = os.path.realpath(os.path.join(place, shared)) if shared else place
    if "\n" in common or not os.path.isfile(os.path.join(common, "HEAD")):
        return _ask_home(root)
    return Home(real, place, common)


def _ask_home(root: str) -> Home:
    lines = run_git(root, "rev-parse", "--absolute-git-dir", "--git-common-dir").splitlines()
    if len(lines) != 2:
        raise ToolFailed(f"the path of the repository at {root} has a line end in it", remedy="rename the folder")
    return Home(os.path.realpath(root), lines[0], os.path.realpath(os.path.join(root, lines[1])))


def read_layout(root: str) -> Layout:
    home = locate_home(root)
    git_dir, common = home.git_dir, home.common
    if git_dir == common:
        is_tree = os.path.lexists(os.path.join(root, ".git"))
        found = [Checkout(root, common)] if is_tree else _main_checkout(common)
    else:
        found = [*_main_checkout(common), Checkout(root, git_dir)]
    known = {checkout.git_dir for checkout in found}
    return Layout(common, found + [linked for linked in _linked(common) if linked.git_dir not in known])


def find_checkouts(layout: Layout, ref: str) -> list[Checkout]:
    """The working trees that have a branch checked out. One whose folder is gone for good has none."""
    return [
        checkout for checkout in layout.checkouts if _head(layout, checkout) == ref and os.path.isdir(checkout.folder)
    ]


def find_obstacle(layout: Layout, ref: str) -> str:
    """Why a branch must not be moved now, whatever is changed: the user is in the middle of something with it."""
    for checkout in layout.checkouts:
        is_on_it = _head(layout, checkout) == ref
        for name, what in UNDER_WAY.items():
            place = os.path.join(checkout.git_dir, name)
            if os.path.lexists(place) and (is_on_it or _concerns(checkout, name, ref)):
                return f"{what} is under way in {checkout.folder}"
        # git itself would forget a working tree whose folder is not there, and that nobody has locked.
        is_locked = os.path.lexists(os.path.join(checkout.git_dir, "locked"))
        if is_on_it and is_locked and not os.path.isdir(checkout.folder):
            return f"{checkout.folder}, where it is checked out, is not there now"
    return ""


def resolve_ref(layout: Layout, root: str, ref: str) -> str:
    """The ref that is really moved: a branch can be another name for a branch."""
    if uses_tables(layout):
        return (ask_git(root, "symbolic-ref", "-q", ref) or "").strip() or ref
    for _ in range(_MOST_NAMES):
        value = read_text(os.path.join(layout.common, ref))
        if not value.startswith("ref: "):
            break
        ref = value.removeprefix("ref: ").strip()
    return ref


def read_ref(layout: Layout, root: str, ref: str) -> str:
    """The commit that a ref stands on; "" where there is none."""
    value = read_text(os.path.join(layout.common, ref))
    if len(value) in (40, 64) and not uses_tables(layout):
        return value
    return (ask_git(root, "rev-parse", "-q", "--verify", "--end-of-options", f"{ref}^{{commit}}") or "").strip()


def read_text(path: str) -> str:
    """The first words of a file; "" where there is none."""
    return os.fsdecode(read_whole(path, _LONGEST) or b"").strip("\n")


def uses_tables(layout: Layout) -> bool:
    """Whether refs are kept in git's newer form, where files say nothing."""
    return os.path.isdir(os.path.join(layout.common, "reftable"))


def _main_checkout(common: str) -> list[Checkout]:
    answer = ask_git(common, "config", "-z", "--get-regexp", r"^core\.(bare|worktree)$") or ""
    values = dict(entry.split("\n", 1) for entry in answer.split("\0") if "\n" in entry)
    if values.get("core.bare") == "true":
        return []
    named = values.get("core.worktree")
    if named is None and os.path.basename(common) != ".git":
        return []
    return [Checkout(os.path.realpath(os.path.join(common, named or "..")), common)]


def _linked(common: str) -> list[Checkout]:
    place = os.path.join(common, "worktrees")
    found = []
    for name in list_names(place):
        git_dir = os.path.join(place, name)
        named = read_text(os.path.join(git_dir, "gitdir"))
        if named:
            found.append(Checkout(os.path.dirname(os.path.join(git_dir, named)), git_dir))
    return found


def _head(layout: Layout, checkout: Checkout) -> str:
    if uses_tables(layout):
        where = checkout.folder if os.path.isdir(checkout.folder) else checkout.git_dir
        return (ask_git(where, "symbolic-ref", "-q", "HEAD") or "").strip()
    place = os.path.join(checkout.git_dir, "HEAD")
    if os.path.islink(place):
        return os.readlink(place)
    value = read_text(place)
    return value.removeprefix("ref: ").strip() if value.startswith("ref: ") else ""


def _concerns(checkout: Checkout, name: str, ref: str) -> bool:
    """Whether an operation on a detached HEAD will move this branch when it ends."""
    if name.startswith("rebase-"):
        return read_text(os.path.join(checkout.git_dir, name, "head-name")).strip() == ref
    if name == "BISECT_LOG":
        start = read_text(os.path.join(checkout.git_dir, "BISECT_START")).strip()
        return start == ref.removeprefix("refs/heads/")
    return False
