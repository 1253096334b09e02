"""Taking over a folder of tasks: nothing is dropped, and every divergence is told."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from planrail.cli.tasks.documents.import_command import read_folder
from planrail.tasks.importing.drafts import known_status
from planrail.tasks.importing.model import KINDS, Imported, Specs, count_kinds
from planrail.tasks.importing.reading import read_specs
from planrail.tasks.statuses import STATUSES
from tests.tasks.importing.specs_trees import entry, make_tree, plan_text, section


def _state(*entries: object, **more: Any) -> str:
    return json.dumps({"next_project_number": 100, "active_projects": entries, **more})


def _todo(*sections: str, order: str = "") -> str:
    head = "---\nnext_project_number: 100\n---\n# TODO\n\n"
    return head + (f"## Task Order\n\n{order}\n\n" if order else "") + "## Tasks\n\n" + "\n---\n\n".join(sections)


def _told(imported: Imported, kind: str) -> list[str]:
    return [one.text for one in imported.divergences if one.kind == kind]


def _kinds(imported: Imported) -> set[str]:
    return {one.kind for one in imported.divergences}


# ---- whole folders ----


@pytest.mark.parametrize("seed", range(3))
def test_of_a_made_up_folder_nothing_is_dropped_and_exactly_what_was_put_there_is_told(
    tmp_path: Path, seed: int
) -> None:
    tree = make_tree(tmp_path, seed)
    imported = read_folder(str(tmp_path), "specs")
    assert len(imported.archived) == len(tree.archived)
    in_todo = {int(text.split()[1].rstrip(".")) for text in tree.todo}
    assert {task.number for task in imported.tasks} == {one["project_number"] for one in tree.active} | in_todo
    assert Counter(count_kinds(imported.divergences)) == tree.expected


def test_every_kind_of_divergence_that_is_told_is_described() -> None:
    source = Path(__file__).parents[3] / "src" / "planrail" / "tasks" / "importing"
    used = {
        kind
        for path in source.glob("*.py")
        for kind in re.findall(r'(?:add|tell)\(\s*"(\w+)"', path.read_text("utf-8"))
    }
    assert used == set(KINDS) - {"claimed", "state_refused", "view_differs"}  # of the ledger


# ---- files ----


def test_a_state_that_is_no_json_is_taken_from_the_entries_that_are_whole_and_from_todo() -> None:
    whole = json.dumps(entry(3, "third"), indent=2)
    text = '{"active_projects": [\n' + whole + ',\n<<<<<<< HEAD\n{"project_number": 4, "project_na'
    imported = read_specs(Specs(state=text, todo=_todo(section(entry(3, "third")), section(entry(9, "ninth")))))
    assert [task.number for task in imported.tasks] == [3, 9]
    told = _told(imported, "file_unread")[0]
    assert told.startswith("specs/state.json cannot be read")
    assert told.endswith("read instead: 1 whole entry of a task in it and specs/TODO.md")


@pytest.mark.parametrize("text", ["   \n", "\0", "[", '{"active_projects": 7}', "null", "[1]"])
def test_a_broken_state_never_stops_an_import(text: str) -> None:
    imported = read_specs(Specs(state=text, todo=_todo(section(entry(9, "ninth", "planned")))))
    assert 9 in [task.number for task in imported.tasks]
    assert imported.tasks[0].status in STATUSES


def test_both_sides_of_a_merge_conflict_are_kept() -> None:
    ours, theirs = entry(3, "third", "planned", last_updated="2026-02"), entry(3, "third", last_updated="2026-01")
    text = f"[<<<<<<< ours\n{json.dumps(ours)}\n=======\n{json.dumps(theirs)}\n>>>>>>> theirs\n]"
    imported = read_specs(Specs(state=text))
    assert [task.status for task in imported.tasks] == ["planned"]
    assert [task.status for task in imported.archived] == ["not_started"]
    assert "number_clash" in _kinds(imported)


def test_what_is_odd_about_a_file_is_told_and_its_tasks_are_kept() -> None:
    deep = "[" * 500 + "]" * 500
    text = '{"x": ' + deep + ', "active_projects": [' + json.dumps(entry(3, "third")) + "]}"
    assert [task.number for task in read_specs(Specs(state=text)).tasks] == [3]
    twice = json.dumps(entry(1, "a", "completed")).replace('"status"', '"status": "planned", "status"')
    imported = read_specs(Specs(state='{"vault_count": 2, "active_projects": [' + twice + "]}"))
    assert imported.tasks[0].status == "completed"
    assert "planned" in imported.tasks[0].extra.values()
    assert "specs/state.json says `status` twice in one place; both values are kept" in _told(imported, "file_odd")
    assert imported.head == {"vault_count": 2}
    todo = _todo(section(entry(1, "first"))) + "\n## Recommended Order\n\n1. first things first\n"
    assert "Recommended Order" in _told(read_specs(Specs(state=_state(entry(1, "first")), todo=todo)), "file_odd")[0]


# ---- numbers ----


def test_of_two_tasks_with_one_number_and_of_none_each_gets_one_and_stays_open() -> None:
    entries = (entry(5, "first"), entry(5, "second"), {"title": "Something to do"}, "and a mere text")
    imported = read_specs(Specs(state=_state(*entries)))
    assert [(task.number, task.title) for task in imported.tasks] == [
        (5, "First"),
        (100, "Second"),
        (101, "Something to do"),
        (102, "and a mere text"),
    ]
    assert imported.tasks[1].extra["imported"] == {"number": 5}
    assert imported.next_number == 103
    told = [text.partition(";")[0] for text in _told(imported, "number_clash")]
    assert told[-2:] == ["`Something to do` had no number", "`and a mere text` had no number"]


@pytest.mark.parametrize("said", [1, None, "x", -3])
def test_a_next_number_that_is_taken_is_corrected(said: object) -> None:
    text = json.dumps({"next_project_number": said, "active_projects": [entry(41, "some")]})
    archive = json.dumps({"completed_projects": [entry(77, "old", "completed")]})
    assert read_specs(Specs(state=text, archive=archive)).next_number == 78


def test_where_numbers_began_anew_those_of_the_archive_do_not_count() -> None:
    text = json.dumps({"next_project_number": 6, "vault_count": 1, "active_projects": [entry(5, "some")]})
    archive = json.dumps({"completed_projects": [entry(999, "old", "completed")]})
    assert read_specs(Specs(state=text, archive=archive)).next_number == 6


def test_a_list_of_tasks_inside_the_list_is_taken_over_and_archived_tasks_of_one_number_are_all_kept() -> None:
    archive = json.dumps({"completed_projects": [[entry(7, "a"), [entry(8, "b")]], entry(8, "c")]})
    imported = read_specs(Specs(state=_state([entry(1, "x")]), archive=archive))
    assert [task.number for task in (*imported.tasks, *imported.archived)] == [1, 7, 8, 8]
    assert len(_told(imported, "number_clash")) == 1
    assert [text for text in _told(imported, "file_odd") if "lists inside" in text] == [
        "specs/state.json has 1 task in lists inside `active_projects`; taken over",
        "specs/archive/state.json has 3 tasks in lists inside `completed_projects`; taken over",
    ]


# ---- one task ----


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("pending", "not_started"),
        ("[IN PROGRESS]", "implementing"),
        ("implemented", "completed"),
        ("pr-ready", "pr_ready"),
    ],
)
def test_a_status_in_other_words_is_understood_and_kept(word: str, status: str) -> None:
    imported = read_specs(Specs(state=_state(entry(1, "a", word))))
    assert imported.tasks[0].status == status
    assert imported.tasks[0].extra["imported"] == {"status": word}
    assert "status_unknown" in _kinds(imported)


def test_no_word_is_taken_for_done_that_does_not_say_so() -> None:
    for word in ("", "orphan_archived", "almost", "completing", "not completed", "uncompleted"):
        assert known_status(word) != "completed"


def test_what_only_todo_says_is_taken_from_there() -> None:
    bare = {"project_number": 1, "project_name": "a", "status": "planned"}
    text = section(entry(1, "a", "planned", title="A fine title", description="The text.\n\n### 1. A part\n\nmore"))
    task = read_specs(Specs(state=_state(bare), todo=_todo(text))).tasks[0]
    assert (task.title, task.description) == ("A fine title", "The text.\n\n### 1. A part\n\nmore")


def test_fields_that_todo_alone_has_and_older_names_of_fields_are_understood() -> None:
    text = "### 1. A\n- **Status**: [PLANNED]\n- **Research Started**: 2026-01-01\n\n**Description**: x\n"
    task = read_specs(Specs(state=_state(entry(1, "a", "planned")), todo=_todo(text))).tasks[0]
    kept = task.extra["imported"]
    assert isinstance(kept, dict)
    assert kept["todo"] == {"Research Started": "2026-01-01"}
    assert kept["todo_description"] == "x"
    old = {"project_number": 1, "project_name": "a", "status": "planned", "language": "meta", "depends_on": [2]}
    task = read_specs(Specs(state=_state(old, entry(2, "b")))).tasks[0]
    assert (task.task_type, task.dependencies) == ("meta", (2,))


def test_fields_of_another_kind_than_they_should_be_are_kept_aside() -> None:
    odd = entry(1, "a", description={"a": 1}, dependencies=["Task #2", {"x": 1}], effort=3, artifacts=[{"no": "path"}])
    imported = read_specs(Specs(state=_state(odd, entry(2, "b"))))
    kept = imported.tasks[0].extra["imported"]
    assert isinstance(kept, dict)
    assert kept["description"] == {"a": 1}
    assert kept["dependencies"] == ["Task #2", {"x": 1}]
    assert kept["artifacts"] == [{"no": "path"}]
    assert (imported.tasks[0].dependencies, imported.tasks[0].effort) == ((2,), "3")


@pytest.mark.parametrize("name", ["../../etc", ".hidden", "x" * 300, "a\nb", ""])
def test_a_name_that_can_be_no_folder_is_replaced(name: str) -> None:
    task = read_specs(Specs(state=_state(entry(1, name, title="A title")))).tasks[0]
    assert task.name == "a_title"


def test_tasks_that_wait_for_each_other_are_told() -> None:
    imported = read_specs(Specs(state=_state(entry(1, "a", dependencies=[2]), entry(2, "b", dependencies=[1]))))
    assert len(_told(imported, "dependency")) == 1


def test_the_order_of_todo_is_compared_with_the_tasks() -> None:
    first, second = entry(1, "a", "planned"), entry(2, "b", dependencies=[1])
    order = "| Wave | Tasks | x |\n|---|---|---|\n| 1 | 1,2 | -- |\n\n1 [COMPLETED] — a\n  └─ 7 [PLANNED] — gone\n"
    imported = read_specs(Specs(state=_state(first, second), todo=_todo(section(first), section(second), order=order)))
    assert _told(imported, "says_differ") == [
        "task 1, status: state.json says `planned`, the order (line 12) says `COMPLETED`; taken: `planned`",
        "task 2, wave: state.json says `after that of 1`, the order of TODO.md says 1; taken: `after that of 1`",
    ]
    assert _told(imported, "only_in_one") == ["only the order of TODO.md has an open task 7; it was not taken"]


def test_of_a_field_that_two_files_tell_differently_both_sides_are_told_and_the_one_that_was_taken() -> None:
    mine, theirs = entry(1, "a", "planned", topic="docs"), entry(1, "a", "completed", title="B", dependencies=[2])
    text = section(theirs).replace("- **Dep", "- **Topic**: core\n- **Dep")
    imported = read_specs(Specs(state=_state(mine, entry(2, "b")), todo=_todo(text, section(entry(2, "b")))))
    assert _told(imported, "says_differ") == [
        "task 1, title: state.json says `A`, TODO.md says `B`; taken: `A`",
        "task 1, topic: state.json says `docs`, TODO.md says `core`; taken: `docs`",
        "task 1, dependencies: state.json says none, TODO.md says 2; taken: none",
        "task 1, status: state.json says `planned`, TODO.md says `COMPLETED`; taken: `planned`",
    ]
    first = imported.tasks[0]
    assert (first.title, first.topic, first.dependencies, first.status) == ("A", "docs", (), "planned")


# ---- documents ----


def test_a_document_that_is_not_there_is_no_longer_linked_but_kept() -> None:
    task = entry(1, "a", artifacts=[{"path": "specs/001_a/plans/01_x.md", "type": "plan", "summary": "s"}])
    imported = read_specs(Specs(state=_state(task)))
    assert imported.tasks[0].artifacts == ()
    assert imported.tasks[0].extra["imported"] == {"artifacts": task["artifacts"]}


@pytest.mark.parametrize("folder", ["specs/archive/001_a", "specs/1_a", "specs/OC_1_a", "specs/001_renamed"])
def test_a_document_is_found_where_its_folder_has_gone(folder: str) -> None:
    task = entry(1, "a", artifacts=[{"path": "specs/001_a/plans/01_x.md", "type": "plan", "summary": "s"}])
    imported = read_specs(Specs(state=_state(task), files=(f"{folder}/plans/01_x.md",)))
    assert [one.path for one in imported.tasks[0].artifacts] == [f"{folder}/plans/01_x.md"]
    assert "artifact_moved" in _kinds(imported)


def test_documents_have_one_of_three_types() -> None:
    listed = [
        {"path": "specs/001_a/reports/01_x.md", "type": "research"},
        {"path": "specs/001_a/summaries/01_y.md", "type": "implementation"},
        {"path": "src/a.py", "type": "implementation"},
        {"path": "specs/001_a/plans/01_z.md", "type": "odd"},
    ]
    files = tuple(one["path"] for one in listed if one["path"].startswith("specs"))
    task = read_specs(Specs(state=_state(entry(1, "a", artifacts=listed)), files=files, others=("src/a.py",))).tasks[0]
    assert [one.type for one in task.artifacts] == ["report", "summary", "plan"]
    assert task.extra["imported"] == {"artifacts": [listed[2]]}


def test_a_plan_that_the_entry_does_not_list_is_not_linked_beside_one_that_it_does() -> None:
    files = ("specs/001_a/plans/01_x.md", "specs/001_a/plans/02_y.md", "specs/001_a/reports/03_z.md")
    task = entry(1, "a", artifacts=[{"path": files[0], "type": "plan"}], next_artifact_number=2)
    imported = read_specs(Specs(state=_state(task), files=files))
    assert {one.path for one in imported.tasks[0].artifacts} == {files[0], files[2]}
    assert imported.tasks[0].round == 3
    assert "file_unlisted" in _kinds(imported)
    assert _told(imported, "says_differ") == [
        "task 1, next round: state.json says 2, the name of a report says 4; taken: 4"
    ]


def test_a_completed_task_with_open_phases_is_told_with_their_names() -> None:
    path = "specs/001_a/plans/01_x.md"
    task = entry(1, "a", "completed", artifacts=[{"path": path, "type": "plan"}])
    text = plan_text("COMPLETED", "NOT STARTED", "PARTIAL")
    imported = read_specs(Specs(state=_state(task), files=(path,), plans={path: text}))
    assert "2 of 3 phases" in _told(imported, "open_phases")[0]
    assert "Part 2" in _told(imported, "open_phases")[0]


def test_a_folder_of_nobody_is_told_and_no_task_is_made_up() -> None:
    imported = read_specs(Specs(state=_state(entry(1, "a")), files=("specs/002_b/reports/01_x.md",)))
    assert [task.number for task in imported.tasks] == [1]
    assert "specs/002_b" in _told(imported, "folder_without_task")[0]


def test_names_in_a_divergence_cannot_break_its_line() -> None:
    imported = read_specs(Specs(state=_state(entry(1, "a", "x\ny\x1b[31m\ud800"))))
    assert all("\n" not in one.text and one.text.encode() for one in imported.divergences)
