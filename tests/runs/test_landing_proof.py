"""The proof of a landing: a table of one path in four trees, and renames."""

import pytest

from planrail.runs.landing.proofs import ComparedTrees, Content, examine

BASE, OURS, THEIRS, BOTH = (("100644", name) for name in ("base", "ours", "theirs", "both"))
PROGRAM, LINK = ("100755", "base"), ("120000", "base")
Entry = tuple[str, str] | None


def _changes(path: str, before: Entry, after: Entry) -> dict[str, tuple[Entry, Entry]]:
    return {path: (before, after)} if before != after else {}


def _trees(path: str, base: Entry, phase: Entry, target: Entry, merged: Entry) -> ComparedTrees:
    sides = (_changes(path, base, phase), _changes(path, base, target), _changes(path, target, merged))
    return ComparedTrees(*sides, {}, {})


@pytest.mark.parametrize(
    ("base", "phase", "target", "merged", "problem"),
    [
        (BASE, BASE, BASE, OURS, "changed, though the phase did not touch it"),
        (BASE, BASE, THEIRS, None, "changed, though the phase did not touch it"),
        (BASE, OURS, BASE, OURS, ""),
        (BASE, OURS, OURS, OURS, ""),
        (BASE, OURS, BASE, BASE, "the verified change is missing"),
        (BASE, OURS, OURS, BOTH, "the verified change is missing"),
        (BASE, None, BASE, None, ""),
        (None, OURS, None, OURS, ""),
        (None, OURS, THEIRS, OURS, "a change of the target is lost"),
        (BASE, None, THEIRS, None, "a change of the target is lost"),
        (BASE, OURS, None, None, "the verified change is missing"),
        (None, OURS, THEIRS, BOTH, "changed on both sides in ways that cannot both be kept"),
        (BASE, LINK, THEIRS, LINK, "changed on both sides; a link or a submodule cannot have both"),
        (LINK, OURS, THEIRS, BOTH, "changed on both sides; a link or a submodule cannot have both"),
        (BASE, OURS, ("100755", "theirs"), BOTH, "the mode of the file is not what was verified"),
        (BASE, OURS, PROGRAM, OURS, "the mode of the file is not what was verified"),
        (BASE, PROGRAM, THEIRS, BOTH, "the mode of the file is not what was verified"),
        (
            PROGRAM,
            ("100644", "ours"),
            ("100755", "theirs"),
            ("100755", "both"),
            "the mode of the file is not what was verified",
        ),
    ],
)
def test_what_a_path_may_become(base: Entry, phase: Entry, target: Entry, merged: Entry, problem: str) -> None:
    examined = examine(_trees("a", base, phase, target, merged), ["a"], [])
    assert examined.problems == ([f"a: {problem}"] if problem else [])
    assert examined.contents == []


def test_the_contents_of_a_file_that_both_sides_changed_are_still_to_be_compared() -> None:
    theirs, both = ("100755", "theirs"), ("100755", "both")
    examined = examine(_trees("a", BASE, OURS, theirs, both), ["a"], [])
    assert (examined.problems, examined.contents) == ([], [Content("a", "base", "ours", "theirs", "both")])


def test_what_the_work_changed_and_nobody_recorded_is_a_problem_and_planrails_own_files_are_none() -> None:
    trees = _trees("a", BASE, OURS, BASE, OURS)
    assert examine(trees, [], []).problems == ["a: the work has a change that was not recorded with it"]
    assert examine(_trees("plan", BASE, BASE, BASE, OURS), [], ["plan"]).problems == []
