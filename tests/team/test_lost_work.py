"""A machine that is lost while an agent works on it: the next attempt begins with what was pushed, and lands once."""

from pathlib import Path

import pytest

from planrail.runs.landing.work_refs import WORK
from tests.support.worker_stage import Size, WorkerStage
from tests.team.conftest import MakeStage
from tests.team.network import other_machine
from tests.team.promises import nothing_is_left

# It writes one half, waits as long as its machine has a file, and then writes the other half, but only beside the first.
AGENT = """
cat "$1" >> "$HOME/prompts"
echo start >> '{starts}'
if [ -e "$HOME/hold" ]; then echo "by $HOME" > half.txt; while [ -e "$HOME/hold" ]; do sleep 0.05; done; fi
[ ! -e half.txt ] || [ -e "$HOME/idle" ] || echo whole > whole.txt
"""
SETTINGS = """[approval]
required = false

[run]
agent = "command"
verifier = "runbook"
command = "sh {agent} {{prompt}}"
push_work = 0.02
"""
PLAN = """# plan0

## Phase 1 — Both halves

- [ ] write half.txt and whole.txt

```sh check
grep -q by half.txt
```
```sh check
grep -q whole whole.txt
```
"""


@pytest.fixture
def stage(make_stage: MakeStage, database: str, tmp_path: Path) -> WorkerStage:
    agent = tmp_path / "agent.sh"
    stage = make_stage(Size(plans=1, phases=1), database, has_remotes=True, settings=SETTINGS.format(agent=agent))
    agent.write_text(AGENT.format(starts=stage.starts))
    root = stage.plans[0].root
    (root / stage.plans[0].path).write_text(PLAN)
    stage.git(root, "commit", "-q", "-a", "-m", "The plan")
    stage.git(root, "push", "-q", "origin", "main")
    return stage


def _work_refs(stage: WorkerStage) -> list[str]:
    return stage.git(stage.plans[0].target, "for-each-ref", "--format=%(refname)", WORK).split()


@pytest.mark.soak
def test_the_attempt_after_a_lost_machine_begins_with_its_work(stage: WorkerStage) -> None:
    plan, far, near = stage.plans[0], stage.machine("far", prefix=other_machine("far")), stage.machine("near")
    (far.home / "hold").touch()
    stage.submit()
    far.start_worker()
    stage.wait_for(lambda: _work_refs(stage))
    far.kill_all()
    near.start_worker()
    stage.wait_until_done()
    assert stage.landed(plan) == ["1"]
    assert stage.git(plan.target, "show", "main:half.txt") == f"by {far.home}/"
    assert stage.git(plan.target, "show", "main:whole.txt") == "whole"
    assert stage.starts.read_text().split() == ["start", "start"]
    report = stage.laptop.call("report", plan.path, "--full", folder=plan.root).stdout
    assert "**Began:** with what an earlier attempt had begun on another machine" in report
    assert "An earlier attempt at this phase was lost with its machine" in (near.home / "prompts").read_text()
    assert "earlier attempt" not in (far.home / "prompts").read_text()
    assert _work_refs(stage) == []
    far.start_worker()  # it is back, and clears away what it had left
    stage.wait_for(lambda: not list(far.home.glob("state/planrail/workspaces/*/*")))
    far.kill_all()
    nothing_is_left(stage)
    assert _work_refs(stage) == []


@pytest.mark.soak
def test_what_was_begun_proves_nothing(stage: WorkerStage) -> None:
    """The agents that follow are content with what they find: the checks are not."""
    plan, far, near = stage.plans[0], stage.machine("far", prefix=other_machine("far")), stage.machine("near")
    (far.home / "hold").touch()
    (near.home / "idle").touch()
    stage.submit()
    far.start_worker()
    stage.wait_for(lambda: _work_refs(stage))
    far.kill_all()
    near.start_worker()
    stage.wait_until_done()
    assert stage.rows("SELECT outcome FROM submissions") == [("failed",)]
    assert "An earlier attempt at this phase was lost with its machine" in (near.home / "prompts").read_text()
    assert (stage.landed(plan), _work_refs(stage)) == ([], [])


@pytest.mark.soak
def test_a_run_that_is_stopped_leaves_no_work_on_the_remote(stage: WorkerStage) -> None:
    plan, far = stage.plans[0], stage.machine("far")
    (far.home / "hold").touch()
    stage.submit()
    far.start_worker()
    stage.wait_for(lambda: _work_refs(stage))
    stopped = stage.laptop.call("stop", plan.path, folder=plan.root)
    assert stopped.returncode == 0, stopped.stderr
    stage.wait_until_done()
    stage.wait_for(lambda: not _work_refs(stage))
