"""Plan files: the folder is confined to the project, nothing is overwritten, and a name never leads elsewhere."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.plans.files.plan_files import (
    TRIES,
    FileRefusal,
    create,
    decide_directory,
    list_plans,
    match_names,
    move,
    resolve_folder,
    sub_agent_path,
)


def _first(count: int) -> int:
    return 0


def _counting() -> Callable[[int], int]:
    turns = iter(range(100_000))
    return lambda count: next(turns) % count


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with a neighbour, and links of every kind."""
    project, neighbour = tmp_path / "project", tmp_path / "neighbour"
    for folder in (project / "plans", project / "docs" / "deep", project / ".git", neighbour / "plans"):
        folder.mkdir(parents=True)
    (project / "a-file").write_text("x")
    (project / "out").symlink_to(neighbour)
    (project / "in").symlink_to(project / "docs")
    (project / "loop").symlink_to(project / "loop")
    (project / "dangling").symlink_to(tmp_path / "nowhere")
    (project / "git-link").symlink_to(project / ".git")
    (tmp_path / "project-two").mkdir()
    return project


def _decide(setting: str | None, root: Path) -> str | FileRefusal:
    return decide_directory(setting, root=str(root), default="/home/plans", resolve=resolve_folder)


# ------------------------------------------------------------------------------------------------ the folder


def test_without_a_setting_the_agents_own_folder_is_taken(root: Path) -> None:
    assert _decide(None, root) == "/home/plans"


@pytest.mark.parametrize(
    ("setting", "place"),
    [
        ("./", ""),
        ("plans/", "plans"),
        ("new/deep/folder", "new/deep/folder"),
        ("in/deep", "docs/deep"),
        ("pläne 计划", "pläne 计划"),
        ("..plans", "..plans"),
        (".gitlab/plans", ".gitlab/plans"),
    ],
)
def test_a_folder_of_the_project_is_allowed(setting: str, place: str, root: Path) -> None:
    assert _decide(setting, root) == str(root / place)
    assert _decide(f"{root}/{setting}", root) == str(root / place)


@pytest.mark.parametrize(
    "setting",
    [
        "..",
        "../project-two",
        "plans/../../neighbour",
        "/tmp",
        "out/new",
        "in/../../neighbour",
        "dangling",
        "loop/plans",
        "loop/../out",
        "a-file/plans",
        ".GIT/plans",
        "git-link/plans",
        "~/plans",
        "",
        "  ",
        "pl\x00ans",
        "pl\x1b[31mans",
        "pl\u202eans",
        "pl\udcffans",
        "x" * 300,
    ],
)
def test_a_folder_that_leads_elsewhere_is_refused_with_a_reason(setting: str, root: Path) -> None:
    for spelled in (setting, f"./{setting}") if setting.strip() and setting[0] not in "/~" else (setting,):
        outcome = _decide(spelled, root)
        assert isinstance(outcome, FileRefusal), outcome
        assert "[plans] directory" in outcome.reason
        assert outcome.remedy


def test_a_project_behind_a_link_is_one_project(root: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(root)
    assert _decide("plans", tmp_path / "alias") == str(root / "plans")
    assert _decide(str(root / "plans"), tmp_path / "alias") == str(root / "plans")


@given(st.lists(st.sampled_from(["..", ".", "", "out", "in", "plans", "docs", "deep", "loop", "x"]), max_size=8))
def test_what_is_allowed_lies_inside_by_the_systems_own_word(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str]
) -> None:
    base = tmp_path_factory.mktemp("confined")
    project = base / "project"
    (project / "docs" / "deep").mkdir(parents=True)
    (project / "out").symlink_to(base)
    (project / "in").symlink_to("docs/deep")
    (project / "loop").symlink_to("loop")
    outcome = _decide("/".join(parts) or ".", project)
    if isinstance(outcome, str):
        os.makedirs(outcome, exist_ok=True)
        assert Path(outcome).resolve(strict=True).is_relative_to(project.resolve())


# ------------------------------------------------------------------------------------------------ a new file


def test_a_new_plan_is_named_after_the_prompt_and_a_name_that_is_taken_is_not_taken_again(tmp_path: Path) -> None:
    folder, choose = tmp_path / "new" / "plans", _counting()
    path = create(str(folder), "Add dark mode", choose=_first, text="# Dark\n")
    assert path == str(folder / "add-dark-mode-able-acorn.md")
    assert Path(path).read_text("utf-8") == "# Dark\n"
    paths = [create(str(folder), "same", choose=choose, text=str(turn)) for turn in range(20)]
    assert [Path(str(path)).read_text() for path in paths] == [str(turn) for turn in range(20)]


def test_after_ten_tries_there_is_an_error_and_nothing_is_written(tmp_path: Path) -> None:
    """A link in the place of the new file is not followed."""
    (tmp_path / "thing-able-acorn.md").symlink_to(tmp_path / "victim")
    tried: list[int] = []

    def choose(count: int) -> int:
        tried.append(count)
        return 0

    refusal = create(str(tmp_path), "thing", choose=choose, text="yours")
    assert isinstance(refusal, FileRefusal)
    assert "planrail plans archive" in refusal.remedy
    assert len(tried) == 2 * TRIES
    assert not (tmp_path / "victim").exists()


@pytest.mark.parametrize("place", ["out", "out/new/deep", "dangling"])
def test_nothing_is_made_behind_a_link_out_of_the_project(place: str, root: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    outcome = create(str(root / place), "x", choose=_first, root=str(root))
    assert isinstance(outcome, FileRefusal)
    assert "leads out" in outcome.reason
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("place", ["a-file/plans", "loop"])
def test_a_folder_that_cannot_be_made_is_an_error_and_no_exception(place: str, root: Path) -> None:
    outcome = create(str(root / place), "x", choose=_first, root=str(root))
    assert isinstance(outcome, FileRefusal)
    assert outcome.remedy


def test_a_disk_that_is_full_leaves_no_half_written_plan(tmp_path: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no full device here")
    import resource
    import signal

    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        outcome = create(str(tmp_path), "x", choose=_first, text="y" * 100)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert isinstance(outcome, FileRefusal)
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------------------------------------ sub-agents


@pytest.mark.parametrize("agent_id", ["A-b_c", "../../etc", "", "a b", "\x00", "ü", "x" * 5000, "\udcff"])
def test_a_sub_agents_plan_lies_beside_its_parents(agent_id: str) -> None:
    path = sub_agent_path("/p/plans/brave-fox.md", agent_id)
    folder, _, name = path.rpartition("/")
    assert folder == "/p/plans"
    assert name.startswith("brave-fox-agent-")
    assert name.endswith(".md")
    assert name.isprintable()
    assert len(name) < 150


@given(st.text(max_size=120), st.text(max_size=120))
def test_two_sub_agents_never_share_a_plan(one: str, other: str) -> None:
    assert (sub_agent_path("p.md", one) == sub_agent_path("p.md", other)) == (one == other)


# ------------------------------------------------------------------------------------------------ finding one


@pytest.fixture
def plans(tmp_path: Path) -> Path:
    """Six files in a folder, the last one the newest, and what must not be found."""
    folder = tmp_path / "plans"
    (folder / "archive").mkdir(parents=True)
    names = ("old.md", "dark-mode-brave-fox.md", "dark-roast-wise-owl.md", "Login.md", "new.md", "new-agent-a1.md")
    outside = (tmp_path / "secret.txt", tmp_path / "secret.md", folder / "notes.txt", folder / "archive" / "gone.md")
    for time, path in enumerate([*(folder / name for name in names), *outside, folder / "README.md", folder / ".h.md"]):
        path.write_text("x")
        os.utime(path, (1000 + time, 1000 + time))
    (folder / "link-out.md").symlink_to(tmp_path / "secret.md")
    (folder / "link-in.md").symlink_to(folder / "old.md")
    (folder / "folder.md").mkdir()
    os.mkfifo(folder / "pipe.md")
    (folder / "bad\nname.md").write_text("x")
    return folder


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("old.md", "old.md"),
        ("  OLD ", "old.md"),
        ("login", "Login.md"),
        ("brave-fox", "dark-mode-brave-fox.md"),
        ("new", "new.md"),
        ("agent-a1", "new-agent-a1.md"),
        ("link-in", "link-in.md"),
    ],
)
def test_a_plan_is_found_by_its_name_or_a_part_of_it(name: str, file: str, plans: Path) -> None:
    assert match_names(list_plans(str(plans)), name) == [file]


def test_what_is_no_plan_of_the_folder_is_not_found_and_a_part_that_several_have_is_not_guessed_at(plans: Path) -> None:
    names = list_plans(str(plans))
    assert match_names(names, "dark") == ["dark-roast-wise-owl.md", "dark-mode-brave-fox.md"]
    foreign = ["../secret", "..", "/etc/passwd", "link-out", "archive/gone.md", "plans/old.md", "gone", "notes.txt"]
    for name in [*foreign, "folder", "pipe", "README", ".h", "bad", "*", "[o]ld", "o.d", ".md", "old\x00"]:
        assert match_names(names, name) == []


def test_an_empty_or_missing_folder_has_no_plan_yet(tmp_path: Path) -> None:
    assert list_plans(str(tmp_path)) == []
    assert list_plans(str(tmp_path / "missing")) == []


# ------------------------------------------------------------------------------------------------ moving one


def test_moving_takes_a_name_that_is_free(tmp_path: Path) -> None:
    for turn in range(3):
        (tmp_path / "p.md").write_text(str(turn))
        assert isinstance(move(str(tmp_path / "p.md"), str(tmp_path / "archive")), str)
    kept = {path.name: path.read_text() for path in (tmp_path / "archive").iterdir()}
    assert kept == {"p.md": "0", "p-2.md": "1", "p-3.md": "2"}


def test_a_link_is_not_moved_nothing_is_moved_behind_one_and_what_has_gone_leaves_no_trace(root: Path) -> None:
    (root / "p.md").write_text("x")
    (root / "q.md").symlink_to(root / "p.md")
    for plan, folder in (("q.md", "archive"), ("p.md", "out"), ("gone.md", "archive")):
        assert isinstance(move(str(root / plan), str(root / folder)), FileRefusal)
    assert (root / "p.md").read_text() == "x"
    assert list((root / "archive").iterdir()) == []
