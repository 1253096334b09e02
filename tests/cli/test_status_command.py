"""`planrail status`, `runs` and `report`: what is true at this moment, from any terminal, by reading alone."""

import fcntl
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from planrail.base.run_model import Ending
from planrail.store.ledger import open_ledger, open_store
from planrail.store.owners import describe_process
from planrail.store.runs.run_facts import add_fact
from planrail.store.runs.run_folders import save_ending
from planrail.store.runs.run_history import PhaseFact
from tests.cli.processes import call
from tests.cli.run_projects import PLAN, list_files, make_agent, make_project, make_run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path)


def _told(project: Path, *arguments: str) -> dict[str, Any]:
    done = call(*arguments, "--json", cwd=project)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_a_plan_that_was_never_run_has_a_status(project: Path) -> None:
    told = _told(project, "status", "PLAN.md")
    assert (told["run"], told["owner"], told["phase"]) == (None, None, None)
    assert told["progress"] == {"done": 0, "total": 3}
    assert told["next"] == "planrail run PLAN.md 1"


def test_a_run_whose_process_is_gone_is_interrupted(project: Path) -> None:
    make_run(project, int(time.time()) - 60)
    told = _told(project, "status", "PLAN.md")
    assert told["run"]["state"] == "interrupted"
    assert (told["agent"], told["stuck"]) == (None, None)
    assert told["next"] == "planrail resume PLAN.md"


def test_a_live_run_tells_its_phase_step_cost_and_the_last_words_of_its_agent(project: Path) -> None:
    folder = make_run(project, int(time.time()) - 60)
    make_agent(
        folder,
        {"at": 1, "event": "used", "tool": "Bash", "detail": "npm test"},
        {"at": 2, "event": "spent", "tokens_in": 1000, "tokens_out": 200, "cost": 0.5},
        {"at": 3, "event": "said", "text": "I mend\nthe parser, token=ghp_" + "a1B2" * 8},
    )
    owner = describe_process(os.getpid(), "run-1", "run-1")
    open_store(str(project)).claims.acquire("plan", "PLAN.md", owner, 5)
    with open(os.path.join(folder, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        told = _told(project, "status")
    assert (told["phase"], told["step"], told["attempt"]) == ("2", "implement.1", 1)
    assert (told["tokens"], told["cost"]) == (1200, 0.5)
    assert told["progress"] == {"done": 1, "total": 3}
    assert told["agent"]["last_lines"] == ["Bash npm test", "I mend the parser, token=[masked token]"]
    assert (told["run"]["state"], told["run"]["elapsed"] >= 60) == ("running", True)
    assert (told["owner"]["pid"], told["owner"]["alive"]) == (os.getpid(), True)
    assert (told["stuck"]["answer"], told["next"]) == ("working", "planrail watch PLAN.md")
    assert [phase["note"] for phase in told["phases"]] == [None, "Running ←", "Blocked (needs 2)"]


def test_an_agent_without_a_sign_of_life_may_be_stuck(project: Path) -> None:
    folder = make_run(project, int(time.time()) - 4000)
    place = make_agent(folder, {"at": 1, "event": "said", "text": "hm"})
    old = time.time() - 2000
    for name in os.listdir(place):
        os.utime(os.path.join(place, name), (old, old))
    with open(os.path.join(folder, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        told = _told(project, "status", "PLAN.md")
        screen = call("status", "PLAN.md", cwd=project).stdout
    assert (told["stuck"]["answer"], told["next"]) == ("may be stuck", "planrail stop PLAN.md")
    assert told["stuck"]["quiet_seconds"] >= 2000
    assert "may be stuck: last sign of life 33:" in screen


def test_a_run_that_has_ended_tells_what_is_next_how_long_it_took_and_its_report(project: Path) -> None:
    assert _told(project, "list", "runs") == {"runs": []}
    make_run(project, 1000, "run-0")
    folder = make_run(project, int(time.time()) - 600)
    save_ending(folder, Ending("failed", "it broke", "planrail report PLAN.md", "2"))
    screen = call("status", "PLAN.md", cwd=project).stdout
    lines = [line for line in screen.splitlines() if line.startswith("  ")]
    assert any(line.startswith("  ✔ 1") and "proven" in line for line in lines)
    assert any(" 3 " in line and "Blocked (needs 2)" in line for line in lines)
    assert "it broke" in screen
    assert "1 of 3 phases done" in screen
    assert 600 <= _told(project, "status", "PLAN.md")["run"]["elapsed"] < 4000
    runs = _told(project, "list", "runs")["runs"]
    assert [(run["run"], run["state"]) for run in runs] == [("run-1", "failed"), ("run-0", "interrupted")]
    assert (runs[0]["elapsed"] >= 600, runs[1]["phase"]) == (True, "2")
    assert "planrail report PLAN.md" in call("list", "runs", cwd=project).stdout
    assert _told(project, "report", "PLAN.md", "--write")["report"] == "reports/plan-plan.md"
    assert sorted(os.listdir(project / "reports")) == ["plan-plan.md", "plan-plan.svg"]
    text = (project / "reports" / "plan-plan.md").read_text()
    assert text.startswith("# Plan Report — The plan\n")
    assert "## Run Failed" in text
    assert "![Timeline](plan-plan.svg)" in text
    assert (project / "reports" / "plan-plan.svg").read_text().startswith("<svg")
    assert call("report", "PLAN.md", "--full", cwd=project).stdout.startswith("# Plan Report — The plan\n")
    assert _told(project, "report", "--all")["plans"] == [
        {"plan": "PLAN.md", "path": "PLAN.md", "status": "failed", "open": []}
    ]
    assert call("report", "--all", "--write", cwd=project).returncode == 0
    assert "[The plan](plan-plan.md)" in (project / "reports" / "PLAN_REPORT.md").read_text()


def test_what_a_document_claims_is_a_claim_for_status_and_report_and_a_row_alone_is_nothing(tmp_path: Path) -> None:
    project = make_project(tmp_path, PLAN.replace("- [ ] do one", "- [x] do one"))
    with open_ledger(str(project)) as ledger:
        add_fact(ledger, "PLAN.md", PhaseFact("x", "2", 1, "landed", evidence="made up"), key="x", at=1)
    told = _told(project, "status", "PLAN.md")
    assert (told["phases"][0]["status"], told["phases"][0]["proof"]) == ("done", "claimed")
    assert told["progress"] == {"done": 1, "total": 3}
    assert "1 of 3 phases done (1 claimed)" in call("report", "PLAN.md", cwd=project).stdout


def test_without_a_plan_the_newest_run_is_meant_and_where_there_is_none_the_advice_is_what_was_typed(
    project: Path,
) -> None:
    (project / "plans").mkdir()
    for name in ("a.md", "b.md"):
        (project / "plans" / name).write_text(PLAN)
    (project / "PLAN.md").rename(project / "away")
    for command in ("status", "report", "next"):
        done = call(command, cwd=project)
        assert (done.returncode, f"planrail {command} plans/b.md" in done.stderr) == (2, True)
    (project / "away").rename(project / "PLAN.md")
    save_ending(make_run(project, 1000), Ending("complete", "all done", ""))
    (project / "sub").mkdir()
    for command in ("status", "report"):
        assert _told(project / "sub", command)["path"] == "PLAN.md"


def test_a_report_overwrites_no_file_that_is_not_its_own_and_follows_no_link_out(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    make_run(project, 1000)
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (project / "reports").symlink_to(elsewhere)
    assert call("report", "PLAN.md", "--write", cwd=project).returncode == 11
    assert list(elsewhere.iterdir()) == []
    (project / "reports").unlink()
    (project / "reports").mkdir()
    (project / "reports" / "plan-plan.md").write_text("somebody's notes\n")
    told = _told(project, "report", "PLAN.md", "--write")
    assert (project / "reports" / "plan-plan.md").read_text() == "somebody's notes\n"
    assert told["report"].startswith("reports/plan-plan-")


LOOKING = (("status", "PLAN.md"), ("list", "runs"), ("report", "PLAN.md"), ("claim", "list"))


def test_looking_changes_nothing_and_makes_no_ledger(project: Path) -> None:
    state = Path(os.environ["PLANRAIL_STATE_DIR"])
    for command in LOOKING:
        assert call(*command, cwd=project).returncode == 0
    assert list_files(state) == {}
    make_run(project, 1000)
    for command in LOOKING:
        call(*command, cwd=project)
        before = {**list_files(project), **list_files(state)}
        call(*command, "--json", cwd=project)
        after = {**list_files(project), **list_files(state)}
        assert [before[name] for name in _kept(before)] == [after.get(name) for name in _kept(before)]
        assert _kept(before) == _kept(after)


def _kept(files: dict[str, tuple[int, int]]) -> list[str]:
    return sorted(name for name in files if not name.endswith(("-shm", "-wal")))


def test_looking_never_imports_the_engine(project: Path) -> None:
    make_run(project, 1000)
    typed = f"[main(list(words)) for words in {LOOKING!r}]"
    code = f"import sys; from planrail.cli.main import main; {typed}; print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], cwd=project, capture_output=True, text=True, check=True)
    assert not [name for name in done.stderr.split() if name.startswith(("planrail.runs.steps", "dbos", "asyncio"))]
