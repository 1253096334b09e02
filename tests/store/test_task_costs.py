"""What a status update may not even import, and settings that are not parsed where nothing is said in them."""

import subprocess
import sys
from pathlib import Path

import pytest

from planrail.base.errors import UsageError
from planrail.base.settings import load_settings, load_tasks
from tests.conftest import ROOT

DEAR = {"dataclasses", "hashlib", "json", "pathlib", "subprocess", "tomllib", "typing", "uuid", "tempfile", "yaml"}
UPDATE = """
import sys
from planrail.tasks.book.task_rows import Note, open_book
from planrail.tasks.book.task_views import write_views
from planrail.base.records import replace
from planrail.tasks.model import Task
root = sys.argv[1]
with open_book(root) as book:
    book.create(lambda number: Task(number, "a", "A"), Note("created"))
write_views(root)
with open_book(root) as book:
    book.change(1, lambda task: replace(task, status="planned"), Note("planned"))
assert len(write_views(root).paths) == 2
print(*sys.modules)
"""


def test_a_status_update_imports_nothing_dear(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PLANRAIL_STATE_DIR")  # which is for tests: the ledger of a project lies in it
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    command = [sys.executable, "-S", "-c", UPDATE, str(tmp_path)]
    loaded = subprocess.run(command, cwd=ROOT / "src", check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    assert DEAR.isdisjoint(loaded)


def test_the_settings_of_tasks_are_the_same_by_both_doors(tmp_path: Path) -> None:
    assert load_tasks(str(tmp_path)) == load_settings(str(tmp_path)).tasks
    Path(tmp_path, "planrail.toml").write_text('[tasks]\nfolder = "docs/specs"\ntimeout = 5\ncommit = false\n')
    found = load_tasks(str(tmp_path))
    assert found == load_settings(str(tmp_path)).tasks
    assert (found.folder, found.timeout, found.commit, found.prime) == ("docs/specs", 5, False, True)


def test_a_folder_outside_of_the_project_is_refused(tmp_path: Path) -> None:
    for folder in ("", "/tmp/x", "../x", "a/../b", "a//b", ".", ".git/x", "a/", " a", "a\\n"):
        Path(tmp_path, "planrail.toml").write_text(f'[tasks]\nfolder = "{folder}"\n')
        with pytest.raises(UsageError, match=r"\[tasks\] folder"):
            load_tasks(str(tmp_path))
