"""Projects with a queue, and the commands that look at it, called in this process."""

import argparse
import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from planrail.cli.lists import upcoming_command
from planrail.cli.main import carry_out, load_command
from planrail.runs.request.requests import RunRequest
from planrail.store.ledger import open_tables
from planrail.team.dispatch import Dispatch
from planrail.team.queueing import Rest, ScheduleRow, Submission, SubmissionRequest
from tests.cli.run_projects import make_project

HOST = "here#1"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in which the commands are typed."""
    made = make_project(tmp_path / "project")
    (made / "planrail.toml").write_text('[schedule]\ntimezone = "Europe/Berlin"\n[approval]\nrequired = false\n')
    git = ["git", "-C", str(made), "-c", "user.name=t", "-c", "user.email=t@localhost"]
    subprocess.run([*git, "commit", "-qam", "settings"], check=True)  # only what is committed is heard
    monkeypatch.chdir(made)
    return made


def call(command: str, *words: str) -> int:
    """Type a command."""
    module = upcoming_command if command == "list upcoming" else load_command(command)
    parser = argparse.ArgumentParser()
    module.configure(parser)
    return carry_out(module, parser.parse_args(words))


def answer(capsys: pytest.CaptureFixture[str], command: str, *words: str) -> str:
    """What a command says."""
    assert call(command, *words) == 0
    return capsys.readouterr().out


def answer_json(capsys: pytest.CaptureFixture[str], command: str, *words: str) -> dict[str, Any]:
    """The same for programs."""
    told: dict[str, Any] = json.loads(answer(capsys, command, *words, "--json"))
    return told


def submit(project: Path, plan: str, **fields: Any) -> Submission:
    """Put a plan into the project's queue."""
    with open_tables(str(project)) as tables:
        row = Submission(
            "", "", plan, f"{plan}.md", SubmissionRequest(RunRequest(f"{plan}.md")), **{"root": str(project), **fields}
        )
        return Dispatch(tables).submit(row)


def serve(project: Path, rest: Rest | None = None) -> Submission:
    """Take the next one, and give it back if something is said of that."""
    with open_tables(str(project)) as tables:
        found = Dispatch(tables).take(f"{HOST}/w", "{}", HOST)
        assert found is not None
        if rest is not None:
            Dispatch(tables).rest(found.id, found.worker, rest)
        return found


def schedule(project: Path, plan: str, seconds: float, **fields: Any) -> ScheduleRow:
    """A schedule that fires in so many seconds."""
    known: dict[str, Any] = {"expression": "4h", "cron": "3 */4 * * *", "zone": "Europe/Berlin", "kind": "interval"}
    row = ScheduleRow(
        "", "", plan, f"{plan}.md", wish=SubmissionRequest(), next=time.time() + seconds, **{**known, **fields}
    )
    with open_tables(str(project)) as tables:
        return Dispatch(tables).put_schedule(row)
