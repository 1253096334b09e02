"""A machine that is cut off, and lives: another one takes its runs over, and what it still does lands nothing."""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from planrail.base.records import record
from tests.support.postgres_server import PostgresServer
from tests.support.wire import Wire
from tests.support.worker_stage import Machine, Size, WorkerStage
from tests.team.conftest import MakeStage
from tests.team.network import other_machine, serve_git
from tests.team.promises import everything_landed, nothing_is_left

_IDLE = 2  # processes of a machine on which nothing runs: what made it, and its worker
HOLD, HOLD_PUSH, HELD = "hold", "hold-push", "push-is-held"
# An agent waits as long as its machine has a file; so does a push of the target.
WORK = f'while [ -e "$HOME/{HOLD}" ]; do sleep 0.05; done'
GIT = """#!/bin/sh
case " $* " in *" push "*refs/heads/main*)
    while [ -e "$HOME/{hold}" ]; do : > "$HOME/{held}"; sleep 0.05; done;;
esac
exec {git} "$@"
"""


@record
class Lost:
    """A stage with a machine that can be cut off from the database and from git, and another one that cannot."""

    stage: WorkerStage
    database: Wire
    git: Wire
    far: Machine
    near: Machine

    def hold(self, name: str) -> Path:
        """Something that the far machine waits with, as long as the file is there."""
        path = self.far.home / name
        path.touch()
        return path

    def is_taken_over(self) -> bool:
        """Whether the near machine has done everything."""
        return not self.stage.open_submissions()


@pytest.fixture
def lost(make_stage: MakeStage, postgres: PostgresServer) -> Iterator[Lost]:
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(postgres.fresh_database(tcp=True))
        stage = make_stage(Size(plans=1, phases=2, work=WORK), url, has_remotes=True)
        port = stack.enter_context(serve_git(stage.place / "remotes"))
        database, git = stack.enter_context(Wire(postgres.port)), stack.enter_context(Wire(port))
        stage.git(stage.plans[0].root, "remote", "set-url", "origin", f"git://127.0.0.1:{port}/0.git")
        there = url.replace(f":{postgres.port}/", f":{database.port}/")
        far = stage.machine("far", prefix=other_machine("far"), database=there)
        _lead_git(far, port, git.port)
        yield Lost(stage, database, git, far, stage.machine("near"))
        stage.kill_everything()


def _lead_git(far: Machine, port: int, wire: int) -> None:
    """The far machine's git goes over the wire, and can be made to wait before it pushes."""
    settings, programs = far.home / "gitconfig", far.home / "bin"
    settings.write_text(f'[url "git://127.0.0.1:{wire}/"]\n\tinsteadOf = git://127.0.0.1:{port}/\n')
    programs.mkdir()
    (programs / "git").write_text(GIT.format(hold=HOLD_PUSH, held=HELD, git=shutil.which("git")))
    (programs / "git").chmod(0o755)
    far.environment["GIT_CONFIG_GLOBAL"] = str(settings)
    far.environment["PATH"] = f"{programs}:{far.environment['PATH']}"


def _check_the_end(lost: Lost) -> None:
    """All landed once, the takeover is on record, and nothing of the run goes on at the lost machine."""
    stage = lost.stage
    stage.wait_for(lambda: len(lost.far.processes()) <= _IDLE)
    lost.far.kill_all()
    everything_landed(stage)
    nothing_is_left(stage)
    assert stage.rows("SELECT COUNT(*) FROM runs") == [(1,)]
    assert stage.rows("SELECT 1 FROM facts WHERE value LIKE '%takeover%' OR kind LIKE '%takeover%'")


@pytest.mark.soak
def test_a_push_of_a_machine_that_was_cut_off_is_refused_by_the_remote(lost: Lost) -> None:
    stage, push = lost.stage, lost.hold(HOLD_PUSH)
    stage.submit()
    lost.far.start_worker()
    stage.wait_for((lost.far.home / HELD).exists)
    lost.database.cut()
    lost.near.start_worker()
    stage.wait_for(lost.is_taken_over)
    push.unlink()
    lost.database.repair()
    _check_the_end(lost)


@pytest.mark.soak
@pytest.mark.parametrize("is_git_cut", [False, True], ids=["from the database", "from everything"])
def test_a_machine_that_comes_back_lands_nothing_twice(lost: Lost, is_git_cut: bool) -> None:
    stage, agent = lost.stage, lost.hold(HOLD)
    stage.submit()
    lost.far.start_worker()
    stage.wait_for(stage.count_starts)
    lost.database.cut()
    if is_git_cut:
        lost.git.cut()
    lost.near.start_worker()
    stage.wait_for(lost.is_taken_over)
    agent.unlink()
    lost.database.repair()
    lost.git.repair()
    _check_the_end(lost)


@pytest.mark.soak
def test_a_machine_that_is_gone_is_replaced(lost: Lost) -> None:
    stage = lost.stage
    lost.hold(HOLD)
    stage.submit()
    lost.far.start_worker()
    stage.wait_for(stage.count_starts)
    lost.far.kill_all()
    lost.near.start_worker()
    stage.wait_for(lost.is_taken_over)
    lost.far.start_worker()  # it is fixed, and clears away what it had left
    stage.wait_for(lambda: not list(lost.far.home.glob("state/planrail/workspaces/*/*")))
    _check_the_end(lost)
