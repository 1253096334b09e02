"""planrail done: a phase is marked on evidence that planrail produced itself, and on nothing else."""

import os
import re
import sqlite3
from pathlib import Path

import pytest

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


def test_a_proven_phase_is_marked_with_its_boxes_and_no_other_byte(project: Project) -> None:
    project.write("hello.txt", "hello\n")
    code, out, _ = project.planrail("done", "plan.md", "1")
    assert code == 0
    assert "2 boxes ticked" in out
    assert project.plan.read_text() == PLAN.replace("- [ ] write hello", "- [x] write hello").replace(
        "- [ ] say", "- [x] say"
    )
    assert (project.phase("1")["status"], project.phase("1")["proof"]) == ("done", "proven")
    assert project.phase("2")["proof"] == "claimed"


def test_a_mark_of_its_own_is_changed_as_well(project: Project) -> None:
    project.plan.write_text(PLAN.replace("Phase 1: Write", "Phase 1: Write [IN PROGRESS]"))
    project.write("hello.txt", "hello\n")
    assert project.planrail("done", "plan.md", "1")[0] == 0
    assert "## Phase 1: Write [COMPLETED]\n\n- [x] write hello.txt" in project.plan.read_text()


def test_without_passing_checks_nothing_is_marked(project: Project) -> None:
    code, out, _ = project.planrail("done", "plan.md", "1")
    assert code == 1
    assert "is not proven; missing:" in out
    assert project.plan.read_text() == PLAN
    assert project.phase("1")["proof"] == "claimed"
    assert project.phase("1")["status"] == "todo"


def test_programs_hear_that_it_was_refused(project: Project) -> None:
    answer = project.ask("done", "plan.md", "1")
    assert (answer["done"], answer["ok"], answer["commit"]) == (False, False, None)


def test_evidence_of_an_earlier_tree_is_worth_nothing(project: Project) -> None:
    project.write("hello.txt", "hello\n")
    assert project.planrail("check", "plan.md", "1")[0] == 0
    project.write("hello.txt", "bye\n")
    assert project.planrail("done", "plan.md", "1")[0] == 1
    assert project.plan.read_text() == PLAN


@pytest.mark.full
def test_rows_written_into_the_ledger_make_no_phase_done(project: Project) -> None:
    project.write("hello.txt", "hello\n")
    project.planrail("check", "plan.md", "1")
    project.write("hello.txt", "bye\n")
    tree = project.ask("check", "plan.md", "1")["tree"]
    connection = sqlite3.connect(os.path.join(ledger_folder(str(project.root)), "ledger.db"))
    [(value,)] = connection.execute("SELECT value FROM facts WHERE kind = 'evidence' ORDER BY seq LIMIT 1")
    forged = value.replace(value[value.index('"tree": "') + 9 :][:40], tree)
    connection.execute(
        "INSERT INTO facts (id, kind, plan, at, value) VALUES ('forged', 'evidence', 'plan.md', 1, ?)", (forged,)
    )
    connection.commit()
    connection.close()
    assert project.planrail("done", "plan.md", "1")[0] == 1
    assert project.plan.read_text() == PLAN


def test_boxes_that_an_agent_ticked_are_a_claim(project: Project) -> None:
    project.plan.write_text(PLAN.replace("[ ]", "[x]"))
    assert {project.phase(name)["proof"] for name in "123"} == {"claimed"}
    assert {project.phase(name)["status"] for name in "123"} == {"done"}


def test_a_proof_holds_for_the_text_that_was_proven(project: Project) -> None:
    project.write("hello.txt", "hello\n")
    project.planrail("done", "plan.md", "1")
    text = project.plan.read_text()
    project.plan.write_text(text.replace("say hello in it", "say hello in every language"))
    assert project.phase("1")["proof"] == "claimed"
    project.plan.write_text(text)
    assert project.phase("1")["proof"] == "proven"


def test_a_plan_that_changes_while_its_checks_run_is_not_marked(project: Project) -> None:
    text = PLAN.replace("grep -q hello hello.txt", "echo >> plan.md; echo one more thing >> plan.md")
    project.plan.write_text(text)
    project.write("hello.txt", "hello\n")
    code, _, err = project.planrail("done", "plan.md", "1")
    assert code == 1
    assert "changed while its checks ran" in err
    assert "[x]" not in project.plan.read_text()


def test_the_word_is_on_record_with_its_evidence(project: Project) -> None:
    project.write("hello.txt", "hello\n")
    answer = project.ask("done", "plan.md", "1")
    with open_ledger(str(project.root)) as ledger:
        fact = phase_states(ledger, "plan.md")["1"]
    assert (fact.state, fact.by, fact.evidence, fact.tree) == ("done", "session", answer["evidence"], answer["tree"])


def test_done_twice_is_done_once(project: Project) -> None:
    project.write("hello.txt", "hello\n")
    first = project.ask("done", "plan.md", "1")
    text = project.plan.read_text()
    again = project.ask("done", "plan.md", "1")
    assert again["evidence"] == first["evidence"]
    assert project.plan.read_text() == text


def test_an_unapproved_plan_is_refused_before_anything_runs(project: Project) -> None:
    project.write("planrail.toml", "")
    project.commit("Ask for approval")
    project.write("hello.txt", "hello\n")
    code, _, err = project.planrail("done", "plan.md", "1")
    assert code == 1
    assert "not approved" in err
    assert project.plan.read_text() == PLAN


def test_a_yes_in_the_agents_dialog_is_enough_in_a_session(project: Project) -> None:
    from planrail.approval.records import record_dialog

    project.write("planrail.toml", "")
    project.commit("Ask for approval")
    record_dialog("plan.md", agent="claude", session="s1", at=1000, edited=False)
    project.write("hello.txt", "hello\n")
    assert project.planrail("done", "plan.md", "1")[0] == 0


def test_a_check_that_was_edited_after_the_yes_is_not_run(project: Project) -> None:
    from planrail.approval.records import record_dialog

    project.write("planrail.toml", "")
    project.commit("Ask for approval")
    record_dialog("plan.md", agent="claude", session="s1", at=1000, edited=False)
    project.plan.write_text(PLAN.replace("grep -q hello hello.txt", "test -e plan.md"))
    code, _, err = project.planrail("done", "plan.md", "1")
    assert code == 1
    assert "its text has changed" in err


def test_a_plan_that_a_live_run_holds_is_not_marked(project: Project) -> None:
    open_store(str(project.root)).claims.acquire("plan", "plan.md", describe_process(os.getppid(), "somebody", "r1"), 1)
    project.write("hello.txt", "hello\n")
    code, _, err = project.planrail("done", "plan.md", "1")
    assert code == 10
    assert "planrail status plan.md" in err
    assert project.plan.read_text() == PLAN


# ------------------------------------------------------------------------------------------------------- boundaries


def test_at_a_boundary_the_plan_comes_back_after_a_clear(project: Project) -> None:
    _attach(project)
    project.write("hello.txt", "hello\n")
    out = project.planrail("done", "plan.md", "1")[1]
    assert _session().intent == PLAN_PENDING
    assert "/clear" in out
    assert "Next is phase 2" in out


def test_a_session_that_plans_gets_no_ticket(project: Project) -> None:
    _attach(project, planning=True)
    project.write("hello.txt", "hello\n")
    assert "/clear" not in project.planrail("done", "plan.md", "1")[1]
    assert _session().intent == ""


def test_the_last_proven_phase_completes_the_plan(project: Project) -> None:
    text = PLAN[: PLAN.index("## Phase 3")]
    project.plan.write_text("---\nstatus: not started\n---\n" + text)
    _attach(project)
    project.write("hello.txt", "hello\n")
    assert "PLAN COMPLETE" not in project.planrail("done", "plan.md", "1")[1]
    project.write("more.txt", "more\n")
    out = project.planrail("done", "plan.md", "2")[1]
    assert "PLAN COMPLETE: all 2 phases are finished (2 proven)" in out
    assert re.match(r"---\nstatus: complete\ncompleted: \d{4}-\d\d-\d\d\n---\n", project.plan.read_text())
    assert _session().intent == PLAN_COMPLETED
    assert project.ask("next", "plan.md")["route"] == "complete"


def test_a_plan_with_mere_claims_is_not_complete(project: Project) -> None:
    project.plan.write_text(PLAN.replace("- [ ] tell people", "- [x] tell people"))
    project.write("hello.txt", "hello\n")
    project.write("more.txt", "more\n")
    project.planrail("done", "plan.md", "1")
    out = project.planrail("done", "plan.md", "2")[1]
    assert "PLAN COMPLETE" not in out
    assert "proven by nobody: 3" in out
