"""The bare repository behind the scripted forge: branches are looked up and merged by git itself."""

import os
import subprocess
import tempfile

_IDENTITY = {
    f"GIT_{role}_{part}": value
    for role in ("AUTHOR", "COMMITTER")
    for part, value in (("NAME", "forge"), ("EMAIL", "forge@localhost"))
}


class CannotMerge(Exception):
    """The two branches change the same lines."""


def run(path: str, *arguments: str, accepted: tuple[int, ...] = (0,)) -> str:
    """What git prints in a repository."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment = kept | _IDENTITY | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(["git", "-C", path, *arguments], env=environment, capture_output=True, text=True)
    if done.returncode not in accepted:
        raise CannotMerge(done.stderr or done.stdout)
    return done.stdout.strip()


def head_of(path: str, branch: str) -> str:
    """The commit of a branch; "" where there is none."""
    return run(path, "rev-parse", "--quiet", "--verify", f"refs/heads/{branch}", accepted=(0, 1))


def files_between(path: str, base: str, head: str) -> list[str]:
    """What a pull request changes."""
    return run(path, "diff", "--name-only", "--no-renames", f"{base}...{head}").splitlines()


def can_merge(path: str, base: str, head: str) -> bool:
    """Whether git can merge the two by itself."""
    try:
        merge_trees(path, base, head)
    except CannotMerge:
        return False
    return True


def merge_trees(path: str, base: str, head: str) -> str:
    """The tree that a merge gives."""
    return run(path, "merge-tree", "--write-tree", base, head).splitlines()[0]


def merge(path: str, branch: str, head: str, method: str, message: str) -> str:
    """Merge into a branch, really: the new commit of the branch."""
    base = head_of(path, branch)
    merged = {"merge": _join, "squash": _squash, "rebase": _replay}[method](path, base, head, message)
    run(path, "update-ref", f"refs/heads/{branch}", merged, base)
    return merged


def commit_file(path: str, branch: str, name: str, text: str, message: str = "Somebody else's work") -> str:
    """Somebody else adds a file to a branch: the commit."""
    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, "tree")
        run(path, "worktree", "add", "--detach", place, f"refs/heads/{branch}")
        with open(os.path.join(place, name), "w", encoding="utf-8") as file:
            file.write(text)
        run(place, "add", "--", name)
        run(place, "commit", "--message", message)
        commit = run(place, "rev-parse", "HEAD")
        run(path, "worktree", "remove", "--force", place)
    run(path, "update-ref", f"refs/heads/{branch}", commit)
    return commit


def _join(path: str, base: str, head: str, message: str) -> str:
    return run(path, "commit-tree", merge_trees(path, base, head), "-p", base, "-p", head, "-m", message)


def _squash(path: str, base: str, head: str, message: str) -> str:
    return run(path, "commit-tree", merge_trees(path, base, head), "-p", base, "-m", message)


def _replay(path: str, base: str, head: str, message: str) -> str:
    """As GitHub does it: every commit is made anew, even where a fast-forward would do."""
    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, "tree")
        run(path, "worktree", "add", "--detach", place, head)
        try:
            run(place, "rebase", "--force-rebase", base)
            return run(place, "rev-parse", "HEAD")
        finally:
            run(path, "worktree", "remove", "--force", place)
