"""Verified work that cannot land now: `planrail resume` brings it in, and everything that planrail advises works."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.test_run_command import PHASE, Project, two_phases
from tests.support.lanes import sampled, soak

LINES = "".join(f"line {number}\n" for number in range(1, 21))
SHARED = """
## Phase 1 — Shared

- [ ] change the first line of shared.txt

```sh run
sed -i 's/^line 1$/by the plan/' shared.txt
```

```sh check
grep -q "by the plan" shared.txt
```
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


@pytest.fixture
def waiting(project: Project) -> Project:
    """Phase 1 is verified and waits: a file of the person's is where its own has to be."""
    project.plan(two_phases())
    project.write("1.txt", "mine\n")
    done = project.type("run", "PLAN.md", "finish", "auto")
    assert (done.returncode, done.stdout.startswith("waiting: ")) == (1, True), done.stdout + done.stderr
    return project


def resume(project: Project, *words: str, **variables: str) -> str:
    done = project.type("resume", "PLAN.md", *words, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.full
def test_all_commands_name_resume_which_lands_what_waits_once_and_goes_on(waiting: Project) -> None:
    before = waiting.git("rev-parse", "main")
    again = waiting.type("resume", "PLAN.md")
    assert (again.returncode, "First commit, stash or move away 1.txt" in again.stdout) == (1, True), again.stdout
    assert ((waiting.root / "1.txt").read_text(), waiting.git("rev-parse", "main")) == ("mine\n", before)
    told = [
        json.loads(waiting.ask("status", "PLAN.md", "--json").stdout)["next"],
        json.loads(waiting.ask("next", "PLAN.md", "--json").stdout)["command"],
        json.loads(waiting.ask("list", "runs", "--json").stdout)["runs"][0]["next"],
        waiting.ask("report", "PLAN.md").stdout.rpartition("next: ")[2].strip(),
        again.stdout.rpartition("next: ")[2].strip(),
    ]
    assert told == ["planrail resume PLAN.md"] * 5
    said = waiting.ask("next", "PLAN.md").stdout
    assert ("start phase" in said, "is waiting: " in said, "1.txt" in said) == (False, True, True), said
    top, waiting.root = waiting.root, waiting.root / "below"
    waiting.root.mkdir()
    below = waiting.type("resume", "../PLAN.md")
    assert below.stdout.rpartition("next: ")[2].strip() == "planrail resume ../PLAN.md"
    waiting.root = top
    (top / "1.txt").rename(top / "mine.txt")
    assert "complete: " in resume(waiting)
    assert (sorted(waiting.landed()), (top / "mine.txt").read_text()) == (["1", "2"], "mine\n")
    assert waiting.git("branch", "--list", "planrail/*") == ""
    before = waiting.git("rev-parse", "main")
    again = waiting.type("resume", "PLAN.md")
    assert (again.returncode, "no run of PLAN.md waits to be resumed" in again.stderr) == (1, True)
    assert waiting.git("rev-parse", "main") == before


@pytest.mark.full
def test_work_that_contradicts_the_target_is_kept_and_lands_as_a_person_merged_it(waiting: Project) -> None:
    waiting.commit()
    before = waiting.git("rev-parse", "main")
    contradicts = waiting.type("resume")
    assert contradicts.returncode == 1
    assert "1.txt: new on both sides" in contradicts.stdout
    assert "git merge planrail/plan" in contradicts.stdout
    assert (waiting.git("rev-parse", "main"), waiting.git("show", "planrail/plan:1.txt")) == (before, "1\n")
    with pytest.raises(subprocess.CalledProcessError):
        waiting.git("merge", "--quiet", "planrail/plan")
    midway = waiting.type("resume")
    assert (midway.returncode, "First finish what you have begun: a merge is under way" in midway.stdout) == (1, True)
    assert "git merge planrail/plan" not in midway.stdout
    waiting.write("1.txt", "mine\n")
    waiting.commit()
    broken = waiting.type("resume")
    assert (broken.returncode, "does not hold" in broken.stdout) == (1, True), "a merge that breaks the checks"
    assert '"proof": "proven"' not in waiting.ask("status", "PLAN.md", "--json").stdout.partition('"id": "2"')[0]
    waiting.write("1.txt", "1\n")
    waiting.commit()
    resume(waiting)
    assert sorted(waiting.landed()) == ["1", "2"]


@pytest.mark.full
@pytest.mark.parametrize("name", sampled(["x..y.md", "plän~1.md", "a\nb.md", "q.lock.md"], "a\nb.md"))
def test_work_of_a_plan_with_any_name_waits_on_a_branch_and_lands_later(project: Project, name: str) -> None:
    project.plan(two_phases(), name)
    project.write("1.txt", "mine\n")
    waits = project.type("run", name, "1", "auto")
    assert (waits.returncode, "First commit, stash or move away 1.txt" in waits.stdout) == (1, True), waits.stderr
    assert project.git("branch", "--list", "planrail/*")
    (project.root / "1.txt").unlink()
    assert project.type("resume", name).returncode == 0
    assert project.landed() == ["1"]


@pytest.mark.full
@pytest.mark.parametrize("aside", [("commit", "--quiet", "-am", "Mine"), soak(("stash", "--quiet"))])
def test_work_lands_on_the_target_as_it_is_after_the_edit_was_put_aside(
    project: Project, aside: tuple[str, ...]
) -> None:
    project.write("shared.txt", LINES)
    project.plan(SHARED)
    project.write("shared.txt", LINES.replace("line 20", "mine"))
    waits = project.type("run", "PLAN.md", "auto")
    assert (waits.returncode, "First commit, stash or move away shared.txt" in waits.stdout) == (1, True), waits.stdout
    project.git(*aside)
    resume(project)
    landed = project.git("show", "main:shared.txt")
    assert "by the plan" in landed
    assert ("mine" in landed) == (aside[0] == "commit")
    assert project.landed() == ["1"]


@pytest.mark.soak
def test_work_that_contradicts_the_target_is_done_anew_where_a_person_says_so(waiting: Project) -> None:
    waiting.commit()
    told = waiting.type("resume").stdout
    assert "planrail stop PLAN.md, then planrail run PLAN.md 1" in told
    assert waiting.type("stop", "PLAN.md").returncode == 0
    assert waiting.type("run", "PLAN.md", "1", "auto").returncode == 0
    assert waiting.git("show", "main:1.txt") == "1\n"


@pytest.mark.soak
def test_work_lands_although_its_branch_was_deleted_and_its_commit_swept_away(waiting: Project) -> None:
    waiting.git("branch", "--quiet", "-D", "planrail/plan")
    waiting.git("gc", "--quiet", "--prune=now")
    (waiting.root / "1.txt").unlink()
    resume(waiting)
    assert sorted(waiting.landed()) == ["1", "2"]


@pytest.mark.soak
def test_work_that_a_person_picked_by_hand_does_not_land_twice(waiting: Project) -> None:
    (waiting.root / "1.txt").unlink()
    waiting.git("commit", "--quiet", "--allow-empty", "-m", "Something else")
    waiting.git("cherry-pick", "planrail/plan")
    resume(waiting)
    assert sorted(waiting.landed()) == ["1", "2"]


@pytest.mark.soak
def test_work_that_a_person_squashed_by_hand_is_seen_and_its_proof_recorded(waiting: Project) -> None:
    (waiting.root / "1.txt").unlink()
    waiting.git("merge", "--squash", "planrail/plan")
    waiting.git("commit", "-m", "By hand")
    by_hand = waiting.git("rev-parse", "main^{tree}")
    resume(waiting)
    record = waiting.git("log", "--format=%H", "--grep=Phase 1: ", "main").split()[-1]
    assert "the target had this work already" in waiting.git("log", "-1", "--format=%B", record)
    assert waiting.git("rev-parse", f"{record}^{{tree}}") == by_hand
    assert "the target had this work already" in waiting.type("report", "PLAN.md", "--full").stdout
    assert sorted(waiting.landed()) == ["1", "2"]
    assert waiting.git("branch", "--list", "planrail/*") == ""


@pytest.mark.soak
def test_resuming_work_that_waits_is_no_answer_to_the_question_that_comes_next(project: Project) -> None:
    project.plan(two_phases())
    project.write("1.txt", "mine\n")
    assert project.type("run", "PLAN.md", "finish").stdout.startswith("waiting: ")
    (project.root / "1.txt").unlink()
    assert "paused: Go on with phase 2?" in resume(project)
    assert project.landed() == ["1"]


@pytest.mark.soak
def test_several_phases_that_wait_are_all_named_and_all_land(project: Project) -> None:
    free = PHASE.replace("- [ ]", "Depends on: none\n\n- [ ]")
    project.plan(free.format(1) + free.format(2))
    for name in ("1.txt", "2.txt"):
        project.write(name, "mine\n")
    waits = project.type("run", "PLAN.md", "finish", "auto", "--parallel", "2")
    assert (waits.returncode, "1.txt" in waits.stdout, "2.txt" in waits.stdout) == (1, True, True), waits.stdout
    (project.root / "1.txt").unlink()
    assert "2.txt" in project.type("resume").stdout
    (project.root / "2.txt").unlink()
    resume(project)
    assert sorted(project.landed()) == ["1", "2"]
    assert project.git("branch", "--list", "planrail/*") == ""
