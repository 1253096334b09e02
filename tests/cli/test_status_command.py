"""`planrail status`, `runs` and `report`: what is true at this moment, from any terminal, by reading alone."""

import fcntl
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from planrail.base.run_model import Ending
from planrail.store.ledger import open_store
from planrail.store.owners import describe_process
from planrail.store.runs.run_folders import save_ending
from tests.cli.processes import planrail
from tests.cli.run_projects import PLAN, list_files, make_agent, make_project, make_run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path)


def _told(project: Path, *arguments: str) -> dict[str, object]:
    done = planrail(*arguments, "--json", cwd=project)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert isinstance(told, dict)
    return told


def _hold(folder: str) -> int:
    descriptor = os.open(os.path.join(folder, "lock"), os.O_RDWR | os.O_CREAT)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    return descriptor


def test_a_plan_that_was_never_run_has_a_status(project: Path) -> None:
    told = _told(project, "status", "PLAN.md")
    assert (told["run"], told["owner"], told["phase"]) == (None, None, None)
    assert told["progress"] == {"done": 0, "total": 3}
    assert told["next"] == "planrail run PLAN.md"


def test_a_live_run_tells_its_phase_step_cost_and_the_last_words_of_its_agent(project: Path) -> None:
    folder = make_run(project, int(time.time()) - 60)
    make_agent(
        folder,
        {"at": 1, "event": "used", "tool": "Bash", "detail": "npm test"},
        {"at": 2, "event": "spent", "tokens_in": 1000, "tokens_out": 200, "cost": 0.5},
        {"at": 3, "event": "said", "text": "I mend\nthe parser, token=ghp_" + "a1B2" * 8},
    )
    lock = _hold(folder)
    owner = describe_process(os.getpid(), "run-1", "run-1")
    open_store(str(project)).claims.acquire("plan", "PLAN.md", owner, 5)
    told = _told(project, "status")
    os.close(lock)
    assert (told["phase"], told["step"], told["attempt"]) == ("2", "implement.1", 1)
    assert (told["tokens"], told["cost"]) == (1200, 0.5)
    assert told["progress"] == {"done": 1, "total": 3}
    agent, stuck, run, holder = (told[name] for name in ("agent", "stuck", "run", "owner"))
    assert agent["last_lines"] == ["Bash npm test", "I mend the parser, token=[masked token]"]  # type: ignore[index]
    assert run["state"] == "running"  # type: ignore[index]
    assert run["elapsed"] >= 60  # type: ignore[index]
    assert (holder["pid"], holder["alive"]) == (os.getpid(), True)  # type: ignore[index]
    assert stuck["answer"] == "working"  # type: ignore[index]
    assert told["next"] == "planrail watch PLAN.md"
    assert [phase["note"] for phase in told["phases"]] == [None, "Running ←", "Blocked (needs 2)"]  # type: ignore[attr-defined]


def test_an_agent_without_a_sign_of_life_may_be_stuck(project: Path) -> None:
    folder = make_run(project, int(time.time()) - 4000)
    place = make_agent(folder, {"at": 1, "event": "said", "text": "hm"})
    old = time.time() - 2000
    for name in os.listdir(place):
        os.utime(os.path.join(place, name), (old, old))
    lock = _hold(folder)
    told = _told(project, "status", "PLAN.md")
    screen = planrail("status", "PLAN.md", cwd=project).stdout
    os.close(lock)
    stuck = told["stuck"]
    assert stuck["answer"] == "may be stuck"  # type: ignore[index]
    assert told["next"] == "planrail stop PLAN.md"
    assert stuck["quiet_seconds"] >= 2000  # type: ignore[index]
    assert "may be stuck: last sign of life 33:" in screen


def test_a_run_whose_process_is_gone_is_interrupted(project: Path) -> None:
    make_run(project, int(time.time()) - 60)
    told = _told(project, "status", "PLAN.md")
    assert told["run"]["state"] == "interrupted"  # type: ignore[index]
    assert (told["agent"], told["stuck"]) == (None, None)
    assert told["next"] == "planrail resume PLAN.md"


def test_the_table_names_what_is_next_and_what_is_in_the_way(project: Path) -> None:
    folder = make_run(project, 1000)
    save_ending(folder, Ending("failed", "it broke", "planrail report PLAN.md", "2"))
    screen = planrail("status", "PLAN.md", cwd=project).stdout
    lines = [line for line in screen.splitlines() if line.startswith("  ")]
    assert any(line.startswith("  ✔ 1") and "proven" in line for line in lines)
    assert any(" 3 " in line and "Blocked (needs 2)" in line for line in lines)
    assert "it broke" in screen
    assert "1 of 3 phases done" in screen


def test_what_a_document_claims_is_shown_as_a_claim(tmp_path: Path) -> None:
    project = make_project(tmp_path, PLAN.replace("- [ ] do one", "- [x] do one"))
    first = _told(project, "status", "PLAN.md")["phases"][0]  # type: ignore[index]
    assert (first["status"], first["proof"]) == ("done", "claimed")


def test_a_row_without_evidence_makes_nothing_done(project: Path) -> None:
    from planrail.store.ledger import open_ledger
    from planrail.store.runs.run_facts import add_fact
    from planrail.store.runs.run_history import PhaseFact

    with open_ledger(str(project)) as ledger:
        add_fact(ledger, "PLAN.md", PhaseFact("x", "1", 1, "landed", evidence="made up"), key="x", at=1)
    told = _told(project, "status", "PLAN.md")
    assert told["progress"] == {"done": 0, "total": 3}


def test_report_and_status_agree_on_what_a_document_claims(tmp_path: Path) -> None:
    project = make_project(tmp_path, PLAN.replace("- [ ]", "- [x]"))
    assert _told(project, "status", "PLAN.md")["progress"] == {"done": 3, "total": 3}
    assert "3 of 3 phases done (3 claimed)" in planrail("report", "PLAN.md", cwd=project).stdout


@pytest.mark.parametrize("command", ["status", "report"])
def test_without_a_plan_the_newest_run_is_meant_whether_it_is_over_or_not(project: Path, command: str) -> None:
    (project / "plans").mkdir()
    for name in ("a.md", "b.md"):
        (project / "plans" / name).write_text(PLAN)
    save_ending(make_run(project, 1000), Ending("complete", "all done", ""))
    (project / "sub").mkdir()
    assert _told(project / "sub", command)["path"] == "PLAN.md"


@pytest.mark.parametrize("command", ["status", "report", "next"])
def test_where_several_plans_could_be_meant_the_advice_is_the_command_that_was_typed(
    command: str, project: Path
) -> None:
    (project / "plans").mkdir()
    (project / "PLAN.md").rename(project / "plans" / "a.md")
    (project / "plans" / "b.md").write_text(PLAN)
    done = planrail(command, cwd=project)
    assert done.returncode == 2
    assert f"planrail {command} plans/b.md" in done.stderr


def test_a_run_that_was_stopped_took_until_it_was_stopped(project: Path) -> None:
    folder = make_run(project, int(time.time()) - 600)
    save_ending(folder, Ending("stopped", "stopped", ""))
    run = _told(project, "status", "PLAN.md")["run"]
    assert run["elapsed"] >= 600  # type: ignore[index]
    assert _told(project, "list", "runs")["runs"][0]["elapsed"] >= 600  # type: ignore[index]


def test_all_runs_are_listed(project: Path) -> None:
    assert _told(project, "list", "runs") == {"runs": []}
    make_run(project, 1000, "run-1")
    folder = make_run(project, 2000, "run-2")
    save_ending(folder, Ending("complete", "all done", "planrail report PLAN.md"))
    runs = _told(project, "list", "runs")["runs"]
    assert [(run["run"], run["state"]) for run in runs] == [("run-2", "complete"), ("run-1", "interrupted")]  # type: ignore[attr-defined]
    assert runs[1]["phase"] == "2"  # type: ignore[index]
    assert "planrail report PLAN.md" in planrail("list", "runs", cwd=project).stdout


def test_a_report_is_written_whole_and_again_at_any_time(project: Path) -> None:
    folder = make_run(project, 1000)
    save_ending(folder, Ending("failed", "it broke", "planrail report PLAN.md", "2"))
    told = _told(project, "report", "PLAN.md", "--write")
    assert told["report"] == "reports/plan-plan.md"
    text = (project / "reports" / "plan-plan.md").read_text()
    assert text.startswith("# Plan Report — The plan\n")
    assert "## Run Failed" in text
    assert "![Timeline](plan-plan.svg)" in text
    assert (project / "reports" / "plan-plan.svg").read_text().startswith("<svg")
    assert sorted(os.listdir(project / "reports")) == ["plan-plan.md", "plan-plan.svg"]
    assert planrail("report", "PLAN.md", cwd=project).stdout.startswith("# Plan Report — The plan\n")


def test_the_index_of_all_reports_is_told_and_written(project: Path) -> None:
    make_run(project, 1000)
    assert _told(project, "report", "--all")["plans"] == [
        {"plan": "PLAN.md", "path": "PLAN.md", "status": "interrupted", "open": []}
    ]
    assert planrail("report", "--all", "--write", cwd=project).returncode == 0
    assert "[The plan](plan-plan.md)" in (project / "reports" / "PLAN_REPORT.md").read_text()


def test_a_report_overwrites_no_file_that_is_not_its_own(project: Path) -> None:
    make_run(project, 1000)
    (project / "reports").mkdir()
    (project / "reports" / "plan-plan.md").write_text("somebody's notes\n")
    told = _told(project, "report", "PLAN.md", "--write")
    assert (project / "reports" / "plan-plan.md").read_text() == "somebody's notes\n"
    assert str(told["report"]).startswith("reports/plan-plan-")


def test_a_report_is_not_written_through_a_link_that_leads_out(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    make_run(project, 1000)
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (project / "reports").symlink_to(elsewhere)
    assert planrail("report", "PLAN.md", "--write", cwd=project).returncode == 11
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("command", [("status", "PLAN.md"), ("list", "runs"), ("report", "PLAN.md"), ("claim", "list")])
def test_looking_changes_nothing(project: Path, command: tuple[str, ...]) -> None:
    make_run(project, 1000)
    state = Path(os.environ["PLANRAIL_STATE_DIR"])
    planrail(*command, cwd=project)
    before = {**list_files(project), **list_files(state)}
    for _ in range(2):
        planrail(*command, "--json", cwd=project)
    after = {**list_files(project), **list_files(state)}
    assert {name for name in after if not name.endswith(("-shm", "-wal"))} == {
        name for name in before if not name.endswith(("-shm", "-wal"))
    }
    assert all(after[name] == before[name] for name in before if not name.endswith(("-shm", "-wal")))


def test_looking_before_anything_was_run_makes_no_ledger(project: Path) -> None:
    state = Path(os.environ["PLANRAIL_STATE_DIR"])
    for command in (("status", "PLAN.md"), ("list", "runs"), ("report", "PLAN.md"), ("claim", "list")):
        assert planrail(*command, cwd=project).returncode == 0
    assert list_files(state) == {}


_IMPORTS = """
import sys
from planrail.cli.main import main
main(sys.argv[1:])
found = [name for name in sys.modules if name.startswith(("planrail.runs.steps", "dbos", "asyncio"))]
print(found, file=sys.stderr)
"""


@pytest.mark.parametrize("command", [("status", "PLAN.md"), ("list", "runs"), ("report", "PLAN.md"), ("claim", "list")])
def test_looking_never_imports_the_engine(project: Path, command: tuple[str, ...]) -> None:
    make_run(project, 1000)
    done = subprocess.run(
        [sys.executable, "-c", _IMPORTS, *command], cwd=project, capture_output=True, text=True, check=True
    )
    assert done.stderr.splitlines()[-1] == "[]"
