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
from planrail.approval.channels import ChannelRefusal
from planrail.approval.feedback import tell_sessions
from planrail.approval.person import Person
from planrail.approval.records import propose, record_dialog
from planrail.base.errors import PlanrailError, UsageError
from planrail.base.records import replace
from planrail.base.state_folder import state_folder
from planrail.cli.lists import approvals_command
from planrail.cli.plans import approve_command, reject_command
from planrail.cli.screen import show
from planrail.hook.sessions import store
from planrail.hook.sessions.state import Session
from planrail.plans.files import plan_records
from planrail.projects.open_plan import open_known_plan
from planrail.store.ledger import open_ledger
from planrail.store.places import ledger_folder
from planrail.store.runs.run_facts import adopted
from tests.approval.scripted_desk import LENA, NO_TERMINAL, WORD, ScriptedTerminal, arguments_of, make_desk
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
    root = tmp_path / "project"
    root.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    (root / "plan.md").write_text(PLAN)
    monkeypatch.chdir(root)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return root / "plan.md"


def approve(*words: str, terminal: ScriptedTerminal | ChannelRefusal | None = None, **desk: Any) -> int:
    return approve_command.approve(
        arguments_of(approve_command, *words), make_desk(terminal or ScriptedTerminal([WORD]), **desk)
    )


def show_approvals(desk: Person, *words: str) -> int:
    arguments = arguments_of(approvals_command, *words)
    return show(approvals_command.answer(arguments, desk), as_json=arguments.json)


def reject(*words: str, terminal: ScriptedTerminal | ChannelRefusal | None = None) -> int:
    return reject_command.reject(arguments_of(reject_command, *words), make_desk(terminal or ScriptedTerminal([])))


@pytest.fixture
def listed(capsys: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    """What `planrail list approvals --json` says."""

    def ask(*words: str) -> dict[str, Any]:
        capsys.readouterr()
        desk = make_desk(NO_TERMINAL)
        assert show_approvals(desk, "--json", *words) == 0
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    return ask


Listed = Callable[..., dict[str, Any]]


def states(found: dict[str, Any]) -> list[str]:
    return [phase["state"] for phase in found["plans"][0]["phases"]]


def test_a_yes_at_the_terminal_approves_the_plan(plan: Path, listed: Listed) -> None:
    terminal = ScriptedTerminal([WORD])
    assert approve("plan.md", terminal=terminal) == 0
    found = listed()["plans"][0]
    assert (found["plan"], found["state"]) == ("plan.md", "approved")
    assert found["enough_for"] == ["in_session", "headless", "auto"]
    assert {(phase["who"], phase["channel"], phase["at"]) for phase in found["phases"]} == {(LENA, "terminal", 1000)}
    assert "2 phases" in terminal.shown
    assert "will be run: make test" in terminal.shown


@pytest.mark.parametrize("answer", ["n", "", "N", "x", "yy", "approve"])
def test_anything_but_yes_is_no(plan: Path, listed: Listed, answer: str) -> None:
    assert approve("plan.md", terminal=ScriptedTerminal([answer])) == 1
    assert listed()["plans"] == []


def test_without_a_terminal_nothing_is_approved(plan: Path, listed: Listed) -> None:
    with pytest.raises(PlanrailError, match="no terminal") as refusal:
        approve("plan.md", terminal=NO_TERMINAL)
    assert (refusal.value.exit_code, refusal.value.remedy) == (1, "open one")
    assert listed()["plans"] == []


def test_what_stands_needs_no_second_yes_and_no_terminal(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    approve("plan.md")
    plan.write_text(PLAN.replace("[ ]", "[x]"))
    assert approve("plan.md", terminal=NO_TERMINAL) == 0
    assert "nothing to approve" in capsys.readouterr().out


def test_an_edited_phase_is_shown_as_a_difference_and_alone_loses_its_approval(plan: Path, listed: Listed) -> None:
    approve("plan.md")
    plan.write_text(PLAN.replace("write it", "write it twice"))
    assert states(listed()) == ["approved", "changed"]
    terminal = ScriptedTerminal([WORD])
    approve("plan.md", terminal=terminal)
    assert "phase 2 · Write: changed" in terminal.shown
    assert "+- [ ] write it twice" in terminal.shown
    assert "-- [ ] write it\n" in terminal.shown
    assert "phase 1" not in terminal.shown
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


def test_nothing_in_a_plan_can_steer_the_terminal(plan: Path) -> None:
    plan.write_text(PLAN.replace("## Phase 1: Read", "## Phase 1: Read \033[2J\u202e"))
    terminal = ScriptedTerminal(["d", "n"])
    approve("plan.md", terminal=terminal)
    assert "\033" not in terminal.shown
    assert "\u202e" not in terminal.shown


def test_errors_that_lint_finds_are_shown(plan: Path) -> None:
    plan.write_text(PLAN.replace("Read the code.", "**Depends on:** Phase 9"))
    terminal = ScriptedTerminal(["n"])
    approve("plan.md", terminal=terminal)
    assert "planrail lint finds 1 error:" in terminal.shown


def test_a_request_waits_in_the_queue_until_it_is_answered(plan: Path, listed: Listed) -> None:
    request = propose("plan.md", agent="claude", session="s1", member="otto")
    waiting = listed()["requests"]
    assert [(one["id"], one["member"], one["agent"], one["strength"]) for one in waiting] == [
        (request.id, "otto", "claude", "dialog")
    ]
    assert approve(request.id[:6]) == 0
    assert listed()["requests"] == []
    answered = listed("--all")["requests"][0]
    assert (answered["id"], answered["answer"], answered["by"]) == (request.id, "approved", LENA)


def test_the_same_text_proposed_twice_is_one_request(plan: Path) -> None:
    first = propose("plan.md")
    plan.write_text(PLAN.replace("[ ]", "[x]"))
    assert propose("plan.md") == first
    plan.write_text(PLAN.replace("write it", "write it well"))
    assert propose("plan.md").id != first.id


def test_a_rejected_text_is_not_proposed_again_unchanged(plan: Path, listed: Listed) -> None:
    propose("plan.md")
    assert reject("plan.md", "--feedback", "too short", "--comment", "3:why?") == 0
    assert listed()["requests"] == []
    with pytest.raises(PlanrailError, match="not changed since"):
        propose("plan.md")
    plan.write_text(PLAN.replace("greet.", "greet well."))
    assert propose("plan.md").canonical == open_plan_file("plan.md").canonical.hash


def test_after_a_rejection_a_prose_plan_is_not_sent_to_a_command_that_refuses_it(
    plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan.write_text("# Greeting\n\nFirst it greets, then it greets well.\n\n- [ ] greet\n- [ ] greet well\n")
    assert reject("plan.md", "--feedback", "too short") == 0
    assert "next: planrail approve plan.md   (when you have revised it by hand)" in capsys.readouterr().out


def test_a_rejection_takes_an_approval_back(plan: Path, listed: Listed) -> None:
    approve("plan.md")
    reject("plan.md")
    assert states(listed()) == ["taken_back", "taken_back"]
    approve("plan.md")
    assert states(listed()) == ["approved", "approved"]


def test_a_rejection_from_a_place_without_a_person_takes_nothing_back(plan: Path, listed: Listed) -> None:
    approve("plan.md")
    assert reject("plan.md", "--json", terminal=NO_TERMINAL) == 0
    assert states(listed()) == ["approved", "approved"]


def test_a_comment_to_a_line_that_is_not_there_records_nothing(plan: Path, listed: Listed) -> None:
    with pytest.raises(UsageError):
        reject("plan.md", "--comment", "99:no")
    assert listed("--all")["plans"] == []


def test_of_two_who_answer_at_once_the_second_is_told(plan: Path, listed: Listed) -> None:
    propose("plan.md")

    def other() -> str:
        reject("plan.md", "--feedback", "no", terminal=ScriptedTerminal([], who="otto"))
        return WORD

    with pytest.raises(PlanrailError, match="otto has rejected the plan meanwhile"):
        approve("plan.md", terminal=ScriptedTerminal([other]))
    assert set(states(listed())) == {"new"}


def test_where_a_lead_is_named_only_the_lead_approves(plan: Path, listed: Listed) -> None:
    _settle(plan, '[approval]\nlead = "lena@example.org"\n')
    with pytest.raises(PlanrailError, match="in the lead's queue as request") as refusal:
        approve("plan.md", terminal=ScriptedTerminal([WORD], who="otto <otto@example.org>"))
    waiting = listed()["requests"]
    assert [one["lead"] for one in waiting] == ["lena@example.org"]
    assert waiting[0]["member"] == "otto <otto@example.org>"
    assert waiting[0]["id"] in refusal.value.remedy
    assert approve(waiting[0]["id"]) == 0
    assert listed()["plans"][0]["state"] == "approved"


def _settle(plan: Path, text: str) -> None:
    """Let the repository's committed settings say this."""
    (plan.parent / "planrail.toml").write_text(text)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "add", "planrail.toml"], cwd=plan.parent, check=True)
    subprocess.run([*git, "commit", "-qm", "settings"], cwd=plan.parent, check=True)


def test_where_two_leads_are_named_the_request_waits_for_both(plan: Path, listed: Listed, tmp_path: Path) -> None:
    _settle(plan, '[approval]\nlead = "lena"\n')
    (tmp_path / "config" / "planrail").mkdir(parents=True)
    (tmp_path / "config" / "planrail" / "planrail.toml").write_text('[approval]\nlead = "otto"\n')
    request = propose("plan.md")
    assert approve(request.id) == 0
    assert [one["id"] for one in listed()["requests"]] == [request.id]
    assert listed()["plans"][0]["enough_for"] == []
    assert approve(request.id, terminal=ScriptedTerminal([WORD], who="otto")) == 0
    assert listed()["requests"] == []
    assert listed()["plans"][0]["state"] == "approved"


def test_a_key_under_another_name_than_the_leads_is_not_taken_for_it(plan: Path, listed: Listed) -> None:
    _settle(plan, '[approval]\nlead = "lena"\n')
    desk = make_desk(ScriptedTerminal([WORD]))
    other = replace(desk, check=lambda approval, policy, root: "otto")
    with pytest.raises(PlanrailError, match="calls you otto"):
        approve_command.approve(arguments_of(approve_command, "plan.md", "--key"), other)
    assert listed()["plans"] == []


def test_settings_in_the_working_tree_loosen_nothing(plan: Path, listed: Listed) -> None:
    _settle(plan, '[approval]\nauto = "key"\n')
    (plan.parent / "planrail.toml").write_text('[approval]\nauto = "dialog"\nrequired = false\n')
    assert (listed()["needed"]["auto"], listed()["required"]) == ("key", True)


def test_what_a_yes_is_not_enough_for_is_said(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _settle(plan, '[approval]\nauto = "key"\n')
    approve("plan.md")
    assert "not enough for: auto" in capsys.readouterr().out


@pytest.mark.parametrize(
    "line",
    [
        {"id": "x", "kind": "approval", "plan": "plan.md", "at": 10**30, "value": {}},
        {"id": "x", "kind": "approval", "plan": "\ud800", "at": 1, "value": {}},
        {"id": "x", "kind": "text", "plan": "", "at": 1, "value": {"text": "\ud800"}},
        {"id": "x", "kind": "approval", "plan": "plan.md", "at": 1, "value": {"at": 10**30, "phases": []}},
        {"id": "x", "kind": "request", "plan": "plan.md", "at": 1, "value": {"id": 7}},
    ],
)
def test_a_strange_line_in_the_spool_stops_nobody(plan: Path, listed: Listed, line: dict[str, object]) -> None:
    propose("plan.md")
    (Path(ledger_folder(str(plan.parent))) / "spool.jsonl").write_text(json.dumps(line) + "\n")
    assert approve("plan.md") == 0
    assert listed()["plans"][0]["state"] == "approved"


def test_a_dialog_is_enough_in_a_session_and_for_no_more(plan: Path, listed: Listed) -> None:
    record_dialog("plan.md", agent="claude", session="s1", at=5, edited=False)
    record_dialog("plan.md", agent="claude", session="s1", at=5, edited=False)
    assert len(read_book(str(plan.parent), "plan.md").history) == 1
    assert listed()["plans"][0]["enough_for"] == ["in_session"]
    terminal = ScriptedTerminal([WORD])
    approve("plan.md", terminal=terminal)
    assert listed()["plans"][0]["enough_for"] == ["in_session", "headless", "auto"]


def test_the_text_that_a_dialog_approved_is_kept(plan: Path) -> None:
    said = record_dialog("plan.md", agent="claude", session="s1", at=5, edited=False)
    with open_ledger(str(plan.parent)) as ledger:
        assert ledger.text(said.text) == PLAN


def test_an_approval_copied_to_another_plan_counts_for_nothing(plan: Path, listed: Listed) -> None:
    approve("plan.md")
    (plan.parent / "other.md").write_text(PLAN)
    with open_ledger(str(plan.parent)) as ledger:
        (fact,) = ledger.facts("approval")
        ledger.add("approval", "other.md", fact.value, at=fact.at)
        ledger.add("approval", "other.md", {**fact.value, "plan": "other.md", "repository": "there"}, at=fact.at)
    found = {one["plan"]: one["state"] for one in listed()["plans"]}
    assert found["plan.md"] == "approved"
    assert found.get("other.md", "new") in ("new", "missing")


def test_a_claim_in_the_front_matter_approves_nothing(plan: Path, listed: Listed) -> None:
    propose("plan.md")
    plan.write_text(f"---\nstatus: approved\napproved: true\napproved_by: lena\n---\n{PLAN}")
    assert listed()["plans"][0]["enough_for"] == []


def test_a_plan_that_has_an_id_may_move(plan: Path, listed: Listed) -> None:
    plan.write_text(f"---\nid: greeter-1\n---\n{PLAN}")
    approve("plan.md")
    (plan.parent / "docs").mkdir()
    plan.rename(plan.parent / "docs" / "greeter.md")
    assert approve("docs/greeter.md", terminal=NO_TERMINAL) == 0


def test_a_plan_that_is_gone_is_said_to_be_missing(plan: Path, listed: Listed) -> None:
    approve("plan.md")
    plan.unlink()
    assert listed()["plans"][0]["state"] == "missing"


def test_the_stage_of_a_plan_follows_the_answers(plan: Path) -> None:
    def stage() -> str:
        known = plan_records.load(state_folder(), str(plan))
        return known.stage if known else ""

    propose("plan.md")
    assert stage() == "proposed"
    approve("plan.md")
    assert stage() == "approved"
    reject("plan.md")
    assert stage() == "draft"


def test_the_sessions_that_have_the_plan_are_found(plan: Path) -> None:
    for name, path in (("s1", str(plan)), ("s2", str(plan.parent / "other.md"))):
        store.update(state_folder(), "claude", name, lambda _, n=name, p=path: Session("claude", n, plan=p))  # type: ignore[misc]
    assert tell_sessions("plan.md", "approved", "text") == ["s1"]


def test_the_answer_as_json_says_who_and_what(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    approve("plan.md", "--json")
    said = json.loads(capsys.readouterr().out)
    assert (said["approved"], said["approval"]["who"], said["approval"]["strength"]) == (True, LENA, "terminal")
    reject("plan.md", "--json", "--comment", "3:why?")
    assert json.loads(capsys.readouterr().out)["rejection"]["comments"] == [
        {"line": 3, "quote": "Goal: greet.", "text": "why?"}
    ]


def test_the_list_for_people_ends_with_the_next_command(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    desk = make_desk(NO_TERMINAL)
    show_approvals(desk)
    assert "next: planrail plans" in capsys.readouterr().out
    request = propose("plan.md", agent="claude", session="s")
    show_approvals(desk)
    shown = capsys.readouterr().out
    assert f"next: planrail approve {request.id}" in shown
    approve("plan.md")
    capsys.readouterr()
    show_approvals(desk, "--all")
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


def test_all_worktrees_know_of_an_approval(plan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["add", "."], ["commit", "-qm", "plan"], ["worktree", "add", "-q", str(tmp_path / "tree")]):
        subprocess.run([*git, *words], cwd=plan.parent, check=True, capture_output=True)
    approve("plan.md")
    monkeypatch.chdir(tmp_path / "tree")
    assert approve("plan.md", terminal=NO_TERMINAL) == 0


def test_a_process_without_a_terminal_is_refused(plan: Path) -> None:
    done = planrail("approve", "plan.md", cwd=plan.parent)
    assert (done.returncode, done.stdout) == (1, "")
    assert "nothing was approved" in done.stderr


def test_two_files_with_one_id_are_not_approved_for_each_other(plan: Path, listed: Listed) -> None:
    plan.write_text(f"---\nid: herons\n---\n\n{PLAN}")
    approve("plan.md")
    (plan.parent / "other.md").write_text(plan.read_text().replace("write it", "drop it"))
    with pytest.raises(PlanrailError, match="the same id"):
        approve("other.md")
    assert listed()["plans"][0]["state"] == "approved"
    plan.unlink()  # renamed: the id goes with it
    assert approve("other.md") == 0


# --------------------------------------------------------------------------------------------------------- adoption


def _adopted(plan: Path) -> list[str]:
    with open_ledger(str(plan.parent)) as ledger:
        return list(adopted(ledger, "plan.md"))


def test_the_first_yes_adopts_what_was_done_before_and_says_so(plan: Path) -> None:
    plan.write_text(PLAN.replace("Phase 1: Read", "Phase 1: Read ✅"))
    terminal = ScriptedTerminal([WORD])
    approve("plan.md", terminal=terminal)
    assert "Marked as done before planrail's first run: 1." in terminal.shown
    assert _adopted(plan) == ["1"]
    assert open_known_plan("plan.md").phases[0].proof == "adopted"


def test_a_no_adopts_nothing(plan: Path) -> None:
    plan.write_text(PLAN.replace("Phase 1: Read", "Phase 1: Read ✅"))
    approve("plan.md", terminal=ScriptedTerminal(["n"]))
    assert _adopted(plan) == []


def test_a_plan_with_nothing_done_has_nothing_to_adopt(plan: Path) -> None:
    terminal = ScriptedTerminal([WORD])
    approve("plan.md", terminal=terminal)
    assert "adopts" not in terminal.shown
    assert _adopted(plan) == []


def test_a_later_yes_adopts_nothing(plan: Path) -> None:
    approve("plan.md")
    plan.write_text(PLAN.replace("Phase 1: Read", "Phase 1: Read ✅").replace("write it", "write it twice"))
    terminal = ScriptedTerminal([WORD])
    approve("plan.md", terminal=terminal)
    assert "adopts" not in terminal.shown
    assert _adopted(plan) == []
    assert open_known_plan("plan.md").phases[0].proof == "claimed"


def test_programs_hear_what_was_adopted(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan.write_text(PLAN.replace("Phase 1: Read", "Phase 1: Read ✅"))
    approve("plan.md", "--json")
    assert json.loads(capsys.readouterr().out)["adopted"] == ["1"]
