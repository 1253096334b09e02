"""approve, reject and approvals: the yes is a person's, and holds for what they were shown."""

import json
import os
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planrail.approval.book import open_plan_file, read_book
from planrail.approval.records import propose, record_dialog, tell_sessions
from planrail.base.errors import PlanrailError, UsageError
from planrail.base.records import replace
from planrail.base.state_folder import state_folder
from planrail.cli.plans import approve_command
from planrail.hook.sessions import store
from planrail.hook.sessions.state import Session
from planrail.plans.files import lifecycle
from planrail.projects.open_plan import open_known_plan
from planrail.store.ledger import open_ledger
from planrail.store.places import ledger_folder
from planrail.store.runs.run_facts import adopted
from tests.approval.scripted_desk import LENA, NO_TERMINAL, WORD, ScriptedTerminal, arguments_of, make_desk
from tests.cli.approvals import approve, commit, make_project, reject, show_approvals
from tests.cli.processes import planrail

PLAN = """# Greeter

Goal: greet.

## Phase 1: Read

Read the code.

```sh check
make test
```

## Phase 2: Write

- [ ] write it
"""


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A plan in a repository of its own, where the person stands."""
    path = make_project(tmp_path, monkeypatch) / "plan.md"
    path.write_text(PLAN)
    return path


@pytest.fixture
def listed(capsys: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    """What `planrail list approvals --json` says."""

    def ask(*words: str) -> dict[str, Any]:
        capsys.readouterr()
        show_approvals("--json", *words)
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    return ask


Listed = Callable[..., dict[str, Any]]


def states(found: dict[str, Any]) -> list[str]:
    return [phase["state"] for phase in found["plans"][0]["phases"]]


def test_a_yes_at_the_terminal_approves_the_plan(
    plan: Path, listed: Listed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commit(plan.parent, {"plan.md": PLAN})
    subprocess.run(["git", "worktree", "add", "-q", str(tmp_path / "tree")], check=True, capture_output=True)
    terminal = ScriptedTerminal([WORD])
    assert approve("plan.md", "--json", terminal=terminal) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["approved"], said["approval"]["who"], said["approval"]["strength"]) == (True, LENA, "terminal")
    assert "2 phases" in terminal.shown
    assert "will be run: make test" in terminal.shown
    found = listed()["plans"][0]
    assert (found["plan"], found["state"]) == ("plan.md", "approved")
    assert found["enough_for"] == ["in_session", "headless", "auto"]
    assert {(phase["who"], phase["channel"], phase["at"]) for phase in found["phases"]} == {(LENA, "terminal", 1000)}
    plan.write_text(PLAN.replace("[ ]", "[x]"))
    assert approve("plan.md", terminal=NO_TERMINAL) == 0
    assert "nothing to approve" in capsys.readouterr().out
    monkeypatch.chdir(tmp_path / "tree")  # another work tree of the repository
    assert approve("plan.md", terminal=NO_TERMINAL) == 0


@pytest.mark.parametrize(("answer", "told"), [("n", "reject"), ("", "reject"), ("y", "not the word"), ("yy", "")])
def test_anything_but_the_word_is_no(
    plan: Path, listed: Listed, answer: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert approve("plan.md", terminal=ScriptedTerminal([answer])) == 1
    assert told in capsys.readouterr().out
    assert listed()["plans"] == []


def test_without_a_terminal_nothing_is_approved(plan: Path, listed: Listed, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(PlanrailError, match="no terminal") as refusal:
        approve("plan.md", "--json", terminal=NO_TERMINAL)
    said = json.loads(capsys.readouterr().out)
    assert (said["approved"], said["approval"], said["status"]) == (False, None, "refused")
    assert (refusal.value.exit_code, refusal.value.remedy) == (1, "open one")
    done = planrail("approve", "plan.md", cwd=plan.parent)
    assert (done.returncode, done.stdout) == (1, "")
    assert "nothing was approved" in done.stderr
    assert listed()["plans"] == []


def test_an_edited_phase_is_shown_as_a_difference_and_alone_loses_its_approval(plan: Path, listed: Listed) -> None:
    text = PLAN + "- [x] look\n"
    plan.write_text(text)
    approve("plan.md")
    text = text.replace("[ ] write it", "[x] write it twice\n- [ ] and test it [1]\n- **Depends on:** Phase 9")
    plan.write_text(text.replace("Phase 1: Read", "Phase 1: Read ✅"))
    assert states(listed()) == ["approved", "changed"]
    terminal = ScriptedTerminal([WORD])
    approve("plan.md", terminal=terminal)
    assert "phase 2 · Write: changed" in terminal.shown
    shown = [line.strip() for line in terminal.shown.splitlines()]
    assert "-- [ ] write it" in shown
    assert "+- [x] write it twice" in shown, "boxes are shown as the file has them"
    assert {"+- [ ] and test it [1]", "- [x] look"} <= set(shown)
    assert "phase 1 ·" not in terminal.shown
    assert "planrail lint finds 1 error:" in terminal.shown
    assert "Marked as done" not in terminal.shown, "a later yes adopts nothing"
    assert open_known_plan("plan.md").phases[0].proof == "claimed"
    assert "will be run: make test" in shown, "all commands are shown again"
    assert states(listed()) == ["approved", "approved"]


def test_a_text_that_changes_after_it_was_shown_is_not_approved(plan: Path, listed: Listed) -> None:
    def swap() -> str:
        plan.write_text(PLAN.replace("make test", "make mischief"))
        return WORD

    with pytest.raises(PlanrailError, match="changed while you were reading"):
        approve("plan.md", terminal=ScriptedTerminal([swap]))
    assert listed()["plans"] == []


def test_a_person_may_edit_first_and_approves_what_they_made(plan: Path, listed: Listed) -> None:
    propose("plan.md", agent="claude", session="s1")

    def edit(path: str) -> None:
        Path(path).write_text(PLAN.replace("Read the code.", "Read the tests."))

    terminal = ScriptedTerminal(["d", "e", WORD])
    assert approve("plan.md", terminal=terminal, edit=edit) == 0
    assert terminal.shown.count("Read the code.") == 1  # the whole text was asked for before
    assert "was edited since it was proposed" in terminal.shown
    said = read_book(str(plan.parent), "plan.md").history[-1]
    assert getattr(said, "edited", None) is True
    assert listed()["plans"][0]["state"] == "approved"


def test_a_signed_approval_is_verified_each_time(plan: Path, listed: Listed) -> None:
    assert approve("plan.md", "--key") == 0
    assert {phase["strength"] for phase in listed()["plans"][0]["phases"]} == {"key"}
    path = os.path.join(ledger_folder(str(plan.parent)), "ledger.db")
    connection = sqlite3.connect(path)
    connection.executescript(
        "DROP TRIGGER facts_stay; UPDATE facts SET value = replace(value, 'lena', 'otto') WHERE kind = 'approval';"
    )
    connection.close()
    assert set(states(listed())) == {"new"}


def test_after_a_rejection_a_prose_plan_is_not_sent_to_a_command_that_refuses_it(
    plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan.write_text("# Greeting\n\nFirst it greets, then it greets well.\n\n- [ ] greet\n- [ ] greet well\n")
    assert reject("plan.md", "--feedback", "too short") == 0
    assert "next: planrail approve plan.md   (when you have revised it by hand)" in capsys.readouterr().out


def test_of_two_who_answer_at_once_the_second_is_told(plan: Path, listed: Listed) -> None:
    propose("plan.md")

    def other() -> str:
        reject("plan.md", "--feedback", "no", terminal=ScriptedTerminal([], who="otto"))
        return WORD

    with pytest.raises(PlanrailError, match="otto has rejected the plan meanwhile"):
        approve("plan.md", terminal=ScriptedTerminal([other]))
    assert set(states(listed())) == {"new"}


def test_where_a_lead_is_named_only_the_lead_approves(plan: Path, listed: Listed) -> None:
    commit(plan.parent, {"planrail.toml": '[approval]\nlead = "lena@example.org"\n'})
    other = replace(make_desk(ScriptedTerminal([WORD])), check=lambda approval, policy, root: "otto")
    with pytest.raises(PlanrailError, match="calls you otto"):
        approve_command.approve(arguments_of(approve_command, "plan.md", "--key"), other)
    assert listed()["plans"] == []
    with pytest.raises(PlanrailError, match="in the lead's queue as request") as refusal:
        approve("plan.md", terminal=ScriptedTerminal([WORD], who="otto <otto@example.org>"))
    waiting = listed()["requests"]
    assert [one["lead"] for one in waiting] == ["lena@example.org"]
    assert waiting[0]["member"] == "otto <otto@example.org>"
    assert waiting[0]["id"] in refusal.value.remedy
    assert approve(waiting[0]["id"]) == 0
    assert listed()["plans"][0]["state"] == "approved"


def test_where_two_leads_are_named_the_request_waits_for_both(plan: Path, listed: Listed, tmp_path: Path) -> None:
    commit(plan.parent, {"planrail.toml": '[approval]\nlead = "lena"\n'})
    (tmp_path / "config" / "planrail").mkdir(parents=True)
    (tmp_path / "config" / "planrail" / "planrail.toml").write_text('[approval]\nlead = "otto"\n')
    request = propose("plan.md")
    assert approve(request.id) == 0
    assert [one["id"] for one in listed()["requests"]] == [request.id]
    assert listed()["plans"][0]["enough_for"] == []
    assert approve(request.id, terminal=ScriptedTerminal([WORD], who="otto")) == 0
    assert listed()["requests"] == []
    assert listed()["plans"][0]["state"] == "approved"


def test_the_sessions_that_have_the_plan_are_found(plan: Path) -> None:
    for name, path in (("s1", str(plan)), ("s2", str(plan.parent / "other.md"))):
        store.update(state_folder(), "claude", name, lambda _, n=name, p=path: Session("claude", n, plan=p))  # type: ignore[misc]
    assert tell_sessions("plan.md", "approved", "text") == ["s1"]


def test_the_list_for_people_ends_with_the_next_command(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    show_approvals()
    assert "next: planrail plans" in capsys.readouterr().out
    request = propose("plan.md", agent="claude", session="s")
    show_approvals()
    shown = capsys.readouterr().out
    assert f"next: planrail approve {request.id}" in shown
    approve("plan.md")
    capsys.readouterr()
    show_approvals("--all")
    shown = capsys.readouterr().out
    assert f"approved by {LENA}" in shown
    assert "enough for: in session, headless, auto" in shown


def test_a_plan_outside_the_project_belongs_to_the_one_it_was_written_for(
    plan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listed: Listed
) -> None:
    """Agents keep plans in the home folder, which may be a repository by itself."""
    (tmp_path / ".git").mkdir()
    outside = tmp_path / "plans" / "tall-heron.md"
    outside.parent.mkdir()
    outside.write_text(PLAN)
    request = propose(str(outside), agent="claude", session="s", root=str(plan.parent))
    assert [one["path"] for one in listed()["requests"]] == [str(outside)]
    monkeypatch.chdir(outside.parent)
    approve(str(outside))
    monkeypatch.chdir(plan.parent)
    assert listed("--all")["requests"][0]["answer"] == "approved"
    assert approve(request.id, terminal=NO_TERMINAL) == 0


def test_two_files_with_one_id_are_not_approved_for_each_other(plan: Path, listed: Listed) -> None:
    plan.write_text(f"---\nid: herons\n---\n\n{PLAN}")
    approve("plan.md")
    (plan.parent / "other.md").write_text(plan.read_text().replace("write it", "drop it"))
    with pytest.raises(PlanrailError, match="the same id"):
        approve("other.md")
    assert listed()["plans"][0]["state"] == "approved"
    plan.unlink()  # renamed: the id goes with it
    assert approve("other.md") == 0


def test_a_request_waits_in_the_queue_until_it_is_answered(plan: Path, listed: Listed) -> None:
    request = propose("plan.md", agent="claude", session="s1", member="otto")
    waiting = listed()["requests"]
    assert [(one["id"], one["member"], one["agent"], one["strength"]) for one in waiting] == [
        (request.id, "otto", "claude", "dialog")
    ]
    plan.write_text(f"---\nstatus: approved\napproved: true\napproved_by: lena\n---\n{PLAN}")
    assert listed()["plans"][0]["enough_for"] == [], "what a plan says of itself approves nothing"
    plan.write_text(PLAN.replace("[ ]", "[x]"))
    assert propose("plan.md") == request, "the same text is one request"
    assert approve(request.id[:6]) == 0
    assert listed()["requests"] == []
    answered = listed("--all")["requests"][0]
    assert (answered["id"], answered["answer"], answered["by"]) == (request.id, "approved", LENA)
    plan.write_text(PLAN.replace("write it", "write it well"))
    assert propose("plan.md").id != request.id


def test_a_rejected_text_is_not_proposed_again_unchanged(
    plan: Path, listed: Listed, capsys: pytest.CaptureFixture[str]
) -> None:
    propose("plan.md")
    with pytest.raises(UsageError):
        reject("plan.md", "--comment", "99:no")
    assert read_book(str(plan.parent), "plan.md").history == []
    assert reject("plan.md", "--json", "--feedback", "too short", "--comment", "3:why?") == 0
    said = json.loads(capsys.readouterr().out)["rejection"]
    assert said["comments"] == [{"line": 3, "quote": "Goal: greet.", "text": "why?"}]
    assert listed()["requests"] == []
    with pytest.raises(PlanrailError, match="not changed since"):
        propose("plan.md")
    plan.write_text(PLAN.replace("greet.", "greet well."))
    assert propose("plan.md").canonical == open_plan_file("plan.md").canonical.hash


def test_the_stage_of_a_plan_follows_the_answers_of_people(plan: Path, listed: Listed) -> None:
    def stage() -> str:
        known = lifecycle.load(state_folder(), str(plan))
        return known.stage if known else ""

    propose("plan.md")
    assert stage() == "proposed"
    approve("plan.md")
    assert stage() == "approved"
    assert reject("plan.md", "--json", terminal=NO_TERMINAL) == 0
    assert states(listed()) == ["approved", "approved"], "from a place without a person nothing is taken back"
    reject("plan.md")
    assert (stage(), states(listed())) == ("draft", ["taken_back", "taken_back"])
    approve("plan.md")
    assert states(listed()) == ["approved", "approved"]


def test_settings_count_as_they_are_committed_and_what_a_yes_is_not_enough_for_is_said(
    plan: Path, listed: Listed, capsys: pytest.CaptureFixture[str]
) -> None:
    commit(plan.parent, {"planrail.toml": '[approval]\nauto = "key"\n'})
    (plan.parent / "planrail.toml").write_text('[approval]\nauto = "dialog"\nrequired = false\n')
    assert (listed()["needed"]["auto"], listed()["required"]) == ("key", True)
    approve("plan.md")
    assert "not enough for: auto" in capsys.readouterr().out


def test_strange_lines_in_the_spool_stop_nobody(plan: Path, listed: Listed) -> None:
    propose("plan.md")
    lines: list[dict[str, object]] = [
        {"id": "a", "kind": "approval", "plan": "plan.md", "at": 10**30, "value": {}},
        {"id": "b", "kind": "approval", "plan": "\ud800", "at": 1, "value": {}},
        {"id": "c", "kind": "text", "plan": "", "at": 1, "value": {"text": "\ud800"}},
        {"id": "d", "kind": "approval", "plan": "plan.md", "at": 1, "value": {"at": 10**30, "phases": []}},
        {"id": "e", "kind": "request", "plan": "plan.md", "at": 1, "value": {"id": 7}},
    ]
    spool = Path(ledger_folder(str(plan.parent))) / "spool.jsonl"
    spool.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert approve("plan.md") == 0
    assert listed()["plans"][0]["state"] == "approved"


def test_a_dialog_is_enough_in_a_session_and_for_no_more(plan: Path, listed: Listed) -> None:
    said = record_dialog("plan.md", agent="claude", session="s1", at=5, edited=False)
    record_dialog("plan.md", agent="claude", session="s1", at=5, edited=False)
    assert len(read_book(str(plan.parent), "plan.md").history) == 1
    with open_ledger(str(plan.parent)) as ledger:
        assert ledger.text(said.text) == PLAN
    assert listed()["plans"][0]["enough_for"] == ["in_session"]
    approve("plan.md")
    assert listed()["plans"][0]["enough_for"] == ["in_session", "headless", "auto"]


def test_the_first_yes_adopts_what_was_done_before_and_no_other_answer_does(
    plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def known() -> list[str]:
        with open_ledger(str(plan.parent)) as ledger:
            return list(adopted(ledger, "plan.md"))

    done = PLAN.replace("Phase 1: Read", "Phase 1: Read ✅")
    plan.write_text(done)
    approve("plan.md", terminal=ScriptedTerminal(["n"]))
    assert known() == []
    terminal = ScriptedTerminal([WORD])
    capsys.readouterr()
    approve("plan.md", "--json", terminal=terminal)
    assert json.loads(capsys.readouterr().out)["adopted"] == ["1"]
    assert "Marked as done before planrail's first run: 1." in terminal.shown
    assert (known(), open_known_plan("plan.md").phases[0].proof) == (["1"], "adopted")
