"""A hook that fails denies while a session plans, and lets everybody else work."""

import shutil
from pathlib import Path

from planrail.testing.model_server import ModelServer, Script, call, say
from tests.e2e.claude import Claude
from tests.e2e.claude_host import Host
from tests.e2e.programs import Program, both_versions
from tests.e2e.projects import PLUGIN, Project


def break_interpreter(project: Project) -> Path:
    """The interpreter that was recorded does not work, and leaves a mark when it is started."""
    mark, broken = project.base / "started", project.base / "broken"
    broken.write_text(f"#!/bin/sh\n: > '{mark}'\nexit 127\n")
    broken.chmod(0o755)
    (project.state / "interpreter").write_text(f"{broken}\n{PLUGIN.parents[1]}\n")
    return mark


@both_versions
def test_a_damaged_state_and_a_broken_interpreter_deny_while_planning(project: Project, program: Program) -> None:
    """In planrail's plan mode only planrail knows that the session plans. Its file is torn, as a full disk would do it.

    Then Python can no longer be started, and the wrapper denies by its exit code, which old versions understand too.
    """
    write = call("Write", file_path=project.path("other.txt"), content="x\n")
    with (
        ModelServer(Script(say("Planned."), write, say("Denied."), write, say("Denied again."))) as server,
        Host(Claude(project, server, program), "--permission-mode", "acceptEdits") as host,
    ):
        host.say("/planrail:plan a greeting")
        (project.state / "sessions" / "claude" / f"{host.session}.json").write_text('{"agent": "claude", "plann')
        assert host.say("write it") == "Denied."
        break_interpreter(project)
        assert host.say("write it") == "Denied again."
    assert not project.holds("other.txt")
    assert all("planrail" in server.turns[at].news for at in (2, 4))


@both_versions
def test_a_broken_interpreter_denies_in_the_agents_own_plan_mode(project: Project, program: Program) -> None:
    """The session plans from its first event on, and planrail could never write anything down about it."""
    mark = break_interpreter(project)
    touch = call("Bash", command="touch made.txt")
    with ModelServer(Script(touch, say("Denied."))) as server:
        claude = Claude(project, server, program)
        done = claude.ask("plan a greeting", "--permission-mode", "plan", "--allowedTools", "Bash(touch *)")
    assert done.text == "Denied."
    assert not project.holds("made.txt")
    assert mark.exists()


def test_an_idle_session_starts_no_interpreter_and_works(project: Project) -> None:
    """Nobody plans: whatever is broken in planrail disturbs nobody, since nothing of it is started."""
    project.choose("")
    mark = break_interpreter(project)
    turns = [
        call("Bash", command="echo hi"),
        call("Write", file_path=project.path("a.txt"), content="a\n"),
        say("Done."),
    ]
    with ModelServer(Script(*turns)) as server:
        done = Claude(project, server).ask("write a file", "--allowedTools", "Write", "Bash")
    assert (done.text, project.holds("a.txt")) == ("Done.", True)
    assert not mark.exists()


def test_a_wrapper_that_vanishes_denies(project: Project) -> None:
    """The whole hook is gone in the middle of planning. The agent itself denies then, if it is new enough."""
    plugin = project.base / "plugin"
    shutil.copytree(PLUGIN, plugin)
    write = call("Bash", command="touch made.txt")
    with ModelServer(Script(say("Planned."), write, say("Denied."))) as server:
        claude = Claude(project, server, plugin=plugin)
        with Host(claude, "--permission-mode", "plan") as host:
            host.say("plan a greeting")
            (plugin / "hooks" / "planrail-hook").unlink()
            assert host.say("write it") == "Denied."
    assert not project.holds("made.txt")
