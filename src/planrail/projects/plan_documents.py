"""Where does the document of a plan lie, on whatever branch and in whatever worktree, and is anything in it left to do?

For callers that must be sure that it is gone, or done: what cannot be read counts as open.
"""

import os
from collections.abc import Collection, Iterable

from planrail.base.errors import PlanrailError
from planrail.git.git_writing import ask_git, encode_name
from planrail.git.object_store import read_objects
from planrail.git.remotes.mirrors import is_mirror
from planrail.plans.canonical.owned import is_id, read_id
from planrail.plans.files.plan_files import ARCHIVE
from planrail.plans.reading import read
from planrail.plans.text.scanning import scan
from planrail.plans.text.source import PlanSource
from planrail.projects.plan_proofs import KnownProofs, add_proofs
from planrail.projects.proof_reading import hash_phases

_SUFFIX, _FENCE = ".md", "---"


class Documents:
    """The documents of a repository, in its worktrees and on its branches, those of remotes too; `commits` are more.

    In a mirror nothing is checked out, and its branches are as old as its last run: there the commits are all.
    """

    def __init__(self, root: str, commits: Iterable[str] = ()) -> None:
        self._root, self._is_mirror = root, is_mirror(root)
        branches = () if self._is_mirror else ("refs/heads", "refs/remotes")
        told = (ask_git(root, "for-each-ref", "--format=%(objectname)", *branches) or "") if branches else ""
        self._commits = list(dict.fromkeys([*commits, *told.split()]))
        listed = (ask_git(root, "worktree", "list", "--porcelain", "-z") or "").split("\0")
        trees = [line.removeprefix("worktree ") for line in listed if line.startswith("worktree ")]
        self._trees = [] if self._is_mirror else trees or [root]
        self._ids: dict[str, set[str]] | None = None

    def read(self, plan: str, paths: Iterable[str]) -> list[PlanSource]:
        """The texts of a plan that lie outside of an archive; one with an id is also found where it was moved to."""
        known = set(filter(None, paths))
        found = self._load({plan, *known})
        if plan not in known and is_id(plan):
            moved = self._load(self._find_ids().get(plan, set()))
            found += [source for source in moved if read_id(source.text, scan(source.text)[0]) == plan]
        return found

    def _load(self, names: Collection[str]) -> list[PlanSource]:
        lying = sorted(name for name in names if ARCHIVE not in name.split("/")[:-1])
        found = {(name, text) for name in lying for text in [*self._read_files(name), *self._read_commits(name)]}
        return [PlanSource(name, text) for name, text in sorted(found)]

    def _read_files(self, name: str) -> list[str]:
        """As they are on the disk now, committed or not; "" for one that cannot be read."""
        texts = []
        for place in dict.fromkeys(os.path.join(tree, name) for tree in self._trees):
            if os.path.lexists(place):
                try:
                    with open(place, encoding="utf-8", errors="surrogateescape", newline="") as file:
                        texts.append(file.read())
                except OSError:
                    texts.append("")
        return texts

    def _read_commits(self, name: str) -> list[str]:
        if os.path.isabs(name) or not self._commits:
            return []
        if "\n" in name:  # git's answer would be torn
            return [""]
        asked = b"".join(encode_name(f"{commit}:{name}") + b"\n" for commit in self._commits)
        told = (ask_git(self._root, "cat-file", "--batch-check", data=asked) or "").splitlines()
        blobs = dict.fromkeys(line.split()[0] for line in told if line.split()[1:2] == ["blob"])
        stored = [found for found in read_objects(self._root, list(blobs)) if found is not None]
        return [one.content.decode("utf-8", "surrogateescape") for one in stored]

    def _find_ids(self) -> dict[str, set[str]]:
        """The places of documents by their ids; read once, since many branches are looked into."""
        if self._ids is None:
            self._ids, blobs = {}, dict[str, set[str]]()
            for commit in self._commits:
                told = ask_git(self._root, "ls-tree", "-r", "-z", commit) or ""
                for entry, _, name in (line.partition("\t") for line in told.split("\0")):
                    if name.endswith(_SUFFIX):
                        blobs.setdefault(entry.split()[2], set()).add(name)
            found = zip(blobs.values(), read_objects(self._root, list(blobs)), strict=True)
            texts = [(names, one.content.decode("utf-8", "surrogateescape")) for names, one in found if one is not None]
            for tree in self._trees:
                told = ask_git(tree, "ls-files", "-z", "--cached", "--others", "--exclude-standard") or ""
                for name in (name for name in told.split("\0") if name.endswith(_SUFFIX)):
                    texts += [({name}, text) for text in self._read_files(name)]
            for names, text in texts:
                id = read_id(text, scan(text)[0]) if text.startswith(_FENCE) else ""
                self._ids.setdefault(id, set()).update(names)
        return self._ids


def is_done(source: PlanSource, known: KnownProofs) -> bool:
    """Whether nothing is left to do in a document, by its own word and by what is proven of the text that it has."""
    try:
        plan = read(source)
        proven = {phase: word.text for phase, word in known.words.items()}
        phases = add_proofs(plan, known, hash_phases(proven, plan, source.text)).phases
    except PlanrailError:
        return False
    return bool(phases) and all(phase.status.is_terminal for phase in phases)
