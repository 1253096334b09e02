"""What stands around a plan: the progress document that it names, the files that it creates, the commits that name it."""

import os
import subprocess
from pathlib import Path

import pytest

from planrail.cli.main import main
from planrail.plans.model import Plan
from planrail.projects.open_plan import open_plan

PLAN = """# Greenhouse

## Phase 1: Frame
Create `frame.txt` and paint it.

## Phase 2: Glass
Create `glass/pane.txt`.
Create `glass/putty.txt`.

## Phase 3: Plants
Grow them.

## Phase 4: Water
Let it flow.
"""


class Repository:
    """A git repository with a plan in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._git("init", "-q")

    def write(self, path: str, text: str = "x\n") -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")

    def commit(self, subject: str) -> None:
        self._git("add", "-A")
        self._git("commit", "-q", "--allow-empty", "-m", subject)

    def read(self, path: str = "PLAN.md") -> Plan:
        return open_plan(str(self.root / path))

    def _git(self, *arguments: str) -> None:
        who = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]
        clean = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
        subprocess.run(["git", *who, *arguments], cwd=self.root, env=clean, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path)
    made.write("PLAN.md", PLAN)
    made.commit("Add the plan: Phase 4 is far")
    return made


def _states(plan: Plan) -> dict[str, str]:
    return {phase.id: str(phase.status) for phase in plan.phases}


def _reason(plan: Plan, name: str) -> str:
    phase = plan.phase(name)
    assert phase is not None
    return phase.reason


def test_files_that_a_phase_creates_are_evidence_for_it_which_is_a_claim_and_nobodys_work(
    repository: Repository,
) -> None:
    plan = repository.read()
    assert set(_states(plan).values()) == {"todo"}
    assert (plan.status, plan.route) == ("not_started", "run")
    repository.write("frame.txt")
    repository.write("glass/pane.txt")
    plan = repository.read()
    before = {"1": "done", "2": "in_progress", "3": "todo", "4": "todo"}
    assert _states(plan) == before
    assert _reason(plan, "1") == "evidence: 1 of 1 files that it creates exist (frame.txt)"
    assert _reason(plan, "2") == "evidence: 1 of 2 files that it creates exist (glass/pane.txt)"
    assert [phase.proof for phase in plan.phases] == ["claimed", "claimed", None, None]
    assert (plan.next and plan.next.phase, plan.route) == ("2", "resume")
    assert main(["set", str(repository.root / "PLAN.md"), "2", "done"]) == 0
    assert _states(repository.read()) == before | {"2": "done"}


def test_a_commit_after_the_plan_that_names_a_phase_is_evidence_for_it(tmp_path: Path) -> None:
    """Its end, where it says so or a later phase follows; and nothing about a phase with a longer number."""
    repository = Repository(tmp_path)
    repository.commit("Phase 1 complete")
    repository.write("PLAN.md", PLAN)
    repository.commit("Add the plan: Phase 4 is far")
    repository.commit("Phase 30 complete")
    repository.commit("Phase 3.1 complete")
    assert set(_states(repository.read()).values()) == {"todo"}
    repository.commit("Phase 3: sow")
    plan = repository.read()
    assert _states(plan)["3"] == "in_progress"
    assert "“Phase 3: sow”" in _reason(plan, "3")
    repository.commit("phase 3 complete")
    assert _states(repository.read())["3"] == "done"
    repository.commit("Phase 4: open the tap")
    repository.commit("Phase 1: build")
    states = _states(repository.read())
    assert (states["1"], states["4"]) == ("done", "in_progress")


def test_evidence_is_not_asked_where_the_plan_marks_a_phase(repository: Repository) -> None:
    repository.write("PLAN.md", PLAN.replace("Glass", "Glass [NOT STARTED]"))
    repository.write("glass/pane.txt")
    repository.write("glass/putty.txt")
    assert _states(repository.read())["2"] == "todo"


def test_a_plan_outside_a_repository_needs_no_git(tmp_path: Path) -> None:
    (tmp_path / "PLAN.md").write_text(PLAN, "utf-8")
    (tmp_path / "frame.txt").touch()
    assert _states(open_plan(str(tmp_path / "PLAN.md")))["1"] == "done"


COMPANIONS = {
    "progress.md": "| Phase | Status |\n|---|---|\n| 1 | ✅ |\n| 2 | 🟡 |\n",
    "progress.json": '{"tasks": [{"id": 1, "status": "done"}, {"id": 2, "status": "in-progress"}]}',
    "progress.yaml": "tasks:\n- id: 1\n  status: done\n- id: 2\n  status: in_progress\n",
}


def _with_companion(folder: Path, sentence: str, name: str, text: str) -> Plan:
    (folder / "plan.md").write_text(
        f"# Plan\n\n{sentence}\n\n## Phase 1: A\n\n## Phase 2: B\n\n## Phase 3: C\n", "utf-8"
    )
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, "utf-8")
    return open_plan(str(folder / "plan.md"))


@pytest.mark.parametrize("name", COMPANIONS)
def test_a_progress_document_that_the_plan_names_is_read_with_it(tmp_path: Path, name: str) -> None:
    plan = _with_companion(tmp_path, f"Progress is tracked in {name}.", name, COMPANIONS[name])
    assert _states(plan) == {"1": "done", "2": "in_progress", "3": "todo"}
    assert _reason(plan, "1").startswith(f"{name}: ")


@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        ("Progress: see [here](sub/state.md).", "done"),
        ("Track the status in `sub/state.md`", "done"),
        ("进度见 `sub/state.md`。", "done"),
        ("The old idea is in sub/state.md.", "todo"),
    ],
)
def test_the_plan_names_its_progress_document_in_many_ways(tmp_path: Path, sentence: str, status: str) -> None:
    plan = _with_companion(tmp_path, sentence, "sub/state.md", COMPANIONS["progress.md"])
    assert _states(plan)["1"] == status


def test_the_plans_own_mark_beats_its_progress_document(tmp_path: Path) -> None:
    _with_companion(tmp_path, "Progress is in state.md.", "state.md", COMPANIONS["progress.md"])
    path = tmp_path / "plan.md"
    path.write_text(path.read_text("utf-8").replace("2: B", "2: B [COMPLETED]"), "utf-8")
    plan = open_plan(str(path))
    assert _states(plan)["2"] == "done"
    assert [problem.rule for problem in plan.diagnostics] == ["contradiction"]


def test_a_document_outside_the_project_is_not_read(tmp_path: Path) -> None:
    inside = tmp_path / "project"
    inside.mkdir()
    (tmp_path / "state.md").write_text(COMPANIONS["progress.md"], "utf-8")
    (inside / "link.md").symlink_to(tmp_path / "state.md")
    for name in ("../state.md", "link.md", str(tmp_path / "state.md")):
        (inside / "plan.md").write_text(
            f"# Plan\n\nProgress is in `{name}`.\n\n## Phase 1: A\n\n## Phase 2: B\n", "utf-8"
        )
        assert set(_states(open_plan(str(inside / "plan.md"))).values()) == {"todo"}, name


@pytest.mark.parametrize("text", ["- " * 5000, "", "Progress is in plan.md.\n\n## Phase 1: A\n", "a pipe"])
def test_a_progress_document_that_says_nothing_changes_nothing_and_a_pipe_is_not_waited_for(
    tmp_path: Path, text: str
) -> None:
    plan = _with_companion(tmp_path, "Progress is in state.md.", "state.md", text)
    if text == "a pipe":
        (tmp_path / "state.md").unlink()
        os.mkfifo(tmp_path / "state.md")
        plan = open_plan(str(tmp_path / "plan.md"))
    assert set(_states(plan).values()) == {"todo"}


def test_a_status_that_the_progress_document_keeps_is_refused_in_the_plan(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _with_companion(tmp_path, "Progress is in state.md.", "state.md", COMPANIONS["progress.md"])
    before = (tmp_path / "plan.md").read_bytes()
    assert main(["set", str(tmp_path / "plan.md"), "2", "done"]) == 1
    assert (tmp_path / "plan.md").read_bytes() == before
    assert "kept in state.md" in capsys.readouterr().err


@pytest.mark.parametrize("place", ["state.md", "../state.md"])
def test_the_command_names_the_progress_document_from_where_the_user_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    Repository(tmp_path)
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "plan.md").write_text("# Plan\n\nProgress is in state.md.\n\n## Phase 1: A\n\n## Phase 2: B\n", "utf-8")
    (folder / place).write_text("## Phase 1: A [NOT STARTED]\n\n## Phase 2: B [NOT STARTED]\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    main(["set", "docs/plan.md", "1", "done"])
    captured = capsys.readouterr()
    advised = (captured.out + captured.err).split("planrail set ")[-1].split()[0]
    assert Path(advised).is_file()
