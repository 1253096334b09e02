"""A field of a task is declared in one place: kept in its row, shown in TODO.md, exported to state.json, imported."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from planrail.tasks.model import COLUMNS, Task
from tests.conftest import ROOT

_DECLARED = '    topic: str = column("", label="Topic", option=("NAME", "what it is grouped under"))\n'
_NEW = '    mood: str = column("", label="Mood")\n'
_PROGRAM = """
import sys
from planrail.tasks.book.task_rows import Note, open_book
from planrail.tasks.book.task_views import write_views
from planrail.tasks.importing.model import Specs
from planrail.tasks.importing.reading import read_specs
from planrail.tasks.model import Task
root = sys.argv[1]
with open_book(root) as book:
    book.create(lambda number: Task(number, "a", "A", mood="fine"), Note("created"))
    assert book.load(1).mood == "fine", "stored"
write_views(root)
state, todo = (open(f"{root}/specs/{name}").read() for name in ("state.json", "TODO.md"))
assert read_specs(Specs(state=state, todo=todo)).tasks[0].mood == "fine", "imported"
assert read_specs(Specs(todo=todo)).tasks[0].mood == "fine", "imported from TODO.md alone"
told = read_specs(Specs(state=state.replace('"fine"', '"odd"'), todo=todo)).divergences
assert [one.text for one in told] == ["task 1, mood: state.json says `odd`, TODO.md says `fine`; taken: `odd`"], told
"""


def test_a_column_that_is_added_in_one_place_is_stored_shown_exported_and_imported(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src" / "planrail", tmp_path / "planrail", ignore=shutil.ignore_patterns("__pycache__"))
    model = tmp_path / "planrail" / "tasks" / "model.py"
    source = model.read_text()
    assert source.count(_DECLARED) == 1
    model.write_text(source.replace(_DECLARED, _DECLARED + _NEW))
    root = tmp_path / "project"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PLANRAIL_STATE_DIR": str(tmp_path / "state")}
    subprocess.run([sys.executable, "-c", _PROGRAM, str(root)], cwd=tmp_path, env=environment, check=True)
    (entry,) = json.loads((root / "specs" / "state.json").read_text())["active_projects"]
    assert entry["mood"] == "fine"
    assert "- **Mood**: fine\n" in (root / "specs" / "TODO.md").read_text()


def test_every_field_of_a_task_is_a_column_but_for_what_stands_beside_its_entry() -> None:
    names = {column.name for column in COLUMNS.values()}
    assert set(vars(Task)["__slots__"]) - names == {"is_archived", "id", "extra"}
