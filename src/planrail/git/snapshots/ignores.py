"""What is ignored is judged by the rules as they were at entry: new rules neither hide a file nor bring one to light.

A `.gitignore` may even ignore itself. So `git status` is asked for what it ignores as well, which costs it next to
nothing; the rules of the entry are laid out again only where a file of rules, or a setting, is not as it was.
"""

from planrail.git.git_writing import ask_git, join_paths, list_tree, run_git
from planrail.git.snapshots.look import TreeSnapshot
from planrail.git.status import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


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
