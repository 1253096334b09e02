"""Committing a proven phase on request: exactly the files that were proven, and the plan's own mark.

The commit is made of the tree that the checks ran on, beside the user's index, and moves the branch only if it is where
it was. Nobody stages: of the index only the entries of the committed files are brought up to date.
"""

import os
import tempfile
from collections.abc import Iterable

from planrail.base.errors import PlanrailError
from planrail.base.records import record
from planrail.git.exact_commits import describe_files, find_busy, index_line, make_commit, move_head
from planrail.git.git_writing import ask_git, run_git
from planrail.git.repository_lock import hold
from planrail.git.trailers import add_trailers, find_landed
from planrail.runs.in_session.cases import Case
from planrail.runs.in_session.proving import Proof
from planrail.runs.in_session.selecting import Selection
from planrail.runs.in_session.working_tree import name_inside, tree_of_head
from planrail.store.places import common_directory, ledger_folder


@record
class Committed:
    """A commit of a phase. `paths` are its files; see `Selection` for what is not in it."""

    commit: str
    paths: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    mixed: tuple[str, ...] = ()


def refuse_commit(root: str) -> None:
    """A commit is made only where git has nothing else under way."""
    if common_directory(root) is None:
        raise PlanrailError(f"{root} is no git repository, so nothing can be committed", remedy="leave out --commit")
    busy = find_busy(root)
    if busy:
        raise PlanrailError(
            f"git is in the middle of {busy}; nothing was committed or marked",
            remedy="finish or abort it, then try again: git status",
        )


def commit_phase(case: Case, proof: Proof, files: Selection, message: str) -> Committed | None:
    """Commit the files of a phase as they were proven, and the plan as it is now. None: there is nothing to commit."""
    plan = _tracked_plan(case)
    with tempfile.TemporaryDirectory(prefix="planrail-") as folder:
        tree = _build(case.root, proof, files.paths, plan, os.path.join(folder, "index"))
    if tree == tree_of_head(case.root, proof.head):
        return None
    commit = make_commit(case.root, tree, proof.head, message)
    paths = (*files.paths, *([plan] if plan else []))
    with hold(os.path.join(ledger_folder(case.root), "repository.lock")):
        move_head(case.root, commit, proof.head, paths, "planrail done")
    return Committed(commit, paths, files.left_out, files.mixed)


def _build(root: str, proof: Proof, paths: Iterable[str], plan: str, index: str) -> str:
    """The tree of the commit: that of HEAD, with the proven files and the plan as it is now."""
    run_git(root, *(("read-tree", proof.head) if proof.head else ("read-tree", "--empty")), index=index)
    wanted = set(paths)
    entries = run_git(root, "ls-tree", "-r", "-z", "--full-tree", proof.tree.id).split("\0") if wanted else []
    found = {name: about for about, _, name in (entry.partition("\t") for entry in entries if entry) if name in wanted}
    lines = [index_line(name, found.get(name)) for name in sorted(wanted)]
    lines += describe_files(root, [plan] if plan else [])
    if lines:
        run_git(root, "update-index", "-z", "--index-info", index=index, data=b"".join(lines))
    return run_git(root, "write-tree", index=index).strip()


def _tracked_plan(case: Case) -> str:
    """The plan's file, where git tracks it; elsewhere its mark is no part of a commit."""
    name = name_inside(case.root, case.paper.place)
    return name if name and ask_git(case.root, "ls-files", "--error-unmatch", "--", name) is not None else ""


def find_commit(case: Case, proof: Proof) -> str:
    """The commit of this phase, where it was committed before; "" otherwise."""
    found = find_landed(case.root, proof.head, case.paper.id, case.order.id) if proof.head else None
    return found or ""


def write_message(case: Case, proof: Proof, text: str) -> str:
    """What the commit says: the person's words, or the phase's title; then which phase this is, and what proves it."""
    words = text.strip() or f"{case.paper.plan.title}: phase {case.order.id}, {case.order.title}"
    return add_trailers(words, case.paper.id, case.order.id, proof.hash)
