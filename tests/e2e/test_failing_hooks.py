"""A hook that fails denies while a session plans, and lets everybody else work."""

import shutil
from pathlib import Path

from planrail.testing.model_server import ModelServer, Script, call, say
from tests.e2e.attempts import DENIED
from tests.e2e.claude import Claude
from tests.e2e.claude_host import Host
from tests.e2e.programs import Program, both_versions
from tests.e2e.projects import PLUGIN, Project


def damage(project: Project, session: str) -> None:
    """Tear the session's file, as a full disk would."""
    (project.state / "sessions" / "claude" / f"{session}.json").write_text('{"agent": "claude", "plann')


def break_interpreter(project: Project) -> None:
    """The interpreter that was recorded is one that does not work."""
    broken = project.base / "broken"
    broken.write_text("#!/bin/sh\nexit 127\n")
    broken.chmod(0o755)
    (project.state / "interpreter").write_text(f"{broken}\n{PLUGIN.parents[1]}\n")


@both_versions
def test_a_damaged_state_denies_while_planning(project: Project, program: Program) -> None:
    """In planrail's plan mode only planrail knows that the session plans. Its file is torn: writing is denied."""
    write = call("Write", file_path=project.path("other.txt"), content="x\n")
    with (
        ModelServer(Script(say("Planned."), write, say("Denied."))) as server,
        Host(Claude(project, server, program), "--permission-mode", "acceptEdits") as host,
    ):
        host.say("/planrail:plan a greeting")
        damage(project, host.session)
        assert host.say("write it") == "Denied."
    assert not project.holds("other.txt")
    assert "planrail" in server.turns[-1].news


@both_versions
def test_a_broken_interpreter_denies_while_planning(project: Project, program: Program) -> None:
    """Python can no longer be started. The wrapper denies by its exit code, which old versions understand too."""
    write = call("Write", file_path=project.path("other.txt"), content="x\n")
    with (
        ModelServer(Script(say("Planned."), write, say("Denied."))) as server,
        Host(Claude(project, server, program), "--permission-mode", "acceptEdits") as host,
    ):
        host.say("/planrail:plan a greeting")
        break_interpreter(project)
        assert host.say("write it") == "Denied."
    assert not project.holds("other.txt")
    assert "planrail" in server.turns[-1].news


@both_versions
def test_a_broken_interpreter_denies_in_the_agents_own_plan_mode(project: Project, program: Program) -> None:
    """The session plans from its first event on, and planrail could never write anything down about it."""
    break_interpreter(project)
    touch = call("Bash", command="touch made.txt")
    with ModelServer(Script(touch, say("Denied."))) as server:
        claude = Claude(project, server, program)
        done = claude.ask("plan a greeting", "--permission-mode", "plan", "--allowedTools", "Bash(touch *)")
    assert done.text == "Denied."
    assert not project.holds("made.txt")


@both_versions
def test_a_broken_interpreter_lets_an_idle_session_work(project: Project, program: Program) -> None:
    """Nobody plans: whatever is broken in planrail disturbs nobody."""
    break_interpreter(project)
    write = call("Write", file_path=project.path("other.txt"), content="x\n")
    with ModelServer(Script(write, say("Done."))) as server:
        done = Claude(project, server, program).ask("write a file", "--allowedTools", "Write")
    assert (done.text, project.holds("other.txt")) == ("Done.", True)


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


def test_an_idle_session_starts_no_interpreter(project: Project) -> None:
    """Nobody plans: a recorded interpreter that would leave a mark leaves none."""
    project.choose("")
    mark = spy_on_interpreter(project)
    turns = [
        call("Bash", command="echo hi"),
        call("Write", file_path=project.path("a.txt"), content="a\n"),
        say("Done."),
    ]
    with ModelServer(Script(*turns)) as server:
        done = Claude(project, server).ask("write a file", "--allowedTools", "Write", "Bash")
    assert (done.text, project.holds("a.txt")) == ("Done.", True)
    assert not mark.exists()


def test_a_session_in_plan_mode_does_start_one(project: Project) -> None:
    """The mark works: it is there as soon as somebody plans."""
    mark = spy_on_interpreter(project)
    with ModelServer(Script(say("Planned."))) as server:
        Claude(project, server).ask("plan a greeting", "--permission-mode", "plan")
    assert mark.exists()


def spy_on_interpreter(project: Project) -> Path:
    """Record an interpreter that leaves a mark when it is started."""
    mark, spy = project.base / "started", project.base / "spy"
    spy.write_text(f"#!/bin/sh\n: > '{mark}'\n")
    spy.chmod(0o755)
    (project.state / "interpreter").write_text(f"{spy}\n{PLUGIN.parents[1]}\n")
    return mark


def test_a_denied_tool_names_the_reason_and_not_a_failure(project: Project) -> None:
    """With everything in order a denial is a sentence about planning, not about hooks."""
    touch = call("Bash", command="touch made.txt")
    with ModelServer(Script(touch, say("Denied."))) as server:
        Claude(project, server).ask("plan", "--permission-mode", "plan", "--allowedTools", "Bash(touch *)")
    assert DENIED in server.turns[-1].news
    assert "failed" not in server.turns[-1].news
