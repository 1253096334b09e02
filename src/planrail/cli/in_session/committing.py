"""Committing a proven phase on request: exactly the files that were proven, and the plan's own mark.

The commit is made of the tree that the checks ran on, beside the user's index, and moves the branch only if it is where
it was. Nobody stages: of the index only the entries of the committed files are brought up to date.
"""

import os
import subprocess
import tempfile

from planrail.cli.in_session.working_tree import name_inside, tree_of_head
from planrail.errors import PlanrailError, ToolFailed
from planrail.ledger.places import common_directory, ledger_folder
from planrail.records import record
from planrail.repo.git_writing import ask_git, clean_environment, encode_name, join_paths, run_git
from planrail.repo.repository_lock import hold
from planrail.repo.trailers import add_trailers, find_landed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from planrail.cli.in_session.cases import Case
    from planrail.cli.in_session.proving import Proof
    from planrail.cli.in_session.selecting import Selection

_SECONDS = 120
_NOTHING = "0" * 40
# What git keeps in its folder while it is in the middle of something.
_UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "BISECT_LOG": "a bisection",
}


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
    folder = (ask_git(root, "rev-parse", "--absolute-git-dir") or "").rstrip("\n")
    busy = next((what for name, what in _UNDER_WAY.items() if os.path.exists(os.path.join(folder, name))), "")
    if busy or run_git(root, "ls-files", "--unmerged", "-z"):
        raise PlanrailError(
            f"git is in the middle of {busy or 'a conflict'}; nothing was committed or marked",
            remedy="finish or abort it, then try again: git status",
        )


def commit_phase(case: "Case", proof: "Proof", files: "Selection", message: str) -> Committed | None:
    """Commit the files of a phase as they were proven, and the plan as it is now. None: there is nothing to commit."""
    plan = _tracked_plan(case)
    with tempfile.TemporaryDirectory(prefix="planrail-") as folder:
        tree = _build(case.root, proof, files.paths, plan, os.path.join(folder, "index"))
    if tree == tree_of_head(case.root, proof.head):
        return None
    commit = _make_commit(case.root, tree, proof.head, message)
    paths = (*files.paths, *([plan] if plan else []))
    _move(case.root, commit, proof.head, paths)
    return Committed(commit, paths, files.left_out, files.mixed)


def _build(root: str, proof: "Proof", paths: "Iterable[str]", plan: str, index: str) -> str:
    """The tree of the commit: that of HEAD, with the proven files and the plan as it is now."""
    run_git(root, *(("read-tree", proof.head) if proof.head else ("read-tree", "--empty")), index=index)
    wanted = set(paths)
    entries = run_git(root, "ls-tree", "-r", "-z", "--full-tree", proof.tree.id).split("\0") if wanted else []
    found = {name: about for about, _, name in (entry.partition("\t") for entry in entries if entry) if name in wanted}
    lines = [_entry(name, found.get(name)) for name in sorted(wanted)]
    if plan:
        blob = run_git(root, "hash-object", "-w", f"--path={plan}", "--", os.path.join(root, plan)).strip()
        mode = "100755" if os.access(os.path.join(root, plan), os.X_OK) else "100644"
        lines.append(_entry(plan, f"{mode} blob {blob}"))
    if lines:
        run_git(root, "update-index", "-z", "--index-info", index=index, data=b"".join(lines))
    return run_git(root, "write-tree", index=index).strip()


def _entry(name: str, about: str | None) -> bytes:
    """A line for `update-index --index-info`; without anything known of it the file is taken out."""
    return (about or f"0 {_NOTHING}").encode() + b"\t" + encode_name(name) + b"\0"


def _tracked_plan(case: "Case") -> str:
    """The plan's file, where git tracks it; elsewhere its mark is no part of a commit."""
    name = name_inside(case.root, case.paper.place)
    return name if name and ask_git(case.root, "ls-files", "--error-unmatch", "--", name) is not None else ""


def _make_commit(root: str, tree: str, head: str, message: str) -> str:
    """A commit by the user, in their name and signed where they sign: planrail only types it."""
    parents = ("-p", head) if head else ()
    is_signed = (ask_git(root, "config", "--type=bool", "--get", "commit.gpgSign") or "").strip() == "true"
    command = ["git", "-C", root, "commit-tree", tree, *parents, *(("-S",) if is_signed else ()), "-F", "-"]
    given = dict(os.environ)
    kept = {name: given[name] for name in given if name.startswith(("GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG"))}
    try:
        done = subprocess.run(
            command, input=message.encode(), env=clean_environment() | kept, capture_output=True, timeout=_SECONDS
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ToolFailed(f"git commit-tree failed: {error}", remedy="git status") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ToolFailed(
            f"git could not make the commit: {said[-1] if said else done.returncode}",
            remedy="say who you are: git config user.name NAME; git config user.email ADDRESS",
        )
    return done.stdout.decode().strip()


def _move(root: str, commit: str, head: str, paths: tuple[str, ...]) -> None:
    """The index first: who dies in between has the files staged, and not their reverse."""
    with hold(os.path.join(ledger_folder(root), "repository.lock")):
        given = ("--pathspec-from-file=-", "--pathspec-file-nul")
        run_git(root, "reset", "--quiet", *given, commit, data=join_paths(paths))
        run_git(root, "update-ref", "-m", "planrail done", "HEAD", commit, head or _NOTHING)


def find_commit(case: "Case", proof: "Proof") -> str:
    """The commit of this phase, where it was committed before; "" otherwise."""
    found = find_landed(case.root, proof.head, case.paper.id, case.order.id) if proof.head else None
    return found or ""


def write_message(case: "Case", proof: "Proof", text: str) -> str:
    """What the commit says: the person's words, or the phase's title; then which phase this is, and what proves it."""
    words = text.strip() or f"{case.paper.plan.title}: phase {case.order.id}, {case.order.title}"
    return add_trailers(words, case.paper.id, case.order.id, proof.hash)
