"""The list of repositories: one entry for each, whatever its worktrees are, and none lost by two writers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from planrail.base.errors import ToolFailed, UsageError
from planrail.team.registry import Registered, add_repository, list_repositories, read_registry, remove_repository


def _repository(place: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(place)], check=True)
    commit = ["-c", "user.name=me", "-c", "user.email=me@x", "commit", "-q", "--allow-empty", "-m", "x"]
    subprocess.run(["git", "-C", str(place), *commit], check=True)
    return place.resolve()


def test_linked_worktrees_are_one_repository_with_the_main_one(tmp_path: Path) -> None:
    main = _repository(tmp_path / "main")
    linked = tmp_path / "linked"
    subprocess.run(["git", "-C", str(main), "worktree", "add", "-q", str(linked)], check=True, capture_output=True)
    assert add_repository(str(linked)) == (Registered(str(main), str(main / ".git")), True)
    assert add_repository(str(main)) == (Registered(str(main), str(main / ".git")), False)
    assert list_repositories() == [str(main)]
    assert remove_repository(str(linked)) is not None
    assert list_repositories() == []


def test_a_worktree_of_a_bare_repository_stands_for_it(tmp_path: Path) -> None:
    main = _repository(tmp_path / "main")
    subprocess.run(["git", "clone", "-q", "--bare", str(main), str(tmp_path / "bare.git")], check=True)
    linked = tmp_path / "linked"
    words = ["git", "-C", str(tmp_path / "bare.git"), "worktree", "add", "-q", str(linked), "-b", "other"]
    subprocess.run(words, check=True, capture_output=True)
    known, _ = add_repository(str(linked))
    assert known.root == str(linked.resolve())
    assert list_repositories() == [known.root]


def test_any_way_to_a_repository_names_it_once_and_one_that_is_gone_is_kept(tmp_path: Path) -> None:
    main, other = _repository(tmp_path / "main"), _repository(tmp_path / "other")
    (main / "deep" / "er").mkdir(parents=True)
    (tmp_path / "link").symlink_to(main)
    for place in (main / "deep" / "er", tmp_path / "link", tmp_path / "link" / "deep", other):
        add_repository(str(place))
    assert list_repositories() == [str(main), str(other)]
    main.rename(tmp_path / "away")
    assert list_repositories() == [str(other)]
    assert [entry.is_there for entry in read_registry()] == [False, True]
    (tmp_path / "away").rename(main)
    assert list_repositories() == [str(main), str(other)]


def test_one_that_is_gone_can_be_removed_by_its_path_and_takes_no_other_with_it(tmp_path: Path) -> None:
    outer = _repository(tmp_path / "outer")
    inner = _repository(outer / "inner")
    add_repository(str(outer))
    add_repository(str(inner))
    inner.rename(tmp_path / "away")
    assert remove_repository(str(inner)) == Registered(str(inner), str(inner / ".git"))
    assert remove_repository(str(inner)) is None
    assert list_repositories() == [str(outer)]


def test_a_folder_that_is_no_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no git repository"):
        add_repository(str(tmp_path))
    with pytest.raises(UsageError, match="no folder"):
        add_repository(str(tmp_path / "missing"))


def test_a_name_that_is_no_text_survives(tmp_path: Path) -> None:
    main = _repository(tmp_path / os.fsdecode(b"odd-\xff-\xe2\x80\xae"))
    add_repository(str(main))
    assert list_repositories() == [str(main)]


def test_a_damaged_list_is_told_and_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    main = _repository(tmp_path / "main")
    add_repository(str(main))
    place = Path(os.environ["PLANRAIL_STATE_DIR"]) / "service" / "repositories.json"
    assert place.stat().st_mode & 0o777 == 0o600
    for text in ("", "[]", '{"repositories": [1]}', "\x00"):
        place.write_text(text)
        with pytest.raises(ToolFailed, match="damaged"):
            list_repositories()
        with pytest.raises(ToolFailed, match="damaged"):
            add_repository(str(main))
        assert place.read_text() == text


def test_writers_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    places = [_repository(tmp_path / f"r{number}") for number in range(8)]
    code = "import sys; from planrail.team.registry import add_repository as a; [a(p) for p in sys.argv[1:]]"
    groups = [places[:4], places[4:], places[2:6]]
    started = [subprocess.Popen([sys.executable, "-c", code, *map(str, group)]) for group in groups]
    assert [process.wait(60) for process in started] == [0, 0, 0]
    assert sorted(list_repositories()) == sorted(map(str, places))
    known = json.loads((Path(os.environ["PLANRAIL_STATE_DIR"]) / "service" / "repositories.json").read_text())
    assert len(known["repositories"]) == 8
