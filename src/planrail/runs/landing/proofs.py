"""The proof of a landing, from the objects alone: before a ref moves, whatever built the candidate."""

from collections.abc import Collection, Mapping

from planrail.base.run_model import Candidate, Proof, Snapshot
from planrail.git.object_store import object_id, read_objects, require
from planrail.git.tree_diffs import Diff, read_diffs
from planrail.git.tree_merging import needs_renames
from planrail.runs.landing.hunks import find_problem
from planrail.runs.landing.proof import Content, Trees, examine


def prove(
    root: str,
    snapshot: Snapshot,
    candidate: Candidate,
    target_before: str,
    extra_paths: Collection[str] | Mapping[str, bytes],
) -> Proof:
    """Whether the candidate has every verified hunk, loses nothing of the target, and changes nothing else.

    `extra_paths` are the files that planrail writes itself; where their contents are given, those are compared too.
    """
    pairs = [("", candidate.commit), ("", snapshot.commit)]
    moved = target_before != snapshot.base
    pairs += [(snapshot.base, target_before)] if moved and snapshot.base and target_before else []
    landed, work, *others = read_diffs(root, pairs)
    problems = _check_lineage(snapshot, candidate, target_before, landed, work)
    problems += _check_extra(extra_paths, landed, candidate.commit)
    if problems:
        return Proof(False, tuple(problems))
    return _compare(root, snapshot, work, others[0] if others else None, landed, pairs, set(extra_paths))


def _check_lineage(snapshot: Snapshot, candidate: Candidate, target_before: str, landed: Diff, work: Diff) -> list[str]:
    """The commits are what they are said to be: a candidate on another parent would throw the target's history away."""
    problems = []
    if landed.parents != ([target_before] if target_before else []):
        problems.append("the candidate does not stand on the target")
    if candidate.onto != target_before:
        problems.append("the candidate was built for another state of the target")
    if landed.tree != candidate.tree:
        problems.append("the candidate has another tree than was recorded")
    if work.parents != ([snapshot.base] if snapshot.base else []) or work.tree != snapshot.tree:
        problems.append("the work is not what was recorded")
    return problems


def _check_extra(extra: Collection[str] | Mapping[str, bytes], landed: Diff, like: str) -> list[str]:
    """planrail's own files are as planrail wrote them, where that is known."""
    problems = []
    contents = extra if isinstance(extra, Mapping) else {}
    for path, content in contents.items():
        entry = landed.changes[path][1] if path in landed.changes else None
        if path in landed.changes and (entry is None or entry[1] != object_id("blob", content, like=like)):
            problems.append(f"{path}: not as planrail wrote it")
    return problems


def _compare(
    root: str,
    snapshot: Snapshot,
    work: Diff,
    target: Diff | None,
    landed: Diff,
    pairs: list[tuple[str, str]],
    extra: set[str],
) -> Proof:
    theirs = target.changes if target else {}
    renames: tuple[dict[str, str], dict[str, str]] = ({}, {})
    if target and needs_renames(theirs, work.changes):
        _, work_again, target_again = read_diffs(root, pairs, with_renames=True)
        renames = (work_again.renames, target_again.renames)
    trees = Trees(work.changes, theirs, landed.changes, *renames)
    examined = examine(trees, snapshot.paths, extra)
    problems = [*examined.problems, *_compare_contents(root, examined.contents)]
    return Proof(not problems, tuple(problems))


def _compare_contents(root: str, contents: list[Content]) -> list[str]:
    names = [oid for each in contents for oid in (each.base, each.phase, each.target, each.merged)]
    stored = [require(found, "a file").content for found in read_objects(root, names)]
    problems = []
    for number, each in enumerate(contents):
        problem = find_problem(*stored[number * 4 : number * 4 + 4])
        if problem:
            problems.append(f"{each.path}: {problem}")
    return problems
