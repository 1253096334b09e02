"""The proof of a landing, from the objects alone: before a ref moves, whatever built the candidate."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from planrail.base.records import record
from planrail.base.run_model import Candidate, Proof, Snapshot
from planrail.git.object_store import object_id, read_objects, require
from planrail.git.tree_merging import Diff, needs_renames, read_diffs
from planrail.runs.landing.hunks import find_problem

if TYPE_CHECKING:
    from planrail.git.tree_merging import Changes, Entry


_FILES = ("100644", "100755")
_UNKEPT = "changed on both sides in ways that cannot both be kept"


# Does a candidate have all that was verified, all of the target, and nothing else? Path by path. Pure. It is not asked
# how the candidate came about: the four trees alone decide. What follows for contents that both sides changed is left
# to `hunks`.


@record
class ComparedTrees:
    """Four trees by what differs: base to phase, base to target, target to candidate. With renames since the base."""

    phase: "Changes"
    target: "Changes"
    landed: "Changes"
    phase_renames: "Mapping[str, str]"
    target_renames: "Mapping[str, str]"


@record
class Content:
    """A file that both sides changed: its four contents have to be compared."""

    path: str
    base: str
    phase: str
    target: str
    merged: str


@record
class Examined:
    """What is wrong for sure, and what is still to be looked at."""

    problems: list[str]
    contents: list[Content]


@record
class _Four:
    base: "Entry | None"
    phase: "Entry | None"
    target: "Entry | None"
    merged: "Entry | None"


def examine(trees: ComparedTrees, recorded: "Collection[str]", extra: "Collection[str]") -> Examined:
    """Compare the trees. `recorded` are the paths that the phase changed; `extra` are planrail's own."""
    result = Examined([], [])
    known, own = set(recorded), set(extra)
    for path in sorted(trees.phase.keys() - known):
        result.problems.append(f"{path}: the work has a change that was not recorded with it")
    settled = own | _examine_renames(trees, result)
    for path in sorted((trees.phase.keys() | trees.landed.keys()) - settled):
        four = _four(trees, path)
        if four.phase == four.base:
            if four.merged != four.target:
                result.problems.append(f"{path}: changed, though the phase did not touch it")
        elif four.target in (four.base, four.phase):
            if four.merged != four.phase:
                result.problems.append(f"{path}: the verified change is missing")
        else:
            _examine_both(path, four, result)
    return result


def _four(trees: ComparedTrees, path: str) -> _Four:
    changes = (trees.phase.get(path), trees.target.get(path), trees.landed.get(path))
    base = next((change[0] for change in changes if change is not None), None)
    phase = changes[0][1] if changes[0] else base
    target = changes[1][1] if changes[1] else base
    return _Four(base, phase, target, changes[2][1] if changes[2] else target)


def _examine_both(path: str, four: _Four, result: Examined) -> None:
    """A path that both sides changed, each in its own way: only a file can have both."""
    base, phase, target, merged = four.base, four.phase, four.target, four.merged
    if base is None or phase is None or target is None or merged is None:
        lost = "the verified change is missing" if merged == target else _UNKEPT
        result.problems.append(f"{path}: {'a change of the target is lost' if merged == phase else lost}")
    elif any(entry[0] not in _FILES for entry in (base, phase, target, merged)):
        result.problems.append(f"{path}: changed on both sides; a link or a submodule cannot have both")
    elif merged[0] != (phase[0] if target[0] == base[0] else target[0]):
        result.problems.append(f"{path}: the mode of the file is not what was verified")
    else:
        result.contents.append(Content(path, base[1], phase[1], target[1], merged[1]))


def _examine_renames(trees: ComparedTrees, result: Examined) -> set[str]:
    """Files that one side renamed and the other changed too, under their new name. Returns the paths settled here."""
    settled: set[str] = set()
    for old in sorted(trees.phase.keys() & trees.target.keys()):
        names = {side[old] for side in (trees.phase_renames, trees.target_renames) if old in side}
        if not names:
            continue
        new = min(names)
        settled |= {old, *names}
        if len(names) > 1:
            result.problems.append(f"{old}: renamed differently on both sides ({', '.join(sorted(names))})")
        else:
            _examine_rename(trees, old, new, result)
    return settled


def _examine_rename(trees: ComparedTrees, old: str, new: str, result: Examined) -> None:
    before, after = _four(trees, old), _four(trees, new)
    phase = after.phase if old in trees.phase_renames else before.phase
    target = after.target if old in trees.target_renames else before.target
    is_taken = (after.phase is not None and phase is not after.phase) or (
        after.target is not None and target is not after.target
    )
    if before.merged is not None:
        result.problems.append(f"{old}: renamed to {new}, and still there")
    elif after.base is not None or is_taken:
        result.problems.append(f"{new}: new on both sides")
    else:
        _examine_both(new, _Four(before.base, phase, target, after.merged), result)


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
    contents = extra_paths if isinstance(extra_paths, Mapping) else {}
    for path, content in contents.items():  # planrail's own files are as planrail wrote them, where that is known
        entry = landed.changes[path][1] if path in landed.changes else None
        named = object_id("blob", content, like=candidate.commit)
        if path in landed.changes and (entry is None or entry[1] != named):
            problems.append(f"{path}: not as planrail wrote it")
    if problems:
        return Proof(False, tuple(problems))
    theirs = others[0].changes if others else {}
    renames: tuple[dict[str, str], dict[str, str]] = ({}, {})
    if others and needs_renames(theirs, work.changes):
        _, work_again, target_again = read_diffs(root, pairs, with_renames=True)
        renames = (work_again.renames, target_again.renames)
    examined = examine(ComparedTrees(work.changes, theirs, landed.changes, *renames), snapshot.paths, set(extra_paths))
    names = [oid for one in examined.contents for oid in (one.base, one.phase, one.target, one.merged)]
    stored = [require(found, "a file").content for found in read_objects(root, names)]
    problems = list(examined.problems)
    for number, each in enumerate(examined.contents):
        problem = find_problem(*stored[number * 4 : number * 4 + 4])
        problems += [f"{each.path}: {problem}"] if problem else []
    return Proof(not problems, tuple(problems))


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
