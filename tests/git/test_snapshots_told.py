"""Who looks twice and finds the same is told the same, at little cost; and nothing that changed since is overlooked."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from planrail.git.snapshots.snapshots import TreeSnapshot, compare, drop_snapshot, take_snapshot
from planrail.hook.heavy import ask, command_for
from tests.git.snapshot_trees import git, make_repository, write

DEAR = {"os", "select", "shutil", "subprocess", "json", "hashlib", "tempfile", "re", "planrail.base.records"}
DEAR |= {"planrail.git.snapshots.model", "planrail.cli.hook.requests", "planrail.git.snapshots.effect_report"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "my repository")


def take(root: Path) -> TreeSnapshot:
    return take_snapshot(str(root), str(root.parent / "snapshots"), "n1", taken_at=1e9)


def request(root: Path, plan: str = "") -> dict[str, object]:
    about = {"folder": str(root.parent), "snapshot": "n1", "plan": plan, "is_leaving": False, "label": "s"}
    return {"do": "compare", **about}


def grow_old() -> None:
    """Let files reach the age at which their time stamps can be trusted."""
    time.sleep(2.1)


def told(root: Path) -> dict[str, object]:
    """The answer about a tree that has settled, asked twice, so that it is remembered."""
    grow_old()
    first = ask(request(root))
    assert (root.parent / "snapshots/n1.told").exists()
    assert ask(request(root)) == first
    return first


def parked(root: Path) -> list[str]:
    return git(root, "for-each-ref", "--format=%(refname:lstrip=4)", "refs/heads/planrail/parked").split()


def modules_of(root: Path, plan: str = "") -> set[str]:
    """What the process loads that the hook starts."""
    python, *options, _, _, package = command_for(request(root))
    program = "import sys; sys.path.insert(0, sys.argv[1]); from planrail.cli.hook.full_package import _answer\n"
    program += "answer = _answer(sys.stdin.buffer.read()); assert 'error' not in answer; print(*sys.modules)"
    data = json.dumps(request(root, plan))
    command = [python, *options, "-c", program, package]
    return set(subprocess.run(command, input=data, check=True, capture_output=True, text=True).stdout.split())


@pytest.mark.full
def test_where_nothing_changed_nothing_dear_is_loaded(root: Path) -> None:
    grow_old()
    take(root)
    ask(request(root))
    assert not DEAR & modules_of(root)


@pytest.mark.full
def test_a_plan_that_is_being_written_costs_nothing_more(root: Path) -> None:
    grow_old()
    take(root)
    write(root, "plans/mine.md", "# Plan\n")
    plan = str(root / "plans/mine.md")
    ask(request(root, plan))
    assert not DEAR & modules_of(root, plan)
    assert ask(request(root, plan)) == {"mark": "", "report": ""}


@pytest.mark.full
def test_what_was_told_is_told_again_without_parking_or_loading_more(root: Path) -> None:
    take(root)
    write(root, "a.py", "changed\n")
    git(root, "add", "a.py")
    git(root, "branch", "mine")
    assert "a.py" in str(told(root)["report"])
    assert not DEAR & modules_of(root)
    assert parked(root) == ["s-1"]


@pytest.mark.full
def test_a_parking_is_remembered_at_once(root: Path) -> None:
    take(root)
    grow_old()
    ask(request(root))
    write(root, "a.py", "changed\n")
    grow_old()
    ask(request(root))
    assert not DEAR & modules_of(root)


@pytest.mark.full
def test_in_a_private_workspace_changes_are_taken_back_also_after_they_were_told(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(root)
    write(root, "a.py", "changed\n")
    told(root)
    monkeypatch.setenv("PLANRAIL_PRIVATE_WORKSPACE", str(root))
    assert "taken back" in str(ask(request(root))["report"])
    assert (root / "a.py").read_text() == "a\n"
    assert ask(request(root)) == {"mark": "", "report": ""}


@pytest.mark.full
def test_the_same_size_and_time_do_not_hide_another_content(root: Path) -> None:
    take(root)
    file = write(root, "a.py", "one\n")
    first, times = told(root), file.stat()
    write(root, "a.py", "two\n")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert ask(request(root))["mark"] != first["mark"]
    assert git(root, "show", "planrail/parked/s-2:a.py") == "two\n"


def test_a_change_that_comes_at_once_after_another_is_told(root: Path) -> None:
    take(root)
    marks = []
    for text in ("one\n", "two\n", "six\n"):
        write(root, "a.py", text)
        marks.append(ask(request(root))["mark"])
    assert len(set(marks)) == 3


@pytest.mark.full
@pytest.mark.parametrize("command", [("branch", "-f", "other", "main~0"), ("add", "a.py"), ("checkout", "-q", "other")])
def test_what_git_keeps_is_looked_at_again(root: Path, command: tuple[str, ...]) -> None:
    git(root, "commit", "-q", "--allow-empty", "-m", "second")
    take(root)
    write(root, "a.py", "changed\n")
    first = told(root)
    git(root, *command)
    assert ask(request(root))["mark"] != first["mark"]


@pytest.mark.full
def test_a_copy_that_was_thrown_away_is_made_again(root: Path) -> None:
    take(root)
    write(root, "a.py", "changed\n")
    told(root)
    git(root, "branch", "-q", "-D", "planrail/parked/s-1")
    ask(request(root))
    assert parked(root) == ["s-1"]


@pytest.mark.full
def test_a_copy_whose_branch_was_moved_is_made_again(root: Path) -> None:
    take(root)
    write(root, "a.py", "changed\n")
    told(root)
    git(root, "branch", "-q", "-f", "planrail/parked/s-1", "main")
    ask(request(root))
    assert parked(root) == ["s-1", "s-2"]


@pytest.mark.full
@pytest.mark.parametrize("rules", [".gitignore", ".git/info/exclude"])
def test_what_new_rules_hide_is_told_each_time(root: Path, rules: str) -> None:
    take(root)
    with open(root / rules, "a", encoding="utf-8") as file:
        file.write("hidden/\n")
    write(root, "hidden/one.txt", "1\n")
    grow_old()
    first = ask(request(root))
    write(root, "hidden/two.txt", "2\n")
    second = ask(request(root))
    assert "hidden/two.txt" in str(second["report"])
    assert first["mark"] != second["mark"]


@pytest.mark.full
def test_a_memory_that_is_damaged_is_not_used(root: Path) -> None:
    take(root)
    write(root, "a.py", "changed\n")
    first = told(root)
    for damage in ("", "[]", "[[], {}]", '[1, {"mark": 1}]', "nonsense"):
        (root.parent / "snapshots/n1.told").write_text(damage)
        assert ask(request(root)) == first


def test_a_fetch_is_no_change(root: Path) -> None:
    git(root, "update-ref", "refs/remotes/origin/main", "HEAD")
    snapshot = take(root)
    elsewhere = git(root, "commit-tree", "-m", "elsewhere", "HEAD^{tree}").strip()
    git(root, "update-ref", "refs/remotes/origin/main", elsewhere)
    git(root, "update-ref", "refs/remotes/origin/new", elsewhere)
    git(root, "pack-refs", "--all")
    assert not compare(snapshot)


@pytest.mark.full
@pytest.mark.parametrize("name", ["x/refs/remotes/y", "x/refs/planrail/y", "planrail/mine"])
def test_a_branch_whose_name_resembles_what_is_left_out_is_a_change(root: Path, name: str) -> None:
    grow_old()
    snapshot = take(root)
    compare(snapshot)
    git(root, "branch", name)
    assert [ref.name for ref in compare(snapshot).refs] == [f"refs/heads/{name}"]


@pytest.mark.parametrize("damage", ["nonsense\n", "ref: refs/heads/none\n", f"{'1' * 40}\n", ""])
def test_a_view_that_is_damaged_hides_nothing(root: Path, damage: str) -> None:
    snapshot = take(root)
    Path(snapshot.view, "HEAD").write_text(damage)
    assert not compare(snapshot)
    write(root, "a.py", "changed\n")
    assert [file.path for file in compare(snapshot).files] == ["a.py"]


def test_a_working_tree_beside_another_is_looked_at_by_its_own_view(root: Path) -> None:
    git(root, "worktree", "add", "-q", "../beside", "other")
    beside = root.parent / "beside"
    write(beside, "new.txt", "untracked\n")
    snapshot = take(beside)
    assert snapshot.view
    assert not compare(snapshot)
    write(beside, "new.txt", "changed\n")
    write(beside, "d/one.txt", "changed\n")
    assert [file.path for file in compare(snapshot).files] == ["d/one.txt", "new.txt"]


def test_settings_of_one_working_tree_are_respected(root: Path) -> None:
    git(root, "config", "extensions.worktreeConfig", "true")
    git(root, "config", "--worktree", "core.excludesFile", str(write(root.parent, "rules", "*.tmp\n")))
    snapshot = take(root)
    write(root, "x.tmp", "ignored\n")
    assert not compare(snapshot)


@pytest.mark.full
def test_forgetting_a_snapshot_leaves_nothing_of_it(root: Path) -> None:
    snapshot = take(root)
    write(root, "a.py", "changed\n")
    told(root)
    drop_snapshot(snapshot)
    assert os.listdir(root.parent / "snapshots") == []
