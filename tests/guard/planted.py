"""A project with repositories among its files whose settings name a program: what `commands/repositories.txt` runs in."""

import os
import subprocess
from pathlib import Path
from shlex import quote

IDENTITY = ("-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always")
# What git reads beside the repository's own settings: nothing of the machine that the tests run on.
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
}


def git(folder: Path, *arguments: str) -> str:
    """What git prints."""
    command = ["git", *IDENTITY, *arguments]
    return subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True, env=ENVIRONMENT, stdin=subprocess.DEVNULL
    ).stdout


def plant_bare(place: Path, marker: Path, *, trap: bool = True) -> None:
    """A repository that is its own folder, as a tree can carry it; with a work tree, so that git looks at files."""
    place.mkdir(parents=True)
    git(place, "init", "-q", "--bare", ".")
    (place / "refs/heads/.keep").write_text("")
    (place / "objects/.keep").write_text("")
    git(place, "--git-dir=.", "config", "core.bare", "false")
    git(place, "--git-dir=.", "config", "core.worktree", str(place / "refs"))
    git(place, "--git-dir=.", "--work-tree=refs", "add", "-f", "heads/.keep")
    git(place, "--git-dir=.", "--work-tree=refs", "commit", "-q", "-m", "x")
    if trap:
        _trap(place, marker)


def plant_clone(place: Path, marker: Path, *, trap: bool = True) -> None:
    """An ordinary repository inside another."""
    place.mkdir(parents=True)
    git(place, "init", "-q")
    (place / "src").mkdir()
    (place / "src/a.txt").write_text("a\n")
    git(place, "add", "-A")
    git(place, "commit", "-q", "-m", "x")
    if trap:
        _trap(place / ".git", marker)


def _trap(git_dir: Path, marker: Path) -> None:
    with open(git_dir / "config", "a") as file:
        file.write(f'[core]\n\tfsmonitor = "touch {quote(str(marker))}; false"\n')


def hook_index(git_dir: Path, marker: Path) -> None:
    """A hook that git runs when it refreshes its index, as `git status` does."""
    (git_dir / "hooks").mkdir(exist_ok=True)
    hook = git_dir / "hooks/post-index-change"
    hook.write_text(f"#!/bin/sh\ntouch '{marker}'\n")
    hook.chmod(0o755)


def plant_project(root: Path, marker: Path) -> None:
    """The project, and every kind of repository in it that a command of the list leads to."""
    root.mkdir(parents=True)
    git(root, "init", "-q")
    (root / "src").mkdir()
    (root / "src/a.txt").write_text("a\n")
    (root / "folders.txt").write_text("bare\n")
    _add_module(root, marker)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    plant_bare(root / "bare", marker)
    plant_clone(root / "clone", marker)
    plant_bare(root / "clone/deep/bare", marker)
    plant_clone(root / "hooked", marker, trap=False)
    hook_index(root / "hooked/.git", marker)
    plant_clone(root / "plain", marker, trap=False)
    (root / "pointer").mkdir()
    (root / "pointer/.git").write_text("gitdir: ../clone/.git\n")
    (root / "link").symlink_to("bare")


def _add_module(root: Path, marker: Path) -> None:
    origin = root.parent / "origin of module"
    plant_clone(origin, marker, trap=False)
    git(root, "submodule", "-q", "add", str(origin), "module")
    plant_bare(root / "module/bare", marker)
