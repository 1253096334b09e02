"""Who looks twice and finds the same is told the same, at little cost; and nothing that changed since is overlooked."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from planrail.git.snapshots.snapshots import TreeSnapshot, compare, drop_snapshot, take_snapshot
from planrail.hook.heavy import ask, command_for
from tests.git.snapshot_trees import git, write
from tests.support.lanes import soak

DEAR = {"os", "select", "shutil", "subprocess", "json", "hashlib", "tempfile", "re", "planrail.base.records"}
DEAR |= {"planrail.git.snapshots.model", "planrail.cli.hook.requests", "planrail.git.snapshots.effect_report"}


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
def test_what_was_found_once_is_told_again_and_loads_nothing_dear(root: Path) -> None:
    """Nothing changed; a plan that is being written; a change that was parked, and is not parked again."""
    grow_old()
    take(root)
    ask(request(root))
    assert not DEAR & modules_of(root)
    plan = str(write(root, "plans/mine.md", "# Plan\n"))
    ask(request(root, plan))
    assert not DEAR & modules_of(root, plan)
    assert ask(request(root, plan)) == {"mark": "", "report": ""}
    (root / "plans/mine.md").unlink()
    write(root, "a.py", "changed\n")
    git(root, "add", "a.py")
    git(root, "branch", "mine")
    grow_old()
    assert "a.py" in str(ask(request(root))["report"])
    assert not DEAR & modules_of(root)
    assert parked(root) == ["s-1"]


@pytest.mark.full
def test_in_a_private_workspace_changes_are_taken_back_also_after_they_were_told(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(root)
    write(root, "a.py", "changed\n")
    first = told(root)
    monkeypatch.setenv("PLANRAIL_PRIVATE_WORKSPACE", str(root.parent))  # somebody else's is not this one
    assert ask(request(root)) == first
    assert (root / "a.py").read_text() == "changed\n"
    monkeypatch.setenv("PLANRAIL_PRIVATE_WORKSPACE", str(root))
    assert "taken back" in str(ask(request(root))["report"])
    assert (root / "a.py").read_text() == "a\n"
    assert ask(request(root)) == {"mark": "", "report": ""}


@pytest.mark.full
def test_whatever_changes_after_it_was_told_is_told(root: Path) -> None:
    """Another content of the same size and time, refs, the index, HEAD; a memory that is damaged is not used."""
    git(root, "commit", "-q", "--allow-empty", "-m", "second")
    take(root)
    file = write(root, "a.py", "one\n")
    first, times = told(root), file.stat()
    for damage in ("", "[]", "[[], {}]", '[1, {"mark": 1}]', "nonsense"):
        (root.parent / "snapshots/n1.told").write_text(damage)
        assert ask(request(root)) == first
    write(root, "a.py", "two\n")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    marks = [first["mark"], ask(request(root))["mark"]]
    assert git(root, "show", "planrail/parked/s-2:a.py") == "two\n"
    for command in (("branch", "-f", "other", "main~0"), ("add", "a.py"), ("checkout", "-q", "other")):
        grow_old()
        ask(request(root))
        git(root, *command)
        marks.append(ask(request(root))["mark"])
    assert len(set(marks)) == 5


def test_a_change_that_comes_at_once_after_another_is_told(root: Path) -> None:
    take(root)
    marks = []
    for text in ("one\n", "two\n", "six\n"):
        write(root, "a.py", text)
        marks.append(ask(request(root))["mark"])
    assert len(set(marks)) == 3


@pytest.mark.full
def test_a_copy_that_was_thrown_away_or_moved_is_made_again_and_nothing_is_left_of_what_is_dropped(root: Path) -> None:
    snapshot = take(root)
    write(root, "a.py", "changed\n")
    told(root)
    git(root, "branch", "-q", "-D", "planrail/parked/s-1")
    ask(request(root))
    assert parked(root) == ["s-1"]
    git(root, "branch", "-q", "-f", "planrail/parked/s-1", "main")
    ask(request(root))
    assert parked(root) == ["s-1", "s-2"]
    drop_snapshot(snapshot)
    assert os.listdir(root.parent / "snapshots") == []


@pytest.mark.full
@pytest.mark.parametrize("rules", [soak(".gitignore"), ".git/info/exclude"])
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


def test_a_branch_whose_name_resembles_what_is_left_out_is_a_change(root: Path) -> None:
    snapshot = take(root)
    names = ["planrail/mine", "x/refs/planrail/y", "x/refs/remotes/y"]
    for name in names:
        git(root, "branch", name)
    assert [ref.name for ref in compare(snapshot).refs] == [f"refs/heads/{name}" for name in names]


def test_a_view_that_is_damaged_hides_nothing(root: Path) -> None:
    snapshot = take(root)
    write(root, "a.py", "changed\n")
    for damage in ("nonsense\n", "ref: refs/heads/none\n", f"{'1' * 40}\n", ""):
        Path(snapshot.view, "HEAD").write_text(damage)
        assert [file.path for file in compare(snapshot).files] == ["a.py"]


def test_a_working_tree_beside_another_is_looked_at_by_its_own_view_and_its_own_settings(root: Path) -> None:
    beside, folder = root.parent / "beside", str(root.parent / "snapshots")
    git(root, "worktree", "add", "-q", "--detach", str(beside))
    write(beside, "new.txt", "untracked\n")
    snapshot = take_snapshot(str(beside / "d"), folder, "n1")
    assert (bool(snapshot.view), snapshot.root) == (True, str(beside))
    assert not compare(snapshot)
    write(beside, "new.txt", "changed\n")
    write(beside, "d/one.txt", "changed\n")
    assert [file.path for file in compare(snapshot).files] == ["d/one.txt", "new.txt"]
    git(root, "config", "extensions.worktreeConfig", "true")
    git(beside, "config", "--worktree", "core.excludesFile", str(write(root.parent, "rules", "*.tmp\n")))
    snapshot = take_snapshot(str(beside), folder, "n2")
    write(beside, "x.tmp", "ignored\n")
    assert not compare(snapshot)
