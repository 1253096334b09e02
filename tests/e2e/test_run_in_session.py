"""A plan is carried out in the session, one phase at a time: what the agent says counts for nothing, its checks do."""

import re
import shlex
import sys

from planrail.testing.model_server import ModelRequest, ModelServer, Script, Turn, call, say
from tests.e2e.claude import Claude
from tests.e2e.claude_host import Host
from tests.e2e.codex import Codex
from tests.e2e.plan_files import told_plan_file, write_plan
from tests.e2e.projects import Project

PLAN = """# Greet

## Phase 1: Say hello

- [ ] write hello.txt

```sh check
grep -q hello hello.txt
```

## Phase 2: Say goodbye

- [ ] write bye.txt

```sh check
grep -q bye bye.txt
```
"""
FREE = '[planning]\nworkflow = "free"\n[approval]\nrequired = false\n[plans]\ndirectory = "plans"\n'
_TOLD = re.compile(r"`planrail done (?P<names>[^`]+)`")


def _planrail(request: ModelRequest, verb: str, *more: str) -> str:
    """The command that the model was told, as it can be typed where planrail is not installed."""
    told = _TOLD.findall(request.said_by("system", "user", "tool"))
    assert told, "nobody told the model how a phase is marked"
    return shlex.join([sys.executable, "-m", "planrail", verb, *shlex.split(told[-1]), *more])


def _bash(verb: str, *more: str) -> Turn:
    return call("Bash", lambda request: {"command": _planrail(request, verb, *more)})


def _exec(verb: str, *more: str) -> Turn:
    return call("exec_command", lambda request: {"cmd": _planrail(request, verb, *more)})


def test_a_phase_is_done_when_its_checks_pass_and_the_next_one_comes_after_the_clear(project: Project) -> None:
    """Planned and approved. The agent claims too early and is refused, does the work, is marked; then the clear."""
    write = call("Write", file_path=project.path("hello.txt"), content="hello\n")
    script = Script(
        write_plan(PLAN),
        call("ExitPlanMode"),
        say("Approved."),
        _bash("done"),
        write,
        _bash("check"),
        _bash("done"),
        say("Phase 1 is done."),
        say("I go on."),
    )
    with (
        ModelServer(script) as server,
        Host(Claude(project, server), "--permission-mode", "plan") as host,
    ):
        host.say("plan a greeting")
        host.say("execute plan")
        first = host.session
        host.say("/clear")
        host.say("go on")
        assert host.session != first
    handed, refused, checked, done, after = (server.turns[at] for at in (3, 4, 6, 7, 8))
    assert handed.was_told("## Phase 1: Say hello")
    assert handed.was_told("Tick no box")
    assert "is not proven" in refused.news
    assert "1 check passed" in checked.news
    assert "phase 1 is done, and proven" in done.news
    assert "/clear" in done.news
    with open(told_plan_file(server.turns[0])) as file:
        assert file.read() == PLAN.replace("- [ ] write hello", "- [x] write hello")
    assert after.was_told("ACTION REQUIRED")
    assert after.was_told("Phase 2: Say goodbye")


def test_the_last_phase_completes_the_plan_and_is_committed_on_request(project: Project) -> None:
    """The person wants commits: each phase becomes one, with its evidence, and the last says that the plan is complete."""
    project.choose(FREE)
    plan = project.folder / "plans" / "greet.md"
    plan.parent.mkdir()
    plan.write_text(PLAN)
    project.git("add", "plans")
    project.git("commit", "--quiet", "--message", "Plan")
    project.git("config", "user.name", "A Person")
    project.git("config", "user.email", "person@example.org")
    turns = [
        say("Loaded."),
        call("Write", file_path=project.path("hello.txt"), content="hello\n"),
        _bash("done", "--commit"),
        say("Phase 1."),
        call("Write", file_path=project.path("bye.txt"), content="bye\n"),
        _bash("done", "--commit"),
        say("Phase 2."),
    ]
    with (
        ModelServer(Script(*turns)) as server,
        Host(Claude(project, server), "--permission-mode", "acceptEdits") as host,
    ):
        host.say("!load-plan greet")
        host.say("execute the plan and commit")
        host.say("execute the plan and commit")
    assert "committed as" in server.turns[3].news
    assert "PLAN COMPLETE: all 2 phases are finished (2 proven)" in server.turns[6].news
    log = project.git("log", "--format=%an %(trailers:key=Planrail-Phase,valueonly,separator=)", "-2").split("\n")
    assert log[:2] == ["A Person 2", "A Person 1"]
    assert project.git("show", "--name-only", "--format=", "HEAD").split() == ["bye.txt", "plans/greet.md"]
    assert project.changes() == ""


def test_a_phase_is_handed_out_and_proven_in_codex(project: Project) -> None:
    """The same in Codex, by its own tools, with planrail's state where Codex lets its commands write."""
    project.choose(FREE)
    plan = project.folder / "plans" / "greet.md"
    plan.parent.mkdir()
    plan.write_text(PLAN)
    patch = "*** Begin Patch\n*** Add File: hello.txt\n+hello\n*** End Patch\n"
    turns = [say("Loaded."), _exec("done"), call("apply_patch", patch), _exec("done"), say("Phase 1 is done.")]
    with ModelServer(Script(*turns)) as server:
        codex = Codex(project, server)
        config = codex.config / "config.toml"
        writable = f'[sandbox_workspace_write]\nwritable_roots = ["{project.state}", "{project.folder}/.git"]'
        config.write_text(config.read_text().replace("[sandbox_workspace_write]", writable))
        first = codex.ask("!load-plan greet")
        codex.ask("execute plan", resume=first.session)
    handed, refused, done = server.turns[1], server.turns[2], server.turns[4]
    assert handed.was_told("You carry out phase 1 (Say hello)")
    assert "is not proven" in refused.news
    assert "phase 1 is done, and proven" in done.news
    assert "- [x] write hello.txt" in plan.read_text()
