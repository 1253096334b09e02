"""A task as an entry of `state.json`: whole, readable by every reader, with what planrail does not know."""

import json

from hypothesis import given

from planrail.tasks.model import Artifact, Task
from planrail.tasks.views.entries import from_entry, read_entry, render_entry, to_entry
from planrail.tasks.views.todo import render_archive, render_state
from tests.tasks.views_values import tasks


@given(tasks())
def test_a_task_comes_back_from_its_entry_as_it_was(task: Task) -> None:
    assert from_entry(to_entry(task)) == task
    assert read_entry(render_entry(task)) == task


def test_state_json_has_the_form_that_jq_would_give_it() -> None:
    task = Task(7, "a_b", "A é", description="x", artifacts=(Artifact("plan", "specs/007_a_b/plans/01_b.md", "s", 1),))
    text = render_state(8, {"repository_health": {"status": "healthy"}, "x": []}, [render_entry(task)])
    assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"
    assert json.loads(render_state(1, {}, []))["active_projects"] == []
    assert json.loads(render_archive([])) == {"completed_projects": [], "abandoned_projects": []}
    assert list(json.loads(text)) == [
        *("version", "next_project_number", "active_projects", "repository_health", "x", "completed_projects"),
    ]


def test_the_fields_of_an_entry_stand_in_the_order_that_readers_know() -> None:
    entry = to_entry(Task(7, "a", "A", description="d", effort="2 h", topic="t", created="c", last_updated="l"))
    assert list(entry) == [
        *("project_number", "project_name", "status", "task_type", "created", "last_updated", "title", "description"),
        *("effort", "topic", "dependencies", "artifacts", "next_artifact_number"),
    ]


def test_fields_that_planrail_does_not_know_are_kept_also_those_of_documents() -> None:
    entry = {
        "project_number": 3,
        "project_name": "a",
        "status": "planned",
        "language": "lua",
        "plan_metadata": {"phases": 4},
        "artifacts": [{"path": "specs/3_a/plans/01_x.md", "type": "plan", "summary": "", "round": 1, "created": "now"}],
        "dependencies": [1],
        "next_artifact_number": 2,
    }
    again = to_entry(from_entry(entry))
    assert again["language"] == "lua"
    assert again["plan_metadata"] == {"phases": 4}
    assert again["artifacts"] == entry["artifacts"]
    assert to_entry(from_entry(again)) == again
    assert (again["next_artifact_number"], from_entry(entry).round) == (2, 1)
