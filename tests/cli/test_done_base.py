"""planrail check and done beside the base: what holds without the work proves nothing."""

import json
import os
import sqlite3
import time
from pathlib import Path

import pytest

from planrail.base.state_folder import state_folder
from planrail.runs.in_session.assigning import assign
from planrail.runs.in_session.cases import open_case
from planrail.store.places import ledger_folder
from tests.cli.in_session import PLAN, UNAPPROVED, Project, make_project

HOLDS = "test -f own.txt"
WEAK = PLAN.replace("grep -q hello hello.txt", HOLDS).replace("- `test -s hello.txt` passes\n", "")
WEAK = WEAK.replace("- [ ] write hello.txt\n", "")  # a file that is ordered has to be there
TEST = "def test_add():\n    assert add(1, 2) == 3\n    assert add(2, 2) == 4\n"
PYTHON = """# Sums

## Phase 1: Add

- [ ] write sums.py

```sh check
test -s sums.py
```
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Project:
    return make_project(tmp_path, monkeypatch, capsys)


def _hand_out(project: Project, now: int = 5) -> None:
    assign({"plan": str(project.plan), "root": str(project.root), "agent": "claude", "session": "s1", "now": str(now)})


def _plan(project: Project, text: str) -> None:
    project.plan.write_text(text)
    project.commit("Another plan")


def _refused(project: Project, *words: str) -> list[str]:
    """Why the phase was not marked."""
    before = project.plan.read_text()
    answer = project.ask("done", "plan.md", "1", *words)
    assert (answer["ok"], answer["done"]) == (False, False)
    assert project.plan.read_text() == before
    missing: list[str] = answer["missing"]
    return missing


@pytest.mark.full
def test_programs_that_are_newer_than_the_phase_are_told(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = project.root.parent / "tools"
    tools.mkdir()
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    _hand_out(project, now=int(time.time()))
    (tools / "judge").write_text("exit 0\n")
    project.write("hello.txt", "hello\n")
    answer = project.ask("done", "plan.md", "1")
    assert answer["done"] is True
    assert any(f"among what checks run and load: {tools}/judge" in note for note in answer["notes"])


def test_where_nothing_was_done_nothing_is_proven(project: Project) -> None:
    text = WEAK.replace("- [ ] say hello in it", "- [ ] refactor; the tests still pass")
    _plan(project, text)
    _hand_out(project)
    assert "nothing was done" in _refused(project)[-1]
    assert "is not proven; missing:" in project.planrail("done", "plan.md", "1")[1]
    project.plan.write_text(text.replace("[ ]", "[x]"))
    assert "nothing was done" in _refused(project)[-1], "marks in the plan are no work"
    project.plan.write_text(text)
    project.git("rm", "-q", "own.txt")
    project.git("commit", "-q", "-m", "Take away")
    project.write("own.txt", "mine\n")
    assert "nothing was done" in _refused(project)[-1], "what is taken away and brought back is no work"
    project.write("own.txt", "tidied\n")
    assert project.ask("done", "plan.md", "1")["done"] is True, (
        "a phase by which all stays as it is needs work, no proof"
    )


def test_a_check_that_passes_on_the_base_as_well_proves_nothing_and_one_that_does_not_is_enough(
    project: Project,
) -> None:
    place = Path(state_folder()) / "rooms"
    (place / "session-999999999-x" / "base").mkdir(parents=True)
    (place / "session-of-somebody").mkdir()
    _plan(project, WEAK)
    project.write("something.txt", "else\n")
    assert "succeeds on the untouched base as well" in _refused(project)[0]
    _plan(project, PLAN.replace("`test -s hello.txt` passes", f"`{HOLDS}` passes"))
    project.write("hello.txt", "hello\n")
    answer = project.ask("check", "plan.md", "1")
    head = project.git("rev-parse", "HEAD").strip()
    assert (answer["base"], [check["base"]["passed"] for check in answer["checks"]]) == (head, [False, True])
    assert f"on the base, {head[:10]}: 1 of 2 checks fail" in project.planrail("check", "plan.md", "1")[1]
    answer = project.ask("done", "plan.md", "1")
    assert answer["done"] is True
    assert any("proves nothing" in note for note in answer["notes"])
    assert [one.name for one in place.iterdir()] == ["session-of-somebody"], "what the dead left is gone"
    assert project.git("worktree", "list").count("\n") == 1


def test_a_plan_that_git_does_not_track_tells_nothing_apart(project: Project) -> None:
    project.git("rm", "-q", "--cached", "plan.md")
    project.git("commit", "-q", "-m", "Keep the plan out")
    project.plan.write_text(WEAK.replace(HOLDS, "test -f plan.md"))
    project.write("something.txt", "else\n")
    assert "succeeds on the untouched base as well" in _refused(project)[0]


@pytest.mark.full
def test_work_that_was_committed_since_it_was_handed_out_is_work_and_no_row_moves_the_base(project: Project) -> None:
    _plan(project, WEAK)
    project.planrail("check", "plan.md", "1")
    tree = project.git("hash-object", "-t", "tree", "-w", "/dev/null").strip()
    empty = project.git("commit-tree", "-m", "an empty one", tree).strip()
    project.write("something.txt", "else\n")
    for base in (empty, "f" * 40, "--help"):
        row = {"phase": "1", "root": str(project.root), "base": base, "tree": tree}
        row["text"] = open_case("plan.md", "1").order.canonical
        with sqlite3.connect(os.path.join(ledger_folder(str(project.root)), "ledger.db")) as connection:
            fact = (f"forged {base}", "assignment", "plan.md", 1, json.dumps(row))
            connection.execute("INSERT INTO facts (id, kind, plan, at, value) VALUES (?, ?, ?, ?, ?)", fact)
        connection.close()
        assert "succeeds on the untouched base as well" in _refused(project)[0], base
    _plan(project, PLAN)
    _hand_out(project)
    base = project.git("rev-parse", "HEAD").strip()
    project.write("hello.txt", "hello\n")
    project.commit("The agent commits by itself")
    _hand_out(project)
    answer = project.ask("done", "plan.md", "1")
    assert (answer["done"], answer["base"]) == (True, base)


def test_settings_are_those_of_the_base(project: Project) -> None:
    project.write("planrail.toml", UNAPPROVED + '[testing]\ncommand = "test ! -e broken"\n')
    project.commit("Say how to test")
    _hand_out(project)
    project.write("planrail.toml", UNAPPROVED + '[testing]\ncommand = "echo fine"\n')
    project.write("hello.txt", "hello\n")
    project.write("broken", "")
    project.commit("The agent commits its own settings")
    missing = _refused(project)
    assert any("tests fail that did not fail on the base" in text for text in missing)
    assert any("planrail.toml" in text for text in missing)


def test_tests_that_failed_before_do_not_stop_a_phase(project: Project) -> None:
    project.write("planrail.toml", UNAPPROVED + '[testing]\ncommand = "echo broken since long; exit 1"\n')
    project.commit("Say how to test")
    project.write("hello.txt", "hello\n")
    answer = project.ask("done", "plan.md", "1")
    assert answer["done"] is True
    assert any("exactly as on the base" in note for note in answer["notes"])


def test_a_weakened_test_is_refused(project: Project) -> None:
    project.write("test_sums.py", "from sums import add\n" + TEST)
    _plan(project, PYTHON)
    project.write("sums.py", "def add(a, b):\n    return 3\n")
    project.write("test_sums.py", "from sums import add\n" + TEST.replace("    assert add(2, 2) == 4\n", ""))
    assert any("asserts less" in text for text in _refused(project))


@pytest.mark.full
def test_what_runs_the_tests_and_old_tests_change_only_where_the_phase_says_so(project: Project) -> None:
    project.write("planrail.toml", UNAPPROVED + '[testing]\ncommand = "sh run.sh"\n')
    project.write("run.sh", "sh test_old.sh\n")
    project.write("old.txt", "old\n")
    project.write("test_old.sh", "grep -qx old old.txt\n")
    project.commit("Say how to test")
    project.write("hello.txt", "hello\n")
    project.write("run.sh", "echo 1 passed\n")
    assert any("run.sh, which this phase changed" in text for text in _refused(project))
    project.write("run.sh", "sh test_old.sh\n")
    project.write("old.txt", "broken\n")
    project.write("test_old.sh", "grep -qx broken old.txt\n")
    assert any("run as they were on the base" in text for text in _refused(project))
    project.write("old.txt", "old\n")
    project.write("test_old.sh", "grep -qx old old.txt\n")
    assert project.ask("done", "plan.md", "1")["done"] is True


def test_a_new_test_that_passes_with_the_old_code_is_refused(project: Project) -> None:
    _plan(project, PYTHON)
    project.write("sums.py", "def add(a, b):\n    return a + b\n")
    project.write("test_sums.sh", "test -f own.txt\n")
    assert any("passes with the old code" in text for text in _refused(project))
    project.write("test_sums.sh", "grep -q add sums.py\n")
    assert project.ask("done", "plan.md", "1")["done"] is True


def test_the_base_is_provisioned_as_a_run_does_it_or_nothing_is_proven(project: Project) -> None:
    project.write(".gitignore", "made\n")
    project.write("planrail.toml", UNAPPROVED + '[run]\nprovision = "touch made"\n')
    _plan(project, WEAK.replace(HOLDS, "test -e made"))
    project.write("made", "")
    project.write("something.txt", "else\n")
    assert "succeeds on the untouched base as well" in _refused(project)[0]
    project.write("planrail.toml", UNAPPROVED + '[run]\nprovision = "echo no network; exit 3"\n')
    _plan(project, PLAN)
    project.write("hello.txt", "hello\n")
    assert any("no network" in text and "[run] provision" in text for text in _refused(project))
