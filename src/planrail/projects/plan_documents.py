"""Where does the document of a plan lie, on whatever branch and in whatever worktree, and is anything in it left to do?

For callers that must be sure that it is gone, or done: what cannot be read counts as open.
"""

import os
from collections.abc import Iterable

from planrail.base.errors import PlanrailError
from planrail.git.git_writing import ask_git
from planrail.git.object_store import read_objects
from planrail.git.remotes.mirrors import is_mirror
from planrail.plans.files.plan_files import ARCHIVE
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource
from planrail.projects.plan_proofs import KnownProofs, add_proofs
from planrail.projects.proof_reading import hash_phases


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

    def read(self, plan: str, paths: Iterable[str]) -> list[PlanSource]:
        """The texts of a plan that lie outside of an archive; one with an id is also found where it was moved to."""
        known = {path for path in paths if path}
        known |= self._search(plan) if plan not in known and plan.isalnum() else set()
        names = sorted(path for path in known if ARCHIVE not in path.split("/")[:-1])
        found = [PlanSource(name, text) for name in names for text in self._read_files(name)]
        plain = [(commit, name) for name in names for commit in self._commits if not os.path.isabs(name)]
        objects = read_objects(self._root, [f"{commit}:{name}" for commit, name in plain])
        texts = {
            (name, stored.content.decode("utf-8", "surrogateescape"))
            for (_, name), stored in zip(plain, objects, strict=True)
            if stored is not None and stored.kind == "blob"
        }
        return found + [PlanSource(name, text) for name, text in sorted(texts)]

    def _read_files(self, name: str) -> list[str]:
        """As they are on the disk now, committed or not; "" for one that cannot be read."""
        texts = []
        for place in dict.fromkeys(os.path.join(tree, name) for tree in (self._trees or [os.sep])):
            if os.path.lexists(place):
                try:
                    with open(place, encoding="utf-8", errors="surrogateescape", newline="") as file:
                        texts.append(file.read())
                except OSError:
                    texts.append("")
        return texts

    def _search(self, id: str) -> set[str]:
        found: set[str] = set()
        for tree in self._trees:
            told = ask_git(tree, "grep", "-lzF", "--untracked", "-e", id, "--", "*.md") or ""
            found |= set(filter(None, told.split("\0")))
        for commit in self._commits if self._is_mirror else ():
            told = ask_git(self._root, "grep", "-lzF", "-e", id, commit, "--", "*.md") or ""
            found |= {name.partition(":")[2] for name in told.split("\0") if name}
        return found


def is_done(source: PlanSource, known: KnownProofs) -> bool:
    """Whether nothing is left to do in a document, by its own word and by what is proven of the text that it has."""
    try:
        plan = read(source)
        proven = {phase: word.text for phase, word in known.words.items()}
        phases = add_proofs(plan, known, hash_phases(proven, plan, source.text)).phases
    except PlanrailError:
        return False
    return bool(phases) and all(phase.status.is_terminal for phase in phases)
