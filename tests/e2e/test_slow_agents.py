"""Planning is read-only in the Gemini CLI and in opencode, which take long to start."""

from pathlib import Path

import pytest

from planrail.testing.model_server import ModelServer, Script, Usage, call, say
from tests.e2e.attempts import DENIED, READS, assert_each_denied, assert_none_denied
from tests.e2e.plan_files import told_plan_file
from tests.e2e.projects import Project
from tests.e2e.slow_agents import SLOW_AGENTS, Gemini, Opencode

pytestmark = pytest.mark.soak

PLAN = "# Teach the herons\n\n- [ ] Teach it to bow\n"
FULL = Usage(input=61_000, output=50)
each_agent = pytest.mark.parametrize("program", SLOW_AGENTS, ids=["gemini", "opencode"])
Slow = type[Gemini] | type[Opencode]


@each_agent
def test_planning_is_read_only(project: Project, program: Slow) -> None:
    """A person types the command; every tool that would change something is denied, reading is not."""
    with ModelServer(Script()) as server:
        agent = program(project, server)
        tried = [
            agent.write(project.path("made.txt"), "x\n"),
            agent.edit(project.path("notes.md"), "Nothing", "Something"),
            agent.run("touch made.txt"),
            agent.run("cat > made.txt <<'EOF'\nhi\nEOF"),
        ]
        reading = [agent.run(command) for command in READS]
        server.script = Script(*tried, *reading, say("I give up."), aside="A title")
        agent.ask(f"{program.plan} a greeting")
    assert_each_denied(server.turns[1 : len(tried) + 1])
    assert_none_denied(server.turns[len(tried) + 1 :])
    assert (project.changes(), len(server.turns)) == ("", len(tried) + len(reading) + 1)


@each_agent
def test_a_plan_is_written_and_approved(project: Project, program: Slow) -> None:
    """Nothing else is written until the person says "approve the plan", in a later run of the same session; then it is."""
    with ModelServer(Script()) as server:
        agent = program(project, server)
        write = agent.write(project.path("made.txt"), "x\n")
        turns = [agent.write("", PLAN), say("A draft."), write, say("I may not."), write, say("Done.")]
        server.script = Script(*turns, aside="A title")
        agent.ask(f"{program.plan} the herons")
        assert Path(told_plan_file(server.turns[0])).read_text() == PLAN, server.turns[1].news
        agent.ask("go on", is_next=True)
        was_held = not project.holds("made.txt")
        agent.ask("approve the plan", is_next=True)
    assert was_held
    assert DENIED in server.turns[3].news
    assert server.turns[4].was_told("the user approved the plan")
    assert DENIED not in server.turns[5].news
    assert project.holds("made.txt")


def test_a_full_window_holds_gemini_once(project: Project) -> None:
    """The stop is held, the model is told what to save, and its next stop passes."""
    with ModelServer(Script(say("Worked.", FULL), say("Saved.", FULL), say("Again.", FULL))) as server:
        Gemini(project, server).ask("work", CONTEXT_WINDOW_TOKENS="100000")
    assert len(server.turns) == 2
    assert "Context at 61%" in server.turns[1].news


def test_sub_agents_of_opencode_are_held_too(project: Project) -> None:
    """A sub-agent has a session of its own, and the rules of the one that started it."""
    task = call("task", description="look", prompt="write a file", subagent_type="general")
    with ModelServer(Script()) as server:
        agent = Opencode(project, server)
        write = agent.write(project.path("made.txt"), "x\n")
        server.script = Script(task, write, say("I may not."), say("I give up."), aside="A title")
        agent.ask("/plan the herons")
    assert server.turns[1].was_told("write a file")
    assert DENIED in server.turns[2].news
    assert not project.holds("made.txt")
