"""Which plan an answer reaches: the one that was named, wherever it lies by now, and never another."""

import json
from pathlib import Path

import pytest

from planrail.approval.book import read_book
from planrail.approval.records import propose
from planrail.base.errors import PlanrailError, UsageError
from planrail.base.state_folder import state_folder
from planrail.plans.files import lifecycle
from tests.approval.scripted_desk import LENA, NO_TERMINAL, WORD, ScriptedTerminal
from tests.cli.approvals import approve, make_project, reject, show_approvals

PLAN = "# Greeter\n\nGoal: greet.\n\n## Phase 1: Read\n\nRead it.\n\n## Phase 2: Write\n\n- [ ] write it\n- [x] look\n"
WITH_ID = f"---\nid: greeter-1\n---\n{PLAN}"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with two plans, where the person stands."""
    made = make_project(tmp_path, monkeypatch)
    (made / "two-a.md").write_text(PLAN)
    (made / "two-b.md").write_text(PLAN.replace("Greeter", "Parser"))
    return made


def listed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    show_approvals(*words)
    return capsys.readouterr().out


# ---- names ----


@pytest.mark.parametrize("name", ["wo-b.md", "two-b", "TWO-B.md", "plans/two-b.md", "abcdef"])
def test_a_name_that_is_no_file_and_no_request_reaches_no_plan(
    root: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    approve("two-b.md")
    propose("two-a.md")
    for answer in (approve, reject):
        capsys.readouterr()
        with pytest.raises(UsageError, match="no file and no request") as refusal:
            answer(name, "--json")
        assert refusal.value.exit_code == 2
        said = json.loads(capsys.readouterr().out)
        assert (said["status"], said["error"], said["next"]) == ("refused", refusal.value.message, refusal.value.remedy)
        assert name not in ("wo-b.md", "two-b") or "two-b.md" in refusal.value.remedy, "the closest names are advice"
    assert len(read_book(str(root), "two-b.md").history) == 1
    assert read_book(str(root), "two-a.md").history == []


def test_a_request_is_named_by_its_id_or_a_beginning_that_no_other_has(root: Path) -> None:
    first, second = propose("two-a.md"), propose("two-b.md")
    with pytest.raises(UsageError, match="no file and no request"):
        approve(first.id[:3])
    with pytest.raises(UsageError, match="no file and no request"):
        approve(first.id[1:])
    assert first.id[:4] != second.id[:4]
    assert approve(first.id[:4]) == 0
    assert approve(second.id) == 0
    assert [len(read_book(str(root), name).history) for name in ("two-a.md", "two-b.md")] == [1, 1]


def test_a_file_that_nobody_called_a_plan_is_not_rejected(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "README.md").write_text("# Greeter\n\nIt greets.\n")
    with pytest.raises(UsageError, match="no plan"):
        reject("README.md")
    assert "Greeter" not in listed(capsys)
    propose("README.md")
    assert reject("README.md") == 0


# ---- files that are gone, and files that have moved ----


def test_a_request_whose_file_is_gone_is_said_so_and_can_be_got_rid_of(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    request = propose("two-a.md")
    (root / "two-a.md").unlink()
    shown = listed(capsys)
    assert "its file is gone" in shown
    assert f"next: planrail reject {request.id}" in shown
    with pytest.raises(PlanrailError, match="no longer at") as refusal:
        approve(request.id)
    assert f"planrail reject {request.id}" in refusal.value.remedy
    with pytest.raises(UsageError) as missing:
        reject("two-a.md")
    assert request.id in missing.value.remedy
    assert reject(request.id, "--feedback", "not any more", "--comment", "3:why?") == 0
    (said,) = read_book(str(root), "two-a.md").history
    assert (said.request, said.who, said.plan) == (request.id, LENA, "two-a.md")
    assert [comment.quote for comment in getattr(said, "comments", ())] == ["Goal: greet."]
    assert request.id not in listed(capsys)
    assert "two-a.md" not in listed(capsys)
    assert "two-a.md" in listed(capsys, "--all")
    assert not (root / "two-a.md").exists()


def test_another_plan_in_the_place_of_one_that_is_gone_is_not_answered_for_it(root: Path) -> None:
    (root / "two-a.md").write_text(WITH_ID)
    request = propose("two-a.md")
    (root / "two-a.md").write_text(PLAN)
    other = propose("two-a.md")
    with pytest.raises(PlanrailError, match="no longer at"):
        approve(request.id)
    assert reject(request.id) == 0
    assert read_book(str(root), "two-a.md").history == []
    assert len(read_book(str(root), "greeter-1").history) == 1
    known = lifecycle.load(state_folder(), str(root / "two-a.md"))
    assert known is not None
    assert known.stage == "proposed"
    assert approve(other.id) == 0


def test_a_plan_that_was_renamed_is_found_by_its_id(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "two-a.md").write_text(WITH_ID)
    approve("two-a.md")
    (root / "docs").mkdir()
    (root / "two-a.md").rename(root / "docs" / "greeter.md")
    (found,) = json.loads(listed(capsys, "--json"))["plans"]
    assert (found["plan"], found["path"], found["state"]) == ("greeter-1", "docs/greeter.md", "approved")
    (root / "docs" / "greeter.md").write_text(WITH_ID.replace("Read it.", "Read all of it."))
    request = propose("docs/greeter.md")
    (root / "docs" / "greeter.md").rename(root / "new.md")
    assert f"{request.id}  Greeter  new.md" in listed(capsys)
    assert [one["path"] for one in json.loads(listed(capsys, "--json"))["requests"]] == ["new.md"]
    assert approve(request.id) == 0
    assert approve("new.md", terminal=NO_TERMINAL) == 0


def test_of_two_files_with_the_same_id_none_is_taken_for_the_one_that_is_gone(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "two-a.md").write_text(WITH_ID)
    propose("two-a.md")
    for name in ("one.md", "other.md"):
        (root / name).write_text(WITH_ID)
    assert json.loads(listed(capsys, "--json"))["plans"][0]["state"] == "new"
    (root / "two-a.md").unlink()
    assert json.loads(listed(capsys, "--json"))["plans"][0]["state"] == "missing"


# ---- what is shown before the question ----


def test_after_a_no_the_next_question_says_whose_it_was_and_why(root: Path) -> None:
    approve("two-a.md")
    reject("two-a.md", "--feedback", "two phases\nare enough", "--comment", "3:whom?")
    terminal = ScriptedTerminal(["n"])
    approve("two-a.md", terminal=terminal)
    assert f"Rejected by {LENA}" in terminal.shown
    assert "  are enough" in terminal.shown
    assert "line 3: whom?" in terminal.shown
    assert "The text is the one that was rejected." in terminal.shown
    (root / "two-a.md").write_text(PLAN.replace("Read it.", "Read all of it."))
    terminal = ScriptedTerminal([WORD])
    approve("two-a.md", terminal=terminal)
    assert "The text has changed since." in terminal.shown
    (root / "two-a.md").write_text(PLAN)
    terminal = ScriptedTerminal(["n"])
    approve("two-a.md", terminal=terminal)
    assert "Rejected" not in terminal.shown
