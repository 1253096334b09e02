"""show and next: what the ledger adds to a document, and that nothing is paid for where there is none."""

import os
import subprocess
from pathlib import Path

import pytest

from planrail.git.trailers import add_trailers
from planrail.plans.reading import read
from planrail.plans.states import PlanStatus, ProofKind, Route, State
from planrail.plans.text.source import PlanSource
from planrail.projects.next_step import next_command
from planrail.projects.open_plan import open_known_plan
from planrail.projects.plan_proofs import KnownProofs, PhaseRecord, add_proofs
from planrail.store.ledger import open_ledger, open_store
from planrail.store.owners import describe_process
from planrail.store.runs.run_facts import add_adoption, add_fact
from planrail.store.runs.run_history import EvidenceFact, PhaseFact
from tests.cli.in_session import PLAN, Project, make_project

TEXT = "# P\n\n## Phase 1: A [DONE]\n\n## Phase 2: B [DONE]\n\n## Phase 3: C [TODO]\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Project:
    return make_project(tmp_path, monkeypatch, capsys)


_PROVEN, _ADOPTED = PhaseRecord(ProofKind.PROVEN, "run r, commit abc"), PhaseRecord(ProofKind.ADOPTED, "adopted")


@pytest.mark.parametrize(
    ("known", "mark", "expected"),
    [
        ({}, "[TODO]", [("done", "claimed"), ("done", "claimed"), ("todo", "claimed")]),
        ({"1": _PROVEN, "2": _ADOPTED}, "[TODO]", [("done", "proven"), ("done", "adopted"), ("todo", "claimed")]),
        ({"3": _PROVEN}, "[TODO]", [("done", "claimed"), ("done", "claimed"), ("done", "proven")]),
        ({"3": _ADOPTED}, "[TODO]", [("done", "claimed"), ("done", "claimed"), ("todo", "claimed")]),
        ({"3": _PROVEN}, "[SKIPPED]", [("done", "claimed"), ("done", "claimed"), ("skipped", "claimed")]),
    ],
)
def test_the_ledger_says_how_a_phase_is_known_and_the_document_what_is_open(
    known: dict[str, PhaseRecord], mark: str, expected: list[tuple[str, str]]
) -> None:
    plan = add_proofs(read(PlanSource("p.md", TEXT.replace("[TODO]", mark))), KnownProofs(known), {})
    assert [(phase.status, phase.proof) for phase in plan.phases] == expected
    if known == {"3": _PROVEN} and mark == "[TODO]":
        assert plan.phases[2].reason == "run r, commit abc"
        assert (plan.status, plan.next, plan.route) == (PlanStatus.COMPLETE, None, Route.FINALISE)


@pytest.mark.parametrize("known", [KnownProofs({}, {"3": "run r"}, "run r"), KnownProofs({}, held="run r")])
def test_a_phase_that_a_live_run_works_on_is_in_progress_elsewhere(known: KnownProofs) -> None:
    plan = add_proofs(read(PlanSource("p.md", TEXT)), known, {})
    assert (plan.phases[2].status, plan.phases[2].reason, plan.route) == (State.IN_PROGRESS, "run r", Route.DEFER)
    assert next_command(plan) == "planrail watch p.md"


def test_a_phase_whose_text_has_changed_since_it_was_proven_is_offered() -> None:
    known = KnownProofs(
        {"1": PhaseRecord(ProofKind.PROVEN, "run r", "old"), "2": PhaseRecord(ProofKind.PROVEN, "run r", "same")}
    )
    plan = add_proofs(read(PlanSource("p.md", TEXT)), known, {"1": "new", "2": "same"})
    assert [phase.status for phase in plan.phases] == [State.TODO, State.DONE, State.TODO]
    assert plan.phases[0].reason == "its text has changed since it was proven (run r)"
    assert next_command(plan) == "planrail run p.md 1"


def test_the_claims_of_a_dead_owner_hold_nothing(project: Project) -> None:
    gone = subprocess.Popen(["sleep", "60"])
    open_store(str(project.root)).claims.acquire("plan", "plan.md", describe_process(gone.pid, "otto", "r1"), 1)
    assert open_known_plan("plan.md").route is Route.DEFER
    gone.kill()
    gone.wait()
    assert open_known_plan("plan.md").route is Route.RUN


def test_the_facts_of_a_run_are_read_with_their_evidence(project: Project) -> None:
    message = add_trailers("Phase 1", "plan.md", "1", "hash")
    project.git("commit", "-q", "--allow-empty", "-m", message)
    commit = project.git("rev-parse", "HEAD").strip()
    with open_ledger(str(project.root)) as ledger:
        add_fact(ledger, "plan.md", EvidenceFact("r1", "1", 1, "t", "hash"), key="e", at=1)
        landed = PhaseFact("r1", "1", 1, "landed", commit=commit, evidence="hash")
        add_fact(ledger, "plan.md", landed, key="p1", at=1)
        add_fact(ledger, "plan.md", PhaseFact("r1", "2", 1, "landed", evidence="typed"), key="p2", at=1)
    first, second = project.phase("1"), project.phase("2")
    assert (first["status"], first["proof"]) == ("done", "proven")
    assert "run r1" in first["reason"]
    assert commit[:10] in first["reason"]
    assert second["status"] == "todo"  # a row that says so, and no evidence


def _add_landed(project: Project, state: str = "landed", phase: str = "1") -> str:
    """A commit that landed a phase, and the ledger's word on it; the commit's name."""
    project.git("commit", "-q", "--allow-empty", "-m", add_trailers(f"Phase {phase}", "plan.md", phase, "hash"))
    commit = project.git("rev-parse", "HEAD").strip()
    with open_ledger(str(project.root)) as ledger:
        add_fact(ledger, "plan.md", EvidenceFact("r1", phase, 1, "t", "hash"), key=f"e{phase}", at=1)
        fact = PhaseFact("r1", phase, 1, state, commit=commit, evidence="hash")
        add_fact(ledger, "plan.md", fact, key=f"p{phase}", at=1)
    return commit


def test_a_proof_counts_only_where_its_commit_is_in_what_is_checked_out(project: Project) -> None:
    project.git("checkout", "-q", "-b", "other")
    commit = _add_landed(project)
    assert project.phase("1")["proof"] == "proven"
    project.git("checkout", "-q", "main")
    first = project.phase("1")
    assert (first["status"], first["proof"]) == ("todo", "claimed")
    assert f"it landed elsewhere: commit {commit[:10]} is not on this branch" in first["reason"]
    assert project.ask("next", "plan.md")["command"] == "planrail run plan.md 1"
    status = project.ask("status", "plan.md")
    assert status["progress"]["done"] == 0
    assert (status["phases"][0]["run_state"], status["phases"][0]["proof"]) == ("elsewhere", None)
    project.write("own.txt", "moved\n")
    project.commit("Main moves")
    project.git("cherry-pick", "--allow-empty", commit)
    assert project.phase("1")["proof"] == "proven", "a proof follows its commit through a rebase"
    assert project.ask("status", "plan.md")["phases"][0]["proof"] == "proven"


@pytest.mark.parametrize("state", ["waiting", "pr-ready"])
def test_work_that_waited_on_a_branch_is_proven_once_it_was_merged(project: Project, state: str) -> None:
    project.git("checkout", "-q", "-b", "other")
    _add_landed(project, state)
    project.git("checkout", "-q", "main")
    assert project.phase("1")["status"] == "todo"
    project.git("merge", "-q", "--ff-only", "other")
    assert (project.phase("1")["status"], project.phase("1")["proof"]) == ("done", "proven")
    assert project.ask("status", "plan.md")["phases"][0]["proof"] == "proven"


def test_work_that_landed_on_the_remote_has_to_be_pulled(project: Project) -> None:
    project.git("remote", "add", "origin", "/nowhere")
    project.git("checkout", "-q", "-b", "other")
    project.git("update-ref", "refs/planrail/remotes/origin/main", _add_landed(project))
    project.git("checkout", "-q", "main")
    assert "landed on the remote, not here yet" in project.phase("1")["reason"]
    assert project.phase("1")["proof"] == "proven"
    status = project.ask("status", "plan.md")
    assert (status["progress"]["done"], status["next"]) == (1, "git pull")
    assert status["phases"][0]["note"] == "landed on the remote, not here yet"


def test_a_fresh_clone_hears_what_commits_say_and_calls_it_a_claim(project: Project) -> None:
    project.git("commit", "-q", "--allow-empty", "-m", add_trailers("Phase 1", "other.md", "1", "hash"))
    assert project.phase("1")["status"] == "todo", "a commit of another plan"
    project.git("commit", "-q", "--allow-empty", "-m", add_trailers("Phase 1", "plan.md", "1", "hash"))
    commit = project.git("rev-parse", "HEAD").strip()
    first = project.phase("1")
    assert (first["status"], first["proof"]) == ("done", "claimed")
    assert first["reason"].endswith(f"commit {commit[:10]} says that it landed")
    status = project.ask("status", "plan.md")
    assert status["progress"]["done"] == 1
    assert (status["phases"][0]["proof"], status["phases"][0]["commit"]) == ("claimed", commit)
    report = project.ask("report", "plan.md")
    assert (report["phases"][0]["status"], report["phases"][0]["done"]) == ("told", True)
    assert not Path(os.environ["PLANRAIL_STATE_DIR"], "ledgers").exists()


def test_adopted_phases_are_shown_as_adopted(project: Project) -> None:
    project.plan.write_text(PLAN.replace("- [ ] tell", "- [x] tell"))
    with open_ledger(str(project.root)) as ledger:
        add_adoption(ledger, "plan.md", ["3"], "lena", key="a", at=1)
    assert (project.phase("3")["status"], project.phase("3")["proof"]) == ("done", "adopted")
    assert "done, adopted" in project.planrail("show", "plan.md")[1]


@pytest.mark.parametrize("name", ["100%", "what?", "#1"])
def test_a_repository_of_any_name_has_its_ledger_read_and_never_written(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).mkdir()
    project = make_project(tmp_path / name, monkeypatch, capsys)
    monkeypatch.delenv("PLANRAIL_STATE_DIR")
    folder = project.root / ".git" / "planrail"
    for command in ("show", "next", "lint"):
        project.planrail(command, "plan.md")
    assert not folder.exists()
    project.write("hello.txt", "hello\n")
    project.planrail("done", "plan.md", "1")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert project.phase("1")["proof"] == "proven"
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert project.ask("status", "plan.md")["phases"][0]["proof"] == "proven"
    project.plan.write_text(project.plan.read_text().replace("say hello in it", "say good morning in it"))
    first = project.ask("status", "plan.md")["phases"][0]
    assert (first["proof"], first["run_state"]) == ("claimed", "changed")
    project.plan.write_text(PLAN)
    (folder / "ledger.db").write_bytes(b"no database" * 500)
    assert project.phase("1")["status"] == "todo", "a ledger that cannot be read says nothing"
