"""The book of tasks in both databases."""

import gc
from pathlib import Path

import pytest

from planrail.base.errors import PlanrailError, UsageError
from planrail.base.records import replace
from planrail.store.places import ledger_folder
from planrail.tasks.book.task_rows import Note, open_book, read_book
from planrail.tasks.model import Brief, Task
from tests.store.task_stage import NOTE, add, change, make_project
from tests.store.task_stage import root as root


def test_a_new_task_gets_the_next_number_and_is_found(root: str) -> None:
    one, two = add(root, "First", "Second", dependencies=(1,), topic="docs")
    assert (one.number, two.number) == (1, 2)
    assert one.id
    assert one.id != two.id
    with open_book(root) as book:
        assert book.load(2) == two
        assert book.find(3) is None
        assert book.tasks() == [one, two]
        assert book.briefs() == [
            Brief(1, "First", "not_started", "docs", (1,)),
            Brief(2, "Second", "not_started", "docs", (1,)),
        ]
        assert book.next_number() == 3
        with pytest.raises(PlanrailError, match="no task 7") as caught:
            book.load(7)
        assert caught.value.remedy == "planrail task list"


def test_a_change_is_kept_with_its_event_and_counts_one_revision(root: str) -> None:
    add(root, "First")
    with open_book(root) as book:
        before = book.revision()
        note = Note("begin_plan", "sess_2_abcdef", 1_782_900_100.5, {"why": "é \ud800"})
        changed = book.change(1, lambda task: replace(task, status="planning"), note)
        assert book.load(1) == changed
        assert book.revision() == before + 1
        stand = (book.stand(), book.history(1))
        book.change(1, lambda task: replace(task, title="First"), note)
        assert (book.stand(), book.history(1)) == stand, "the same task again changes nothing"
        last = book.history(1)[-1]
    assert (last.what, last.session, last.at) == ("begin_plan", "sess_2_abcdef", 1_782_900_100.5)
    assert last.value == {"from": "not_started", "to": "planning", "why": "é \ud800"}


def test_a_decision_that_raises_changes_nothing(root: str) -> None:
    add(root, "First", "Second")
    with open_book(root) as book:
        before = (book.stand(), book.tasks())

        def refuse(task: Task) -> Task:
            raise PlanrailError("no")

        with pytest.raises(PlanrailError, match="no"):
            book.change(1, refuse, NOTE)
        with pytest.raises(PlanrailError, match="no task 9"):
            book.change_many([1, 9], lambda known: [replace(task, topic="x") for task in known.values()], NOTE)
        assert (book.stand(), book.tasks()) == before


def test_several_tasks_change_at_once_and_new_ones_get_numbers(root: str) -> None:
    add(root, "First", "Second")
    with open_book(root) as book:
        revision = book.revision()

        def expand(known: dict[int, Task]) -> list[Task]:
            parts = [Task(0, "a", "A"), Task(0, "b", "B")]
            return [replace(known[1], status="expanded"), *parts]

        saved = book.change_many([1], expand, NOTE)
        assert [(task.number, task.status) for task in saved] == [
            *((1, "expanded"), (3, "not_started"), (4, "not_started")),
        ]
        assert book.tasks()[0] == saved[0]
        assert (book.revision(), book.next_number()) == (revision + 1, 5)


def test_an_archived_task_is_found_as_such_comes_back_and_leaves_its_number_to_others(root: str) -> None:
    add(root, "First")
    archived = change(root, 1, is_archived=True)
    with open_book(root) as book:
        assert book.find(1) is None
        with pytest.raises(PlanrailError, match="archived") as caught:
            book.load(1)
        assert caught.value.remedy == "planrail task recover 1"
        back = book.put([replace(archived, is_archived=False)], NOTE)[0]
        assert book.load(1) == back
        with pytest.raises(PlanrailError, match="a task 1 already"):
            book.put([Task(1, "again", "Again")], NOTE)
        assert len(book.tasks()) == 1
        archived = book.change(1, lambda task: replace(task, is_archived=True), NOTE)
        other = book.put([Task(1, "other", "Other")], NOTE)[0]
        assert book.find_archived(1) == [archived]
        assert book.tasks() == [other]
        assert book.tasks(archived=True) == [archived]


def test_numbers_go_on_after_the_greatest_that_was_put(root: str) -> None:
    with open_book(root) as book:
        book.put([Task(41, "a", "A"), Task(7, "b", "B", is_archived=True)], NOTE)
        assert book.next_number() == 42
        book.set_head({"active_topics": ["x"], "odd": None}, 100)
        book.set_head({"active_topics": ["x"], "odd": None}, 3)
        assert (book.next_number(), book.head()) == (100, {"active_topics": ["x"], "odd": None})


def test_whatever_a_text_holds_the_task_is_kept_as_it_is(root: str) -> None:
    strange = "a\x00b \ud800 \u2028 | `x` ' \" % ? \\ é 漢\n---\n### 5. x"
    (task,) = add(root, strange, description=strange, topic=strange, status="planned", session_id=strange)
    with open_book(root) as book:
        assert book.load(1) == task
        assert "\n" not in book.briefs()[0].title
        book.change(1, lambda task: replace(task, why=strange), Note(strange, strange, 1.0, {strange: strange}))
        assert book.load(1).why == strange


def test_who_only_looks_makes_no_ledger(tmp_path: Path) -> None:
    with read_book(str(tmp_path)) as book:
        assert (book.briefs(), book.tasks(), book.find(1), book.revision()) == ([], [], None, 0)
    assert not Path(ledger_folder(str(tmp_path))).exists()


@pytest.mark.full
@pytest.mark.parametrize("folder", ["3", "'/etc'"])
def test_settings_that_are_wrong_leave_no_ledger_open(tmp_path: Path, folder: str) -> None:
    """From Python 3.13 on, a connection that nobody closed is a warning, and so an error here."""
    root = make_project(tmp_path / "project")
    Path(root, "planrail.toml").write_text(f"[tasks]\nfolder = {folder}\n")
    with pytest.raises(UsageError):
        open_book(root)
    gc.collect()
