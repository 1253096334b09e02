"""Names that are kept for plans which an agent will write."""

import os
from pathlib import Path

import pytest

from planrail.plans.files.plan_files import FileRefusal, reserve

_NOW = 1_800_000_000.0


def _first(_: int) -> int:
    return 0


def _reserve(folder: Path, *, now: float = _NOW, root: Path | None = None) -> str | FileRefusal:
    kept_in = str(folder / "kept")
    path = reserve(
        str(folder / "plans"),
        "Add a login page",
        choose=_first,
        kept_in=kept_in,
        now=now,
        root=str(root) if root else None,
    )
    for kept in (folder / "kept").glob("*"):
        os.utime(kept, (_NOW, _NOW))
    return path


def test_a_reserved_name_is_readable_its_file_is_not_made_and_it_is_kept_for_a_day(tmp_path: Path) -> None:
    path = _reserve(tmp_path)
    assert isinstance(path, str)
    assert os.path.basename(path).startswith("add-login-page-")
    assert not os.path.exists(path)
    assert isinstance(_reserve(tmp_path, now=_NOW + 86_399), FileRefusal)
    assert _reserve(tmp_path, now=_NOW + 86_401) == path


@pytest.mark.parametrize("is_link", [True, False])
def test_a_name_that_is_taken_on_the_disk_is_not_given(tmp_path: Path, *, is_link: bool) -> None:
    path = _reserve(tmp_path)
    assert isinstance(path, str)
    if is_link:
        os.symlink("nowhere", path)
    else:
        Path(path).write_text("somebody's plan")
    assert isinstance(_reserve(tmp_path, now=_NOW + 100_000), FileRefusal)


def test_a_folder_that_leads_out_of_the_project_is_refused(tmp_path: Path) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    project.mkdir()
    outside.mkdir()
    (project / "plans").symlink_to(outside)
    refusal = _reserve(project, root=project)
    assert isinstance(refusal, FileRefusal)
    assert list(outside.iterdir()) == []
