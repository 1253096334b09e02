"""One answer to "what comes next": `run`, `resume`, `status`, `next` and `report` name the same command, and it works."""

import io
import json
import shlex
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from planrail.base.records import replace
from planrail.base.run_model import Ending, Order
from planrail.base.wording import cut_clauses
from planrail.planning.headless.board import Screen
from planrail.plans.states import Route
from planrail.projects.next_step import PlanFacts, decide_command
from planrail.runs.request.display import Display
from planrail.runs.request.plan_texts import Call
from planrail.runs.request.requests import RunRequest
from planrail.store.runs.run_folders import save_ending
from planrail.team.guiding import Delivery, Lacks, decide_refusal
from planrail.team.starting import start_run
from tests.cli.processes import call
from tests.cli.run_projects import make_project, make_run
from tests.cli.test_next_steps import advice, working
from tests.cli.test_run_command import PHASE, Project, two_phases

P = "plans/p.md"
OPEN = PlanFacts(P, Route.RUN, "2")
RESTS = "planrail resume plans/p.md"
AGAIN = "planrail run plans/p.md 2 auto"


@pytest.mark.parametrize(
    ("facts", "command"),
    [
        (PlanFacts(), 'planrail plans new "what is to be done"'),
        # unapproved, with edits that are not committed, without a test command: `run` asks for all of that
        (OPEN, "planrail run plans/p.md 2"),
        (replace(OPEN, phase=""), "planrail run plans/p.md"),
        (replace(OPEN, phase="a b"), "planrail run plans/p.md 'a b'"),
        (replace(OPEN, route=Route.RESUME), "planrail run plans/p.md 2"),
        (replace(OPEN, run="phase_done"), "planrail run plans/p.md 2"),
        (replace(OPEN, run="failed", again=AGAIN), AGAIN),
        (replace(OPEN, run="stopped", again=AGAIN), AGAIN),
        (replace(OPEN, run="failed"), "planrail run plans/p.md 2"),  # what failed was done by hand since
        (replace(OPEN, run="running"), "planrail watch plans/p.md"),
        (replace(OPEN, run="running", is_stuck=True), "planrail stop plans/p.md"),
        (replace(OPEN, run="running", is_queued=True), "planrail watch plans/p.md"),
        (replace(OPEN, run="parked", rests=RESTS), RESTS),
        (replace(OPEN, run="paused", rests=RESTS), RESTS),
        (replace(OPEN, run="interrupted", rests=RESTS), RESTS),
        (replace(OPEN, run="interrupted", rests=RESTS, is_queued=True), "planrail queue"),
        (replace(OPEN, is_queued=True), "planrail queue"),
        (replace(OPEN, run="pr_ready", elsewhere="git pull"), "git pull"),
        (replace(OPEN, route=Route.DEFER), "planrail watch plans/p.md"),
        (replace(OPEN, route=Route.DEFER, by_hand=True), "planrail done plans/p.md 2"),
        (PlanFacts(P, Route.FINALISE), "planrail set plans/p.md --plan complete"),
        (PlanFacts(P, Route.COMPLETE, run="complete"), "planrail show plans/p.md"),
        (PlanFacts(P, Route.NONE), "planrail show plans/p.md"),
        (PlanFacts(P, Route.NONE, has_phases=False), "planrail lint plans/p.md"),
        (PlanFacts("plans/archive/p.md", Route.COMPLETE, is_archived=True), "planrail plans restore p"),
    ],
)
def test_what_comes_next_follows_from_the_facts(facts: PlanFacts, command: str) -> None:
    assert decide_command(facts) == command


@pytest.mark.parametrize(
    ("lacks", "code", "remedy"),
    [
        (Lacks(tests="t"), 2, "planrail run P.md --yes"),
        (Lacks(settings="s", tests="t"), 2, "planrail run P.md --yes"),
        (Lacks(edits="e"), 1, "planrail run P.md --yes; without your edits: planrail run P.md --as-committed"),
        (Lacks(approval="a"), 1, "at a terminal of your own, which asks for it: planrail run P.md"),
        (Lacks(tests="t", approval="a"), 2, "at a terminal of your own, which asks for all of it: planrail run P.md"),
    ],
)
def test_what_a_run_lacks_is_refused_at_once_with_one_command(lacks: Lacks, code: int, remedy: str) -> None:
    refused = decide_refusal(lacks, Call(("run", "P.md")))
    assert (refused.exit_code, refused.remedy) == (code, remedy)
    several = f"{len(lacks.all)} things are missing; nothing was started:"
    one = f"{lacks.all[0]}; nothing was started"
    assert refused.message == ("\n    ".join([several, *lacks.all]) if len(lacks.all) > 1 else one)


@pytest.mark.parametrize(
    ("text", "shown"), [("a; b; c", "a; b; …"), ("a; b", "a; b"), ("a long clause; b", "a long clause; …"), ("", "")]
)
def test_a_long_refusal_is_cut_between_its_clauses(text: str, shown: str) -> None:
    assert cut_clauses(text, 5) == shown


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path / "project")
    for name, value in (("user.name", "me"), ("user.email", "me@localhost")):
        made.git("config", name, value)
    return made


def named(project: Project, *commands: str, plan: str = "PLAN.md") -> str:
    """The one command that these name next."""
    return named_by(project.ask, *commands, plan=plan)


def named_by(ask: "Callable[..., CompletedProcess[str]]", *commands: str, plan: str = "PLAN.md") -> str:
    told = {name: shlex.join(advice(ask(name, *([plan] if plan else [])))) for name in commands}
    assert len(set(told.values())) == 1, told
    return next(iter(told.values()))


LOOKS = ("status", "next", "report")


def test_without_a_plan_all_name_how_one_begins(project: Project) -> None:
    command = named(project, *LOOKS, "run", "resume", plan="")
    assert command == "plans new 'what is to be done'"
    assert project.ask(*shlex.split(command)).returncode == 0


@pytest.fixture
def bare(project: Project) -> Project:
    """Tests that nobody knows how to run, edits that are not committed, and no approval."""
    project.write("planrail.toml", "")
    project.write("Makefile", "test:\n\tsh t.sh\n")
    project.write("t.sh", "echo ok\n")
    project.plan(two_phases())
    project.write("PLAN.md", (project.root / "PLAN.md").read_text().replace("echo 2 >", "echo '2 2' >"))
    return project


def test_all_that_is_missing_is_told_at_once(bare: Project) -> None:
    assert named(bare, *LOOKS, "resume") == "run PLAN.md 1"
    refused = bare.ask("run", "PLAN.md")
    assert refused.returncode == 2
    for said in ("how are they run?", "edits that are not committed (phase 2)", "phase 1 is not approved"):
        assert said in refused.stderr
    assert "at a terminal of your own, which asks for all of it: planrail run PLAN.md 1;" in refused.stderr
    assert json.loads(bare.ask("list", "runs", "--json").stdout)["runs"] == []


@pytest.mark.full
def test_at_a_terminal_one_command_leads_through_all_of_it(bare: Project) -> None:
    answers = [
        ("write that into", "y"),
        (r"which text\?", "c"),
        (r"approve\? Type (\w+)", r"\1"),
        (r"Start phase 1\? Type (\w+)", r"\1"),
    ]
    code, shown = bare.type_at_terminal(answers, "run", "PLAN.md")
    assert (code, bare.landed()) == (0, ["1"]), shown
    assert shown.rstrip().endswith("next: planrail run PLAN.md 2"), shown
    assert named(bare, *LOOKS, "resume") == "run PLAN.md 2"
    assert bare.type("run", "PLAN.md", "2", "auto").returncode == 0
    assert named(bare, *LOOKS, "resume") == "show PLAN.md"
    assert bare.ask("show", "PLAN.md").returncode == 0


@pytest.mark.full
def test_a_missing_approval_is_asked_for_by_the_run_itself(project: Project) -> None:
    project.write("planrail.toml", "")
    project.plan(PHASE.format(1))
    code, shown = project.type_at_terminal([(r"approve\? Type (\w+)", "no")], "run", "PLAN.md", "auto")
    assert (code, "the plan is not approved; nothing was started" in shown) == (1, True), shown
    code, shown = project.type_at_terminal([(r"approve\? Type (\w+)", r"\1")], "run", "PLAN.md", "auto")
    assert (code, project.landed()) == (0, ["1"]), shown


@pytest.mark.full
def test_without_a_terminal_the_one_command_does_all_that_needs_no_approval(bare: Project) -> None:
    bare.write("planrail.toml", "[approval]\nrequired = false\n")
    bare.git("commit", "--quiet", "-m", "Settings", "planrail.toml")
    refused = bare.ask("run", "PLAN.md", "auto")
    command = advice(refused)
    assert (refused.returncode, command[:4], command[-1]) == (2, ["run", "PLAN.md", "1", "auto"], "--as-committed")
    done = bare.type("run", "PLAN.md", "1", "auto", "--yes")
    assert (done.returncode, bare.landed()) == (0, ["1"]), done.stderr
    assert bare.git("status", "--porcelain", "--untracked-files=no") == ""
    assert 'command = "make test"' in (bare.root / "planrail.toml").read_text()


@pytest.mark.full
def test_a_failed_phase_is_named_alike_and_done_again(project: Project) -> None:
    go_on = project.root.parent / "go-on"
    project.plan(PHASE.format(1).replace("grep -q 1 1.txt", f"test -e {go_on} && grep -q 1 1.txt"))
    failed = project.type("run", "PLAN.md", "auto", PLANRAIL_CONFINE="off")
    assert (failed.returncode, advice(failed)) == (1, ["run", "PLAN.md", "1", "auto"]), failed.stdout
    assert named(project, *LOOKS, "resume") == "run PLAN.md 1 auto"
    go_on.touch()
    assert project.type("run", "PLAN.md", "1", "auto", PLANRAIL_CONFINE="off").returncode == 0
    assert project.landed() == ["1"]


@pytest.mark.soak
def test_a_run_that_is_at_work_is_watched(project: Project) -> None:
    with working(project) as (process, go):
        assert named(project, *LOOKS) == "watch PLAN.md"
        held = project.type("run", "PLAN.md")
        assert (held.returncode, advice(held)) == (10, ["watch", "PLAN.md"]), held.stderr
        go.touch()
        assert project.type("watch", "PLAN.md").returncode == 0
        process.wait()


def test_what_waits_for_a_worker_is_in_the_queue(project: Project) -> None:
    project.plan(two_phases())
    submitted = project.type("run", "PLAN.md", "auto", "--submit")
    assert advice(submitted) == ["queue"], submitted.stdout
    assert named(project, *LOOKS) == "queue"
    assert project.ask("queue").returncode == 0


def test_a_run_that_rests_is_resumed(tmp_path: Path) -> None:
    root = make_project(tmp_path / "project")
    folder = make_run(root, int(time.time()) - 60)
    save_ending(folder, Ending("parked", "at its limit", "planrail resume PLAN.md", "2", int(time.time()) + 3600))
    assert named_by(partial(call, cwd=root), *LOOKS) == "resume PLAN.md"


def test_an_archived_plan_is_restored(project: Project) -> None:
    project.write("planrail.toml", '[approval]\nrequired = false\n[plans]\ndirectory = "plans"\n')
    (project.root / "plans").mkdir()
    project.plan("\n**Status:** complete\n\n## Phase 1: A ✅\n", "plans/p.md")
    assert named(project, *LOOKS, "resume", plan="plans/p.md") == "show plans/p.md"
    assert project.ask("plans", "archive", "p").returncode == 0
    assert named(project, *LOOKS, "resume", plan="plans/archive/p.md") == "plans restore p"
    assert project.ask("plans", "restore", "p").returncode == 0
    assert (project.root / "plans" / "p.md").exists()


class ImpatientDisplay(Display):
    """Its person types Ctrl-C when the run begins, and again while that is heard."""

    def begin(self, order: Order) -> None:
        raise KeyboardInterrupt

    def close(self) -> None:
        raise KeyboardInterrupt


def test_a_second_ctrl_c_names_what_the_others_name(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.plan(two_phases())
    monkeypatch.chdir(project.root)
    monkeypatch.setenv("HOME", str(project.root.parent))
    monkeypatch.setenv("XDG_STATE_HOME", str(project.root.parent / "state"))
    monkeypatch.delenv("PLANRAIL_STATE_DIR", raising=False)
    display = ImpatientDisplay(Screen(io.StringIO(), is_quiet=True))
    answer = start_run(RunRequest("PLAN.md", auto=True), Delivery(is_quiet=True), display)
    (told,) = answer.warnings
    assert (answer.code, told[1]) == (130, "planrail resume PLAN.md")
    assert named(project, *LOOKS) == "resume PLAN.md"
