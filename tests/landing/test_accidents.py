"""Landings that went wrong in public, rebuilt: nothing is lost, and where both cannot be kept, nothing lands.

Each has a control: what the tool in question did, which really loses something there, without an error.
"""

import subprocess
from pathlib import Path

import pytest

from planrail.base.run_model import Candidate, Landing, Snapshot
from planrail.runs.landing.candidates import Conflict
from planrail.runs.landing.proofs import prove
from tests.landing.stages import MAIN, Stage, change, lines


class Naive:
    """How others land. Each returns the commit that they would have made, and never fails."""

    def __init__(self, stage: Stage, snapshot: Snapshot) -> None:
        self.stage, self.snapshot = stage, snapshot
        self.place = stage.folder / "naive"
        stage.git("worktree", "add", "-q", "--detach", str(self.place), MAIN)

    def _commit(self) -> str:
        git = self.stage.git
        git("add", "-A", "-f", at=self.place)
        git("commit", "-q", "--allow-empty", "-m", "naive", at=self.place)
        return git("rev-parse", "HEAD", at=self.place)

    def squash(self, *how: str) -> str:
        """`git merge --squash`, with an option that silences conflicts."""
        done = subprocess.run(
            ["git", "merge", "--squash", *how, self.snapshot.commit], cwd=self.place, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout
        return self._commit()

    def merge(self, *how: str) -> str:
        """`git merge`, with a strategy."""
        self.stage.git("merge", "-q", *how, "-m", "naive", self.snapshot.commit, at=self.place)
        return self.stage.git("rev-parse", "HEAD", at=self.place)

    def put_tree(self) -> str:
        """The work's whole tree as the next commit: the target's own changes are undone."""
        return self.stage.git("commit-tree", self.snapshot.tree, "-p", MAIN, "-m", "naive")

    def copy_files(self) -> str:
        """The changed files copied over, those that are gone removed: what `cp` and `git add -A` do."""
        for path in self.snapshot.paths:
            self.stage.git("rm", "-rfq", "--ignore-unmatch", "--", path, at=self.place)
            content = self.stage.show(path, self.snapshot.commit)
            if content is not None:
                change(self.place, {path: content})
        return self._commit()

    def ignore_failure(self) -> str:
        """A cherry-pick whose exit status nobody looks at, and a clean-up."""
        self.stage.git("cherry-pick", self.snapshot.commit, at=self.place, check=False)
        self.stage.git("reset", "-q", "--hard", at=self.place)
        return self.stage.git("rev-parse", "HEAD", at=self.place)


def lost(stage: Stage, snapshot: Snapshot, commit: str) -> tuple[str, ...]:
    """What planrail's proof says of somebody else's landing."""
    tree, target = stage.git("rev-parse", f"{commit}^{{tree}}", MAIN).split()
    plain = stage.git("commit-tree", tree, "-p", target, "-m", "as one commit")
    proof = prove(str(stage.root), snapshot, Candidate(plain, tree, target), target, ())
    assert not proof.ok
    return proof.problems


def assert_lands(stage: Stage, snapshot: Snapshot) -> None:
    before = stage.tip()
    outcome = stage.run(snapshot)
    assert outcome.state == "landed", outcome
    assert stage.git("rev-parse", f"{MAIN}^") == before
    assert stage.status() == []


def assert_refused(stage: Stage, snapshot: Snapshot, *paths: str) -> str:
    before = stage.tip(), stage.git("for-each-ref"), stage.status()
    outcome = stage.run(snapshot)
    assert isinstance(outcome.candidate, Conflict), outcome
    assert outcome.candidate.paths == paths
    assert (stage.tip(), stage.git("for-each-ref"), stage.status()) == before
    return outcome.candidate.text


def test_squash_with_theirs_reverts_the_target_s_fix(tmp_path: Path) -> None:
    """spec-kitty 4892: `git merge --squash -X theirs`, exit status 0, and the lanes are deleted."""
    stage = Stage(tmp_path, {"app.py": lines(1, 20), "other.py": "o\n"})
    snapshot = stage.work({"app.py": lines(1, 20, mark={5: "the lane's line", 15: "the lane's other line"})})
    stage.commit({"app.py": lines(1, 20, mark={5: "a security fix"})})
    naive = Naive(stage, snapshot).squash("-X", "theirs")
    assert "a security fix" not in (stage.show("app.py", naive) or "")
    assert "a change of the target is lost" in lost(stage, snapshot, naive)[0]
    assert_refused(stage, snapshot, "app.py")
    assert "a security fix" in (stage.show("app.py") or "")


def test_changes_in_one_file_apart_from_each_other_are_both_kept(tmp_path: Path) -> None:
    stage = Stage(tmp_path, {"app.py": lines(1, 20)})
    snapshot = stage.work({"app.py": lines(1, 20, mark={3: "the lane's"})})
    stage.commit({"app.py": lines(1, 20, mark={17: "the target's"})})
    naive = Naive(stage, snapshot).copy_files()
    assert "the target's" not in (stage.show("app.py", naive) or "")
    assert lost(stage, snapshot, naive)
    assert_lands(stage, snapshot)
    assert stage.show("app.py") == lines(1, 20, mark={3: "the lane's", 17: "the target's"})


def test_a_merge_with_none_of_the_code(tmp_path: Path) -> None:
    """spec-kitty 1772: a merge commit is there, its second parent has the work, and the tree has nothing of it."""
    stage = Stage(tmp_path, {"app.py": "a\n"})
    snapshot = stage.work({"feature.py": "def feature(): ...\n", "app.py": "import feature\n"})
    stage.commit({"other.py": "o\n"})
    naive = Naive(stage, snapshot).merge("-s", "ours")
    assert snapshot.commit in stage.git("rev-list", naive)
    assert stage.show("feature.py", naive) is None
    assert lost(stage, snapshot, naive) == (
        "app.py: the verified change is missing",
        "feature.py: the verified change is missing",
    )
    assert_lands(stage, snapshot)
    assert stage.show("feature.py") == "def feature(): ...\n"


def test_the_code_of_a_package_that_was_removed_is_shipped(tmp_path: Path) -> None:
    """spec-kitty 4945: the target removed a package, and the lane still has it."""
    stage = Stage(tmp_path, {"old/a.py": "a\n", "old/b.py": "b\n", "app.py": "import old\n"})
    unrelated, related = stage.work({"new.py": "n\n"}), stage.work({"old/a.py": "a, better\n"})
    stage.commit({"old/a.py": None, "old/b.py": None, "app.py": "x\n"})
    naive = Naive(stage, unrelated).put_tree()
    assert stage.show("old/a.py", naive) == "a\n"
    assert "old/a.py: changed, though the phase did not touch it" in lost(stage, unrelated, naive)
    assert "removed on the target and changed in the phase" in assert_refused(stage, related, "old/a.py")
    assert_lands(stage, unrelated)
    assert stage.show("old/a.py") is None


def test_merging_back_deletes_files_that_were_committed_meanwhile(tmp_path: Path) -> None:
    """GSD 2075, eight incidents in six phases: the worktree was made from an older commit."""
    stage = Stage(tmp_path, {"app.py": "a\n"})
    snapshot = stage.work({"phase.py": "p\n"})
    for number in range(6):
        stage.commit({f"docs/phase-{number}.md": f"summary {number}\n"})
    naive = Naive(stage, snapshot).put_tree()
    assert stage.show("docs/phase-3.md", naive) is None
    assert len(lost(stage, snapshot, naive)) == 6
    assert_lands(stage, snapshot)
    assert stage.show("docs/phase-3.md") == "summary 3\n"


def archive(stage: Stage) -> None:
    """The target files its old plans away."""
    plans = [path for path in stage.files() if path.startswith("plans/")]
    (stage.root / "archive").mkdir()
    for path in plans:
        (stage.root / path).rename(stage.root / "archive" / Path(path).name)
    stage.commit({})


def test_archived_files_come_back(tmp_path: Path) -> None:
    """GSD 1756: a merge brought more than 150 of them back."""
    plans = {f"plans/{number}.md": f"plan {number}\n" + lines(1, 12) for number in range(160)}
    stage = Stage(tmp_path, {"app.py": "a\n", **plans})
    snapshot = stage.work({"app.py": "b\n"})
    archive(stage)
    naive = Naive(stage, snapshot).put_tree()
    assert stage.show("plans/7.md", naive) is not None
    assert len(lost(stage, snapshot, naive)) == 320
    assert_lands(stage, snapshot)
    assert not [path for path in stage.files() if path.startswith("plans/")]


def test_a_change_of_a_file_that_was_archived_meanwhile_follows_it(tmp_path: Path) -> None:
    stage = Stage(tmp_path, {"plans/1.md": "plan 1\n" + lines(1, 12), "plans/2.md": "plan 2\n" + lines(20, 32)})
    snapshot = stage.work({"plans/1.md": "plan 1\n" + lines(1, 12, mark={4: "verified"})})
    archive(stage)
    naive = Naive(stage, snapshot).copy_files()
    assert stage.show("plans/1.md", naive) is not None
    assert lost(stage, snapshot, naive)
    assert_lands(stage, snapshot)
    assert stage.show("plans/1.md") is None
    assert stage.show("archive/1.md") == "plan 1\n" + lines(1, 12, mark={4: "verified"})


def test_a_file_that_one_side_archives_and_the_other_removes_is_for_a_person(tmp_path: Path) -> None:
    stage = Stage(tmp_path, {"plans/1.md": "plan 1\n" + lines(1, 12), "a": "a\n"})
    snapshot = stage.work({"plans/1.md": None})
    archive(stage)
    naive = Naive(stage, snapshot).copy_files()
    assert stage.show("archive/1.md", naive) is not None
    assert lost(stage, snapshot, naive)
    assert "renamed to archive/1.md on the target and removed in the phase" in assert_refused(
        stage, snapshot, "plans/1.md"
    )


@pytest.fixture
def with_submodule(tmp_path: Path) -> Stage:
    library = Stage(tmp_path, {"lib.c": "1\n"}, "library")
    stage = Stage(tmp_path, {"app.c": "a\n"})
    stage.git("submodule", "add", "-q", str(library.root), "lib")
    stage.base = stage.commit({})
    return stage


def bump(stage: Stage, number: int) -> str:
    """A commit in the library."""
    library = stage.folder / "library"
    return stage.commit({"lib.c": f"{number}\n"}, at=library)


def test_the_commits_of_a_submodule_are_lost(with_submodule: Stage) -> None:
    """GSD 2137: files were copied, and a submodule is no file."""
    stage = with_submodule
    newer = bump(stage, 2)
    snapshot = stage.work(lambda place: _link(stage, place, newer))
    stage.commit({"app.c": "b\n"})
    naive = Naive(stage, snapshot).copy_files()
    assert newer not in stage.files(naive).get("lib", "")
    assert "lib: the verified change is missing" in lost(stage, snapshot, naive)
    outcome = stage.run(snapshot)
    assert outcome.state == "landed", outcome
    assert newer in stage.files()["lib"]
    assert outcome.landing == Landing(
        "landed", outcome.commit, MAIN, f"landed on main as {outcome.commit[:12]}", "git submodule update -- lib"
    )


def test_two_sides_that_move_a_submodule_are_for_a_person(with_submodule: Stage) -> None:
    stage = with_submodule
    older, newer = bump(stage, 2), bump(stage, 3)
    snapshot = stage.work(lambda place: _link(stage, place, newer))
    _link(stage, stage.root, older)
    stage.git("commit", "-q", "-m", "bump")
    stage.git("submodule", "update", "-q", check=False)
    naive = Naive(stage, snapshot).put_tree()
    assert older not in stage.files(naive)["lib"]
    assert lost(stage, snapshot, naive)
    assert_refused(stage, snapshot, "lib")


def _link(stage: Stage, place: Path, commit: str) -> None:
    stage.git("update-index", "--cacheinfo", f"160000,{commit},lib", at=place)


def test_a_merge_that_fails_is_taken_for_done(tmp_path: Path) -> None:
    """vibe-kanban 1897: the merge failed, nobody looked, and the task was closed."""
    stage = Stage(tmp_path, {"a.py": lines(1, 9)})
    snapshot = stage.work({"a.py": lines(1, 9, mark={4: "verified"}), "b.py": "b\n"})
    stage.commit({"a.py": lines(1, 9, mark={4: "other"})})
    naive = Naive(stage, snapshot).ignore_failure()
    assert stage.show("b.py", naive) is None
    assert len(lost(stage, snapshot, naive)) == 2
    assert "both sides changed the same lines" in assert_refused(stage, snapshot, "a.py")


def test_cleaning_up_deletes_what_is_not_ours(tmp_path: Path) -> None:
    """gastown 1182: 21 worktrees and 51 branches were deleted. Landing here deletes nothing at all."""
    stage = Stage(tmp_path, {"a.py": "a\n"})
    snapshot = stage.work({"a.py": "b\n"})
    for number in range(5):
        stage.git("worktree", "add", "-q", "-b", f"feature-{number}", str(tmp_path / f"tree-{number}"))
        stage.git("branch", f"planrail/other-{number}")
    before = stage.git("for-each-ref", "refs/heads/feature-*")
    trees = stage.git("worktree", "list", "--porcelain").split("\n\n")[1:]
    branches = stage.git("branch", "--list", "planrail/*")
    assert_lands(stage, snapshot)
    assert stage.git("for-each-ref", "refs/heads/feature-*") == before
    assert stage.git("worktree", "list", "--porcelain").split("\n\n")[1:] == trees
    assert stage.git("branch", "--list", "planrail/*") == branches


def test_a_reset_wipes_what_was_not_committed(tmp_path: Path) -> None:
    """The ref was moved under the checkout, and the checkout reset to it."""
    stage = Stage(tmp_path, {"a.py": "a\n", "b.py": "b\n"})
    snapshot = stage.work({"a.py": "verified\n"})
    change(stage.root, {"a.py": "hours of work\n", "b.py": "more of it\n"})
    stage.git("branch", "control")
    control = stage.folder / "control"
    stage.git("worktree", "add", "-q", str(control), "control")
    change(control, {"a.py": "hours of work\n"})
    stage.git("reset", "-q", "--hard", snapshot.commit, at=control)
    assert (control / "a.py").read_text() == "verified\n"
    outcome = stage.run(snapshot)
    assert outcome.state == "waiting", outcome
    assert (stage.root / "a.py").read_text() == "hours of work\n"
    assert stage.status() == [" M a.py", " M b.py"]


def test_everything_that_lies_around_is_committed_with_the_work(tmp_path: Path) -> None:
    """`git add -A` in the user's checkout commits what others have there."""
    stage = Stage(tmp_path, {"a.py": "a\n", "b.py": "b\n"})
    snapshot = stage.work({"a.py": "verified\n"})
    control = stage.folder / "control"
    stage.git("clone", "-q", str(stage.root), str(control))
    for place in (stage.root, control):
        change(place, {"b.py": "another session's\n", "secret.env": "TOKEN=1\n"})
    _commit_all(control)
    assert stage.git("ls-tree", "--name-only", "HEAD", "secret.env", at=control) == "secret.env"
    outcome = stage.run(snapshot)
    assert outcome.state == "landed", outcome
    assert stage.git("diff-tree", "-r", "--name-only", "--no-commit-id", MAIN) == "a.py"
    assert stage.status() == [" M b.py", "?? secret.env"]


def _commit_all(place: Path) -> None:
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", "add", "-A"], cwd=place, check=True)
    subprocess.run(["git", *who, "commit", "-qm", "phase"], cwd=place, check=True)


def test_moving_the_ref_under_a_checkout_stages_the_reverse(tmp_path: Path) -> None:
    stage = Stage(tmp_path, {"a.py": "a\n"})
    snapshot = stage.work({"a.py": "verified\n"})
    control = stage.folder / "control"
    stage.git("worktree", "add", "-q", "-b", "control", str(control))
    stage.git("update-ref", "refs/heads/control", snapshot.commit)
    assert stage.status(control) == ["M  a.py"]
    assert stage.git("diff", "--cached", at=control).endswith("-verified\n+a")
    assert_lands(stage, snapshot)


def test_renamed_differently_on_both_sides(tmp_path: Path) -> None:
    stage = Stage(tmp_path, {"a.py": lines(1, 20), "x": "x\n"})
    snapshot = stage.work({"a.py": None, "b.py": lines(1, 20)})
    stage.commit({"a.py": None, "c.py": lines(1, 20)})
    naive = Naive(stage, snapshot).copy_files()
    assert {"b.py", "c.py"} <= stage.files(naive).keys()
    assert lost(stage, snapshot, naive)
    assert_refused(stage, snapshot, "a.py")


def test_renamed_in_the_phase_and_changed_on_the_target(tmp_path: Path) -> None:
    stage = Stage(tmp_path, {"a.py": lines(1, 20), "x": "x\n"})
    snapshot = stage.work({"a.py": None, "lib/b.py": lines(1, 20, mark={3: "verified"})})
    stage.commit({"a.py": lines(1, 20, mark={17: "a fix"})})
    naive = Naive(stage, snapshot).copy_files()
    assert "a fix" not in (stage.show("lib/b.py", naive) or "")
    assert lost(stage, snapshot, naive)
    assert_lands(stage, snapshot)
    assert stage.show("lib/b.py") == lines(1, 20, mark={3: "verified", 17: "a fix"})
    assert stage.show("a.py") is None


def test_renamed_on_both_sides_to_the_same_name_and_changed(tmp_path: Path) -> None:
    stage = Stage(tmp_path, {"a.py": lines(1, 20), "x": "x\n"})
    snapshot = stage.work({"a.py": None, "b.py": lines(1, 20, mark={3: "verified"})})
    stage.commit({"a.py": None, "b.py": lines(1, 20, mark={17: "a fix"})})
    naive = Naive(stage, snapshot).copy_files()
    assert "a fix" not in (stage.show("b.py", naive) or "")
    assert lost(stage, snapshot, naive)
    assert_lands(stage, snapshot)
    assert stage.show("b.py") == lines(1, 20, mark={3: "verified", 17: "a fix"})


def test_renamed_in_the_phase_and_removed_on_the_target(tmp_path: Path) -> None:
    stage = Stage(tmp_path, {"a.py": lines(1, 20), "x": "x\n"})
    snapshot = stage.work({"a.py": None, "b.py": lines(1, 20)})
    stage.commit({"a.py": None})
    naive = Naive(stage, snapshot).copy_files()
    assert stage.show("b.py", naive) is not None
    assert lost(stage, snapshot, naive)
    assert_refused(stage, snapshot, "a.py")


def test_a_mode_on_one_side_and_a_content_on_the_other(tmp_path: Path) -> None:
    stage = Stage(tmp_path, {"run.sh": "echo\n"})
    snapshot = stage.work(lambda place: (place / "run.sh").chmod(0o755))
    stage.commit({"run.sh": "echo fixed\n"})
    naive = Naive(stage, snapshot).copy_files()
    assert stage.show("run.sh", naive) == "echo\n"
    assert lost(stage, snapshot, naive)
    assert_lands(stage, snapshot)
    assert stage.show("run.sh") == "echo fixed\n"
    assert stage.files()["run.sh"].startswith("100755")


def test_a_content_of_the_phase_and_a_mode_of_the_target(tmp_path: Path) -> None:
    stage = Stage(tmp_path, {"run.sh": "echo\n"})
    snapshot = stage.work({"run.sh": "echo verified\n"})
    (stage.root / "run.sh").chmod(0o755)
    stage.commit({}, "a program")
    naive = Naive(stage, snapshot).copy_files()
    assert stage.files(naive)["run.sh"].startswith("100644")
    assert lost(stage, snapshot, naive) == ("run.sh: the mode of the file is not what was verified",)
    assert_lands(stage, snapshot)
    assert stage.show("run.sh") == "echo verified\n"
    assert stage.files()["run.sh"].startswith("100755")


def test_line_ends_that_were_converted_under_a_fix(tmp_path: Path) -> None:
    stage = Stage(tmp_path, {"a.txt": lines(1, 20)})
    snapshot = stage.work({"a.txt": lines(1, 20).replace("\n", "\r\n")})
    stage.commit({"a.txt": lines(1, 20, mark={7: "a fix"})})
    naive = Naive(stage, snapshot).squash("-X", "theirs")
    assert "a fix" not in (stage.show("a.txt", naive) or "")
    assert lost(stage, snapshot, naive)
    assert_refused(stage, snapshot, "a.txt")


def test_only_the_case_of_a_name_changes_while_the_target_fixes_the_file(tmp_path: Path) -> None:
    stage = Stage(tmp_path, {"README.md": lines(1, 20)})
    snapshot = stage.work({"README.md": None, "readme.md": lines(1, 20)})
    stage.commit({"README.md": lines(1, 20, mark={7: "a fix"})})
    naive = Naive(stage, snapshot).copy_files()
    assert "a fix" not in (stage.show("readme.md", naive) or "")
    assert lost(stage, snapshot, naive)
    assert_lands(stage, snapshot)
    assert stage.show("readme.md") == lines(1, 20, mark={7: "a fix"})


@pytest.mark.full
def test_a_large_binary_file_that_both_sides_changed(tmp_path: Path) -> None:
    data = bytes(range(256)) * 8192
    stage = Stage(tmp_path, {"logo.png": data, "film.bin": data})
    both = stage.work({"logo.png": data + b"phase"})
    one = stage.work({"film.bin": data[::-1]})
    stage.commit({"logo.png": data + b"target"})
    naive = Naive(stage, both).squash("-X", "theirs")
    assert (stage.show("logo.png", naive) or "").endswith("phase")
    assert lost(stage, both, naive)
    assert "binary" in assert_refused(stage, both, "logo.png")
    assert_lands(stage, one)
    assert (stage.root / "film.bin").read_bytes() == data[::-1]


def test_a_target_that_was_set_back_does_not_get_its_dropped_commits_again(tmp_path: Path) -> None:
    stage = Stage(tmp_path, {"a.py": "a\n"})
    kept = stage.base
    dropped = stage.commit({"secret.py": "a mistake\n"})
    snapshot = stage.work({"b.py": "b\n"}, dropped)
    stage.git("reset", "-q", "--hard", kept)
    naive = Naive(stage, snapshot).merge()
    assert stage.show("secret.py", naive) == "a mistake\n"
    assert lost(stage, snapshot, naive)
    assert_lands(stage, snapshot)
    assert stage.show("secret.py") is None
    assert dropped not in stage.git("rev-list", MAIN)


def test_a_file_on_one_side_is_a_folder_on_the_other(tmp_path: Path) -> None:
    stage = Stage(tmp_path, {"a.py": "a\n"})
    snapshot = stage.work({"config": "one file\n"})
    stage.commit({"config/main.toml": "many\n"})
    naive = Naive(stage, snapshot).copy_files()
    assert stage.show("config/main.toml", naive) is None
    assert lost(stage, snapshot, naive)
    assert "a file on one side and a folder on the other" in assert_refused(stage, snapshot, "config")


def test_a_file_that_became_a_link_while_the_target_fixed_it(tmp_path: Path) -> None:
    def relink(place: Path) -> None:
        (place / "a.py").unlink()
        (place / "a.py").symlink_to("b.py")

    stage = Stage(tmp_path, {"a.py": "a\n", "b.py": "b\n"})
    snapshot = stage.work(relink)
    stage.commit({"a.py": "a fix\n"})
    naive = Naive(stage, snapshot).put_tree()
    assert lost(stage, snapshot, naive)
    assert_refused(stage, snapshot, "a.py")


def test_a_lock_file_that_is_not_to_be_merged_by_lines(tmp_path: Path) -> None:
    stage = Stage(tmp_path, {"pack.lock": lines(1, 30), ".gitattributes": "*.lock -merge\n"})
    snapshot = stage.work({"pack.lock": lines(1, 30, mark={3: "phase"})})
    stage.commit({"pack.lock": lines(1, 30, mark={25: "target"})})
    naive = Naive(stage, snapshot).copy_files()
    assert "target" not in (stage.show("pack.lock", naive) or "")
    assert lost(stage, snapshot, naive)
    assert "says not to merge it by lines" in assert_refused(stage, snapshot, "pack.lock")


def test_a_driver_that_always_prefers_one_side_is_never_started(tmp_path: Path) -> None:
    """`merge.ours.driver = true` is in many a user's settings: it throws the other side away, with exit status 0."""
    stage = Stage(tmp_path, {"a.lock": lines(1, 30), ".gitattributes": "*.lock merge=ours\n"})
    stage.git("config", "merge.ours.driver", "true")
    snapshot = stage.work({"a.lock": lines(1, 30, mark={3: "verified"})})
    stage.commit({"a.lock": lines(1, 30, mark={25: "target"})})
    naive = Naive(stage, snapshot).squash()
    assert "verified" not in (stage.show("a.lock", naive) or "")
    assert lost(stage, snapshot, naive)
    assert_refused(stage, snapshot, "a.lock")


def test_the_same_change_on_both_sides_lands_once(tmp_path: Path) -> None:
    stage = Stage(tmp_path, {"a.py": lines(1, 20)})
    snapshot = stage.work({"a.py": lines(1, 20) + "added\n", "b.py": "b\n"})
    stage.commit({"a.py": lines(1, 20) + "added\n"})
    assert_lands(stage, snapshot)
    assert stage.show("a.py") == lines(1, 20) + "added\n"


def test_empty_files_and_a_folder_that_takes_a_file_s_place_land(tmp_path: Path) -> None:
    def reshape(place: Path) -> None:
        change(place, {"a": None, "d/x": None})
        (place / "d").rmdir()
        change(place, {"a/b/c": "", "d": "a file now\n", "empty2": ""})

    stage = Stage(tmp_path, {"a": "a\n", "empty": "", "d/x": "x\n"})
    snapshot = stage.work(reshape)
    stage.commit({"z": "z\n"})
    assert_lands(stage, snapshot)
    assert set(stage.files()) == {"a/b/c", "d", "empty", "empty2", "z"}
