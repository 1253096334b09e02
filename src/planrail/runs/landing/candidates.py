"""The commit that is to land: the verified work on the target as it is now, built apart from every checkout.

Nothing of it comes from the clock or from the machine: built again after a crash, it is the same commit.
"""

import unicodedata
from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet

from planrail.base.errors import ToolFailed
from planrail.base.records import record
from planrail.base.run_model import Candidate, Refusal, Snapshot
from planrail.base.values import value
from planrail.base.wording import name_some
from planrail.git.blending import blend_all
from planrail.git.git_writing import ask_git, encode_name
from planrail.git.object_store import NewObjects, empty_tree, read_objects, require
from planrail.git.tree_editing import Clash, Trees, edit_tree, folder_names
from planrail.git.tree_merging import Merging, Side, merge_changes, needs_renames, read_diffs

PLANRAIL = "planrail <planrail@localhost>"
_NOT_IN_A_NAME = str.maketrans("", "", "<>\n\0")
_FILE = "100644"
_LINK, _SUBMODULE = "120000", "160000"


@record
class WaitOnBranch:
    """The checkout has uncommitted work in the way, which stays as it is."""

    reason: str
    paths: tuple[str, ...]
    todo: str = "let that come to its end"  # what a person has to do before it can land


@value
class Conflict:
    """The work and the target cannot both be kept as they are."""

    paths: tuple[str, ...]
    text: str


def refuse_landing(mode: str, *, verified: bool, main_is_protected: bool) -> Refusal | None:
    """Why a phase may not land. `mode`: cherry-pick, pr or direct."""
    if not verified:
        return Refusal("refused", "the phase has no passing verification", "planrail run PLAN PHASE")
    if mode == "direct" and main_is_protected:
        return Refusal("refused", "main is protected", "planrail run PLAN --landing pr")
    return None


def decide_checkout(
    touched: AbstractSet[str],
    dirty: Mapping[str, str],
    candidate: Mapping[str, str],
    *,
    folds_case: bool = False,
) -> WaitOnBranch | None:
    """What is in the way of bringing a checkout along when these paths change; None where it can be.

    `dirty` has everything that is not as it was committed, and what lies there untracked or ignored, with an identity
    of its content; "" is a file that is gone. What equals the candidate's is no obstacle: it is what would be written.
    """
    names = {_fold(path): path for path in touched} if folds_case else {}
    if folds_case and len(names) < len(touched):
        twins = tuple(sorted(path for path in touched if names[_fold(path)] != path))
        reason = f"names that are one on this file system: {name_some(twins)}"
        return WaitOnBranch(reason, twins, "check the branch out where upper and lower case differ")
    above = {folder for path in touched for folder in _folders(path)}

    def is_in_the_way(path: str) -> bool:
        if path in touched:
            return dirty[path] != candidate.get(path, "")
        if path in above or any(folder in touched for folder in _folders(path)):
            return bool(dirty[path])  # a file where a folder must be, or the reverse
        return bool(names) and _fold(path) in names and bool(dirty[path])

    blocking = [path for path in sorted(dirty) if is_in_the_way(path)]
    if not blocking:
        return None
    named = name_some(blocking)
    todo = f"commit, stash or move away {named}"
    return WaitOnBranch(f"uncommitted work is in the way: {named}", tuple(blocking), todo)


def _folders(path: str) -> Iterable[str]:
    parts = path.split("/")
    return ("/".join(parts[:depth]) for depth in range(1, len(parts)))


def _fold(path: str) -> str:
    """A name as a file system sees it to which `A` and `a` are one."""
    return unicodedata.normalize("NFC", path).casefold()


def build_candidate(
    root: str,
    snapshot: Snapshot,
    onto: str,
    message: str,
    extra: Mapping[str, bytes],
    *,
    author: str = "",
    at: int = 0,
) -> Candidate | Conflict:
    """The snapshot's work on the commit `onto` ("": there is none yet), with the files in `extra` as given.

    Where the target has moved, both sides' changes are merged, and none is preferred: what cannot be kept of both is
    a conflict. It is dated `at`, or else as the youngest commit that it is made of.
    """
    new = NewObjects(snapshot.commit, {})
    merging = _merge(root, snapshot, onto, extra, new)
    if merging.conflicts:
        return _conflict(merging.conflicts)
    changes = merging.entries
    tree, trees, youngest = _look(root, snapshot, onto, [*changes, *extra])
    modes = {path: _mode(trees, tree, path) for path in extra}
    links = [path for path in extra if modes[path] in (_LINK, _SUBMODULE)]
    if links:
        return _conflict(dict.fromkeys(links, "planrail cannot write it: it is a link or a submodule"))
    changes |= {path: (modes[path] or _FILE, new.add("blob", content)) for path, content in extra.items()}
    try:
        tree = edit_tree(trees, tree, changes, new) if changes else tree
    except Clash as clash:
        return _conflict({clash.path: "a file on one side and a folder on the other"})
    who = f"{author or PLANRAIL} {at or youngest} +0000"
    lines = [f"tree {tree}", *([f"parent {onto}"] if onto else []), f"author {who}", f"committer {who}", "", ""]
    words = message.replace("\0", "").rstrip("\n").encode("utf-8", "replace")
    commit = new.add("commit", encode_name("\n".join(lines)) + words + b"\n")
    new.write(root)
    return Candidate(commit, tree, onto)


def read_author(root: str) -> str:
    """Who the user is, as git knows it: `Name <address>`; planrail itself where git has not been told."""
    answer = ask_git(root, "config", "-z", "--get-regexp", r"^(user|author)\.(name|email)$") or ""
    values = dict(entry.split("\n", 1) for entry in answer.split("\0") if "\n" in entry)
    name = values.get("author.name") or values.get("user.name") or ""
    address = values.get("author.email") or values.get("user.email") or ""
    if not name or not address:
        return PLANRAIL
    return f"{name.translate(_NOT_IN_A_NAME).strip()} <{address.translate(_NOT_IN_A_NAME).strip()}>"


def _merge(root: str, snapshot: Snapshot, onto: str, extra: Collection[str], new: NewObjects) -> Merging:
    """What has to change on the target; nothing where it has not moved, since the work's own tree is taken then."""
    if onto == snapshot.base:
        return Merging({}, [], {})
    if not onto or not snapshot.base:
        raise ToolFailed("the target and the work have no common base", remedy="git log --all --oneline")
    pairs = [(snapshot.base, onto), (snapshot.base, snapshot.commit)]
    ours, theirs = read_diffs(root, pairs)
    if needs_renames(ours.changes, theirs.changes):
        ours, theirs = read_diffs(root, pairs, with_renames=True)
    merging = merge_changes(Side(ours.changes, ours.renames), Side(theirs.changes, theirs.renames))
    merging = Merging(  # without the files that planrail writes itself, whatever others made of them
        {path: entry for path, entry in merging.entries.items() if path not in extra},
        [blend for blend in merging.blends if blend.path not in extra],
        {path: reason for path, reason in merging.conflicts.items() if path not in extra},
    )
    if not merging.conflicts:
        merging.conflicts.update(blend_all(root, merging, new))
    return merging


def _look(root: str, snapshot: Snapshot, onto: str, paths: list[str]) -> tuple[str, Trees, int]:
    """What a candidate is built from, read in one go: a tree, its folders, and the moment of the youngest commit."""
    start = snapshot.tree if onto == snapshot.base else f"{onto}^{{tree}}"
    folders = folder_names(start, paths) if paths else []
    commits = [snapshot.commit, *([onto] if onto else [])]
    found = read_objects(root, [*commits, f"{start}", *folders])
    trees = Trees(root, {})
    trees.keep(found[len(commits) :])
    tree = found[len(commits)]
    oid = tree.oid if tree is not None else empty_tree(snapshot.commit)
    heads = [require(stored, "a commit").content.split(b"\n\n", 1)[0] for stored in found[: len(commits)]]
    dates = [line for head in heads for line in head.split(b"\n") if line.startswith(b"committer ")]
    return oid, trees, max(int(line.rsplit(b" ", 2)[1]) for line in dates)


def _mode(trees: Trees, tree: str, path: str) -> str:
    """The mode of a path in a tree; "" where there is no file."""
    *folders, name = path.split("/")
    for folder in folders:
        mode, tree = trees.read(tree).get(folder, ("", ""))
        if mode != "40000":
            return ""
    mode, _ = trees.read(tree).get(name, ("", ""))
    return "" if mode == "40000" else mode


def _conflict(reasons: Mapping[str, str]) -> Conflict:
    text = "; ".join(f"{path}: {reason}" for path, reason in sorted(reasons.items()))
    return Conflict(tuple(sorted(reasons)), text)
