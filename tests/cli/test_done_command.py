"""planrail done: a phase is marked on evidence that planrail produced itself, and on nothing else."""

import os
import re
import sqlite3
from pathlib import Path

import pytest

from planrail.approval.records import record_dialog
from planrail.base.records import replace
from planrail.base.state_folder import state_folder
from planrail.hook.sessions.state import PLAN_COMPLETED, PLAN_PENDING, Session
from planrail.hook.sessions.store import load, update
from planrail.store.ledger import open_ledger, open_store
from planrail.store.owners import describe_process
from planrail.store.places import ledger_folder
from planrail.store.runs.run_facts import phase_states
from tests.cli.in_session import PLAN, Project, make_project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Project:
    return make_project(tmp_path, monkeypatch, capsys)


def _attach(project: Project, **more: object) -> None:
    session = replace(Session("claude", "s1", plan=str(project.plan), stage="approved"), **more)
    update(state_folder(), "claude", "s1", lambda _: session)


def _session() -> Session:
    found = load(state_folder(), "claude", "s1")
    assert found is not None
    return found


def test_a_proven_phase_is_marked_with_its_boxes_and_no_other_byte_once_and_for_its_text(project: Project) -> None:
    code, out, _ = project.planrail("done", "plan.md", "1")
    assert (code, "is not proven; missing:" in out) == (1, True)
    refused = project.ask("done", "plan.md", "1")
    assert (refused["done"], refused["ok"], refused["commit"]) == (False, False, None)
    assert (project.phase("1")["proof"], project.phase("1")["status"]) == ("claimed", "todo")
    project.write("hello.txt", "hello\n")
    assert project.planrail("check", "plan.md", "1")[0] == 0
    project.write("hello.txt", "bye\n")
    assert project.planrail("done", "plan.md", "1")[0] == 1, "evidence of an earlier tree is worth nothing"
    assert project.plan.read_text() == PLAN
    project.write("hello.txt", "hello\n")
    code, out, _ = project.planrail("done", "plan.md", "1")
    assert (code, "2 boxes ticked" in out) == (0, True)
    text = project.plan.read_text()
    assert text == PLAN.replace("- [ ] write hello", "- [x] write hello").replace("- [ ] say", "- [x] say")
    assert [project.phase(name)["proof"] for name in "12"] == ["proven", "claimed"]
    assert project.phase("1")["status"] == "done"
    again = project.ask("done", "plan.md", "1")
    with open_ledger(str(project.root)) as ledger:
        fact = phase_states(ledger, "plan.md")["1"]
    assert (fact.state, fact.by, fact.evidence, fact.tree) == ("done", "session", again["evidence"], again["tree"])
    assert project.plan.read_text() == text
    project.plan.write_text(text.replace("say hello in it", "say hello in every language"))
    assert project.phase("1")["proof"] == "claimed"
    project.plan.write_text(text)
    assert project.phase("1")["proof"] == "proven"


def test_a_plan_that_lies_outside_of_the_project_keeps_its_proof(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PLANRAIL_STATE_DIR")  # as people have it: the ledger is in the repository
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    outside = tmp_path / "home" / ".claude" / "plans" / "mine.md"
    outside.parent.mkdir(parents=True)
    outside.write_text(PLAN)
    project.write("hello.txt", "hello\n")
    code, out, err = project.planrail("done", str(outside), "1")
    assert (code, "proven by nobody" in out) == (0, False), out + err
    shown = project.ask("show", str(outside))["phases"]
    assert [phase["proof"] for phase in shown][:2] == ["proven", "claimed"]
    assert project.ask("next", str(outside))["phase"] == "2"


def test_a_proof_is_of_one_plan_and_one_text_though_tree_and_checks_are_those_of_another(project: Project) -> None:
    project.write("hello.txt", "hello\n")
    project.write("other.md", PLAN)
    for name in ("plan.md", "other.md"):
        assert project.planrail("done", name, "1")[0] == 0
        assert project.ask("show", name)["phases"][0]["proof"] == "proven"
    project.write("other.md", PLAN.replace("say hello in it", "say hello to all"))
    assert project.ask("show", "other.md")["phases"][0]["proof"] != "proven"
    assert project.planrail("done", "other.md", "1")[0] == 0
    assert project.ask("show", "other.md")["phases"][0]["proof"] == "proven"


@pytest.mark.full
def test_rows_written_into_the_ledger_make_no_phase_done(project: Project) -> None:
    project.write("hello.txt", "hello\n")
    project.planrail("check", "plan.md", "1")
    project.write("hello.txt", "bye\n")
    tree = project.ask("check", "plan.md", "1")["tree"]
    with sqlite3.connect(os.path.join(ledger_folder(str(project.root)), "ledger.db")) as connection:
        [(value,)] = connection.execute("SELECT value FROM facts WHERE kind = 'evidence' ORDER BY seq LIMIT 1")
        forged = value.replace(value[value.index('"tree": "') + 9 :][:40], tree)
        row = ("forged", "evidence", "plan.md", 1, forged)
        connection.execute("INSERT INTO facts (id, kind, plan, at, value) VALUES (?, ?, ?, ?, ?)", row)
    connection.close()
    assert project.planrail("done", "plan.md", "1")[0] == 1
    assert project.plan.read_text() == PLAN


def test_a_plan_is_done_as_far_as_it_is_approved(project: Project) -> None:
    project.write("planrail.toml", "")
    project.commit("Ask for approval")
    project.write("hello.txt", "hello\n")
    code, _, err = project.planrail("done", "plan.md", "1")
    assert (code, "not approved" in err, project.plan.read_text()) == (1, True, PLAN)
    record_dialog("plan.md", agent="claude", session="s1", at=1000, edited=False)
    project.plan.write_text(PLAN.replace("grep -q hello hello.txt", "test -e plan.md"))
    code, _, err = project.planrail("done", "plan.md", "1")
    assert (code, "its text has changed" in err) == (1, True)
    project.plan.write_text(PLAN)
    assert project.planrail("done", "plan.md", "1")[0] == 0, "a dialog is enough in a session"


def test_a_mark_of_its_own_is_changed_as_well(project: Project) -> None:
    project.plan.write_text(PLAN.replace("Phase 1: Write", "Phase 1: Write [IN PROGRESS]"))
    project.write("hello.txt", "hello\n")
    assert project.planrail("done", "plan.md", "1")[0] == 0
    assert "## Phase 1: Write [COMPLETED]\n\n- [x] write hello.txt" in project.plan.read_text()


def test_a_plan_that_changes_while_its_checks_run_is_not_marked(project: Project) -> None:
    text = PLAN.replace("grep -q hello hello.txt", "echo >> plan.md; echo one more thing >> plan.md")
    project.plan.write_text(text)
    project.write("hello.txt", "hello\n")
    code, _, err = project.planrail("done", "plan.md", "1")
    assert code == 1
    assert "changed while its checks ran" in err
    assert "[x]" not in project.plan.read_text()


def test_a_plan_that_a_live_run_holds_is_not_marked(project: Project) -> None:
    open_store(str(project.root)).claims.acquire("plan", "plan.md", describe_process(os.getppid(), "somebody", "r1"), 1)
    project.write("hello.txt", "hello\n")
    code, _, err = project.planrail("done", "plan.md", "1")
    assert code == 10
    assert "planrail status plan.md" in err
    assert project.plan.read_text() == PLAN


def test_at_a_boundary_the_plan_comes_back_after_a_clear_until_it_is_complete(project: Project) -> None:
    text = PLAN[: PLAN.index("## Phase 3")]
    project.plan.write_text("---\nstatus: not started\n---\n" + text)
    _attach(project, planning=True)
    project.write("hello.txt", "hello\n")
    assert "/clear" not in project.planrail("done", "plan.md", "1")[1], "not while it plans"
    assert _session().intent == ""
    _attach(project)
    out = project.planrail("done", "plan.md", "1")[1]
    assert ("/clear" in out, "Next is phase 2" in out, "PLAN COMPLETE" in out) == (True, True, False)
    assert _session().intent == PLAN_PENDING
    project.write("more.txt", "more\n")
    out = project.planrail("done", "plan.md", "2")[1]
    assert "PLAN COMPLETE: all 2 phases are finished (2 proven)" in out
    assert re.match(r"---\nstatus: complete\ncompleted: \d{4}-\d\d-\d\d\n---\n", project.plan.read_text())
    assert _session().intent == PLAN_COMPLETED
    assert project.ask("next", "plan.md")["route"] == "complete"


def test_boxes_that_an_agent_ticked_are_a_claim_and_complete_no_plan(project: Project) -> None:
    project.plan.write_text(PLAN.replace("[ ]", "[x]"))
    assert {(project.phase(name)["status"], project.phase(name)["proof"]) for name in "123"} == {("done", "claimed")}
    project.plan.write_text(PLAN.replace("- [ ] tell people", "- [x] tell people"))
    project.write("hello.txt", "hello\n")
    project.write("more.txt", "more\n")
    project.planrail("done", "plan.md", "1")
    out = project.planrail("done", "plan.md", "2")[1]
    assert ("PLAN COMPLETE" in out, "proven by nobody: 3" in out) == (False, True)
