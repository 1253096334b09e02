"""git, asked with a real repository."""

import os
import sys
from pathlib import Path

import pytest

from planrail.git.git import Commit, commits_since, find_words, list_files, top_level
from tests.git.snapshot_trees import git as _git
from tests.git.snapshot_trees import write


def _commit(root: Path, name: str, subject: str, text: str = "x\n") -> None:
    write(root, name, text)
    _git(root, "add", name)
    _git(root, "commit", "-q", "-m", subject)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "my repository"
    folder.mkdir()
    _git(folder, "init", "-q", "-b", "main")
    return folder


def test_the_root_is_found_from_any_place_in_it(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root, "a/b/c.md", "")
    for place in (root, root / "a/b", root / "a/b/c.md", root / "a/missing.md"):
        assert top_level(str(place)) == str(root.resolve())
    monkeypatch.chdir(root)
    assert top_level("PLAN.md") == str(root.resolve())
    assert top_level(str(root.parent)) is None
    assert top_level(str(root.parent / "missing/folder/a.md")) is None
    assert list_files(str(root.parent)) == []


def test_files_are_listed_tracked_or_not_but_not_those_that_are_ignored_or_gone(root: Path) -> None:
    _commit(root, "kept.py", "a")
    _commit(root, "gone.py", "b")
    _commit(root, ".gitignore", "c", "*.log\n")
    _commit(root, "a/x.py", "d")
    (root / "gone.py").unlink()
    names = ["with space.py", "üñí.py", "new\nline.py", 'quo"te.py', "-dash.py", "日本.md"]
    names += [os.fsdecode(b"\xff.py")] if sys.platform == "linux" else []  # other file systems want UTF-8
    for name in (*names, "debug.log"):
        write(root, name, "")
    assert list_files(str(root)) == sorted([".gitignore", "kept.py", "a/x.py", *names])
    assert list_files(str(root / "a")) == ["x.py"]


def test_the_commits_since_a_file_was_added_come_newest_first_without_that_one(root: Path) -> None:
    _commit(root, "a.py", "before")
    _commit(root, "PLAN.md", "add the plan")
    _commit(root, "b.py", "Phase 1: one")
    _commit(root, "PLAN.md", "Phase 2: two\n\nwith a body", "y\n")
    found = commits_since(str(root), "PLAN.md")
    assert [commit.subject for commit in found] == ["Phase 2: two", "Phase 1: one"]
    assert found[0] == Commit(_git(root, "rev-parse", "HEAD").strip(), "Phase 2: two")


def test_a_file_that_was_renamed_is_followed(root: Path) -> None:
    _commit(root, "OLD.md", "add", "a long enough text\n" * 20)
    _commit(root, "b.py", "work")
    _git(root, "mv", "OLD.md", "NEW.md")
    _git(root, "commit", "-q", "-m", "rename")
    assert [commit.subject for commit in commits_since(str(root), "NEW.md")] == ["rename", "work"]


def test_a_copy_of_another_file_is_a_file_of_its_own(root: Path) -> None:
    _commit(root, "TEMPLATE.md", "template", "the same text\n" * 20)
    _commit(root, "b.py", "other work")
    _commit(root, "PLAN.md", "add", "the same text\n" * 20)
    _commit(root, "c.py", "work")
    assert [commit.subject for commit in commits_since(str(root), "PLAN.md")] == ["work"]


def test_a_file_that_was_never_committed_has_no_commits(root: Path) -> None:
    (root / "PLAN.md").write_text("")
    assert commits_since(str(root), "PLAN.md") == []
    _commit(root, "a.py", "a")
    assert commits_since(str(root), "PLAN.md") == []
    _commit(root, "b.md", "b")
    for name in ("missing.md", "*.md", ":(glob)*.md"):  # a name is taken literally
        assert commits_since(str(root), name) == []


def test_words_are_found_whole_with_the_files_they_are_in_whatever_the_users_settings_say(root: Path) -> None:
    _commit(root, "a.py", "a", "class UserService:\n    pass\n")
    _commit(root, "b.py", "b", "UserServices user_service\n")
    (root / "c.py").write_text("UserService()\n")
    (root / "binary").write_bytes(b"\x00UserService")
    for key in ("grep.lineNumber", "grep.column", "color.ui", "grep.fullName", "submodule.recurse"):
        _git(root, "config", key, "always" if key == "color.ui" else "true")
    _git(root, "config", "grep.patternType", "fixed")
    assert find_words(str(root), "UserService|missing") == {"UserService": {"a.py", "c.py"}}
    assert find_words(str(root), "nothing") == {}


def test_the_environment_of_a_hook_does_not_lead_git_elsewhere(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _commit(root, "a.py", "a")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    monkeypatch.setenv("GIT_LITERAL_PATHSPECS", "0")
    assert top_level(str(root)) == str(root.resolve())
    assert list_files(str(root)) == ["a.py"]


def test_asking_starts_no_monitor_and_leaves_the_index_as_it_was(root: Path) -> None:
    _commit(root, "a.py", "a")
    script = write(root, ".git/monitor.sh", f"#!/bin/sh\ntouch '{root}/started'\n")
    script.chmod(0o755)
    _git(root, "config", "core.fsmonitor", str(script))
    os.utime(root / "a.py", (1, 1))  # git would like to refresh its index now
    before = (root / ".git/index").read_bytes()
    list_files(str(root))
    find_words(str(root), "x")
    commits_since(str(root), "a.py")
    assert not (root / "started").exists()
    assert (root / ".git/index").read_bytes() == before


def test_without_git_everything_has_an_answer(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _commit(root, "a.py", "a")
    monkeypatch.setenv("PATH", str(root))
    assert top_level(str(root)) is None
    assert list_files(str(root)) == []
    assert commits_since(str(root), "a.py") == []
    assert find_words(str(root), "x") is None
