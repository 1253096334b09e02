"""`planrail changes` tells what changed while an agent planned; `planrail undo` takes it back, for a person alone."""

import json
import os
import pty
import select
import sys
import time
from pathlib import Path

import pytest

from planrail.base.state_folder import state_folder
from planrail.cli.main import main
from planrail.git.snapshots.parking import park
from planrail.git.snapshots.snapshots import TreeSnapshot, compare, take_snapshot
from tests.cli.processes import planrail
from tests.git.snapshot_trees import git_state, make_repository, walk, write
from tests.support.patience import PATIENCE


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = make_repository(tmp_path / "project")
    monkeypatch.chdir(folder)
    return folder


def take(root: Path, session: str = "s1", taken_at: float = 1e9) -> TreeSnapshot:
    folder = os.path.join(state_folder(), "snapshots")
    name = f"claude-{session}-{int(taken_at)}"
    return take_snapshot(str(root), folder, name, session=session, agent="claude", taken_at=taken_at)


def at_a_terminal(*arguments: str, answer: str, cwd: Path) -> tuple[int, str]:
    """Run planrail as a person would: at a terminal, typing an answer where there is a question."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(cwd)
        os.execv(sys.executable, [sys.executable, "-m", "planrail", *arguments])
    seen, deadline, is_answered = b"", time.monotonic() + PATIENCE, False
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                chunk = os.read(terminal, 4096)
            except OSError:
                break
            if not chunk:
                break
            seen += chunk
            if b"Type yes: " in seen and not is_answered:
                os.write(terminal, answer.encode() + b"\n")
                is_answered = True
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), seen.decode()


def test_where_nobody_planned_that_is_said(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["changes"]) == 0
    said = capsys.readouterr().out
    assert "No agent has planned" in said
    assert "next:" in said


def test_the_changes_are_listed_with_the_branch_they_are_parked_on(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    snapshot = take(root)
    write(root, "a.py", "x\n")
    write(root, "new.py", "x\n")
    assert main(["changes"]) == 0
    assert "planrail changes --park" in capsys.readouterr().out
    assert main(["changes", "--park"]) == 0
    said = capsys.readouterr().out
    assert "~ a.py" in said
    assert "+ new.py" in said
    assert "planrail/parked/s1-1" in said
    assert said.rstrip().endswith("planrail undo")
    assert snapshot.session in said


def test_json_says_the_same_to_programs(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    take(root)
    write(root, "new.py", "x\n")
    assert main(["changes", "--json", "--park"]) == 0
    (told,) = json.loads(capsys.readouterr().out)["sessions"]
    assert told["files"] == [{"path": "new.py", "kind": "added", "reason": None}]
    assert told["parked"] == ["planrail/parked/s1-1"]


def test_a_snapshot_of_another_project_is_not_spoken_of(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    take(make_repository(tmp_path / "project two"))
    assert main(["changes", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"sessions": []}
    monkeypatch.chdir(tmp_path / "project two/d")
    assert main(["changes", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["sessions"]) == 1


def test_the_newest_snapshot_of_each_session_counts(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    take(root, "s1", 1e9)
    write(root, "a.py", "x\n")
    take(root, "s1", 2e9)
    take(root, "other", 1.5e9)
    assert main(["changes", "--json"]) == 0
    told = {entry["session"]: entry["changed"] for entry in json.loads(capsys.readouterr().out)["sessions"]}
    assert told == {"s1": False, "other": False}
    assert main(["changes", "--session", "nobody"]) == 1


def test_the_plan_of_the_session_is_no_change(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from planrail.hook.sessions.state import Session
    from planrail.hook.sessions.store import update

    take(root)
    plan = write(root, "plans/p.md", "# P\n")
    write(root, "plans/p-agent-1.md", "# P\n")
    write(root, "plans/q.md", "# Q\n")
    update(state_folder(), "claude", "s1", lambda _: Session("claude", "s1", plan=str(plan)))
    assert main(["changes", "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)["sessions"]
    assert [file["path"] for file in told["files"]] == ["plans/q.md"]


@pytest.mark.parametrize("arguments", [["undo"], ["undo", "--yes"]])
def test_without_a_terminal_nothing_is_undone(root: Path, arguments: list[str]) -> None:
    take(root)
    write(root, "a.py", "x\n")
    done = planrail(*arguments, cwd=root)
    assert done.returncode == 1
    assert "person at a terminal" in done.stderr
    assert (root / "a.py").read_text() == "x\n"


def test_a_persons_yes_restores_all_and_the_copy_stays(root: Path) -> None:
    take(root)
    before = walk(root), git_state(root)
    write(root, "a.py", "x\n")
    write(root, "new.py", "x\n")
    code, said = at_a_terminal("undo", answer="yes", cwd=root)
    assert code == 0, said
    assert "planrail/parked/s1-1" in said
    assert (walk(root), git_state(root)) == before


@pytest.mark.parametrize("answer", ["no", "", "yess"])
def test_anything_but_a_yes_restores_nothing(root: Path, answer: str) -> None:
    take(root)
    write(root, "a.py", "x\n")
    code, said = at_a_terminal("undo", answer=answer, cwd=root)
    assert code == 1
    assert "Nothing was undone" in said
    assert (root / "a.py").read_text() == "x\n"


def test_what_a_person_wrote_after_the_parking_is_left(root: Path) -> None:
    snapshot = take(root)
    write(root, "a.py", "the agent's\n")
    write(root, "new.py", "the agent's\n")
    park(snapshot, compare(snapshot), "s1")
    write(root, "a.py", "mine\n")
    code, said = at_a_terminal("undo", "--yes", answer="", cwd=root)
    assert code == 1
    assert "a.py: it has changed since it was parked" in said
    assert (root / "a.py").read_text() == "mine\n"
    assert not (root / "new.py").exists()


def test_of_several_sessions_one_has_to_be_named(root: Path) -> None:
    take(root, "one")
    take(root, "two")
    write(root, "a.py", "x\n")
    code, said = at_a_terminal("undo", answer="yes", cwd=root)
    assert code == 1
    assert "--session" in said
    code, _ = at_a_terminal("undo", "--session", "two", answer="yes", cwd=root)
    assert code == 0
    assert (root / "a.py").read_text() == "a\n"
