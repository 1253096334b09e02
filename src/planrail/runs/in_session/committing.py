"""Committing a proven phase on request: exactly the files that were proven, and the plan's own mark.

The commit is made of the tree that the checks ran on, beside the user's index, and moves the branch only if it is where
it was. Nobody stages: of the index only the entries of the committed files are brought up to date.
"""

import os
import tempfile
from collections.abc import Collection, Iterable

from planrail.base.errors import PlanrailError, UsageError
from planrail.base.records import record, replace
from planrail.base.wording import name_some, quote
from planrail.git.exact_commits import describe_files, find_busy, index_line, make_commit, move_head
from planrail.git.git_writing import ask_git, hold, run_git
from planrail.git.trailers import add_trailers
from planrail.git.workspaces.work_snapshots import changed_paths
from planrail.runs.in_session.cases import PhaseCase
from planrail.runs.in_session.proving import PhaseProof
from planrail.runs.in_session.working_tree import name_inside, tree_of_head
from planrail.store.places import common_directory, ledger_folder

_MOST_NAMED = 12


# Which files does the commit of a phase have? Those that were seen to change since it began, or those a person names.
# What lay in the working tree before is another's: it is left out and named. Where nobody saw the phase begin,
# nothing is guessed.


@record
class CommitRequest:
    """A commit that was asked for. `paths` are files and folders that they named, from the root on."""

    message: str = ""
    paths: tuple[str, ...] = ()
    takes_all: bool = False


@record
class Selection:
    """The files of a commit, and what else has changed. `mixed` of those left out were changed by the phase as well."""

    paths: tuple[str, ...]
    left_out: tuple[str, ...]
    mixed: tuple[str, ...] = ()
    commit: str = ""  # once it is made


def select_files(case: PhaseCase, head: str, tree: str, request: CommitRequest) -> Selection:
    """The files of a phase between HEAD and a tree, without the plan itself. Refuses where nobody can tell."""
    plan = name_inside(case.root, case.plan_file.place)
    changed = set(changed_paths(case.root, tree_of_head(case.root, head), tree)) - {plan}
    if request.paths:
        return choose_named(changed, [name for name in request.paths if name != plan])
    if request.takes_all or not changed:
        return Selection(tuple(sorted(changed)), ())
    if not case.base.began:
        here = [os.path.relpath(os.path.join(os.path.realpath(case.root), path)) for path in sorted(changed)]
        typed = [quote(f"./{name}" if name.startswith("-") else name) for name in here]
        wanted = " ".join(typed) if len(changed) <= _MOST_NAMED else "--all"
        raise PlanrailError(
            f"nobody saw phase {case.order.id} begin, so it is not known which files are its own; changed are: "
            f"{name_some(sorted(changed), _MOST_NAMED)}. Name those of the phase after --commit, or say --commit --all;"
            " nothing was marked",
            remedy=f"planrail done {case.name} {case.id} --commit {wanted}",
        )
    before = changed_paths(case.root, case.base.tree, case.base.began)
    return choose_own(changed, before, changed_paths(case.root, case.base.began, tree))


def choose_own(changed: Collection[str], before: Collection[str], since: Collection[str]) -> Selection:
    """The files that changed since a phase began, but for those that were changed or untracked before."""
    own, mixed = set(changed) & set(since) - set(before), set(changed) & set(since) & set(before)
    return Selection(tuple(sorted(own)), tuple(sorted(set(changed) - own)), tuple(sorted(mixed)))


def choose_named(changed: Collection[str], names: Iterable[str]) -> Selection:
    """The changed files that were named, or that lie in a folder that was."""
    own: set[str] = set()
    for name in names:
        found = {path for path in changed if path == name or name == "." or path.startswith(f"{name}/")}
        if not found:
            listed = name_some(sorted(changed), _MOST_NAMED) or "nothing"
            raise UsageError(
                f"{name} has not changed, or git ignores it; changed are: {listed}", remedy="git status --short"
            )
        own |= found
    return Selection(tuple(sorted(own)), tuple(sorted(set(changed) - own)))


def read_names(root: str, names: Iterable[str]) -> tuple[str, ...]:
    """Paths as they were typed here, from the root on. A link is meant itself, not what it leads to."""
    top, found = os.path.realpath(root), []
    for name in names:
        whole = os.path.abspath(name)
        place = os.path.join(os.path.realpath(os.path.dirname(whole)), os.path.basename(whole))
        inside = os.path.relpath(place, top)
        if inside.startswith(".."):
            raise UsageError(f"{name} lies outside of {root}", remedy="name files of the working tree")
        found.append(inside)
    return tuple(found)


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


def commit_phase(case: PhaseCase, proof: PhaseProof, files: Selection, message: str) -> Selection | None:
    """Commit the files of a phase as they were proven, and the plan as it is now. None: there is nothing to commit."""
    plan = name_inside(case.root, case.plan_file.place)
    if plan and ask_git(case.root, "ls-files", "--error-unmatch", "--", plan) is None:
        plan = ""  # its mark is no part of a commit
    root, wanted = case.root, set(files.paths)
    entries = run_git(root, "ls-tree", "-r", "-z", "--full-tree", proof.tree.id).split("\0") if wanted else []
    found = {name: about for about, _, name in (entry.partition("\t") for entry in entries if entry) if name in wanted}
    lines = [index_line(name, found.get(name)) for name in sorted(wanted)]
    lines += describe_files(root, [plan] if plan else [])
    with tempfile.TemporaryDirectory(prefix="planrail-") as folder:  # HEAD, the proven files, the plan as it is now
        index = os.path.join(folder, "index")
        run_git(root, *(("read-tree", proof.head) if proof.head else ("read-tree", "--empty")), index=index)
        if lines:
            run_git(root, "update-index", "-z", "--index-info", index=index, data=b"".join(lines))
        tree = run_git(root, "write-tree", index=index).strip()
    if tree == tree_of_head(case.root, proof.head):
        return None
    commit = make_commit(case.root, tree, proof.head, message)
    paths = (*files.paths, *([plan] if plan else []))
    with hold(os.path.join(ledger_folder(case.root), "repository.lock")):
        move_head(case.root, commit, proof.head, paths, "planrail done")
    return replace(files, paths=paths, commit=commit)


def write_message(case: PhaseCase, proof: PhaseProof, text: str) -> str:
    """What the commit says: the person's words, or the phase's title; then which phase this is, and what proves it."""
    words = text.strip() or f"{case.plan_file.plan.title}: phase {case.order.id}, {case.order.title}"
    return add_trailers(words, case.plan_file.id, case.order.id, proof.hash)
