"""The rows of `cases/execution.jsonl` about arguments, waves, numbers of documents and status updates.

What planrail does otherwise is a rule here, never the id of a row: a flag is a word, a plan stays in its round, a closed
task stays closed, and a task with open phases is not completed.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from planrail.base.errors import UsageError
from planrail.cli.main import main
from planrail.tasks.book.task_rows import Note, open_book
from planrail.tasks.book.task_views import write_views
from planrail.tasks.model import Artifact, Task, number_for
from planrail.tasks.numbers import read_call
from planrail.tasks.statuses import TERMINAL, marker
from planrail.tasks.waves import Circle, group_waves

_CASES = Path(__file__).parents[3] / "shared" / "cases" / "execution.jsonl"
_ROUNDS_BROKEN = "breaks the round rule"  # as the notes of those rows say
_PLAN = "specs/007_it/plans/01_it.md"
_DOCUMENT = """# Plan

- **Task**: 7 - It
- **Status**: [NOT STARTED]

## Implementation Phases

### Phase 1: One [COMPLETED]

- [x] done

### Phase 2: Two [NOT STARTED]

- [ ] open

### Phase 3: Three [NOT STARTED]

- [ ] open
"""


def _cases(kind: str) -> list[Any]:
    if not _CASES.is_file():
        return []
    rows = [json.loads(line) for line in _CASES.read_text("utf-8").splitlines()]
    return [pytest.param(row, id=row["id"]) for row in rows if row["kind"] == kind]


@pytest.mark.parametrize("case", _cases("task_args"))
def test_a_call_is_understood_as_before(case: dict[str, Any]) -> None:
    wanted = case["out"]
    if wanted["rc"] or _runs_backwards(case["in"]["arguments"]):
        with pytest.raises(UsageError):
            read_call([case["in"]["arguments"]])
        return
    call = read_call([case["in"]["arguments"]])
    assert [str(number) for number in call.said] == wanted["tasks"]
    flags = {name: getattr(call, name) for name in ("team", "clean", "force", "lit", "effort", "model", "focus")}
    assert {**flags, "team_size": str(call.team_size)} == _by_words(case["in"]["arguments"], wanted)


def _runs_backwards(text: str) -> bool:
    ranges = [word.strip(",").split("-") for word in text.split() if word.strip(",0123456789") == "-"]
    return any(len(ends) == 2 and all(ends) and int(ends[0]) > int(ends[1]) for ends in ranges)


def _by_words(text: str, wanted: dict[str, Any]) -> dict[str, Any]:
    """What the row asks for, but that a flag inside another word is no flag, and stays in the text."""
    words = [word.partition("=")[0] for word in text.split()]
    known: dict[str, dict[str, Any]] = {f"--{name}": {name: False} for name in ("team", "clean", "force", "lit")}
    known |= {f"--{name}": {"effort": ""} for name in ("fast", "hard")}
    known |= {f"--{name}": {"model": ""} for name in ("haiku", "sonnet", "opus")}
    asked = {key: value for key, value in wanted.items() if key not in ("rc", "tasks")}
    mistaken = [word for word in words if word.startswith("--") and word not in (*known, "--team-size")]
    for word in mistaken:
        for flag, absent in known.items():
            if flag in word and flag not in words:
                asked.update(absent)
    if mistaken:
        asked["focus"] = " ".join(word for word in text.split()[1:] if word not in known)
    return asked


@pytest.mark.parametrize("case", _cases("waves"))
def test_tasks_are_grouped_in_waves_as_before(case: dict[str, Any]) -> None:
    found = group_waves({int(task): wanted for task, wanted in case["in"]["dependencies"].items()})
    if isinstance(case["out"], dict):
        assert isinstance(found, Circle)
        assert list(found.tasks) == case["out"]["tasks"]
    else:
        assert found == case["out"]


@pytest.mark.parametrize("case", _cases("artifact_number"))
def test_documents_are_numbered_by_their_round(case: dict[str, Any]) -> None:
    given, wanted = case["in"], case["out"]
    numbered = number_for(given["operation"], given["next_artifact_number"], given["files_on_disk"])
    if _ROUNDS_BROKEN in case.get("note", "") and given["operation"] != "research":
        wanted = {"number": max((given["next_artifact_number"] or 1) - 1, 1)}
    told = {"number": numbered.number, "padded": f"{numbered.number:02d}", "next_after": numbered.next_after}
    assert {name: told[name] for name in wanted} == wanted


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _prepare(project: Path, status: str) -> None:
    """A project with task 7 in some state, whose plan has an open phase, and a task 6 beside it."""
    (project / _PLAN).parent.mkdir(parents=True)
    (project / _PLAN).write_text(_DOCUMENT)
    seven = Task(7, "it", "It", status, artifacts=(Artifact("plan", _PLAN, round=1),), last_updated="before")
    with open_book(str(project)) as book:
        book.put([Task(6, "other", "Other", "planned"), seven], Note("imported"))
    write_views(str(project))


def _call(case: dict[str, Any]) -> tuple[list[str], str]:
    """The words of the row's call, and the state that the task was in before."""
    given = case["in"]
    words = given.get("args") or [given["op"], "7", given["target"], "sess_1"]
    closed = "completed" if "terminal" in given.get("label", "") else "planned"
    return words, given.get("before", closed)


def _expected(case: dict[str, Any], words: list[str], before: str) -> tuple[int, str]:
    """The exit code and the state that are right."""
    code, state = case["out"]["rc"], case["out"].get("state", before)
    completes = words[0] == "postflight" and words[2:3] in (["implement"], ["pr_ready"]) and before != "completed"
    closed = before in TERMINAL and state != before
    if (completes and state == "completed") or closed:
        return 1, before
    return (0, state) if code == 3 else (code, state)  # TODO.md is generated: it cannot be missing


@pytest.mark.parametrize("case", _cases("status_update"))
def test_a_status_is_updated_as_before_where_that_was_right(
    case: dict[str, Any], project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, before = _call(case)
    _prepare(project, before)
    (project / "specs" / "TODO.md").unlink()  # whatever is there, it follows
    code, state = _expected(case, words, before)
    assert main(["task", "update-status", *words]) == code
    with open_book(str(project)) as book:
        task = book.load(7)
    assert task.status == state
    has_changed = state != before
    printed = capsys.readouterr()
    if "--dry-run" not in words:
        assert printed.out == (f"OK: task 7 status -> {state}\n" if has_changed else "")
    assert bool(printed.err) == bool(code)
    assert (task.last_updated != "before", task.session_id) == (has_changed, words[3] if has_changed else "")
    if code == 0 and "--dry-run" not in words:
        _assert_views_follow(project, state)


def _assert_views_follow(project: Path, state: str) -> None:
    todo = (project / "specs" / "TODO.md").read_text()
    entries = {part.split(".")[0]: part for part in todo.split("\n### ")}
    assert f"- **Status**: [{marker(state)}]" in entries["7"]
    assert "- **Status**: [PLANNED]" in entries["6"]  # the task beside it is as it was
    stated = json.loads((project / "specs" / "state.json").read_text())
    assert {entry["project_number"]: entry["status"] for entry in stated["active_projects"]} == {7: state, 6: "planned"}
    header = "IMPLEMENTING" if state == "implementing" else "NOT STARTED"
    assert (project / _PLAN).read_text() == _DOCUMENT.replace("**Status**: [NOT STARTED]", f"**Status**: [{header}]")


def test_where_the_ledger_cannot_be_written_the_exit_code_is_two(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _prepare(project, "planned")
    from planrail.store.places import ledger_folder

    [store] = [path for path in Path(ledger_folder(str(project))).iterdir() if path.suffix == ".db"]
    store.write_bytes(b"no database at all, but long enough to be looked at" * 100)
    assert main(["task", "update-status", "preflight", "7", "plan", "s"]) == 2
    assert "planrail:" in capsys.readouterr().err


def test_a_plan_outside_the_project_is_not_written(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "plan.md"
    outside.write_text(_DOCUMENT)
    path = os.path.relpath(outside, project)
    with open_book(str(project)) as book:
        book.put([Task(7, "it", "It", "planned", artifacts=(Artifact("plan", path, round=1),))], Note("imported"))
    assert main(["task", "update-status", "preflight", "7", "implement", "s"]) == 0
    assert outside.read_text() == _DOCUMENT


def test_a_header_that_was_left_behind_follows_when_the_same_is_said_again(project: Path) -> None:
    _prepare(project, "implementing")
    assert main(["task", "update-status", "preflight", "7", "implement", "s"]) == 0
    assert "- **Status**: [IMPLEMENTING]" in (project / _PLAN).read_text()


def test_the_open_phases_are_named_where_completion_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _prepare(project, "implementing")
    assert main(["task", "update-status", "postflight", "7", "implement", "s"]) == 1
    said = capsys.readouterr().err
    assert "2 Two (todo)" in said
    assert "3 Three (todo)" in said


def test_a_call_is_read_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["task", "parse", "--json", "7, 9-10, 7 --team look at it"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["tasks"], told["numbers"], told["team"]) == ([7, 9, 10, 7], [7, 9, 10], True)
    assert main(["task", "parse", "--json", "45-42"]) == 1
    assert json.loads(capsys.readouterr().out)["error"] == "the range 45-42 runs backwards"
