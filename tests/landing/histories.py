"""Random histories: a base, a target that moved, and the work of a phase. And what git's own cherry-pick makes of them."""

import os
import random
import shutil
from pathlib import Path

from planrail.base.run_model import Candidate, Snapshot
from tests.landing.stages import Stage

_WORDS = [f"word {number}\n" for number in range(60)]
_NAMES = ["a.txt", "b.txt", "d/c.txt", "d/e/f.txt", "g.bin", "link", "run.sh", "h.txt", "leer wörter.txt"]


class History:
    """One of them, made from a number."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.stage = Stage(folder)
        _fill(self.chance, self.stage.root)
        self.stage.base = self.stage.commit({}, "base")
        self.snapshot = self.stage.work(self._mutate)
        for number in range(self.chance.randint(0, 2)):
            self._mutate(self.stage.root)
            self.stage.commit({}, f"target {number}")
        self.target = self.stage.tip()

    def _mutate(self, root: Path) -> None:
        for _ in range(self.chance.randint(1, 3)):
            _mutate(self.chance, root)

    def pick(self) -> Candidate | None:
        """What git's cherry-pick gives; None where it sees a conflict."""
        place = self.stage.folder / "picked"
        stage = self.stage
        stage.git("worktree", "add", "-q", "--detach", str(place), self.target)
        try:
            how = ("-c", "merge.directoryRenames=false", "cherry-pick", "--allow-empty", "--keep-redundant-commits")
            stage.git(*how, self.snapshot.commit, at=place, check=False)
            if stage.git("status", "--porcelain", at=place) or stage.git("rev-parse", "HEAD", at=place) == self.target:
                return None
            commit, tree = stage.git("rev-parse", "HEAD", "HEAD^{tree}", at=place).split()
            return Candidate(commit, tree, self.target)
        finally:
            stage.git("worktree", "remove", "--force", "--force", str(place))

    def spoil(self, candidate: Candidate) -> Candidate | None:
        """The candidate with something lost, or something planted; None where there is nothing to spoil."""
        place = self.stage.folder / "spoilt"
        stage = self.stage
        stage.git("worktree", "add", "-q", "--detach", str(place), candidate.commit)
        try:
            kind = self.chance.choice(["lose work", "lose target", "plant line", "plant file", "remove", "mode"])
            self._spoil(kind, place)
            stage.git("add", "-A", "-f", at=place)
            tree = stage.git("write-tree", at=place)
            commit = stage.git("commit-tree", tree, "-p", candidate.onto, "-m", kind)
            return None if tree == candidate.tree else Candidate(commit, tree, candidate.onto)
        finally:
            stage.git("worktree", "remove", "--force", "--force", str(place))

    def _spoil(self, kind: str, place: Path) -> None:
        files = [path for path in _files(place) if path.is_file() and not path.is_symlink()]
        if kind == "lose work":
            self._put_back(place, list(self.snapshot.paths), self.target)
        elif kind == "lose target":
            names = self.stage.git(
                "diff-tree", "-r", "-z", "--name-only", "--no-renames", self.snapshot.base, self.target
            )
            self._put_back(place, [name for name in names.split("\0") if name], self.snapshot.commit)
        elif kind == "plant file":
            (place / "planted.txt").write_text("planted\n")
        elif files:
            chosen = self.chance.choice(files)
            if kind == "plant line":
                lines = chosen.read_bytes().split(b"\n")
                lines.insert(self.chance.randint(0, len(lines)), b"planted by nobody")
                chosen.write_bytes(b"\n".join(lines))
            elif kind == "remove":
                chosen.unlink()
            else:
                chosen.chmod(chosen.stat().st_mode ^ 0o111)

    def _put_back(self, place: Path, names: list[str], source: str) -> None:
        """One path as another commit has it."""
        if not names:
            return
        name = self.chance.choice(names)
        self.stage.git("rm", "-rfq", "--ignore-unmatch", "--", name, at=place)
        self.stage.git("checkout", "-q", source, "--", name, at=place, check=False)


def _fill(chance: random.Random, root: Path) -> None:
    for name in _NAMES:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name == "link":
            path.symlink_to("a.txt")
        elif name == "g.bin":
            path.write_bytes(bytes(chance.randrange(256) for _ in range(200)) + b"\0")
        else:
            path.write_text("".join(chance.choice(_WORDS) for _ in range(chance.randint(0, 30))))


def _files(root: Path) -> list[Path]:
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name != ".git")
        found += [Path(folder, name) for name in sorted(names) if name != ".git"]
    return found


def _mutate(chance: random.Random, root: Path) -> None:
    files = _files(root)
    if not files:
        (root / "a.txt").write_text("again\n")
        return
    path = chance.choice(files)
    kind = chance.choice(["edit", "edit", "edit", "edit", "delete", "rename", "move and edit", "mode", "add", "link"])
    if kind == "add":
        new = root / f"new/{chance.randint(0, 3)}.txt"
        if not new.parent.is_file():
            new.parent.mkdir(exist_ok=True)
            new.write_text("".join(chance.choice(_WORDS) for _ in range(chance.randint(1, 5))))
    elif kind == "delete":
        path.unlink()
    elif kind == "link":
        path.unlink()
        path.symlink_to(chance.choice(["x", "y"]))
    elif path.is_symlink():
        path.unlink()
        path.symlink_to(f"to-{chance.randint(0, 2)}")
    elif kind == "mode":
        path.chmod(path.stat().st_mode ^ 0o111)
    elif kind == "edit":
        _edit(chance, path)
    else:
        new = root / f"moved/{chance.randint(0, 3)}-{path.name}"
        new.parent.mkdir(exist_ok=True)
        if not new.is_symlink():
            shutil.move(path, new)
            if kind == "move and edit":
                _edit(chance, new)


def _edit(chance: random.Random, path: Path) -> None:
    data = path.read_bytes()
    if b"\0" in data:
        path.write_bytes(data[:10] + bytes([chance.randrange(256)]) + data[11:])
        return
    lines = data.split(b"\n")
    for _ in range(chance.randint(1, 2)):
        place = chance.randint(0, len(lines))
        added = [chance.choice(_WORDS).strip().encode() for _ in range(chance.choice([0, 1, 1, 2]))]
        lines[place : place + chance.choice([0, 0, 1, 2])] = added
    path.write_bytes(b"\n".join(lines))


__all__ = ["History", "Snapshot"]
