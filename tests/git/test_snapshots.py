"""A snapshot touches nothing, and a comparison sees what changed and nothing else."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from planrail.base.errors import PlanrailError, ToolFailed, UsageError
from planrail.git.snapshots import content as snapshot_content
from planrail.git.snapshots.snapshots import (
    TreeChanges,
    TreeSnapshot,
    compare,
    drop_snapshot,
    load_snapshot,
    take_snapshot,
)
from tests.git.snapshot_trees import git, git_state, make_repository, users_files, walk, write


def take(root: Path, name: str = "n1") -> TreeSnapshot:
    return take_snapshot(str(root), str(root.parent / "snapshots"), name, session="s", agent="claude", taken_at=1e9)


def kinds(changes: TreeChanges) -> dict[str, str]:
    return {file.path: file.kind for file in changes.files}


def test_a_snapshot_touches_nothing_of_the_users_and_is_read_back_as_it_was_written(root: Path) -> None:
    git(root, "stash", "push", "-q", "--", "b.py")
    write(root, "b.py", "changed again\n")
    before = walk(root), git_state(root), users_files(root), git(root, "branch", "--all"), git(root, "status")
    snapshot = take(root)
    assert "refs/planrail/snapshots/n1" in git(root, "for-each-ref")
    after = walk(root), git_state(root), users_files(root), git(root, "branch", "--all"), git(root, "status")
    assert after == before
    assert load_snapshot(snapshot.folder, "n1") == snapshot
    assert (snapshot.session, snapshot.agent, snapshot.taken_at, snapshot.root) == ("s", "claude", 1e9, str(root))
    assert not compare(snapshot)
    assert not compare(snapshot)


def test_a_record_that_is_damaged_is_an_error_with_advice(root: Path) -> None:
    snapshot = take(root)
    Path(snapshot.folder, "n1.json").write_text("{}")
    with pytest.raises(PlanrailError, match=r"n1\.json"):
        load_snapshot(snapshot.folder, "n1")


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "-x", "a.lock", "a..b", "a b", "x~"])
def test_a_name_that_could_leave_the_folder_is_refused(root: Path, name: str) -> None:
    with pytest.raises(UsageError):
        take(root, name)


def test_each_kind_of_change_is_told(root: Path) -> None:
    snapshot = take(root)
    write(root, "new folder/new.py", "new\n")
    write(root, "a.py", "other\n")
    write(root, "b.py", "the user's change is gone\n")
    (root / "d/one.txt").unlink()
    (root / "run.sh").chmod(0o644)
    (root / "link").unlink()
    write(root, "link", "a file now\n")
    (root / "notes.txt").unlink()
    assert kinds(compare(snapshot)) == {
        "new folder/new.py": "added",
        "a.py": "modified",
        "b.py": "modified",
        "d/one.txt": "deleted",
        "run.sh": "mode",
        "link": "type",
        "notes.txt": "deleted",
    }


def test_what_changes_no_content_is_no_change(root: Path) -> None:
    git(root, "update-ref", "refs/remotes/origin/main", "HEAD")
    snapshot = take(root)
    for path in root.rglob("*.py"):
        os.utime(path)
    git(root, "update-index", "--refresh", check=False)
    git(root, "status")
    assert not compare(snapshot)
    (root / "b.py").unlink()
    write(root, "b.py", "changed by the user\n")
    assert not compare(snapshot)
    elsewhere = git(root, "commit-tree", "-m", "elsewhere", "HEAD^{tree}").strip()
    for name in ("main", "new"):  # as a fetch does it
        git(root, "update-ref", f"refs/remotes/origin/{name}", elsewhere)
    git(root, "pack-refs", "--all")
    git(root, "gc", "-q")
    assert not compare(snapshot)


def test_a_change_of_the_same_size_with_the_old_time_is_seen(root: Path) -> None:
    snapshot = take(root)
    names = ("a.py", "b.py", "notes.txt")
    for path in (root / name for name in names):
        status = path.stat()
        path.write_bytes(bytes(path.read_bytes()[::-1].swapcase()))
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert kinds(compare(snapshot)) == dict.fromkeys(names, "modified")


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_a_flag_in_the_index_hides_nothing(root: Path, flag: str) -> None:
    git(root, "update-index", flag, "a.py")
    snapshot = take(root)
    assert not compare(snapshot)
    git(root, "update-index", flag, "d/one.txt")
    for name in ("a.py", "d/one.txt"):
        write(root, name, "hidden\n")
    changes = compare(snapshot)
    assert kinds(changes) == {"a.py": "modified", "d/one.txt": "modified"}
    assert changes.index


@pytest.mark.parametrize("place", [".gitignore", ".git/info/exclude", "d/.gitignore"])
def test_new_rules_of_what_to_ignore_hide_no_new_file(root: Path, place: str) -> None:
    snapshot = take(root)
    write(root, place, "*.log\nbuild/\nsecret*\n/.gitignore\n")
    write(root, "d/secret.txt", "new\n")
    write(root, "build/out.bin", "ignored as before\n")
    changes = compare(snapshot)
    assert kinds(changes)["d/secret.txt"] == "added"
    assert "build/out.bin" not in kinds(changes)
    assert "x.log" not in kinds(changes)


def test_old_files_that_new_rules_bring_to_light_are_no_change_and_a_folder_that_ignores_itself_is(root: Path) -> None:
    write(root, "build/old/file", "ignored\n")
    snapshot = take(root)
    write(root, ".gitignore", "")
    write(root, "y.log", "ignored by the rules of the entry\n")
    assert kinds(compare(snapshot)) == {".gitignore": "modified"}
    write(root, "hideout/.gitignore", "*\n")
    write(root, "hideout/deep/file", "new\n")
    assert set(kinds(compare(snapshot))) == {".gitignore", "hideout/.gitignore", "hideout/deep/file"}


def test_settings_that_would_blind_git_do_not_and_a_planted_hook_is_told(root: Path) -> None:
    snapshot = take(root)
    for setting in ("core.trustctime=false", "core.checkStat=minimal", "core.ignoreStat=true", "core.fsmonitor=true"):
        git(root, "config", *setting.split("="))
    git(root, "config", "status.showUntrackedFiles", "no")
    write(root, "new.py", "")
    write(root, ".git/hooks/post-checkout", "#!/bin/sh\n").chmod(0o755)
    changes = compare(snapshot)
    assert kinds(changes) == {"new.py": "added"}
    assert changes.settings == ["config", "hooks/post-checkout"]


def test_the_plan_file_is_exempt_and_its_neighbour_is_not(root: Path) -> None:
    snapshot = take(root)
    plan = write(root, "plans/a plan.md", "# Plan\n")
    write(root, "plans/a plan.md.py", "x\n")
    assert kinds(compare(snapshot, [str(plan.resolve())])) == {"plans/a plan.md.py": "added"}


def _commit(root: Path) -> None:
    write(root, "a.py", "committed\n")
    git(root, "commit", "-q", "-m", "slipped", "a.py")


GIT_CHANGES: dict[str, tuple[Callable[[Path], object], Callable[[TreeChanges], object]]] = {
    "commit": (_commit, lambda changes: [ref.name for ref in changes.refs] == ["refs/heads/main"]),
    "branch": (lambda root: git(root, "branch", "new"), lambda changes: changes.refs[0].was == ""),
    "branch -d": (lambda root: git(root, "branch", "-D", "other"), lambda changes: changes.refs[0].now == ""),
    "switch": (lambda root: git(root, "switch", "-q", "other"), lambda changes: changes.head),
    "add": (lambda root: git(root, "add", "b.py"), lambda changes: changes.index and not changes.files),
    "stash": (lambda root: git(root, "stash", "-q"), lambda changes: changes.stash and changes.refs),
    "ref by hand": (
        lambda root: write(root, ".git/refs/heads/by-hand", git(root, "rev-parse", "HEAD")),
        lambda changes: changes.refs[0].name == "refs/heads/by-hand",
    ),
    "merge": (
        lambda root: write(root, ".git/MERGE_HEAD", git(root, "rev-parse", "HEAD")),
        lambda changes: changes.settings == ["MERGE_HEAD"],
    ),
}


@pytest.mark.parametrize("name", GIT_CHANGES)
def test_what_git_itself_keeps_is_compared(root: Path, name: str) -> None:
    act, is_told = GIT_CHANGES[name]
    snapshot = take(root)
    compare(snapshot)
    act(root)
    assert is_told(compare(snapshot))


def test_a_dropped_entry_of_the_stash_is_told(root: Path) -> None:
    for text in ("one\n", "two\n"):
        write(root, "a.py", text)
        git(root, "stash", "push", "-q", "a.py")
    snapshot = take(root)
    git(root, "stash", "drop", "-q", "stash@{1}")
    changes = compare(snapshot)
    assert changes.stash
    assert not changes.refs


def test_odd_names_are_seen_as_they_are(root: Path) -> None:
    names = ["with space", "new\nline", 'quo"te', "back\\slash", "tab\t", "end\r", "日本.md", "-dash", ":(glob)*", "é"]
    names += [os.fsdecode(b"\xff.py"), "another"] if sys.platform == "linux" else []  # other file systems want UTF-8
    for name in names[::2]:
        write(root, name, "before\n")
    snapshot = take(root)
    assert not compare(snapshot)
    for name in names:
        write(root, name, "after\n")
    expected = {name: "modified" if at % 2 == 0 else "added" for at, name in enumerate(names)}
    assert kinds(compare(load_snapshot(snapshot.folder, "n1"))) == expected


def test_in_the_middle_of_a_conflict_the_files_are_compared(root: Path) -> None:
    git(root, "stash", "-q", "-u")
    git(root, "switch", "-q", "other")
    write(root, "a.py", "theirs\n")
    git(root, "commit", "-q", "-a", "-m", "theirs")
    git(root, "switch", "-q", "main")
    write(root, "a.py", "ours\n")
    git(root, "commit", "-q", "-a", "-m", "ours")
    git(root, "merge", "-q", "other", check=False)
    snapshot = take(root)
    assert not compare(snapshot)
    write(root, "a.py", "resolved\n")
    assert kinds(compare(snapshot)) == {"a.py": "modified"}


def test_what_cannot_be_copied_is_known_by_its_status_and_that_is_said(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot_content, "LARGEST_FILE", 1000)
    write(root, "big.bin", b"x" * 2000)
    write(root, "a.py", b"tracked and large now" * 200)
    os.mkfifo(root / "pipe")
    write(root, "secret", "x").chmod(0)
    snapshot = take(root)
    assert any("big.bin was not copied: too large" in note for note in snapshot.notes)
    assert not compare(snapshot)
    write(root, "big.bin", b"y" * 2000)
    (root / "a.py").unlink()
    changes = compare(snapshot)
    assert kinds(changes) == {"a.py": "deleted", "big.bin": "modified"}
    assert all(file.reason for file in changes.files)


def test_repositories_inside_are_recorded_and_not_entered(root: Path) -> None:
    inner = make_repository(root / "inner")
    git(root.parent, "init", "-q", str(root / "without commit"))
    source = make_repository(root.parent / "source")
    git(root, "submodule", "add", "-q", str(source), "sub")
    snapshot = take(root)
    assert not compare(snapshot)
    git(inner, "commit", "-q", "-a", "-m", "moved")
    git(root / "sub", "switch", "-q", "-C", "main", "--detach", check=False)
    write(root / "sub", "a.py", "dirty inside\n")
    changes = compare(snapshot)
    assert kinds(changes) == {"inner": "modified"}
    assert "repository of its own" in changes.files[0].reason
    git(root, "clone", "-q", str(source), "cloned")
    assert kinds(compare(snapshot))["cloned/"] == "added"


def test_a_sparse_checkout_is_compared(root: Path) -> None:
    git(root, "stash", "-q", "-u")
    git(root, "sparse-checkout", "set", "d")
    snapshot = take(root)
    before = git_state(root)
    assert not compare(snapshot)
    assert git_state(root) == before
    write(root, "d/one.txt", "x\n")
    assert kinds(compare(snapshot)) == {"d/one.txt": "modified"}


def test_the_environment_of_a_hook_leads_nowhere_else(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere/index")
    snapshot = take(root)
    write(root, "a.py", "x\n")
    assert kinds(compare(snapshot)) == {"a.py": "modified"}


def test_no_hook_of_the_repository_is_run(root: Path) -> None:
    for name in ("reference-transaction", "post-index-change", "fsmonitor"):
        write(root, f".git/hooks/{name}", f"#!/bin/sh\ntouch '{root.parent}/ran'\n").chmod(0o755)
    git(root, "config", "core.fsmonitor", ".git/hooks/fsmonitor")
    (root.parent / "ran").unlink(missing_ok=True)
    compare(take(root))
    assert not (root.parent / "ran").exists()


def test_the_content_of_a_snapshot_survives_the_collector_and_goes_when_it_is_dropped(root: Path) -> None:
    snapshot = take(root)
    git(root, "reflog", "expire", "--expire=now", "--all")
    git(root, "gc", "-q", "--prune=now")
    assert git(root, "cat-file", "blob", f"{snapshot.commit}:notes.txt") == "untracked\n"
    assert git(root, "cat-file", "blob", f"{snapshot.commit}:b.py") == "changed by the user\n"
    drop_snapshot(snapshot)
    assert "planrail" not in git(root, "for-each-ref")
    assert os.listdir(root.parent / "snapshots") == []


def test_a_repository_that_git_cannot_read_is_an_error_and_not_a_folder(root: Path) -> None:
    (root / ".git/HEAD").write_text("nonsense")
    with pytest.raises(ToolFailed):
        take(root)


def test_comparing_imports_nothing_dear(root: Path) -> None:
    snapshot = take(root)
    program = (
        "import sys; from planrail.git.snapshots.snapshots import compare, load_snapshot;"
        f"compare(load_snapshot({snapshot.folder!r}, 'n1'));"
        "print(*sorted(sys.modules))"
    )
    source = str(Path(__file__).parent.parent.parent / "src")
    command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {source!r}); {program}"]
    loaded = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert not {"subprocess", "json", "re", "dataclasses", "typing", "pathlib", "shutil", "tempfile"} & set(loaded)
