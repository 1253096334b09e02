"""A close look at what differs from a snapshot, where a first look could not say that nothing does. What is ignored is
judged by the rules as they were at entry: new rules neither hide a file nor bring one to light.

A `.gitignore` may even ignore itself. So `git status` is asked for what it ignores as well, which costs it next to
nothing; the rules of the entry are laid out again only where a file of rules, or a setting, is not as it was.
"""

from planrail.base.records import replace
from planrail.git.git_writing import ask_git, encode_name, join_paths, list_tree, run_git
from planrail.git.snapshots.look import TreeSnapshot
from planrail.git.snapshots.model import ADDED, DELETED, MODE, MODIFIED, TYPE, FileChange, RefChange, TreeChanges
from planrail.git.snapshots.signature import UNWATCHED_REFS, file_status
from planrail.git.status import SUBMODULE, Row, parse_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from planrail.git.snapshots.look import GitState, Look, TreeSnapshot


_LETTERS = {"?": ADDED, "M": MODIFIED, "D": DELETED, "T": TYPE, "A": ADDED, "U": MODIFIED}
_OWN_REPOSITORY = "a repository of its own: neither copied nor restored"
_NOT_COPIED = "its content was not copied when planning began"


def compare_closely(snapshot: "TreeSnapshot", look: "Look", exempt: "Sequence[str]") -> TreeChanges:
    """What differs, given what a first look found."""
    state = TreeChanges([], [])
    if not look.is_quiet:
        from planrail.git.snapshots.controls import read_state

        state = difference_of_states(snapshot.state, read_state(snapshot))
        if not state:
            look.watch.remember()
    files = _describe(snapshot, judge_ignored(snapshot, parse_status(look.noise), state.settings))
    return replace(state, files=_without(files, snapshot.root, exempt), notes=snapshot.notes)


def compare_outside_git(snapshot: "TreeSnapshot", exempt: "Sequence[str]") -> TreeChanges:
    from planrail.git.snapshots.folder import compare_folder

    return TreeChanges(_without(compare_folder(snapshot), snapshot.root, exempt), [], notes=snapshot.notes)


def difference_of_states(then: "GitState", now: "GitState") -> TreeChanges:
    names = sorted(name for name in {*then["refs"], *now["refs"]} if not name.startswith(UNWATCHED_REFS))
    refs = [RefChange(name, then["refs"].get(name, ""), now["refs"].get(name, "")) for name in names]
    settings = sorted({*then["settings"], *now["settings"]})
    return TreeChanges(
        [],
        [ref for ref in refs if ref.was != ref.now],
        RefChange("HEAD", then["head"], now["head"]) if then["head"] != now["head"] else None,
        now["index"] if then["index"] != now["index"] else "",
        (now["stash"] or "empty") if then["stash"] != now["stash"] else "",
        [name for name in settings if then["settings"].get(name) != now["settings"].get(name)],
    )


def _describe(snapshot: "TreeSnapshot", differences: list[Row]) -> list[FileChange]:
    files = [
        _describe_one(snapshot, difference) for difference in differences if difference.path not in snapshot.unread
    ]
    for path, was in snapshot.unread.items():
        now = file_status(f"{snapshot.root}/{path}")
        if now != was:
            files.append(FileChange(path, MODIFIED if now else DELETED, _NOT_COPIED))
    return files


def _describe_one(snapshot: "TreeSnapshot", difference: Row) -> FileChange:
    kind = _LETTERS[difference.later]
    if difference.index_mode == SUBMODULE or difference.path.endswith("/"):
        return FileChange(difference.path, kind, _OWN_REPOSITORY)
    if kind == MODIFIED and difference.index_mode != difference.mode:
        content = (ask_git(snapshot.root, "hash-object", "--", difference.path) or "").strip()
        kind = MODE if content == difference.oid else kind
    return FileChange(difference.path, kind)


def _without(files: list[FileChange], root: str, exempt: "Sequence[str]") -> list[FileChange]:
    kept = frozenset(exempt)
    return sorted(
        (file for file in files if f"{root}/{file.path}" not in kept), key=lambda file: encode_name(file.path)
    )


def judge_ignored(snapshot: TreeSnapshot, found: "Sequence[Row]", settings: "Sequence[str]") -> list[Row]:
    """The differences without those that were ignored at entry, and with those that are hidden since."""
    known = frozenset(snapshot.ignored)
    fresh = [
        difference for difference in found if difference.later not in "?!" or not _is_below(difference.path, known)
    ]
    if not settings and not any(_is_rules(difference.path) for difference in fresh):
        return [difference for difference in fresh if difference.later != "!"]
    uncertain = [path for difference in fresh if difference.later in "?!" for path in _expand(snapshot, difference)]
    ignored = _ignored_at_entry(snapshot, uncertain) if uncertain else frozenset()
    certain = [difference for difference in fresh if difference.later not in "?!"]
    return [*certain, *(Row(path, ".", "?") for path in uncertain if path not in ignored)]


def _is_rules(path: str) -> bool:
    return path.rpartition("/")[2] == ".gitignore"


def _is_below(path: str, known: frozenset[str]) -> bool:
    return path in known or any(path[: at + 1] in known for at, sign in enumerate(path) if sign == "/")


def _expand(snapshot: TreeSnapshot, difference: Row) -> list[str]:
    """The files of a folder that is ignored as a whole; a repository of its own stays one thing."""
    import os

    path = difference.path
    place = os.path.join(snapshot.root, path)
    if not path.endswith("/") or difference.later == "?" or os.path.lexists(os.path.join(place, ".git")):
        return [path]
    walked = ((folder, names) for folder, _, names in os.walk(place))
    return [os.path.relpath(os.path.join(folder, name), snapshot.root) for folder, names in walked for name in names]


def _ignored_at_entry(snapshot: TreeSnapshot, paths: "Sequence[str]") -> frozenset[str]:
    import tempfile

    with tempfile.TemporaryDirectory(prefix="planrail-rules-") as folder:
        _lay_out_rules(snapshot, folder)
        question = ("check-ignore", "--no-index", "-z", "--stdin")
        data = join_paths(f"./{path}" for path in paths)  # a name that begins with a colon is no magic then
        answer = run_git(folder, *question, data=data, accepted=(0, 1))
    return frozenset(path.removeprefix("./") for path in answer.split("\0"))


def _lay_out_rules(snapshot: TreeSnapshot, folder: str) -> None:
    """An empty repository with the rules as they were: the `.gitignore` files, and the user's own lists."""
    run_git(folder, "init", "-q", "--template=")
    for path, (mode, oid) in list_tree(snapshot.root, snapshot.commit).items():
        if _is_rules(path) and mode.startswith("100"):
            _write(f"{folder}/{path}", run_git(snapshot.root, "cat-file", "blob", oid))
    _write(f"{folder}/.git/info/exclude", snapshot.excludes)
    elsewhere = ask_git(snapshot.root, "config", "--path", "core.excludesFile")
    if elsewhere:
        run_git(folder, "config", "core.excludesFile", elsewhere.rstrip("\n"))


def _write(place: str, text: str) -> None:
    import os

    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "wb") as file:
        file.write(os.fsencode(text))
