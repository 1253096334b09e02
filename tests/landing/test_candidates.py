"""The commit that is to land is the same whenever it is built, and what planrail writes itself is as it wrote it."""

from pathlib import Path

import pytest

from planrail.base.errors import ToolFailed
from planrail.base.records import replace
from planrail.base.run_model import Candidate, Proof, Snapshot
from planrail.runs.landing.candidates import PLANRAIL, Conflict, build_candidate, read_author
from planrail.runs.landing.proofs import prove
from tests.landing.stages import Stage, lines

PLAN = "plans/greeter.md"


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path, {"a.txt": lines(1, 20), PLAN: lines(1, 10)})


def test_it_is_the_same_commit_when_it_is_built_again(stage: Stage) -> None:
    snapshot = stage.work({"a.txt": lines(1, 20, mark={2: "verified"})})
    stage.commit({"a.txt": lines(1, 20, mark={18: "later"})})
    first = stage.build(snapshot, {PLAN: b"done\n"})
    stage.git("config", "user.name", "Somebody else")
    stage.git("config", "merge.conflictStyle", "diff3")
    assert stage.build(snapshot, {PLAN: b"done\n"}) == first


def test_of_what_both_sides_changed_both_are_kept_or_it_is_a_conflict(stage: Stage) -> None:
    snapshot = stage.work({"a.txt": lines(1, 20, mark={2: "verified"}), "b.txt": "new\n"})
    stage.commit({"a.txt": lines(1, 20, mark={18: "later"})})
    assert stage.show("a.txt", stage.build(snapshot).commit) == lines(1, 20, mark={2: "verified", 18: "later"})
    stage.commit({"a.txt": lines(1, 20, mark={2: "otherwise"})})
    candidate = stage.build(snapshot).candidate
    assert isinstance(candidate, Conflict)
    assert candidate.paths == ("a.txt",)


def test_work_that_git_has_thrown_away_is_an_error_that_says_so(stage: Stage) -> None:
    snapshot = stage.work({"a.txt": "x\n"})
    stage.commit({"b.txt": "later\n"})
    stage.git("gc", "-q", "--prune=now")
    with pytest.raises(ToolFailed, match="not in the repository any more"):
        stage.build(snapshot)


def test_it_is_as_young_as_what_it_is_made_of(stage: Stage) -> None:
    snapshot = stage.work({"a.txt": "x\n"})
    dates = [stage.git("log", "-1", "--format=%ct", commit) for commit in (snapshot.commit, stage.base)]
    commit = stage.build(snapshot).commit
    assert stage.git("log", "-1", "--format=%at %ct", commit) == f"{max(dates)} {max(dates)}"
    dated = build_candidate(str(stage.root), snapshot, stage.base, "m", {}, author="A <a@b>", at=5)
    assert isinstance(dated, Candidate)
    assert stage.git("log", "-1", "--format=%at %ct %an", dated.commit) == "5 5 A"


def test_the_user_is_the_author_and_planrail_where_git_knows_no_user(stage: Stage) -> None:
    assert read_author(str(stage.root)) == "Ada <ada@example.org>"
    stage.git("config", "author.name", "A <d> a")
    assert read_author(str(stage.root)) == "A d a <ada@example.org>"
    stage.git("config", "user.email", "")
    assert read_author(str(stage.root)) == PLANRAIL


def test_the_plan_is_as_planrail_wrote_it_whatever_others_made_of_it(stage: Stage) -> None:
    snapshot = stage.work({PLAN: "all phases are done, says the agent\n", "a.txt": "x\n"})
    for moved in (False, True):
        if moved:
            stage.commit({PLAN: lines(1, 10, mark={1: "the user's"})})
        outcome = stage.build(snapshot, {PLAN: b"marked by planrail\n"})
        assert outcome.proof == Proof(True)
        assert stage.show(PLAN, outcome.commit) == "marked by planrail\n"
        assert isinstance(outcome.candidate, Candidate)
        proof = prove(str(stage.root), snapshot, outcome.candidate, stage.tip(), {PLAN: b"something else\n"})
        assert proof == Proof(False, (f"{PLAN}: not as planrail wrote it",))
        assert not prove(str(stage.root), snapshot, outcome.candidate, stage.tip(), ()).ok


def test_a_plan_that_the_work_made_a_link_is_not_written_through(stage: Stage) -> None:
    def relink(place: Path) -> None:
        (place / PLAN).unlink()
        (place / PLAN).symlink_to("/etc/passwd")

    outcome = stage.build(stage.work(relink), {PLAN: b"done\n"})
    assert isinstance(outcome.candidate, Conflict)
    assert outcome.candidate.paths == (PLAN,)


def test_a_change_that_was_not_recorded_with_the_work_is_found(stage: Stage) -> None:
    snapshot = stage.work({"a.txt": "x\n", "slipped in.txt": "y\n"})
    fewer = Snapshot(snapshot.commit, snapshot.tree, snapshot.base, ("a.txt",))
    assert stage.build(fewer).proof == Proof(
        False, ("slipped in.txt: the work has a change that was not recorded with it",)
    )


def test_a_candidate_on_another_parent_is_never_proven(stage: Stage) -> None:
    snapshot = stage.work({"a.txt": "x\n"})
    orphan = stage.git("commit-tree", snapshot.tree, "-m", "no parent")
    two = stage.git("commit-tree", snapshot.tree, "-p", stage.base, "-p", snapshot.commit, "-m", "two parents")
    for commit in (orphan, two):
        candidate = Candidate(commit, snapshot.tree, stage.base)
        proof = prove(str(stage.root), snapshot, candidate, stage.base, ())
        assert "the candidate does not stand on the target" in proof.problems


def test_where_the_target_is_gone_nothing_that_the_phase_did_not_touch_is_proven(stage: Stage) -> None:
    snapshot = stage.work({"a.txt": "x\n"})
    orphan = stage.git("commit-tree", snapshot.tree, "-m", "no parent")
    proof = prove(str(stage.root), snapshot, Candidate(orphan, snapshot.tree, ""), "", ())
    assert f"{PLAN}: changed, though the phase did not touch it" in proof.problems


def test_a_candidate_or_work_that_is_not_what_was_recorded_is_never_proven(stage: Stage) -> None:
    snapshot = stage.work({"a.txt": "x\n"})
    outcome = stage.build(snapshot)
    candidate = outcome.candidate
    assert isinstance(candidate, Candidate)
    other_base = stage.git("commit-tree", snapshot.tree, "-m", "another")

    def problems(work: Snapshot, built: Candidate) -> tuple[str, ...]:
        return prove(str(stage.root), work, built, stage.base, ()).problems

    assert problems(snapshot, candidate) == ()
    elsewhere = replace(candidate, onto=snapshot.commit)
    assert problems(snapshot, elsewhere) == ("the candidate was built for another state of the target",)
    otherwise = replace(candidate, tree=stage.git("rev-parse", f"{stage.base}^{{tree}}"))
    assert problems(snapshot, otherwise) == ("the candidate has another tree than was recorded",)
    for changed in ({"base": other_base}, {"base": ""}, {"tree": otherwise.tree}):
        assert problems(replace(snapshot, **changed), candidate) == ("the work is not what was recorded",)


def test_histories_without_a_common_base_are_refused(stage: Stage) -> None:
    snapshot = stage.work({"a.txt": "x\n"})
    rootless = Snapshot(snapshot.commit, snapshot.tree, "", snapshot.paths)
    with pytest.raises(ToolFailed, match="no common base"):
        build_candidate(str(stage.root), rootless, stage.base, "m", {})
