"""Which database a repository has, who may say so, and what rows call the repository."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from planrail.base.errors import UsageError
from planrail.store.addresses import hide_password, name_remote, name_repository
from planrail.store.ledger import open_store
from planrail.store.owners import host_identity
from planrail.store.places import ledger_folder, make_private
from planrail.store.team import find_database, mark_team
from tests.postgres import forget_teams
from tests.support.tables import read_table

URL, OTHER = "postgresql://db.example.org/one", "postgresql://db.example.org/two"


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "project"
    _git(tmp_path, "init", "-q", str(folder))
    yield folder
    forget_teams()


@pytest.fixture
def own(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the user's own settings."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config/planrail").mkdir(parents=True)
    return tmp_path / "config/planrail/planrail.toml"


def _git(folder: Path, *arguments: str) -> None:
    names = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *names, *arguments], cwd=folder, check=True, capture_output=True)


def _commit(root: Path, text: str) -> None:
    (root / "planrail.toml").write_text(text)
    _git(root, "add", "planrail.toml")
    _git(root, "commit", "-q", "-m", "settings")


def _url(root: Path | None) -> str | None:
    forget_teams()
    return open_store(str(root) if root else None).url or None


def test_without_a_word_there_is_no_team_and_git_is_not_asked(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "no programs"))
    (root / "planrail.toml").write_text('# database = "postgresql://x/y"\n[run]\nagent = "claude"\n')
    assert (_url(root), _url(None)) == (None, None)


def test_the_projects_file_is_heard_as_it_is_committed_and_not_as_it_lies_there(root: Path) -> None:
    (root / "planrail.toml").write_text(f'database = "{OTHER}"\n')
    assert _url(root) is None
    _commit(root, f'database = "{URL}"\n')
    assert open_store(str(root)).url == ""  # a process stays with what it began with
    assert _url(root) == URL
    (root / "planrail.toml").write_text(f'database = "{OTHER}"\n')
    assert _url(root) == URL


@pytest.mark.parametrize("text", [None, "", "[run]\n"])
def test_who_takes_the_word_out_of_the_working_tree_does_not_leave_the_team(root: Path, text: str | None) -> None:
    _commit(root, f'database = "{URL}"\n')
    make_private(ledger_folder(str(root)))
    mark_team(str(root))
    if text is None:
        (root / "planrail.toml").unlink()
    else:
        (root / "planrail.toml").write_text(text)
    assert _url(root) == URL


def test_the_users_file_wins_over_the_projects_and_the_environment_over_both(
    root: Path, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _commit(root, f'database = "{URL}"\n')
    assert find_database(str(root), os.environ) == (URL, "planrail.toml as committed")
    own.write_text(f'database = "{OTHER}"\n')
    assert (_url(root), _url(None)) == (OTHER, OTHER)
    monkeypatch.setenv("PLANRAIL_DATABASE", "postgres://third/x")
    assert _url(root) == "postgres://third/x"
    assert find_database(str(root), os.environ) == ("postgres://third/x", "PLANRAIL_DATABASE")


@pytest.mark.parametrize("text", ['database = "mysql://me:sesame@x/y"', "database = 3", 'database = "ledger.db"'])
def test_what_is_no_postgresql_is_refused_without_its_password(own: Path, text: str) -> None:
    own.write_text(text)
    with pytest.raises(UsageError, match="database is") as failure:
        open_store(None)
    assert "sesame" not in failure.value.message
    assert "postgresql://" in failure.value.remedy


def test_a_key_of_a_table_that_is_called_so_too_is_no_database(root: Path) -> None:
    _commit(root, '[board]\ndatabase = "x"\n')
    assert _url(root) is None


# ---- names ----


@pytest.mark.parametrize("url", read_table("store/tables/addresses", "spellings of one remote"))
def test_every_spelling_of_a_remote_is_one_name(url: str) -> None:
    assert name_remote(url, "/anywhere") == "example.org/team/shop"
    assert name_remote("ssh://git@example.org:2222/team/shop", "/x") == "example.org:2222/team/shop"


def test_a_remote_that_is_a_folder_has_its_real_path(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    real = str((tmp_path / "real").resolve())
    for spelling in (str(tmp_path / "link"), f"file://{tmp_path}/link", "../link/", "../real"):
        assert name_remote(spelling, str(tmp_path / "root")) == real


def test_a_repository_is_named_by_origin_else_by_its_first_remote_else_by_its_place(root: Path, tmp_path: Path) -> None:
    place = f"{host_identity()}:{root.resolve()}"
    assert name_repository(str(root)) == place
    _commit(root, "")
    _git(root, "worktree", "add", "-q", str(tmp_path / "other"))
    assert name_repository(str(tmp_path / "other")) == place
    _git(root, "remote", "add", "b", "https://example.org/b")
    _git(root, "remote", "add", "c", "https://example.org/c")
    assert name_repository(str(root)) == "example.org/b"
    _git(root, "remote", "add", "origin", "git@example.org:o")
    assert name_repository(str(root)) == name_repository(str(tmp_path / "other")) == "example.org/o"


def test_a_name_that_the_settings_give_wins_over_the_remote(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _git(root, "remote", "add", "origin", "git@example.org:o")
    _commit(root, f'database = "{URL}"\n[worker]\nrepository = "shop"\n')
    assert open_store(str(root)).repository == "shop"
    monkeypatch.setenv("PLANRAIL_REPOSITORY", "told")
    assert open_store(str(root)).repository == "told"


def test_an_approval_names_a_teams_repository_the_same_on_every_machine(root: Path, tmp_path: Path) -> None:
    _git(root, "remote", "add", "origin", "git@example.org:o")
    alone = open_store(str(root)).identity
    _commit(root, f'database = "{URL}"\n')
    _git(tmp_path, "clone", "-q", str(root), "copy")
    _git(tmp_path / "copy", "remote", "set-url", "origin", "https://example.org/o.git")
    forget_teams()
    assert open_store(str(root)).identity == open_store(str(tmp_path / "copy")).identity != alone


@pytest.mark.parametrize("url", read_table("store/tables/addresses", "passwords"))
def test_a_password_is_hidden_wherever_it_stands(url: str) -> None:
    assert "sesame" not in hide_password(url)


def test_an_address_without_a_password_is_shown_as_it_is() -> None:
    assert hide_password("postgresql://127.0.0.1:1/x?password=s&sslmode=require").endswith("&sslmode=require")
    for url in ("postgresql://me@db.example.org:5433/x?sslmode=require", "postgresql:///x?host=/tmp&port=5432"):
        assert hide_password(url) == url
