"""What must be so when all is done, whatever happened to the workers: everything landed, everything once."""

import os
import subprocess
from pathlib import Path

from tests.support.patience import PATIENCE
from tests.support.run_traces import find_processes
from tests.support.worker_stage import Plan, WorkerStage


def everything_is_done_once(stage: WorkerStage, *, agents_died: bool = False) -> None:
    """Each phase landed once, by one agent; nothing is left over, nothing is damaged.

    Where agents were killed with their machine, a phase may have had several of them; it still landed once.
    """
    everything_landed(stage)
    starts = stage.count_starts()
    assert set(starts) == {(plan.name, number) for plan in stage.plans for number in _numbers(stage)}
    if not agents_died:
        assert {name: count for name, count in starts.items() if count != 1} == {}
    nothing_is_left(stage)


def everything_landed(stage: WorkerStage) -> None:
    """Each phase of each plan is on its target, once and in order, with what its agent wrote."""
    outcomes = stage.rows("SELECT path, outcome, said FROM submissions WHERE outcome <> 'complete'")
    assert outcomes == []
    for plan in stage.plans:
        assert (plan.name, stage.landed(plan)) == (plan.name, _numbers(stage))
        _is_whole(stage, plan)


def nothing_is_left(stage: WorkerStage) -> None:
    """No row is in anybody's hands, no claim is held, no process but workers is there, and git finds no damage."""
    assert stage.rows("SELECT path, state, worker FROM submissions WHERE state <> 'ended' OR worker <> ''") == []
    if stage.database:
        assert stage.rows("SELECT repository, kind, name FROM claims WHERE until > 0 AND kind = 'plan'") == []
        assert stage.rows("SELECT run FROM runs WHERE ending IS NULL") == []
    stage.wait_for(lambda: not strangers(stage), PATIENCE)
    repositories = {Path(plan.target) for plan in stage.plans} | {plan.root for plan in stage.plans}
    clones = {path.parent for path in stage.place.glob("machines/*/state/planrail/clones/*/.git")}
    for repository in sorted(repositories | clones):
        assert (repository, find_damage(repository)) == (repository, "")
    for worktree in stage.place.glob("**/workspaces/*/*"):
        raise AssertionError(f"a workspace is left: {worktree}")


def strangers(stage: WorkerStage) -> dict[int, str]:
    """The processes of the stage that are no workers, and not the server of its remotes."""
    workers = {worker.pid for machine in stage.machines.values() for worker in machine.workers}
    found = find_processes(stage.place).items()
    return {pid: told for pid, told in found if pid not in workers and "daemon --reuseaddr" not in told}


def find_damage(repository: Path) -> str:
    """What git finds wrong in a repository."""
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    command = ["git", "-C", str(repository), "fsck", "--strict", "--no-dangling", "--no-progress"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    said = (done.stdout + done.stderr).strip()
    locks = [path for path in repository.glob("**/*.lock") if "refs" in path.parts or path.name == "index.lock"]
    return said or (f"code {done.returncode}" if done.returncode else "") or " ".join(map(str, locks))


def _numbers(stage: WorkerStage) -> list[str]:
    return [str(number) for number in range(1, stage.size.phases + 1)]


def _is_whole(stage: WorkerStage, plan: Plan) -> None:
    for number in _numbers(stage):
        assert stage.git(plan.target, "show", f"main:{plan.name}-{number}.txt") == f"phase {number}"
