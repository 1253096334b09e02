"""A repository and workspaces of it, to test with."""

import os
from pathlib import Path

from planrail.base.records import record
from planrail.base.run_model import Workspace
from planrail.git.workspaces.workspaces import open_workspace
from tests.git.snapshot_trees import git, write


@record
class Site:
    """A repository with two commits, and a place for workspaces."""

    root: Path
    first: str
    second: str
    check_folder: Path

    def open(self, name: str = "work", base: str = "", keep: tuple[str, ...] = ()) -> Workspace:
        """A workspace at a base; the second commit unless said."""
        return open_workspace(
            str(self.root), str(self.check_folder / "run" / name), base or self.second, self.index(name), keep
        )

    def index(self, name: str = "work") -> str:
        """Where planrail's index of a workspace lies."""
        return str(self.check_folder / "indexes" / name)

    def tree(self, commit: str) -> str:
        """The tree of a commit."""
        return git(self.root, "rev-parse", f"{commit}^{{tree}}").strip()


def make_site(folder: Path) -> Site:
    """Files, a program, a link, odd names, ignore rules; two commits that differ in all of these."""
    root = folder / "repo"
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "user.name", "Ada")
    git(root, "config", "user.email", "ada@example.org")
    for number in range(5):
        write(root, f"d/f{number}.txt", f"{number}\n")
    write(root, "a.py", "a\n")
    write(root, "swap", "a file\n")
    write(root, ".gitignore", "*.log\nnode_modules/\nbuild/\n.env\n")
    write(root, "run.sh", "echo\n").chmod(0o755)
    (root / "link").symlink_to("a.py")
    first = commit(root, "first")
    write(root, "a.py", "aa\n")
    (root / "swap").unlink()
    write(root, "swap/inner", "a folder\n")
    (root / "d/f1.txt").unlink()
    (root / "run.sh").chmod(0o644)
    (root / "link").unlink()
    (root / "link").symlink_to("d")
    write(root, os.fsdecode(b"odd\nname \xff"), "odd\n")
    write(root, "ü/é.txt", "é\n")
    second = commit(root, "second")
    return Site(root, first, second, folder / "rooms")


def commit(root: Path, message: str) -> str:
    """Commit everything."""
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", message)
    return git(root, "rev-parse", "HEAD").strip()


def files_of(root: Path, commit: str, folder: Path) -> dict[str, tuple[str, object]]:
    """What a fresh clone of a commit has, by git alone."""
    from tests.git.snapshot_trees import walk

    git(root, "clone", "-q", "--no-checkout", str(root), str(folder))
    git(folder, "checkout", "-q", "--detach", commit)
    return walk(folder)
