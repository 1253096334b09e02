"""The target moves with its checkout or not at all, and what the user has not committed stays as it is."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from planrail.base.run_model import Candidate
from planrail.runs.landing.candidates import build_candidate
from planrail.runs.landing.proofs import prove
from tests.git.snapshot_trees import walk
from tests.landing.stages import MAIN, Stage, change, lines, shim_git

FILES = {"a.txt": lines(1, 20), "b.txt": "b\n", "d/c.txt": "c\n", ".gitignore": "*.log\nbuild/\n", "z.txt": "z\n"}
WORK = {"a.txt": lines(1, 20, mark={3: "verified"}), "n/e/w.txt": "new\n", "b.txt": None}


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path, FILES)


def seen(stage: Stage) -> tuple[object, ...]:
    """All that a user would miss."""
    return walk(stage.root), stage.status(), stage.git("diff", "--cached"), stage.git("ls-files", "-s"), stage.tip()


def test_a_clean_checkout_comes_along(stage: Stage) -> None:
    outcome = stage.run(stage.work(WORK), {"plan.md": b"done\n"})
    assert outcome.state == "landed", outcome
    assert stage.tip() == outcome.commit
    assert stage.status() == []
    assert "verified" in (stage.root / "a.txt").read_text()
    assert (stage.root / "plan.md").read_text() == "done\n"
    assert not (stage.root / "b.txt").exists()
    assert stage.git("log", "-1", "--format=%an <%ae>|%P") == f"Ada <ada@example.org>|{stage.base}"
    assert stage.git("reflog", "-1", "--format=%gs") == "planrail: phase 1"


def test_a_normal_landing_starts_few_gits(stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot, calls = stage.work(WORK), tmp_path / "calls"
    shim = shim_git(tmp_path / "bin", f"echo x >> '{calls}'")
    monkeypatch.setenv("PATH", f"{shim}:{os.environ['PATH']}")
    candidate = build_candidate(str(stage.root), snapshot, stage.base, "m\n", {"plan.md": b"x\n"}, author="A <a@b>")
    assert isinstance(candidate, Candidate)
    assert prove(str(stage.root), snapshot, candidate, stage.base, {"plan.md"}).ok
    assert stage.land(candidate).state == "landed"
    assert len(calls.read_text().split()) <= 7


def test_uncommitted_work_elsewhere_stays_as_it_is(stage: Stage) -> None:
    change(stage.root, {"d/c.txt": "mine\n", "staged.txt": "s\n", "untracked.txt": "u\n", "x.log": "i\n"})
    stage.git("add", "staged.txt")
    change(stage.root, {"staged.txt": "s2\n"})
    before = stage.status()
    outcome = stage.run(stage.work(WORK))
    assert outcome.state == "landed", outcome
    assert stage.status() == before
    assert (stage.root / "d/c.txt").read_text() == "mine\n"
    assert stage.git("show", ":staged.txt") == "s"


def _stage_other(stage: Stage) -> None:
    change(stage.root, {"a.txt": "staged\n"})
    stage.git("add", "a.txt")


def _stage_other_with_equal_file(stage: Stage) -> None:
    _stage_other(stage)
    change(stage.root, {"a.txt": WORK["a.txt"]})


def _stage_equal_with_other_file(stage: Stage) -> None:
    change(stage.root, {"a.txt": WORK["a.txt"]})
    stage.git("add", "a.txt")
    change(stage.root, {"a.txt": FILES["a.txt"]})


def _make_folder(stage: Stage) -> None:
    (stage.root / "a.txt").unlink()
    change(stage.root, {"a.txt/x.log": "in the way\n"})


def _intend_to_add(stage: Stage) -> None:
    change(stage.root, {"n/e/w.txt": "mine\n"})
    stage.git("add", "-N", "n/e/w.txt")


def _remove_from_index(stage: Stage) -> None:
    stage.git("rm", "--cached", "-q", "a.txt")


def _remove_and_keep(stage: Stage) -> None:
    stage.git("rm", "--cached", "-q", "b.txt")


def _remove_and_write(stage: Stage) -> None:
    _remove_and_keep(stage)
    change(stage.root, {"b.txt": "mine\n"})


def _leave_a_conflict(stage: Stage) -> None:
    """What `git stash pop` leaves: unmerged, and no merge is under way."""
    change(stage.root, {"z.txt": "stashed\n"})
    stage.git("stash")
    change(stage.root, {"z.txt": "other\n"})
    stage.git("add", "z.txt")
    tree = stage.git("write-tree")
    ours = stage.git("rev-parse", f"{tree}:z.txt")
    base, theirs = stage.git("rev-parse", "HEAD:z.txt"), stage.git("rev-parse", "stash@{0}:z.txt")
    rows = "".join(f"100644 {oid} {number}\tz.txt\n" for number, oid in enumerate((base, ours, theirs), 1))
    stage.git("rm", "--cached", "-q", "-f", "z.txt")
    subprocess.run(["git", "update-index", "--index-info"], cwd=stage.root, input=rows, text=True, check=True)


OBSTACLES: dict[str, Callable[[Stage], None]] = {
    "changed": lambda stage: change(stage.root, {"a.txt": "mine\n"}),
    "staged": _stage_other,
    "staged, with a file that is equal": _stage_other_with_equal_file,
    "staged equal, with another file": _stage_equal_with_other_file,
    "removed": lambda stage: change(stage.root, {"a.txt": None}),
    "removed from the index": _remove_from_index,
    "changed, and the landing removes it": lambda stage: change(stage.root, {"b.txt": "mine\n"}),
    "untracked": lambda stage: change(stage.root, {"n/e/w.txt": "mine\n"}),
    "ignored": lambda stage: change(stage.root, {".git/info/exclude": "w.txt\n", "n/e/w.txt": "mine\n"}),
    "a file where a folder must be": lambda stage: change(stage.root, {"n/e": "mine\n"}),
    "a link where a folder must be": lambda stage: (stage.root / "n").symlink_to("d"),
    "a folder where a file must be": lambda stage: change(stage.root, {"n/e/w.txt/x.log": "mine\n"}),
    "a folder where a file was": _make_folder,
    "another mode": lambda stage: (stage.root / "a.txt").chmod(0o755),
    "intended to be added": _intend_to_add,
    "removed from the index, and the landing removes it": _remove_and_keep,
    "removed from the index and written, and the landing removes it": _remove_and_write,
    "a conflict elsewhere": _leave_a_conflict,
}


@pytest.mark.parametrize("name", OBSTACLES)
def test_uncommitted_work_in_the_way_makes_it_wait_on_a_branch(stage: Stage, name: str) -> None:
    snapshot = stage.work(WORK)
    OBSTACLES[name](stage)
    before = seen(stage)
    outcome = stage.run(snapshot)
    assert outcome.state == "waiting", outcome
    landing = outcome.landing
    assert landing is not None
    assert seen(stage) == before
    assert landing.ref == "refs/heads/planrail/greeter"
    assert stage.tip(landing.ref) == outcome.commit
    assert "waits on planrail/greeter, and main has not moved. First " in landing.message
    assert not (stage.folder / "ledger" / "landing.json").exists()


def test_what_waits_lands_once_the_way_is_free(stage: Stage) -> None:
    snapshot = stage.work(WORK)
    change(stage.root, {"a.txt": "mine\n"})
    landing = stage.settle(snapshot)
    assert landing.message.endswith("First commit, stash or move away a.txt")
    stage.git("checkout", "-q", "--", "a.txt")
    assert stage.land(Candidate(landing.commit, "", stage.base)).state == "landed"


@pytest.mark.parametrize("staged", [(), ("a.txt",), ("a.txt", "n/e/w.txt"), ("-A",)])
def test_work_that_was_done_in_the_checkout_itself_lands(stage: Stage, staged: tuple[str, ...]) -> None:
    snapshot = stage.work(WORK)
    change(stage.root, {**WORK, "z.txt": "the user's\n"})
    if staged:
        stage.git("add", *staged)
        stage.git("reset", "-q", "--", "z.txt")
    outcome = stage.run(snapshot)
    assert outcome.state == "landed", outcome
    assert stage.status() == [" M z.txt"]
    assert stage.git("write-tree") == stage.git("rev-parse", "HEAD^{tree}")


def test_a_file_that_was_only_touched_is_no_obstacle(stage: Stage) -> None:
    snapshot = stage.work(WORK)
    os.utime(stage.root / "a.txt", (1, 1))
    os.utime(stage.root / "b.txt", (1, 1))
    outcome = stage.run(snapshot)
    assert outcome.state == "landed", outcome
    assert stage.status() == []


def test_a_target_that_is_not_checked_out_moves_alone(stage: Stage) -> None:
    snapshot = stage.work(WORK)
    for where in (("checkout", "-q", "-b", "other"), ("checkout", "-q", "--detach")):
        stage.git(*where)
        change(stage.root, {"a.txt": "mine\n"})
        before = walk(stage.root), stage.git("rev-parse", "HEAD"), stage.status()
        outcome = stage.run(snapshot)
        assert outcome.state == "landed", outcome
        assert (walk(stage.root), stage.git("rev-parse", "HEAD"), stage.status()) == before
        assert stage.tip() == outcome.commit
        stage.git("update-ref", MAIN, stage.base)


def test_a_linked_worktree_that_has_the_target_comes_along(stage: Stage, tmp_path: Path) -> None:
    snapshot, place = stage.work(WORK), tmp_path / "linked tree"
    stage.git("checkout", "-q", "-b", "other")
    stage.git("worktree", "add", "-q", str(place), "main")
    change(place, {"d/c.txt": "mine\n"})
    outcome = stage.run(snapshot)
    assert outcome.state == "landed", outcome
    assert stage.status(place) == [" M d/c.txt"]
    assert stage.status() == []
    assert "verified" in (place / "a.txt").read_text()


def test_a_linked_worktree_with_work_in_the_way_is_named(stage: Stage, tmp_path: Path) -> None:
    snapshot, place = stage.work(WORK), tmp_path / "linked tree"
    stage.git("checkout", "-q", "-b", "other")
    stage.git("worktree", "add", "-q", str(place), "main")
    change(place, {"a.txt": "mine\n"})
    landing = stage.settle(snapshot)
    assert landing.state == "waiting"
    assert landing.message.endswith(f"First commit, stash or move away a.txt in {place}")
    assert (place / "a.txt").read_text() == "mine\n"


def test_a_worktree_that_was_thrown_away_is_no_obstacle_but_a_locked_one_is(stage: Stage, tmp_path: Path) -> None:
    snapshot, place = stage.work(WORK), tmp_path / "linked"
    stage.git("checkout", "-q", "-b", "other")
    stage.git("worktree", "add", "-q", str(place), "main")
    place.rename(tmp_path / "unplugged")
    stage.git("worktree", "lock", str(place))
    landing = stage.settle(snapshot)
    assert landing.state == "waiting"
    stage.git("worktree", "unlock", str(place))
    landing = stage.settle(snapshot)
    assert landing.state == "landed"


def test_landing_from_a_linked_worktree_brings_the_main_one_along(stage: Stage, tmp_path: Path) -> None:
    snapshot, place = stage.work(WORK), tmp_path / "linked"
    stage.git("worktree", "add", "-q", "-b", "other", str(place))
    main, stage.root = stage.root, place
    outcome = stage.run(snapshot)
    assert outcome.state == "landed", outcome
    assert stage.status(main) == []
    assert "verified" in (main / "a.txt").read_text()


def test_the_first_commit_of_a_repository_lands(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    change(stage.root, {"mine.txt": "m\n"})
    blob = stage.git("hash-object", "-w", "--stdin")
    tree = subprocess.run(
        ["git", "mktree"], cwd=stage.root, input=f"100644 blob {blob}\tnew.txt\n", capture_output=True, text=True
    ).stdout.strip()
    from planrail.base.run_model import Snapshot

    snapshot = Snapshot(stage.git("commit-tree", tree, "-m", "work"), tree, "", ("new.txt",))
    outcome = stage.run(snapshot)
    assert outcome.state == "landed", outcome
    assert stage.status() == ["?? mine.txt"]
    assert stage.tip() == outcome.commit


def test_a_target_that_moved_is_said_to_have_moved_and_nothing_changes(stage: Stage) -> None:
    outcome = stage.build(stage.work(WORK))
    moved = stage.commit({"z.txt": "later\n"})
    assert isinstance(outcome.candidate, Candidate)
    landing = stage.land(outcome.candidate)
    assert (landing.state, stage.tip()) == ("moved", moved)
    assert stage.status() == []


def test_a_target_that_was_deleted_is_not_made_again(stage: Stage) -> None:
    outcome = stage.build(stage.work(WORK))
    stage.git("checkout", "-q", "--detach")
    stage.git("branch", "-D", "main")
    assert isinstance(outcome.candidate, Candidate)
    landing = stage.land(outcome.candidate)
    assert (landing.state, stage.tip()) == ("refused", "")
    assert landing.command == f"git branch main {stage.base}"


def test_landing_again_changes_nothing_even_when_others_went_on(stage: Stage) -> None:
    outcome = stage.run(stage.work(WORK))
    assert isinstance(outcome.candidate, Candidate)
    change(stage.root, {"a.txt": "changed after it landed\n"})
    before = seen(stage)
    assert stage.land(outcome.candidate).state == "landed"
    assert seen(stage) == before
    stage.commit({"a.txt": "and committed\n"})
    before = seen(stage)
    assert stage.land(outcome.candidate).state == "landed"
    assert seen(stage) == before


@pytest.mark.parametrize("what", ["merge", "cherry-pick", "rebase", "revert"])
def test_nothing_moves_under_somebody_in_the_middle_of_something(stage: Stage, what: str) -> None:
    snapshot = stage.work(WORK)
    stage.git("checkout", "-q", "-b", "other")
    stage.commit({"d/c.txt": "other\n"})
    stage.git("checkout", "-q", "main")
    stage.commit({"d/c.txt": "main\n"})
    name = {"revert": "HEAD~1" if what == "revert" else ""}.get(what, "other")
    if what == "revert":
        stage.commit({"d/c.txt": "main again\n"})
    stage.git(what, name, check=False)
    before = seen(stage)
    landing = stage.settle(snapshot)
    assert landing.state == "waiting", landing
    assert what in landing.message
    assert seen(stage) == before


def test_a_branch_that_is_being_bisected_does_not_move(stage: Stage) -> None:
    snapshot = stage.work(WORK)
    for number in range(4):
        stage.commit({"z.txt": f"{number}\n"})
    stage.git("bisect", "start", "HEAD", "HEAD~4")
    landing = stage.settle(snapshot)
    assert landing.state == "waiting", landing
    assert "bisection" in landing.message


@pytest.mark.full
def test_the_lock_of_a_git_at_work_is_respected(stage: Stage) -> None:
    snapshot, lock = stage.work(WORK), stage.root / ".git/index.lock"
    lock.write_text("")
    landing = stage.settle(snapshot)
    assert landing.state == "waiting"
    assert lock.exists()
    assert stage.tip() == stage.base


def test_a_foreign_branch_of_the_same_name_is_left_alone(stage: Stage) -> None:
    snapshot = stage.work(WORK)
    stage.git("branch", "planrail/greeter")
    stage.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "foreign")
    foreign = stage.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "foreign")
    stage.git("update-ref", "refs/heads/planrail/greeter", foreign)
    change(stage.root, {"a.txt": "mine\n"})
    landing = stage.settle(snapshot)
    assert landing.ref == "refs/heads/planrail/greeter-2"
    assert stage.tip("refs/heads/planrail/greeter") == foreign
    again = stage.settle(snapshot)
    assert again == landing


def test_an_earlier_form_of_the_same_phase_gives_way_and_another_phase_does_not(stage: Stage) -> None:
    change(stage.root, {"a.txt": "mine\n"})
    first = stage.settle(stage.work(WORK))
    second = stage.settle(stage.work({"a.txt": "better\n"}))
    other = stage.settle(stage.work({"a.txt": "of phase 2\n"}), phase="2")
    assert first.ref == second.ref == "refs/heads/planrail/greeter"
    assert stage.tip(second.ref) == second.commit
    assert other.ref == "refs/heads/planrail/greeter-2"


def test_a_waiting_branch_that_somebody_has_checked_out_is_not_moved(stage: Stage, tmp_path: Path) -> None:
    change(stage.root, {"a.txt": "mine\n"})
    stage.run(stage.work(WORK))
    stage.git("worktree", "add", "-q", str(tmp_path / "look"), "planrail/greeter")
    landing = stage.settle(stage.work({"a.txt": "better\n"}))
    assert landing.ref == "refs/heads/planrail/greeter-2"
    assert stage.status(tmp_path / "look") == []


def test_a_branch_named_planrail_is_in_nobody_s_way(stage: Stage) -> None:
    stage.git("branch", "planrail")
    change(stage.root, {"a.txt": "mine\n"})
    landing = stage.settle(stage.work(WORK))
    assert landing.ref == "refs/heads/planrail-greeter"


def test_a_checkout_with_converted_line_ends_comes_along(stage: Stage) -> None:
    stage.git("config", "core.autocrlf", "true")
    for path in (*FILES, "b.txt"):
        (stage.root / path).unlink(missing_ok=True)
    stage.git("checkout", "-f", "-q", "main", "--", ".")
    assert b"\r\n" in (stage.root / "a.txt").read_bytes()
    snapshot = stage.work(WORK)
    change(stage.root, {"n/e/w.txt": "new\r\n", "a.txt": WORK["a.txt"].replace("\n", "\r\n")})  # type: ignore[union-attr]
    outcome = stage.run(snapshot)
    assert outcome.state == "landed", outcome
    assert stage.status() == []


def test_a_sparse_checkout_stays_sparse(stage: Stage) -> None:
    snapshot = stage.work({"d/c.txt": "new\n", "d/n.txt": "new\n", "a.txt": "new\n"})
    stage.git("sparse-checkout", "set", "--no-cone", "/*.txt", "/.gitignore")
    assert not (stage.root / "d").exists()
    outcome = stage.run(snapshot)
    assert outcome.state == "landed", outcome
    assert not (stage.root / "d/c.txt").exists()
    assert stage.status() == []


def test_names_of_all_kinds_land(stage: Stage) -> None:
    names = [
        "-n",
        "a b",
        "q\"uo'te",
        "new\nline/x\ny",
        "tab\t",
        "back\\slash",
        "ünïcode",
        "raw\udcff",
        "$(x)",
        "*",
        ":(top)x",
    ]
    outcome = stage.run(stage.work({name: f"{number}\n" for number, name in enumerate(names)}), {"p\nl/an.md": b"x"})
    assert outcome.state == "landed", outcome
    assert stage.status() == []
    assert (stage.root / "new\nline/x\ny").read_text() == "3\n"


def test_a_repository_with_longer_names_of_objects_works_the_same(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    root.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main", "--object-format=sha256"], cwd=root, check=True)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    stage = Stage.__new__(Stage)
    stage.folder, stage.root = tmp_path, root
    stage.git("config", "user.name", "Ada")
    stage.git("config", "user.email", "ada@example.org")
    stage.base = stage.commit(FILES)
    snapshot = stage.work(WORK)
    stage.commit({"a.txt": lines(1, 20, mark={15: "theirs"})})
    outcome = stage.run(snapshot, {"plan.md": b"x\n"})
    assert outcome.state == "landed", outcome
    assert len(outcome.commit) == 64
    assert stage.status() == []


def test_a_branch_that_is_another_name_for_a_branch_lands_there(stage: Stage) -> None:
    stage.git("branch", "-m", "main", "trunk")
    stage.git("symbolic-ref", MAIN, "refs/heads/trunk")
    outcome = stage.run(stage.work(WORK))
    assert outcome.state == "landed", outcome
    assert stage.tip("refs/heads/trunk") == outcome.commit
    assert stage.git("symbolic-ref", MAIN) == "refs/heads/trunk"
    assert stage.status() == []


def test_an_object_that_git_is_told_to_show_in_place_of_another_deceives_nobody(stage: Stage) -> None:
    snapshot = stage.work(WORK)
    honest = stage.build(snapshot).candidate
    assert isinstance(honest, Candidate)
    tree = stage.work({"a.txt": "something else\n"}).tree
    forged = stage.git("commit-tree", tree, "-p", stage.base, "-m", "forged")
    stage.git("replace", forged, honest.commit)
    assert stage.git("rev-parse", f"{forged}^{{tree}}") == honest.tree
    proof = prove(str(stage.root), snapshot, Candidate(forged, honest.tree, stage.base), stage.base, ())
    assert not proof.ok
