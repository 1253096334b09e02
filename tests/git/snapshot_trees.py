"""Repositories to take snapshots of, and a walker that knows nothing of planrail to compare them with."""

import os
import stat
import subprocess
from pathlib import Path

OWN = ("refs/planrail/", "refs/heads/planrail/parked/")


def git(root: Path, *arguments: str, check: bool = True) -> str:
    """git as a user would call it."""
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"]
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=root, check=check, capture_output=True, text=True, errors="surrogateescape"
    )
    return done.stdout


def make_repository(root: Path) -> Path:
    """A repository with a commit, a staged file, a changed one, an untracked one, a link, a program and rules."""
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    files = {"a.py": "a\n", "b.py": "b\n", "d/one.txt": "1\n", "d/two.txt": "2\n", "d/e/deep.txt": "deep\n"}
    for name, text in files.items():
        write(root, name, text)
    write(root, ".gitignore", "*.log\nbuild/\n")
    write(root, "run.sh", "echo\n")
    (root / "run.sh").chmod(0o755)
    (root / "link").symlink_to("a.py")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    git(root, "branch", "other")
    write(root, "b.py", "changed by the user\n")
    write(root, "staged.py", "staged\n")
    git(root, "add", "staged.py")
    write(root, "notes.txt", "untracked\n")
    write(root, "x.log", "ignored\n")
    return root


def write(root: Path, name: str, text: str | bytes) -> Path:
    """Write a file, with its folders."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def walk(root: Path) -> dict[str, tuple[str, object]]:
    """Every file and link below a folder, git's own folder left out: kind, permissions and content."""
    found: dict[str, tuple[str, object]] = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        for name in [*names, *folders]:
            path = os.path.join(folder, name)
            mode = os.lstat(path).st_mode
            if stat.S_ISLNK(mode):
                found[os.path.relpath(path, root)] = ("link", os.readlink(path))
            elif stat.S_ISREG(mode):
                with open(path, "rb") as file:
                    found[os.path.relpath(path, root)] = (f"{stat.S_IMODE(mode):o}", file.read())
    return found


def git_state(root: Path) -> tuple[object, ...]:
    """HEAD, the refs that are not planrail's, the index, the stash, and what status says."""
    refs = [line for line in git(root, "for-each-ref").splitlines() if not line.split("\t")[1].startswith(OWN)]
    return (
        (root / ".git/HEAD").read_text(),
        refs,
        git(root, "--no-optional-locks", "ls-files", "-s", "-v", "-z"),
        git(root, "stash", "list", "--format=%H %gs"),
        git(root, "--no-optional-locks", "status", "--porcelain=v2", "-uall", "-z"),
    )


def users_files(root: Path) -> dict[str, bytes]:
    """The bytes of git's own files that planrail must not touch."""
    names = ("HEAD", "index", "config", "packed-refs", "logs/HEAD", "refs/stash", "logs/refs/stash")
    return {name: (root / ".git" / name).read_bytes() for name in names if (root / ".git" / name).exists()}
