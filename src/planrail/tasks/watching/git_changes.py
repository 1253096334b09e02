"""What has changed in git itself while agents read: commits, branches, tags, HEAD, what is staged.

Planrail's own commits are known. Whoever made the others, an agent or a person in the next terminal, cannot be told: so
they are named, and nobody is advised to take them back.
"""

from planrail.base.wording import clip, plural
from planrail.git.git_writing import ask_git, run_git
from planrail.git.snapshots.model import Changes, RefChange, Snapshot
from planrail.tasks.watching.own_changes import OwnWork, head_of
from planrail.tasks.watching.own_commits import read_commits

Entries = dict[str, list[str]]


_RUNS = "refs/heads/planrail/"  # branches on which runs keep their work
_STASH = "refs/stash"  # it is compared by its log
_KINDS = {"refs/heads/": "branch", "refs/tags/": "tag"}
_MOST = 3  # commits and files that are named


def tell_git(own: OwnWork, snapshot: Snapshot, changes: Changes) -> list[str]:
    """What is not planrail's own, in a few words each."""
    told = [text for ref in changes.refs if (text := _tell_ref(own, snapshot.root, ref))]
    if changes.head is not None:
        told.append(f"HEAD is on {changes.head.now.removeprefix('ref: ').removeprefix('refs/heads/')} now")
    if changes.index:
        staged = find_staged(snapshot, is_elsewhere=changes.head is not None)
        told += [f"staged otherwise: {_name_some(staged)}"] if staged else []
    return told


def _tell_ref(own: OwnWork, root: str, ref: RefChange) -> str:
    if ref.name.startswith(_RUNS) or ref.name == _STASH:
        return ""
    name = _name(ref.name)
    if not ref.was or not ref.now:
        return f"{name} is {'gone' if ref.was else 'new'}"
    if not ref.name.startswith("refs/heads/") or not _is_ancestor(root, ref.was, ref.now):
        return f"{name} was moved"
    commits = read_commits(root, ref.was, ref.now)
    if commits is None:
        return f"many commits on {name}"
    foreign = [commit for commit in commits if not own.is_own(commit)]
    listed = _name_some([f"{commit.id[:8]} {clip(commit.subject, 60)}" for commit in foreign])
    return f"{plural(len(foreign), 'commit')} on {name} ({listed})" if foreign else ""


def _name(ref: str) -> str:
    for beginning, kind in _KINDS.items():
        if ref.startswith(beginning):
            return f"the {kind} {ref.removeprefix(beginning)}"
    return ref


def _name_some(names: list[str]) -> str:
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return ", ".join(names[:_MOST]) + more


def _is_ancestor(root: str, before: str, after: str) -> bool:
    return ask_git(root, "merge-base", "--is-ancestor", before, after) is not None


def find_staged(snapshot: Snapshot, *, is_elsewhere: bool) -> list[str]:
    """The files whose entries in the index have changed, but for those that a commit has changed along with them.

    `is_elsewhere`: another branch was checked out, and with it all that is committed there.
    """
    then, now = _read_index(snapshot.root, snapshot.users_index), _read_index(snapshot.root)
    changed = [path for path in sorted({*then, *now}) if then.get(path) != now.get(path)]
    committed, tree = _committed_since(snapshot), _read_tree(snapshot.root)
    return [
        path
        for path in changed
        if not ((is_elsewhere or path in committed) and now.get(path, []) == tree.get(path, []))
    ]


def _read_index(root: str, index: str | None = None) -> Entries:
    """The entries of an index by their paths: flag, mode, object and stage."""
    found: Entries = {}
    for line in run_git(root, "ls-files", "-z", "--stage", "-v", index=index).split("\0"):
        about, _, path = line.partition("\t")
        if path:
            found.setdefault(path, []).append(about)
    return found


def _read_tree(root: str) -> Entries:
    """What is committed, as an index that nobody has touched would have it."""
    found: Entries = {}
    for line in (ask_git(root, "ls-tree", "-r", "-z", "--full-tree", "HEAD") or "").split("\0"):
        about, _, path = line.partition("\t")
        if path:
            mode, _, name = about.split(" ")
            found[path] = [f"H {mode} {name} 0"]
    return found


def _committed_since(snapshot: Snapshot) -> set[str]:
    """The files that are committed otherwise than then."""
    before = head_of(snapshot)
    since = ("diff-tree", "-r", "--name-only", "-z", before, "HEAD")
    asked = since if before else ("ls-tree", "-r", "--name-only", "-z", "--full-tree", "HEAD")
    return set((ask_git(snapshot.root, *asked) or "").split("\0")) - {""}
