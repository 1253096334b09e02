"""Where rooms lie, and what stands above them."""

import os
from pathlib import Path

import pytest

from planrail.base.errors import PlanrailError
from planrail.runs.checks.check_places import choose_between, choose_check_folder, is_alone, make_check_folder
from planrail.runs.checks.surroundings import watch_above


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """A folder that is everybody's, as /var/tmp is."""
    place = tmp_path / "scratch"
    place.mkdir()
    place.chmod(0o1777)
    return place


def test_rooms_lie_where_nobody_else_is_and_never_below_a_projects_files(scratch: Path, tmp_path: Path) -> None:
    own = str(tmp_path / "home" / "rooms")
    assert choose_between(str(scratch), own, "x") == (f"{scratch}/planrail-x" if is_alone() else f"{own}/x")
    (scratch / "node_modules").mkdir()
    assert choose_between(str(scratch), own, "x") == f"{own}/x"
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "package.json").write_text("{}")
    with pytest.raises(PlanrailError, match=r"home/package\.json stands above") as caught:
        choose_between(str(scratch), own, "x")
    assert "[run] workspaces" in caught.value.remedy


def test_the_settings_and_the_state_folder_decide_first(tmp_path: Path) -> None:
    assert choose_check_folder(str(tmp_path / "moved")).startswith(str(tmp_path / "moved" / "rooms"))
    assert choose_check_folder("", environment={"PLANRAIL_STATE_DIR": str(tmp_path)}).startswith(
        str(tmp_path / "rooms")
    )


@pytest.mark.parametrize("name", ["rooms/x/.anything", "scratch/.anything", "scratch/folder/file", "node_modules/x.js"])
def test_what_appears_above_a_room_is_seen(scratch: Path, name: str) -> None:
    """In the folders of rooms, and in a shared one, by any name; further above by the names that tools look for."""
    check_folder = scratch / "planrail-1"
    make_check_folder(str(check_folder))
    look = watch_above(str(check_folder))
    assert look() == []
    place = {"rooms/x/.anything": check_folder / ".anything"}.get(name, scratch.parent / name)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("x")
    assert [finding.kind for finding in look()] == ["surroundings_changed"]
    assert "(new)" in look()[0].text


def test_what_was_there_and_changes_is_seen(scratch: Path) -> None:
    check_folder = scratch / "planrail-1"
    make_check_folder(str(check_folder))
    kept = scratch.parent / "node_modules" / "deep" / "index.js"
    kept.parent.mkdir(parents=True)
    kept.write_text("1")
    look = watch_above(str(check_folder))
    kept.write_text("2")
    assert "(changed)" in look()[0].text


def test_rooms_temporary_folders_and_other_peoples_planrail_are_nothing_new(scratch: Path) -> None:
    check_folder = scratch / "planrail-1"
    make_check_folder(str(check_folder))
    look = watch_above(str(check_folder))
    for place in (check_folder / "room", check_folder / "t-1", scratch / "planrail-2", scratch.parent / "notes"):
        place.mkdir()
    assert look() == []
    os.symlink("/", check_folder / "room-2")
    assert len(look()) == 1
