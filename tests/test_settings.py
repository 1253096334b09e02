"""Settings: the repository's over the user's over the defaults, and mistakes by name."""

from pathlib import Path

import pytest

from planrail.base.errors import UsageError
from planrail.base.settings import DEFAULT_LINT, LintSettings, load_settings, read_database


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own file."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = tmp_path / "config/planrail/planrail.toml"
    path.parent.mkdir(parents=True)
    return path


@pytest.fixture
def root(tmp_path: Path, user: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    return folder


def _lint(root: Path | None) -> LintSettings:
    return load_settings(str(root) if root else None).lint


def test_without_files_the_defaults_hold(root: Path) -> None:
    assert _lint(root) == DEFAULT_LINT
    assert _lint(None) == DEFAULT_LINT


def test_every_key_can_be_set(root: Path) -> None:
    (root / "planrail.toml").write_text(
        '[lint]\nsections = ["Goal"]\nmax_characters = 5\nvague_words = ["asap"]\nignore = ["length"]\nignore_paths = ["x/**"]\n'
    )
    assert _lint(root) == LintSettings(["Goal"], 5, ["asap"], ["length"], ["x/**"])


def test_the_repository_wins_over_the_user_key_by_key(root: Path, user: Path) -> None:
    user.write_text('[lint]\nmax_characters = 1\nignore = ["length"]\n')
    (root / "planrail.toml").write_text("[lint]\nmax_characters = 2\n")
    assert (_lint(root).max_characters, _lint(root).ignore) == (2, ["length"])


def test_what_a_user_demands_to_be_confined_no_repository_opens(root: Path, user: Path) -> None:
    opened = '[run]\nconfine = "off"\nnetwork = "on"\nwritable = ["~"]\nparallel = 2\n'
    user.write_text('[run]\nconfine = "required"\nnetwork = "off"\n')
    found = load_settings(str(root), committed=opened).run
    assert (found.confine, found.network, found.writable, found.parallel) == ("required", "off", [], 2)
    user.write_text('[run]\nconfine = "auto"\n')
    assert load_settings(str(root), committed=opened).run.confine == "off"


def test_the_users_file_alone_is_heard(root: Path, user: Path) -> None:
    user.write_text("[lint]\nmax_characters = 1\n")
    assert _lint(root).max_characters == 1
    assert _lint(None).max_characters == 1


def test_the_users_file_lies_in_the_home_folder_where_no_other_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", "")
    path = tmp_path / ".config/planrail/planrail.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[lint]\nmax_characters = 3\n")
    assert _lint(None).max_characters == 3


def test_schedules_and_workers_are_heard_as_committed_or_from_the_user(root: Path, user: Path) -> None:
    text = '[schedule]\ntimezone = "Europe/Berlin"\n[worker]\nslots = 64\nturn = 1\ndrain = 0\n[run]\npriority = -100\n'
    (root / "planrail.toml").write_text(text)
    edited, settled = load_settings(str(root)), load_settings(str(root), committed=text)
    assert (edited.schedule.timezone, edited.worker.slots, edited.run.priority) == ("", 4, 0)
    assert (settled.schedule.timezone, settled.worker.slots, settled.worker.drain) == ("Europe/Berlin", 64, 0)
    assert (settled.run.priority, settled.run.account, settled.worker.repository) == (-100, "", "")
    user.write_text("[worker]\nslots = 2\n[run]\naccount = 'team'\n")
    own = load_settings(str(root))
    assert (own.worker.slots, own.worker.turn, own.run.account) == (2, 10, "team")


@pytest.mark.parametrize(("said", "known"), [("", 3), ("push_work = 0.5", 0.5), ('push_work = "off"', "off")])
def test_how_often_work_is_pushed_is_a_number_of_minutes_or_off(root: Path, said: str, known: object) -> None:
    assert load_settings(str(root), committed=f"[run]\n{said}\n").run.push_work == known


@pytest.mark.parametrize("said", ["0", "-1", '"on"', "true"])
def test_another_word_on_how_often_work_is_pushed_is_refused(root: Path, said: str) -> None:
    (root / "planrail.toml").write_text(f"[run]\npush_work = {said}\n")
    with pytest.raises(UsageError, match="push_work"):
        load_settings(str(root))


def test_the_database_of_a_team_stands_above_all_tables(root: Path, user: Path) -> None:
    user.write_text('database = "postgresql://x/y"\n[lint]\nmax_characters = 1\n')
    assert _lint(root).max_characters == 1
    assert read_database("x", user.read_text()) == "postgresql://x/y"
    assert read_database("x", '[board]\ndatabase = "z"\n') == ""


@pytest.mark.parametrize(
    "text", ["[worker]\nslots = 0", "[worker]\nslots = 65", "[run]\npriority = 101", "[schedule]\ntimezone = 1"]
)
def test_a_worker_or_a_schedule_that_makes_no_sense_is_said(root: Path, text: str) -> None:
    with pytest.raises(UsageError, match=r"\[(worker|run|schedule)\]"):
        load_settings(str(root), committed=text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[lint]\nmax_chars = 3\n", ["max_chars", "max_characters"]),
        ("[lint]\nmax_characters = 'many'\n", ["max_characters", "whole number"]),
        ("[lint]\nmax_characters = true\n", ["max_characters"]),
        ("[lint]\nmax_characters = 0\n", ["max_characters"]),
        ("[lint]\nmax_characters = 1.5\n", ["max_characters"]),
        ("[lint]\nsections = 'Goal'\n", ["sections", "list"]),
        ("[lint]\nsections = [1]\n", ["sections"]),
        ("[lint]\nignore = ['']\n", ["ignore"]),
        ("[lint]\nignore_paths = {}\n", ["ignore_paths"]),
        ("lint = 3\n", ["lint", "table"]),
        ("[lint\n", ["not valid TOML"]),
        ("[lint]\nx = \ud800\n".encode("utf-8", "surrogatepass").decode("latin-1"), ["not valid TOML"]),
    ],
)
def test_a_mistake_names_the_file_the_key_and_what_is_allowed(root: Path, text: str, words: list[str]) -> None:
    path = root / "planrail.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageError) as caught:
        _lint(root)
    said = caught.value.message + caught.value.remedy
    assert str(path) in said
    assert all(word in said for word in words)


def test_a_file_that_cannot_be_opened_is_a_mistake(root: Path) -> None:
    (root / "planrail.toml").mkdir()
    with pytest.raises(UsageError):
        _lint(root)


@pytest.mark.parametrize("name", ["gaurd", "board", "title"])
@pytest.mark.parametrize("where", ["project", "user", "committed"])
def test_a_table_that_planrail_does_not_know_is_a_mistake_in_every_file(
    root: Path, user: Path, name: str, where: str
) -> None:
    text = f"[{name}]\nx = 1\n" if name != "title" else "title = 'x'\n"
    places = {"project": root / "planrail.toml", "user": user}
    if where in places:
        places[where].write_text(text)
    with pytest.raises(UsageError, match=rf"\[{name}\]") as caught:
        load_settings(str(root), committed=text if where == "committed" else None)
    assert "[guard]" in caught.value.remedy if name == "gaurd" else "guard" in caught.value.remedy


@pytest.mark.parametrize(
    "wrong", ["[run\n", "[run]\nagnt = 'claude'\n", "[gaurd]\nx = 1\n", "[run]\nparallel = 'two'\n"]
)
def test_settings_that_are_corrected_and_not_committed_are_to_be_committed(root: Path, wrong: str) -> None:
    (root / "planrail.toml").write_text("[run]\nagent = 'claude'\n")
    with pytest.raises(UsageError, match=r"planrail\.toml as committed.*is right by now") as caught:
        load_settings(str(root), committed=wrong)
    assert caught.value.remedy.startswith("git add planrail.toml && git commit ")
