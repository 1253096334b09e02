"""The commands about documents: they answer with the exit codes that their callers know, and change one thing each."""

import json
from pathlib import Path
from typing import Any

import pytest

from planrail.tasks.book.task_rows import Note, open_book
from planrail.tasks.model import PLAN, Artifact, Task
from tests.cli.tasking.projects import Out, committed, git, task, told
from tests.cli.tasking.projects import project as project
from tests.tasks.artifacts.good_documents import good_document

_CASES = Path(__file__).parents[4] / "shared" / "cases" / "execution.jsonl"
GOOD = good_document(PLAN)
FOLDER = "specs/007_greet"
PLAN_PATH = f"{FOLDER}/plans/01_greet.md"


def _cases(kind: str) -> list[Any]:
    if not _CASES.is_file():
        return []
    rows = [json.loads(line) for line in _CASES.read_text("utf-8").splitlines()]
    return [pytest.param(row, id=row["id"]) for row in rows if row["kind"] == kind]


def write(root: Path, path: str, text: str) -> Path:
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode())
    return place


def keep(root: Path, *tasks: Task) -> None:
    with open_book(str(root)) as book:
        book.put(tasks, Note("imported"))


GREET = Task(7, "greet", "Greet people", effort="2 hours", artifacts=(Artifact(PLAN, PLAN_PATH, "", 1),), round=1)


# ---- validate-artifact ----


def test_a_repair_takes_what_the_ledger_knows_and_says_what_it_cannot_do(project: Path, capsys: Out) -> None:
    place = write(project, PLAN_PATH, GOOD)
    assert told(capsys, "validate-artifact", PLAN_PATH, "plan")["valid"] is True
    assert git(project, "status", "--short") == "?? specs/\n"
    assert not list((project / ".git").glob("planrail/*.db"))  # looking makes no ledger
    keep(project, GREET)
    place.write_text(GOOD.replace("- **Task**: …\n", "").replace("- **Type**: …\n", ""))
    assert task("validate-artifact", PLAN_PATH, "plan") == 1
    assert task("validate-artifact", PLAN_PATH, "plan", "--fix") == 2
    assert "- **Task**: 7 - Greet people\n- **Type**: markdown\n" in place.read_text()
    assert task("validate-artifact", PLAN_PATH, "plan", "--fix") == 0
    place = write(project, "plan.md", GOOD.replace("- **Task**: …\n", "").replace("## Overview\n", ""))
    capsys.readouterr()
    assert task("validate-artifact", "--fix", "plan.md", "plan") == 2
    assert "the section ## Overview is missing" in capsys.readouterr().out
    assert "- **Task**: TBD\n" in place.read_text()
    assert task("validate-artifact", "plan.md", "plan", "--fix") == 1
    place.write_bytes(b"# P\x00\xff")
    assert task("validate-artifact", "plan.md", "plan", "--fix") == 1
    assert place.read_bytes() == b"# P\x00\xff"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("none.md", "plan"), 3),
        (("specs", "plan"), 3),
        (("README.md", "poem"), 4),
        (("README.md",), 4),
        ((), 4),
        (("README.md", "plan", "--wrong"), 4),
        (("README.md", "plan", "more"), 4),
        (("README.md", "report"), 1),
    ],
)
def test_a_wrong_call_has_its_own_exit_code(project: Path, words: tuple[str, ...], code: int) -> None:
    (project / "specs").mkdir()
    assert task("validate-artifact", *words) == code


# ---- update-phase-status ----

_FOUR = "".join(f"### Phase {number}: P{number} [NOT STARTED]\n\n- [ ] do\n\n" for number in range(1, 5))


@pytest.mark.parametrize("case", _cases("phase_status"))
def test_a_phase_gets_its_status_as_the_rule_says(case: dict[str, Any], project: Path) -> None:
    given, wanted = case["in"], case["out"]
    place = write(project, f"{FOLDER}/plans/01_x.md", given["plan"])
    assert task("update-phase-status", "7", "greet", given["phase"], given["status"]) == wanted["rc"]
    is_bug = case.get("note", "").startswith("bug:")  # they lose words of the title
    right = given["plan"].replace("[NOT STARTED]", f"[{given['status']}]") if is_bug else wanted["plan"]
    assert place.read_bytes().decode() == right


@pytest.mark.parametrize("word", ["NOT_STARTED", "in_progress", "Completed", "PARTIAL", "blocked", "in progress"])
def test_a_status_may_be_spelled_in_small_letters_and_with_blanks(project: Path, word: str) -> None:
    place = write(project, f"{FOLDER}/plans/01_x.md", _FOUR)
    assert task("update-phase-status", "7", "greet", "3", word) == 0
    tag = word.upper().replace("_", " ")
    assert place.read_text() == _FOUR.replace("P3 [NOT STARTED]", f"P3 [{tag}]")


@pytest.mark.parametrize("words", [("7", "greet", "3"), ("x", "greet", "3", "PARTIAL"), ("7", "../x", "3", "PARTIAL")])
def test_a_call_that_names_no_plan_ends_with_1(project: Path, words: tuple[str, ...]) -> None:
    assert task("update-phase-status", *words) == 1


def test_the_plan_that_the_ledger_names_counts_before_those_in_the_folder(project: Path, capsys: Out) -> None:
    keep(project, GREET)
    linked = write(project, PLAN_PATH, _FOUR)
    other = write(project, f"{FOLDER}/plans/02_other.md", _FOUR)
    assert task("update-phase-status", "7", "greet", "1", "BLOCKED") == 0
    assert "[BLOCKED]" in linked.read_text()
    assert other.read_text() == _FOUR
    assert capsys.readouterr().out.strip() == str(linked)
    assert task("update-phase-status", "7", "greet", "1", "blocked") == 0
    assert capsys.readouterr().out == ""


def test_without_a_ledger_the_highest_round_and_version_is_the_newest(project: Path) -> None:
    names = ("01_a.md", "02_a-v2.md", "02_a-v10.md", "02_a.md")
    places = [write(project, f"specs/7_greet/plans/{name}", _FOUR) for name in names]
    assert task("update-phase-status", "7", "greet", "1", "PARTIAL") == 0
    assert [place.name for place in places if "PARTIAL" in place.read_text()] == ["02_a-v10.md"]


# ---- link-artifact ----


def test_a_document_is_linked_with_its_round_and_committed_with_the_views(project: Path, capsys: Out) -> None:
    keep(project, GREET)
    report = f"{FOLDER}/reports/02_more.md"
    write(project, report, "# R\n")
    write(project, "mine.txt", "mine\n")
    linked = told(capsys, "link-artifact", "7", "research", report, "--summary", "it\nworks")
    assert {"path": report, "type": "report", "summary": "it works", "round": 2}.items() <= linked["artifacts"][
        -1
    ].items()
    assert committed(project) == ["specs/007_greet/reports/02_more.md", "specs/TODO.md", "specs/state.json"]
    assert "mine.txt" in git(project, "status", "--short")
    before = (project / "specs/state.json").read_bytes()
    assert task("link-artifact", "7", "research", report, "--summary", "it works") == 0
    assert (project / "specs/state.json").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("7", "plan", "none.md"), 1),
        (("7", "poem", "README.md"), 1),
        (("9", "plan", "README.md"), 2),
        (("x", "plan", "README.md"), 1),
        (("7", "plan", "../outside.md"), 1),
        (("7", "plan", "link.md"), 1),
    ],
)
def test_what_cannot_be_linked_is_refused(project: Path, words: tuple[str, ...], code: int) -> None:
    keep(project, GREET)
    write(project.parent, "outside.md", "# O\n")
    (project / "link.md").symlink_to(project.parent / "outside.md")
    assert task("link-artifact", *words) == code
    with open_book(str(project)) as book:
        assert book.load(7).artifacts == GREET.artifacts


# ---- waves ----


def test_open_tasks_are_grouped_by_what_they_wait_for_and_a_circle_is_shown(project: Path, capsys: Out) -> None:
    assert task("waves") == 0
    keep(
        project,
        Task(1, "a", "A", status="completed"),
        Task(2, "b", "B", dependencies=(1,)),
        Task(3, "c", "C", dependencies=(2,)),
        Task(4, "d", "D"),
    )
    assert told(capsys, "waves")["waves"] == [[2, 4], [3]]
    assert told(capsys, "waves", "1-3")["waves"] == [[1], [2], [3]]
    assert task("waves") == 0
    assert capsys.readouterr().out.rstrip().endswith("next: planrail task orchestrate 2,3,4")
    keep(project, Task(5, "e", "E", dependencies=(6,)), Task(6, "f", "F", dependencies=(5,)))
    assert task("waves") == 1
    assert "5 → 6 → 5" in capsys.readouterr().out
    assert task("waves", "9") == 1
